"""What a run printed can be searched, place by place."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.widgets.log_view import LogView

LOG = "Looked at 3 receipts\nAdded row 1\nadded row 2\nDone\n"


@pytest.fixture
def log(shown: Callable[..., None]) -> LogView:
    made = LogView()
    assert made.isHidden(), "there is nothing to read"
    made.add(LOG)
    shown(made, 500, 300)
    return made


def look_for(qtbot: QtBot, log: LogView, words: str) -> None:
    log.field.setText(words)
    qtbot.keyClick(log.field, Qt.Key.Key_Return)


def place(log: LogView) -> tuple[int, str]:
    cursor = log.lines.textCursor()
    return cursor.blockNumber(), cursor.selectedText()


def test_return_goes_from_place_to_place_and_round(qtbot: QtBot, log: LogView) -> None:
    look_for(qtbot, log, "ADDED")
    assert place(log) == (1, "Added")
    assert log.found.text() == "1 of 2"
    assert len(log.lines.extraSelections()) == 2
    qtbot.keyClick(log.field, Qt.Key.Key_Return)
    assert place(log) == (2, "added")
    assert log.found.text() == "2 of 2"
    qtbot.keyClick(log.field, Qt.Key.Key_Return)
    assert place(log) == (1, "Added")
    qtbot.keyClick(log.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert place(log) == (2, "added")


def test_what_is_not_there_is_said(qtbot: QtBot, log: LogView) -> None:
    look_for(qtbot, log, "error")
    assert log.found.text() == "Not in this log"
    qtbot.keyClick(log.field, Qt.Key.Key_Return)
    qtbot.keyClick(log.field, Qt.Key.Key_Escape)
    assert log.found.text() == ""
    assert not log.lines.extraSelections()


def test_what_is_printed_meanwhile_is_found_without_a_jump(qtbot: QtBot, log: LogView) -> None:
    look_for(qtbot, log, "added")
    qtbot.keyClick(log.field, Qt.Key.Key_Return)
    log.add("Added row 3\n")
    assert place(log) == (2, "added")
    assert log.found.text() == "2 of 3"


def test_another_run_begins_with_an_empty_log(qtbot: QtBot, log: LogView) -> None:
    look_for(qtbot, log, "added")
    log.clear()
    assert log.isHidden()
    assert (log.field.text(), log.lines.toPlainText()) == ("", "")
