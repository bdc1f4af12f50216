"""Drives the dialog for a new workflow as a user does: with the mouse and the keyboard."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QComboBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.session import Session
from app.window.connections.connect_dialog import ConnectDialog
from app.window.new_workflow.answers_dialog import ChangeAnswersDialog
from app.window.new_workflow.new_dialog import NewWorkflowDialog
from app.window.new_workflow.page_text_dialog import PageTextDialog, PageTextField
from app.window.workflows.page import WorkflowsPage
from scheduler.rules.history_query import HistoryQuery
from scheduler.rules.phases import RunStatus
from tests.app.app_fixture import Wait


class DialogWalk:
    def __init__(self, qtbot: QtBot, page: WorkflowsPage, session: Session, wait: Wait) -> None:
        self._qtbot, self._page, self._session, self.wait = qtbot, page, session, wait
        self.dialog: NewWorkflowDialog | ChangeAnswersDialog
        self.messages: list[tuple[str, str]] = []
        session.message_sent.connect(lambda title, text: self.messages.append((title, text)))

    def open(self, slug: str) -> NewWorkflowDialog:
        """Open the dialog and choose the template with the mouse."""
        self._page.create_workflow()
        self.dialog = dialog = self._page.findChildren(NewWorkflowDialog)[-1]
        self.wait(dialog.isVisible)
        place = [one.slug for one in dialog.templates].index(slug)
        item = dialog.list.visualItemRect(dialog.list.item(place))
        self._qtbot.mouseClick(
            dialog.list.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, item.center()
        )
        self.go_on()
        assert dialog.current_page() is dialog.questions_page
        return dialog

    def click(self, button: QAbstractButton) -> None:
        assert button.isVisible() and button.isEnabled(), button.text()
        self._qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def tick(self, box: QCheckBox) -> None:
        box.setFocus()
        self._qtbot.keyClick(box, Qt.Key.Key_Space)

    def go_on(self) -> None:
        self.click(self.dialog.continue_button)

    def type(self, field: QWidget, text: str) -> None:
        assert isinstance(field, QLineEdit) and field.isVisible()
        field.setFocus()
        field.selectAll()
        self._qtbot.keyClicks(field, text)

    def answer(self, **texts: str) -> None:
        for name, text in texts.items():
            self.type(self.dialog.answers.inputs[name], text)

    def choose_on_page(self, name: str, text: str) -> None:
        field = self.dialog.answers.inputs[name]
        assert isinstance(field, PageTextField)
        self.click(field.button)
        picker = self.wait(lambda: (self.dialog.findChildren(PageTextDialog) or [None])[-1])
        self.wait(picker.list.count)
        [place] = [one for one in range(picker.list.count()) if picker.list.item(one).text() == text]
        picker.list.scrollToItem(picker.list.item(place))
        item = picker.list.visualItemRect(picker.list.item(place))
        self._qtbot.mouseClick(
            picker.list.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, item.center()
        )
        self.click(picker.accept_button)
        assert field.chosen_text.text() == text

    def connect(self, name: str, settings: dict[str, Any]) -> str:
        """Connect the missing account in the dialog; returns the connection's name."""
        assert self.dialog.current_page() is self.dialog.accounts
        field = self.dialog.accounts.fields[name]
        self.click(field.button)
        connecting = self.open_connect_dialog()
        for key, value in settings.items():
            self.set(connecting.inputs[key], value)
        self.click(connecting.connect_button)
        self.wait(lambda: field.value() or connecting.status_line.message.endswith("."))
        assert field.value(), connecting.status_line.message
        return field.value()

    def set(self, control: QWidget, value: object) -> None:
        if isinstance(control, QComboBox):
            control.setCurrentIndex(control.findData(value))
        else:
            self.type(control, str(value))

    def open_connect_dialog(self) -> ConnectDialog:
        dialogs = [one for one in self.dialog.findChildren(ConnectDialog) if one.isVisible()]
        assert len(dialogs) == 1
        return dialogs[0]

    def start(self) -> str:
        """Start it on the last page; returns the slug of the workflow."""
        assert isinstance(self.dialog, NewWorkflowDialog)
        self.go_on()
        assert self.dialog.current_page() is self.dialog.ready, self.dialog.status_line.message
        self.wait(self.dialog.continue_button.isEnabled)
        assert not self.dialog.status_line.message
        with self._qtbot.waitSignal(self.dialog.started, timeout=60_000) as blocker:
            self.go_on()
        slug = str(blocker.args[0])
        self.wait(lambda: self._page.pane.data is not None and self._page.pane.slug == slug)
        return slug

    def run_now(self) -> None:
        """Press *Run now*, which the page offers again once the last run has ended and it has read that."""
        run = self._page.pane.run
        self.wait(lambda: run.isVisible() and run.isEnabled())
        self.click(run)

    def wait_for_run(self, slug: str, summary: str = "", handler: str = "") -> None:
        """Until it is idle and a run of it has succeeded, with that summary and handler if they are given."""

        def has_run() -> bool:
            found = self._session.queries.history(HistoryQuery(workflow=slug), None, 30).runs
            is_idle = all(one.status is not RunStatus.ACTIVE for one in found)
            done = [one for one in found if one.status is RunStatus.COMMITTED and handler in ("", one.handler)]
            return is_idle and any(summary in (one.summary or "") for one in done)

        self.wait(has_run)

    def count_runs(self, slug: str, handler: str) -> int:
        """How many runs of that handler have succeeded."""
        found = self._session.queries.history(HistoryQuery(workflow=slug), None, 30).runs
        return sum(one.status is RunStatus.COMMITTED and one.handler == handler for one in found)

    def approve(self) -> Any:
        """Answer the only request, once it is there; returns the parameters of its call."""
        [request] = self.wait(self._session.queries.attention)
        self._session.execute_for_user(lambda runtime: runtime.request_commands.approve(request.id))
        return request.call["parameters"]
