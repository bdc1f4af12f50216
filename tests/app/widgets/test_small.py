"""Empty pages, the search field and the toast."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QAccessible, QEnterEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.look.theme import Colours, Tone
from app.widgets.empty import EmptyPage
from app.widgets.search_field import SearchField
from app.widgets.toast import Toast


def test_an_empty_page_says_what_to_do_and_does_it(qtbot: QtBot, shown: Callable[..., None]) -> None:
    page = EmptyPage("workflow", "No workflows yet", "Drop a file here.", action="New", shortcut="Ctrl+N")
    shown(page, 500, 400)
    assert {"No workflows yet", "Drop a file here."} <= {label.text() for label in page.findChildren(QLabel)}
    assert page.button is not None and page.button.toolTip() == "New (Ctrl+N)"
    with qtbot.waitSignal(page.acted):
        qtbot.mouseClick(page.button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(page.acted, timeout=30_000):
        qtbot.keyClick(page, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)


def test_an_empty_page_without_anything_to_do_has_no_button(shown: Callable[..., None]) -> None:
    page = EmptyPage("done", "Nothing needs you", "You will be told when something does.")
    shown(page, 500, 400)
    assert page.button is None


def test_nothing_on_an_empty_page_is_cut_off(shown: Callable[..., None], colours: Colours) -> None:
    page = EmptyPage("workflow", "No workflows " * 8, "Drop a file here. " * 20, action="New from a template")
    shown(page, 600, 500)
    for label in page.findChildren(QLabel):
        if label.text():
            assert label.height() >= label.heightForWidth(label.width())


def test_the_picture_of_an_empty_page_follows_the_theme(
    shown: Callable[..., None], colours: Colours, picture: type
) -> None:
    page = EmptyPage("workflow", "No workflows yet", "Drop a file here.")
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


def test_no_button_of_a_search_field_is_without_a_name(field: SearchField) -> None:
    """A screen reader reads its glass, too."""
    [glass] = (one for one in field.findChildren(QToolButton) if one.isVisible())
    assert QAccessible.queryAccessibleInterface(glass).text(QAccessible.Text.Name) == "Search the history"


def test_typing_searches_once_when_it_pauses(qtbot: QtBot, field: SearchField) -> None:
    heard: list[str] = []
    field.searched.connect(heard.append)
    with qtbot.waitSignal(field.searched, timeout=30_000):
        qtbot.keyClicks(field, "receipts")
    assert heard == ["receipts"]


def test_return_searches_at_once_and_the_same_only_once(qtbot: QtBot, field: SearchField) -> None:
    heard: list[str] = []
    field.searched.connect(heard.append)
    field.setText(" mail ")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert heard == ["mail"]


def test_escape_shows_everything_again_at_once(qtbot: QtBot, field: SearchField) -> None:
    field.setText("mail")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    with qtbot.waitSignal(field.searched) as searched:
        qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert searched.args == [""]
    assert field.text() == ""


def test_down_goes_on_to_what_was_found(qtbot: QtBot, field: SearchField) -> None:
    field.setText("mail")
    with qtbot.waitSignals([field.searched, field.left], order="strict"):
        qtbot.keyClick(field, Qt.Key.Key_Down)


def test_who_comes_to_the_field_can_type_over_what_was_there(field: SearchField) -> None:
    field.setText("old")
    field.come()
    assert field.hasFocus()
    assert field.selectedText() == "old"


def test_the_field_has_a_name(field: SearchField) -> None:
    assert field.accessibleName() == field.placeholderText() == "Search the history"
    assert field.toolTip() == "Search the history (Ctrl+F)"


@pytest.fixture
def toast(shown: Callable[..., None]) -> Toast:
    window = QWidget()
    shown(window, 600, 400)
    return Toast(window)


def test_a_toast_says_one_thing_at_a_time(toast: Toast) -> None:
    assert toast.sentence == ""
    toast.say("Skipped the next run.")
    toast.say("Paused.", Tone.QUIET)
    assert toast.sentence == "Paused."


def test_its_button_names_what_is_taken_back_and_closes_it(qtbot: QtBot, toast: Toast) -> None:
    toast.say("Skipped the next run.", action="Undo", key="skip-7")
    with qtbot.waitSignals([toast.acted, toast.gone], order="strict"):
        qtbot.mouseClick(toast.button, Qt.MouseButton.LeftButton)
    toast.say("Done.", key="x")
    assert not toast.button.isVisible()


def test_a_toast_goes_by_itself(qtbot: QtBot, toast: Toast) -> None:
    toast.say("Done.")
    toast._clock.setInterval(1)
    with qtbot.waitSignal(toast.gone, timeout=30_000):
        toast._clock.start()
    assert toast.sentence == ""


def test_a_toast_waits_while_one_points_at_it(toast: Toast) -> None:
    toast.say("Done.")
    assert toast._clock.isActive()
    QApplication.sendEvent(toast, QEnterEvent(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5)))
    assert not toast._clock.isActive()
    QApplication.sendEvent(toast, QEvent(QEvent.Type.Leave))
    assert toast._clock.isActive()


def test_a_toast_waits_while_its_button_has_the_focus(toast: Toast) -> None:
    toast.say("Done.", action="Undo")
    toast.button.setFocus()
    assert not toast._clock.isActive()
    toast.button.clearFocus()
    assert toast._clock.isActive()


def test_its_shortcut_takes_it_back(qtbot: QtBot, toast: Toast) -> None:
    toast.say("Skipped the next run.", action="Undo", shortcut="Ctrl+Z", key="skip-7")
    assert toast.button.toolTip() == "Undo (Ctrl+Z)"
    with qtbot.waitSignal(toast.acted, timeout=30_000) as acted:
        qtbot.keyClick(toast.window(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert acted.args == ["skip-7"]


def test_escape_closes_it(qtbot: QtBot, toast: Toast) -> None:
    toast.say("Done.", action="Undo")
    with qtbot.waitSignal(toast.gone):
        qtbot.keyClick(toast.button, Qt.Key.Key_Escape)


@pytest.mark.parametrize("width", [220, 600, 1600])
def test_a_toast_lies_inside_its_window_and_shows_all_its_words(
    qtbot: QtBot, toast: Toast, width: int, colours: Colours
) -> None:
    toast.say("The run of today at 18:00 is skipped; the one after it comes tomorrow at 18:00.", action="Undo")
    window = toast.parentWidget()
    assert window is not None
    window.resize(width, 300)
    assert window.rect().contains(toast.geometry())
    (words,) = [label for label in toast.findChildren(QLabel) if label.text()]
    toast.layout().activate()  # type: ignore[union-attr]
    assert words.height() >= words.heightForWidth(words.width())
