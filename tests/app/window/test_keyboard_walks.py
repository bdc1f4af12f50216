"""Import, Connections and Settings from beginning to end with the keyboard alone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QMessageBox,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.background import run_command
from app.data.preferences import read_preferences
from app.session import Session
from app.window.connections.connect_dialog import ConnectDialog
from app.window.connections.page import ConnectionsPage
from app.window.import_jobs.dialog import ImportJobsDialog
from app.window.main_window import MainWindow
from app.window.settings.page import SettingsPage
from tests.app.app_fixture import Wait, overview_of
from tests.app.window.import_jobs.test_dialog import home  # noqa: F401  a fixture
from tests.app.window.session_fixture import few

__all__ = ["few"]

_CONTROLS = (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit)
_MOST_STEPS = 60


class Keyboard:
    """Presses keys where the focus is."""

    def __init__(self, qtbot: QtBot, window: MainWindow, wait: Wait) -> None:
        self._qtbot, self.window, self._wait = qtbot, window, wait

    def activate(self) -> None:
        """A window manager does this when a dialog is closed."""
        if QApplication.activeWindow() is None:
            with self._qtbot.waitActive(self.window, timeout=60_000):
                self.window.activateWindow()

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.activate()
        self._qtbot.keyClick(QApplication.focusWidget() or self.window, key, modifier)

    def write(self, text: str) -> None:
        self._qtbot.keyClicks(QApplication.focusWidget(), text)

    def tab_to(self, widget: QWidget) -> None:
        for _ in range(_MOST_STEPS):
            if QApplication.focusWidget() is widget:
                return
            self.press(Qt.Key.Key_Tab)
        raise AssertionError(f"Tab does not lead to {widget.objectName() or widget.accessibleName() or widget}")

    def unreachable(self, part: QWidget) -> set[str]:
        """The controls of a page or dialog to which Tab does not lead."""
        reached: list[QWidget] = []
        for _ in range(_MOST_STEPS):
            focused = QApplication.focusWidget()
            if focused is None or focused in reached:
                break
            reached.append(focused)
            self.press(Qt.Key.Key_Tab)
        found = [one for one in part.findChildren(QWidget) if isinstance(one, _CONTROLS) and _is_control(one)]
        return {_name(one) for one in found if one not in reached}

    def dialog(self, kind: type[QDialog]) -> QDialog:
        """The open dialog of this kind, once it has the focus."""
        self._wait(lambda: [one for one in self.window.findChildren(kind) if one.isVisible()])
        dialog = next(one for one in self.window.findChildren(kind) if one.isVisible())
        self._wait(lambda: dialog.isAncestorOf(QApplication.focusWidget() or self.window))
        return dialog


def _is_control(widget: QWidget) -> bool:
    parent = widget.parentWidget()
    is_inner = isinstance(parent, QAbstractSpinBox | QComboBox)
    return widget.isVisible() and widget.isEnabled() and not is_inner and widget.focusPolicy() != Qt.FocusPolicy.NoFocus


def _name(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return text or widget.accessibleName() or type(widget).__name__


@pytest.fixture
def open_window(qtbot: QtBot, wait: Wait) -> Callable[[Session], Keyboard]:
    def make(session: Session) -> Keyboard:
        window = MainWindow(session)
        qtbot.addWidget(window)
        with qtbot.waitActive(window, timeout=60_000):
            window.bring_to_front()
        window.show_overview(overview_of(session))
        return Keyboard(qtbot, window, wait)

    return make


def test_an_import_is_made_started_and_undone_with_the_keyboard(
    open_window: Callable[[Session], Keyboard],
    empty: Session,
    wait: Wait,
    home: Path,  # noqa: F811  the fixture
) -> None:
    keys = open_window(empty)
    keys.press(Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    keys.press(Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    dialog = keys.dialog(ImportJobsDialog)
    assert isinstance(dialog, ImportJobsDialog)
    wait(lambda: dialog.plan is not None and QApplication.focusWidget() is dialog.jobs)
    assert keys.unreachable(dialog) == set()
    keys.tab_to(dialog.jobs)
    keys.press(Qt.Key.Key_Home)
    keys.press(Qt.Key.Key_Space)
    assert len(dialog.jobs.list_chosen()) == 1
    keys.press(Qt.Key.Key_Space)
    keys.press(Qt.Key.Key_Return)
    wait(dialog.results_panel.isVisible)
    assert QApplication.focusWidget() is dialog.cancel
    assert keys.unreachable(dialog) == set()
    keys.tab_to(dialog.results_panel.undo)
    keys.press(Qt.Key.Key_Return)
    wait(lambda: not isValid(dialog) or not dialog.isVisible())
    assert run_command(empty, "list") == {"workflows": []} or not empty.queries.workflows()


def test_a_folder_is_connected_changed_and_disconnected_with_the_keyboard(
    open_window: Callable[[Session], Keyboard], few: Session, wait: Wait, tmp_path: Path
) -> None:
    keys = open_window(few)
    keys.press(Qt.Key.Key_5, Qt.KeyboardModifier.ControlModifier)
    page = keys.window.page
    assert isinstance(page, ConnectionsPage)
    wait(lambda: page.model.rowCount() and page.selected_row())
    assert keys.unreachable(page) == set()
    keys.tab_to(page.add)
    keys.press(Qt.Key.Key_Return)
    dialog = keys.dialog(ConnectDialog)
    assert isinstance(dialog, ConnectDialog)
    keys.tab_to(dialog.kind)
    while dialog.kind.currentData() != "files":
        keys.press(Qt.Key.Key_Down)
    assert keys.unreachable(dialog) == set()
    keys.tab_to(dialog.name)
    keys.write("papers")
    keys.tab_to(dialog.inputs["path"])
    keys.write(str(tmp_path))
    keys.press(Qt.Key.Key_Return)
    wait(lambda: (row := page.selected_row()) is not None and row.name == "files:papers")
    keys.tab_to(page.list)
    keys.press(Qt.Key.Key_Return)
    assert keys.dialog(ConnectDialog).windowTitle() == "Connect"
    keys.press(Qt.Key.Key_Escape)
    keys.activate()
    assert QApplication.focusWidget() is page.list
    keys.tab_to(page.disconnect_button)
    _answer_when_asked(keys, "Disconnect")
    keys.press(Qt.Key.Key_Space)
    wait(lambda: page.model.find_row("files:papers") < 0)


def _answer_when_asked(keys: Keyboard, word: str) -> None:
    """Once the question, which blocks the test, is shown: choose this button."""
    boxes = [one for one in QApplication.topLevelWidgets() if isinstance(one, QMessageBox) and one.isVisible()]
    if not boxes or QApplication.activeWindow() is not boxes[0]:
        QTimer.singleShot(20, lambda: _answer_when_asked(keys, word))
        return
    keys.tab_to(next(one for one in boxes[0].buttons() if one.text() == word))
    keys.press(Qt.Key.Key_Return)


def test_every_setting_is_changed_with_the_keyboard(
    open_window: Callable[[Session], Keyboard], few: Session, wait: Wait
) -> None:
    keys = open_window(few)
    keys.press(Qt.Key.Key_6, Qt.KeyboardModifier.ControlModifier)
    page = keys.window.page
    assert isinstance(page, SettingsPage)
    wait(lambda: page._has_read)
    assert keys.unreachable(page) == set()
    before = read_preferences(few.folder)
    keys.tab_to(page.notifications)
    keys.press(Qt.Key.Key_Space)
    keys.tab_to(page.concurrency)
    keys.press(Qt.Key.Key_Up)
    keys.tab_to(page.catchup)
    keys.press(Qt.Key.Key_Down)
    keys.tab_to(page.editor)
    keys.write("sh")
    keys.press(Qt.Key.Key_Return)

    def has_changed() -> bool:
        now = read_preferences(few.folder)
        return (
            now.notices is not before.notices
            and now.concurrency == before.concurrency + 1
            and now.catchup != before.catchup
            and now.editor == "sh"
        )

    wait(has_changed)
