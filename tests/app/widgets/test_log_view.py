"""The log view and its search."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.widgets.log_view import LogView

LOG = "Looked at 3 receipts\nAdded row 1\nadded row 2\nDone\n"


@pytest.fixture
def log(shown: Callable[..., None]) -> LogView:
    made = LogView(ZoneInfo("UTC"))
    assert made.isHidden(), "an empty log is hidden"
    made.append(LOG)
    shown(made, 500, 300)
    return made


def search(qtbot: QtBot, log: LogView, words: str) -> None:
    log.search_field.setText(words)
    qtbot.keyClick(log.search_field, Qt.Key.Key_Return)


def selection(log: LogView) -> tuple[int, str]:
    cursor = log.text_view.textCursor()
    return cursor.blockNumber(), cursor.selectedText()


def test_return_moves_between_matches_and_wraps_around(qtbot: QtBot, log: LogView) -> None:
    search(qtbot, log, "ADDED")
    assert selection(log) == (1, "Added")
    assert log.match_label.text() == "1 of 2"
    assert len(log.text_view.extraSelections()) == 2
    qtbot.keyClick(log.search_field, Qt.Key.Key_Return)
    assert selection(log) == (2, "added")
    assert log.match_label.text() == "2 of 2"
    qtbot.keyClick(log.search_field, Qt.Key.Key_Return)
    assert selection(log) == (1, "Added")
    qtbot.keyClick(log.search_field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert selection(log) == (2, "added")


def test_no_results_are_reported(qtbot: QtBot, log: LogView) -> None:
    search(qtbot, log, "error")
    assert log.match_label.text() == "No results"
    qtbot.keyClick(log.search_field, Qt.Key.Key_Return)
    qtbot.keyClick(log.search_field, Qt.Key.Key_Escape)
    assert log.match_label.text() == ""
    assert not log.text_view.extraSelections()


def test_new_output_is_searched_without_moving_the_selection(qtbot: QtBot, log: LogView) -> None:
    search(qtbot, log, "added")
    qtbot.keyClick(log.search_field, Qt.Key.Key_Return)
    log.append("Added row 3\n")
    assert selection(log) == (2, "added")
    assert log.match_label.text() == "2 of 3"


def test_clear_empties_the_log_and_the_search(qtbot: QtBot, log: LogView) -> None:
    search(qtbot, log, "added")
    log.clear()
    assert log.isHidden()
    assert (log.search_field.text(), log.text_view.toPlainText()) == ("", "")
