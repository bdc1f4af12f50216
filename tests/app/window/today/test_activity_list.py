"""What happened, line by line, over real widgets."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.window.day import Line
from app.window.happenings import Happenings
from app.words.states import RunState
from tests.app.living import Wait

UTC_ZONE = ZoneInfo("UTC")
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


class Layouts(QObject):
    """Counts how often a widget is laid out again."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.number = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        self.number += event.type() is QEvent.Type.Resize
        return super().eventFilter(watched, event)


def lines(number: int, *, run: str = "run") -> list[Line]:
    return [
        Line(
            at=NOON - timedelta(minutes=place),
            workflow="receipts",
            name="Receipts",
            state=RunState.DONE,
            sentence=f"Did {place}",
            run=run,
        )
        for place in range(number)
    ]


@pytest.fixture
def shown(qtbot: QtBot) -> Iterator[Happenings]:
    page = QWidget()
    qtbot.addWidget(page)
    made = Happenings()
    QVBoxLayout(page).addWidget(made)
    page.resize(800, 600)
    page.show()
    yield made
    page.hide()


def sentences(shown: Happenings) -> list[str]:
    return [one.text() for one in shown.findChildren(QLabel) if one.text().startswith("Did") and one.isVisible()]


def test_many_lines_come_a_few_at_a_time_and_all_of_them_come(shown: Happenings, wait: Wait) -> None:
    shown.show_lines(lines(20), UTC_ZONE)
    assert 0 < len(shown.lines) < 20
    wait(lambda: len(shown.lines) == 20)
    assert sorted(sentences(shown)) == sorted(f"Did {place}" for place in range(20))


def test_the_page_is_not_laid_out_for_every_widget(shown: Happenings, wait: Wait) -> None:
    layouts = Layouts(shown)
    shown.show_lines(lines(20), UTC_ZONE)
    wait(lambda: len(shown.lines) == 20)
    assert layouts.number < len(shown.findChildren(QLabel)) / 2


def test_fewer_lines_leave_none_behind_and_rows_are_used_again(shown: Happenings, wait: Wait) -> None:
    shown.show_lines(lines(4), UTC_ZONE)
    made = set(shown.findChildren(QLabel))
    shown.show_lines(lines(2), UTC_ZONE)
    assert sorted(sentences(shown)) == ["Did 0", "Did 1"]
    shown.show_lines(lines(4), UTC_ZONE)
    assert set(shown.findChildren(QLabel)) == made and len(sentences(shown)) == 4


def test_a_newer_list_wins_over_one_that_is_still_coming(shown: Happenings, wait: Wait) -> None:
    shown.show_lines(lines(20), UTC_ZONE)
    shown.show_lines(lines(1), UTC_ZONE)
    assert sentences(shown) == ["Did 0"]
    shown.show_lines(lines(13), UTC_ZONE)
    wait(lambda: len(shown.lines) == 13)
    assert len(sentences(shown)) == 13


def test_a_line_with_a_run_leads_to_it_and_others_have_no_button(qtbot: QtBot, shown: Happenings) -> None:
    shown.show_lines([*lines(1, run="r1"), *lines(1, run="")], UTC_ZONE)
    [button] = [one for one in shown.findChildren(QPushButton) if one.isVisible()]
    with qtbot.waitSignal(shown.opened) as said:
        button.click()
    assert said.args == ["r1"]
