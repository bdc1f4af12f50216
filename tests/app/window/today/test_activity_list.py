"""The activity list reuses its rows and adds new ones a few at a time."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.i18n.state_labels import RunState
from app.window.today.activity_list import ActivityList
from app.window.today.today_data import ActivityLine
from tests.app.app_fixture import Wait

UTC_ZONE = ZoneInfo("UTC")
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


class LayoutCounter(QObject):
    """Counts how often a widget is resized by its layout."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.number = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        self.number += event.type() is QEvent.Type.Resize
        return super().eventFilter(watched, event)


def lines(number: int, *, run: str = "run") -> list[ActivityLine]:
    return [
        ActivityLine(
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
def shown(qtbot: QtBot) -> Iterator[ActivityList]:
    page = QWidget()
    qtbot.addWidget(page)
    made = ActivityList()
    QVBoxLayout(page).addWidget(made)
    page.resize(800, 600)
    page.show()
    yield made
    page.hide()


@pytest.mark.parametrize("name", ["The receipts of all the shops in the old town " * 4, "Receipts" * 25])
@pytest.mark.parametrize("width", [800, 420])
def test_a_long_name_wraps_and_leaves_room_for_the_sentence(
    shown: ActivityList, wait: Wait, name: str, width: int
) -> None:
    window = shown.window()
    window.resize(width, 600)
    shown.show_lines([replace(lines(1)[0], name=name), *lines(2)], UTC_ZONE, NOON)
    wait(lambda: shown._rows and shown._rows[0].sentence.isVisible())
    row = shown._rows[0]
    wait(lambda: row.name.width() >= 100 and row.name.height() >= row.name.heightForWidth(row.name.width()))
    assert window.width() == width
    assert row.sentence.width() >= 200 and row.button.geometry().right() < shown.width()
    assert row.name.geometry().right() < shown.width()


def sentences(shown: ActivityList) -> list[str]:
    return [one.text() for one in shown.findChildren(QLabel) if one.text().startswith("Did") and one.isVisible()]


def test_many_lines_are_added_a_few_at_a_time_until_all_are_shown(shown: ActivityList, wait: Wait) -> None:
    shown.show_lines(lines(20), UTC_ZONE, NOON)
    assert 0 < len(shown.lines) < 20
    wait(lambda: len(shown.lines) == 20)
    assert sorted(sentences(shown)) == sorted(f"Did {place}" for place in range(20))


def test_the_page_is_not_laid_out_again_for_every_widget(shown: ActivityList, wait: Wait) -> None:
    layouts = LayoutCounter(shown)
    shown.show_lines(lines(20), UTC_ZONE, NOON)
    wait(lambda: len(shown.lines) == 20)
    assert layouts.number < len(shown.findChildren(QLabel)) / 2


def test_fewer_lines_hide_rows_and_more_lines_reuse_them(shown: ActivityList, wait: Wait) -> None:
    shown.show_lines(lines(4), UTC_ZONE, NOON)
    made = set(shown.findChildren(QLabel))
    shown.show_lines(lines(2), UTC_ZONE, NOON)
    assert sorted(sentences(shown)) == ["Did 0", "Did 1"]
    shown.show_lines(lines(4), UTC_ZONE, NOON)
    assert set(shown.findChildren(QLabel)) == made and len(sentences(shown)) == 4


def test_a_newer_list_replaces_one_still_being_added(shown: ActivityList, wait: Wait) -> None:
    shown.show_lines(lines(20), UTC_ZONE, NOON)
    shown.show_lines(lines(1), UTC_ZONE, NOON)
    assert sentences(shown) == ["Did 0"]
    shown.show_lines(lines(13), UTC_ZONE, NOON)
    wait(lambda: len(shown.lines) == 13)
    assert len(sentences(shown)) == 13


def test_a_line_with_a_run_opens_it_and_others_have_no_button(qtbot: QtBot, shown: ActivityList) -> None:
    shown.show_lines([*lines(1, run="r1"), *lines(1, run="")], UTC_ZONE, NOON)
    [button] = [one for one in shown.findChildren(QPushButton) if one.isVisible()]
    with qtbot.waitSignal(shown.opened) as opened:
        button.click()
    assert opened.args == ["r1"]
