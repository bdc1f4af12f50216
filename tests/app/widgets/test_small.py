"""The empty state, the search field and the snackbar."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QAccessible, QEnterEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QTabWidget, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.theme.tokens import Colours, Tone
from app.widgets.empty_state import EmptyState
from app.widgets.page_stack import size_by_current_tab
from app.widgets.search_field import SearchField
from app.widgets.snackbar import Snackbar


def test_the_button_of_an_empty_page_works_by_mouse_and_shortcut(qtbot: QtBot, shown: Callable[..., None]) -> None:
    page = EmptyState("workflow", "No workflows yet", "Drop a file here.", action="New", shortcut="Ctrl+N")
    shown(page, 500, 400)
    assert {"No workflows yet", "Drop a file here."} <= {label.text() for label in page.findChildren(QLabel)}
    assert page.button is not None and page.button.toolTip() == "New (Ctrl+N)"
    with qtbot.waitSignal(page.action_clicked):
        qtbot.mouseClick(page.button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(page.action_clicked, timeout=30_000):
        qtbot.keyClick(page, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)


def test_an_empty_page_without_an_action_has_no_button(shown: Callable[..., None]) -> None:
    page = EmptyState("done", "All done", "You will be notified.")
    shown(page, 500, 400)
    assert page.button is None


def test_nothing_on_an_empty_page_is_cut_off(shown: Callable[..., None], colours: Colours) -> None:
    page = EmptyState("workflow", "No workflows " * 8, "Drop a file here. " * 20, action="New from a template")
    shown(page, 600, 500)
    for label in page.findChildren(QLabel):
        if label.text():
            assert label.height() >= label.heightForWidth(label.width())


def test_the_picture_of_an_empty_page_follows_the_theme(
    shown: Callable[..., None], colours: Colours, picture: type
) -> None:
    page = EmptyState("workflow", "No workflows yet", "Drop a file here.")
    shown(page, 500, 400)
    assert picture(page).count(colours.muted) > 100


@pytest.fixture
def field(shown: Callable[..., None]) -> SearchField:
    page = QWidget()
    field = SearchField("Search the history")
    layout = QVBoxLayout(page)
    layout.addWidget(QLineEdit())
    layout.addWidget(field)
    shown(page, 400, 100)
    return field


def test_the_icon_of_a_search_field_has_a_name(field: SearchField) -> None:
    """For screen readers."""
    [icon] = (one for one in field.findChildren(QToolButton) if one.isVisible())
    assert QAccessible.queryAccessibleInterface(icon).text(QAccessible.Text.Name) == "Search the history"


def test_typing_searches_once_after_a_pause(qtbot: QtBot, field: SearchField) -> None:
    emitted: list[str] = []
    field.searched.connect(emitted.append)
    with qtbot.waitSignal(field.searched, timeout=30_000):
        qtbot.keyClicks(field, "receipts")
    assert emitted == ["receipts"]


def test_return_searches_at_once_and_not_twice_for_the_same_text(qtbot: QtBot, field: SearchField) -> None:
    emitted: list[str] = []
    field.searched.connect(emitted.append)
    field.setText(" mail ")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert emitted == ["mail"]


def test_escape_clears_the_search_at_once(qtbot: QtBot, field: SearchField) -> None:
    field.setText("mail")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    with qtbot.waitSignal(field.searched) as searched:
        qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert searched.args == [""]
    assert field.text() == ""


def test_down_moves_to_the_results(qtbot: QtBot, field: SearchField) -> None:
    field.setText("mail")
    with qtbot.waitSignals([field.searched, field.down_pressed], order="strict"):
        qtbot.keyClick(field, Qt.Key.Key_Down)


def test_focusing_the_field_selects_its_text(field: SearchField) -> None:
    field.setText("old")
    field.focus_and_select()
    assert field.hasFocus()
    assert field.selectedText() == "old"


def test_the_field_has_a_name(field: SearchField) -> None:
    assert field.accessibleName() == field.placeholderText() == "Search the history"
    assert field.toolTip() == "Search the history (Ctrl+F)"


@pytest.fixture
def toast(shown: Callable[..., None]) -> Snackbar:
    window = QWidget()
    shown(window, 600, 400)
    return Snackbar(window)


def test_a_new_message_replaces_the_old_one(toast: Snackbar) -> None:
    assert toast.sentence == ""
    toast.show_message("Skipped the next run.")
    toast.show_message("Paused.", Tone.QUIET)
    assert toast.sentence == "Paused."


def test_its_button_emits_the_action_and_closes_it(qtbot: QtBot, toast: Snackbar) -> None:
    toast.show_message("Skipped the next run.", action="Undo", key="skip-7")
    with qtbot.waitSignals([toast.action_clicked, toast.dismissed], order="strict"):
        qtbot.mouseClick(toast.button, Qt.MouseButton.LeftButton)
    toast.show_message("Done.", key="x")
    assert not toast.button.isVisible()


def test_a_message_disappears_after_a_while(qtbot: QtBot, toast: Snackbar) -> None:
    toast.show_message("Done.")
    toast._timer.setInterval(1)
    with qtbot.waitSignal(toast.dismissed, timeout=30_000):
        toast._timer.start()
    assert toast.sentence == ""


def test_a_message_stays_while_hovered(toast: Snackbar) -> None:
    toast.show_message("Done.")
    assert toast._timer.isActive()
    QApplication.sendEvent(toast, QEnterEvent(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5)))
    assert not toast._timer.isActive()
    QApplication.sendEvent(toast, QEvent(QEvent.Type.Leave))
    assert toast._timer.isActive()


def test_a_message_stays_while_its_button_has_the_focus(toast: Snackbar) -> None:
    toast.show_message("Done.", action="Undo")
    toast.button.setFocus()
    assert not toast._timer.isActive()
    toast.button.clearFocus()
    assert toast._timer.isActive()


def test_its_shortcut_triggers_the_action(qtbot: QtBot, toast: Snackbar) -> None:
    toast.show_message("Skipped the next run.", action="Undo", shortcut="Ctrl+Z", key="skip-7")
    assert toast.button.toolTip() == "Undo (Ctrl+Z)"
    with qtbot.waitSignal(toast.action_clicked, timeout=30_000) as acted:
        qtbot.keyClick(toast.window(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert acted.args == ["skip-7"]


def test_escape_closes_it(qtbot: QtBot, toast: Snackbar) -> None:
    toast.show_message("Done.", action="Undo")
    with qtbot.waitSignal(toast.dismissed):
        qtbot.keyClick(toast.button, Qt.Key.Key_Escape)


@pytest.mark.parametrize("width", [220, 600, 1600])
def test_a_message_fits_its_window_and_is_not_cut_off(
    qtbot: QtBot, toast: Snackbar, width: int, colours: Colours
) -> None:
    toast.show_message("The run of today at 18:00 is skipped; the one after it comes tomorrow at 18:00.", action="Undo")
    window = toast.parentWidget()
    assert window is not None
    window.resize(width, 300)
    assert window.rect().contains(toast.geometry())
    (words,) = [label for label in toast.findChildren(QLabel) if label.text()]
    toast.layout().activate()  # type: ignore[union-attr]
    assert words.height() >= words.heightForWidth(words.width())


def test_a_hidden_tab_does_not_widen_the_others(qtbot: QtBot) -> None:
    tabs, narrow, wide = QTabWidget(), QWidget(), QWidget()
    qtbot.addWidget(tabs)
    part = QWidget()
    part.setMinimumWidth(900)
    QVBoxLayout(wide).addWidget(part)
    tabs.addTab(narrow, "Narrow")
    tabs.addTab(wide, "Wide")
    size_by_current_tab(tabs)
    assert tabs.minimumSizeHint().width() < 900
    tabs.setCurrentIndex(1)
    assert tabs.minimumSizeHint().width() >= 900
    tabs.setCurrentIndex(0)
    assert tabs.minimumSizeHint().width() < 900
