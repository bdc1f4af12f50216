"""The steps that new workflows and changed answers share: questions, accounts, and what will happen."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QVBoxLayout, QWidget

from app.background import BackgroundTasks
from app.session import Session
from app.template_questions import QuestionKind
from app.templates import Template
from app.theme.tokens import Space, Tone
from app.widgets.details_view import make_label
from app.widgets.page_stack import PageStack
from app.window.dialog import Dialog
from app.window.feedback import StatusLine, add_shortcut_tooltip, make_button
from app.window.new_workflow.account_fields import AccountFields
from app.window.new_workflow.answer_fields import AnswerFields, BadFieldError, required_text
from app.window.new_workflow.ready_page import ReadyPage
from app.window.new_workflow.template_setup import KnownSetup, remove_connections

_FIELDS = (QLineEdit, QAbstractSpinBox, QComboBox, QAbstractButton)


class TemplateDialog(Dialog):
    """Subclasses say what is prepared for the last step, and what its button does."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(620, parent)
        self._session, self._background = session, BackgroundTasks(self)
        self._known = KnownSetup(connections={})
        self._template: Template | None = None
        self._start_answers: Mapping[str, Any] = {}
        self._answers: dict[str, Any] = {}
        self._made_connections: list[str] = []
        """Removed again if the user cancels."""
        self._is_busy = self._is_finishing = False
        self.stack = PageStack()
        self.answers, self.accounts, self.ready = AnswerFields(session), AccountFields(session), ReadyPage()
        self.name = QLineEdit()
        self.name.setAccessibleName(self.tr("Name"))
        self._name_label = make_label(self.tr("Name"))
        self._name_label.setBuddy(self.name)
        self.questions_page = self._make_questions_page()
        self.status_line = StatusLine()
        self.back = make_button(self.tr("Back"), "Alt+Left")
        self.cancel = make_button(self.tr("Cancel"))
        self.continue_button = make_button(self.tr("Continue"), "Ctrl+Return", importance="primary")
        self.parts.addWidget(self.stack)
        self.parts.addStretch(1)
        self.main_layout.insertWidget(2, self.status_line)
        self.add_buttons(self.back, others=[self.cancel], last=self.continue_button)
        self.back.clicked.connect(self.go_back)
        self.cancel.clicked.connect(self.reject)
        self.continue_button.clicked.connect(self.go_on)
        self.accounts.connected.connect(self._keep_connection)
        self.accounts.abandoned.connect(lambda name: self._remove_connections((name,)))
        for edited in (
            self.answers.edited,
            self.accounts.rows_changed,
            self.name.textEdited,
            self.ready.file.textChanged,
        ):
            edited.connect(self.status_line.clear_error)
        for fields in (self.answers, self.accounts):
            fields.rows_changed.connect(self.fit)
        self.ready.advanced.toggled.connect(lambda _: self.fit())

    @property
    def template(self) -> Template:
        assert self._template is not None
        return self._template

    def reject(self) -> None:
        """Leave nothing behind: neither a file nor a connection made on the way."""
        if self._is_finishing:
            return
        super().reject()
        self._remove_connections(tuple(self._made_connections))
        self._made_connections.clear()
        if not self.accounts.is_connecting():  # else its result is still needed, to remove it
            self.deleteLater()

    def show_template(self, template: Template, answers: Mapping[str, Any], name: str) -> None:
        """Start over with the questions of this template."""
        self._template, self._start_answers, self._answers = template, answers, {}
        questions = tuple(one for one in template.questions if one.kind is not QuestionKind.ACCOUNT)
        self.answers.show_questions(questions, answers)
        self.name.setText(name)
        self.show_page(self.questions_page)

    def steps(self) -> list[QWidget]:
        """The pages of this template, in order."""
        has_accounts = any(one.kind is QuestionKind.ACCOUNT for one in self.template.questions)
        return [self.questions_page, *([self.accounts] if has_accounts else []), self.ready]

    def go_back(self) -> None:
        steps = self.steps()
        place = steps.index(self.current_page())
        if place and not self._is_busy:
            self.show_page(steps[place - 1])

    def go_on(self) -> None:
        page = self.current_page()
        if page is self.ready:
            self._is_finishing = True
            self.finish()
            return
        try:
            self._read(page)
        except BadFieldError as error:
            self.show_error(error.sentence, error.field)
            return
        steps = self.steps()
        self.show_page(steps[steps.index(page) + 1])

    def current_page(self) -> QWidget:
        page = self.stack.currentWidget()
        assert page is not None
        return page

    def show_page(self, page: QWidget) -> None:
        self.status_line.clear()
        if page is self.accounts:
            questions = tuple(one for one in self.template.questions if one.kind is QuestionKind.ACCOUNT)
            self.accounts.show_accounts(questions, {**self._start_answers, **self._answers}, self._known)
        self.stack.setCurrentWidget(page)
        self.back.setVisible(page is not self.steps()[0])
        self.continue_button.setText(self.finish_text() if page is self.ready else self.tr("Continue"))
        self.continue_button.setShortcut("Ctrl+Return")
        add_shortcut_tooltip(self.continue_button)
        if page is self.ready:
            self.ready.show_waiting(self.template, self._answers)
            self._set_busy(busy=True)
            self.prepare()
        else:
            _focus_first(page)
        self.fit()
        QTimer.singleShot(0, self, self.fit)  # the rows of another template are removed by then

    def finish_text(self) -> str:
        """Of the button on the last page."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Work out in the background what the last page shows; then call `show_prepared` or `fail`."""
        raise NotImplementedError

    def finish(self) -> None:
        """Do it."""
        raise NotImplementedError

    def fail(self, error: Exception) -> None:
        self._set_busy(busy=False)
        self.ready.busy.hide()
        self.status_line.show_error(error)
        self.fit()

    def show_error(self, sentence: str, field: QWidget) -> None:
        self.status_line.show_message(sentence, Tone.BAD)
        field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.body.ensureWidgetVisible(field)
        self.fit()

    def _read(self, page: QWidget) -> None:
        if page is self.accounts:
            self._answers |= self.accounts.read()
            return
        self._answers |= self.answers.read()
        if not self.name.text().strip():
            raise BadFieldError(self.name, f"{self.name.accessibleName()}: {required_text()}")

    def _make_questions_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.SMALL)
        self.summary = make_label("", "muted")
        for part in (self.summary, self.answers, self._name_label, self.name):
            column.addWidget(part)
        return page

    def _set_busy(self, *, busy: bool) -> None:
        """While something is prepared the user can cancel; while it is done they cannot."""
        self._is_busy = busy
        self._is_finishing = busy and self._is_finishing
        for button in (self.back, self.continue_button):
            button.setEnabled(not busy)
        self.cancel.setEnabled(not self._is_finishing)

    def _keep_connection(self, name: str) -> None:
        self._made_connections.append(name)
        self.continue_button.setFocus()
        before = self._known
        self._known = KnownSetup(
            workflows=before.workflows,
            connections={**before.connections, name: {}},
            connected=(*before.connected, name),
        )

    def _remove_connections(self, names: tuple[str, ...]) -> None:
        session = self._session
        if names:
            self._background.run(lambda: remove_connections(session, names), lambda _: None)


def _focus_first(page: QWidget) -> None:
    """The first field that can be reached with Tab."""
    for field in page.findChildren(QWidget):
        if field.isVisibleTo(page) and field.isEnabled() and isinstance(field, _FIELDS):
            field.setFocus()
            return
