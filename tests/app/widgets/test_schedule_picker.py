"""The picker shows any choice and returns it, by mouse and keyboard."""

from collections.abc import Callable
from datetime import time

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.widgets.page_stack import PageStack
from app.widgets.schedule_choice import (
    CronChoice,
    DailyChoice,
    IntervalChoice,
    MonthlyChoice,
    ScheduleChoice,
    TimeUnit,
    UnchangedChoice,
    WeeklyChoice,
)
from app.widgets.schedule_picker import SchedulePicker

CHOICES: list[ScheduleChoice] = [
    *(IntervalChoice(number, unit) for number in (1, 45, 99_999) for unit in TimeUnit),
    *(DailyChoice(time(hour, minute)) for hour, minute in ((0, 0), (9, 5), (23, 59))),
    *(WeeklyChoice(frozenset(days), time(9)) for days in ({0}, {1, 2, 3, 4, 5}, {0, 6}, set(range(7)), set())),
    *(MonthlyChoice(day, time(6, 30)) for day in (None, *range(1, 32))),
    CronChoice("0 0 13 * 5"),
    CronChoice(""),
    UnchangedChoice(),
]


@pytest.fixture
def picker(shown: Callable[..., None]) -> SchedulePicker:
    picker = SchedulePicker()
    shown(picker, 700, 120)
    return picker


def test_every_choice_is_returned_as_set(qtbot: QtBot, picker: SchedulePicker) -> None:
    with qtbot.assertNotEmitted(picker.changed):
        for choice in CHOICES:
            picker.set_choice(choice)
            assert picker.choice() == choice


def test_a_choice_does_not_affect_the_next_one(picker: SchedulePicker) -> None:
    for choice in reversed(CHOICES):
        picker.set_choice(choice)
        assert picker.choice() == choice


def test_keep_as_is_is_offered_only_for_unsupported_schedules(picker: SchedulePicker) -> None:
    assert picker.kind.findText("Keep as is") == -1
    picker.set_choice(UnchangedChoice())
    assert picker.kind.currentText() == "Keep as is"
    picker.kind.setCurrentIndex(1)
    assert picker.kind.findText("Keep as is") == 5, "still selectable"
    picker.set_choice(DailyChoice(time(9)))
    assert picker.kind.findText("Keep as is") == -1


@pytest.mark.parametrize("index", range(5))
def test_each_kind_shows_its_own_controls(picker: SchedulePicker, index: int) -> None:
    controls = [picker.number, picker.times[DailyChoice], picker.days[1], picker.day, picker.cron]
    picker.kind.setCurrentIndex(index)
    assert [control.isVisible() for control in controls] == [place == index for place in range(5)]


def test_only_the_visible_page_takes_space(picker: SchedulePicker) -> None:
    pages = picker.findChild(PageStack)
    assert pages is not None
    picker.kind.setCurrentIndex(4)
    tall = pages.sizeHint().height()
    picker.kind.setCurrentIndex(1)
    assert pages.sizeHint().height() < tall


def test_the_keyboard_is_sufficient(qtbot: QtBot, picker: SchedulePicker) -> None:
    picker.set_choice(DailyChoice(time(9)))
    picker.kind.setFocus()
    qtbot.keyClick(picker.kind, Qt.Key.Key_Down)
    qtbot.keyClick(picker.kind, Qt.Key.Key_Tab)
    assert picker.days[1].hasFocus()
    qtbot.keyClick(picker.days[1], Qt.Key.Key_Space)
    for _ in range(7):
        widget = picker.window().focusWidget()
        assert widget is not None
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    clock = picker.times[WeeklyChoice]
    assert clock.hasFocus() or clock.lineEdit().hasFocus()
    qtbot.keyClick(clock, Qt.Key.Key_Up)
    assert picker.choice() == WeeklyChoice(frozenset({2, 3, 4, 5}), time(10))


def test_each_change_is_emitted(qtbot: QtBot, picker: SchedulePicker) -> None:
    changes: list[Callable[[], object]] = [
        lambda: picker.number.setValue(7),
        lambda: picker.unit.setCurrentIndex(2),
        picker.days[6].toggle,
        lambda: picker.day.setCurrentIndex(31),
        lambda: picker.cron.setText("0 1 * * *"),
        picker.times[DailyChoice].stepUp,
        lambda: picker.kind.setCurrentIndex(4),
    ]
    for change in changes:
        with qtbot.waitSignal(picker.changed):
            change()


def test_weekdays_start_with_monday_and_have_full_names(picker: SchedulePicker) -> None:
    assert [button.text() for button in picker.days.values()] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert [button.accessibleName() for button in picker.days.values()][:2] == ["Monday", "Tuesday"]
    assert list(picker.days) == [1, 2, 3, 4, 5, 6, 0]


def test_from_an_interval_cron_starts_empty(picker: SchedulePicker) -> None:
    picker.set_choice(IntervalChoice(5, TimeUnit.MINUTES))
    picker.kind.setCurrentIndex(4)
    assert picker.choice() == CronChoice("")


def test_from_weekly_without_days_cron_starts_empty(picker: SchedulePicker) -> None:
    picker.set_choice(WeeklyChoice(frozenset(), time(9)))
    picker.kind.setCurrentIndex(4)
    assert picker.choice() == CronChoice("")
