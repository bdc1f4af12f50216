"""The picker shows any choice and gives it back, by mouse and by keys."""

from collections.abc import Callable
from datetime import time

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.widgets.schedule_choice import AsItIs, Choice, CronText, Daily, Every, Monthly, Unit, Weekly
from app.widgets.schedule_picker import SchedulePicker
from app.widgets.stack import Stack

CHOICES: list[Choice] = [
    *(Every(number, unit) for number in (1, 45, 99_999) for unit in Unit),
    *(Daily(time(hour, minute)) for hour, minute in ((0, 0), (9, 5), (23, 59))),
    *(Weekly(frozenset(days), time(9)) for days in ({0}, {1, 2, 3, 4, 5}, {0, 6}, set(range(7)), set())),
    *(Monthly(day, time(6, 30)) for day in (None, *range(1, 32))),
    CronText("0 0 13 * 5"),
    CronText(""),
    AsItIs(),
]


@pytest.fixture
def picker(shown: Callable[..., None]) -> SchedulePicker:
    picker = SchedulePicker()
    shown(picker, 700, 120)
    return picker


def test_every_choice_comes_back_as_it_was_set(qtbot: QtBot, picker: SchedulePicker) -> None:
    with qtbot.assertNotEmitted(picker.changed):
        for choice in CHOICES:
            picker.set_choice(choice)
            assert picker.choice() == choice


def test_one_choice_leaves_nothing_behind_in_the_next(picker: SchedulePicker) -> None:
    for choice in reversed(CHOICES):
        picker.set_choice(choice)
        assert picker.choice() == choice


def test_what_cannot_be_shown_is_offered_only_while_it_is_there(picker: SchedulePicker) -> None:
    assert picker.kind.findText("As it is") == -1
    picker.set_choice(AsItIs())
    assert picker.kind.currentText() == "As it is"
    picker.kind.setCurrentIndex(1)
    assert picker.kind.findText("As it is") == 5, "one can go back to it"
    picker.set_choice(Daily(time(9)))
    assert picker.kind.findText("As it is") == -1


@pytest.mark.parametrize("index", range(5))
def test_each_kind_shows_its_own_controls(picker: SchedulePicker, index: int) -> None:
    controls = [picker.number, picker.times[Daily], picker.days[1], picker.day, picker.cron]
    picker.kind.setCurrentIndex(index)
    assert [control.isVisible() for control in controls] == [place == index for place in range(5)]


def test_only_the_page_in_sight_takes_room(picker: SchedulePicker) -> None:
    pages = picker.findChild(Stack)
    assert pages is not None
    picker.kind.setCurrentIndex(4)
    tall = pages.sizeHint().height()
    picker.kind.setCurrentIndex(1)
    assert pages.sizeHint().height() < tall


def test_keys_are_enough(qtbot: QtBot, picker: SchedulePicker) -> None:
    picker.set_choice(Daily(time(9)))
    picker.kind.setFocus()
    qtbot.keyClick(picker.kind, Qt.Key.Key_Down)
    qtbot.keyClick(picker.kind, Qt.Key.Key_Tab)
    assert picker.days[1].hasFocus()
    qtbot.keyClick(picker.days[1], Qt.Key.Key_Space)
    for _ in range(7):
        widget = picker.window().focusWidget()
        assert widget is not None
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    clock = picker.times[Weekly]
    assert clock.hasFocus() or clock.lineEdit().hasFocus()
    qtbot.keyClick(clock, Qt.Key.Key_Up)
    assert picker.choice() == Weekly(frozenset({2, 3, 4, 5}), time(10))


def test_each_change_is_told(qtbot: QtBot, picker: SchedulePicker) -> None:
    changes: list[Callable[[], object]] = [
        lambda: picker.number.setValue(7),
        lambda: picker.unit.setCurrentIndex(2),
        picker.days[6].toggle,
        lambda: picker.day.setCurrentIndex(31),
        lambda: picker.cron.setText("0 1 * * *"),
        picker.times[Daily].stepUp,
        lambda: picker.kind.setCurrentIndex(4),
    ]
    for change in changes:
        with qtbot.waitSignal(picker.changed):
            change()


def test_weekdays_begin_with_monday_and_have_full_names(picker: SchedulePicker) -> None:
    assert [button.text() for button in picker.days.values()] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert [button.accessibleName() for button in picker.days.values()][:2] == ["Monday", "Tuesday"]
    assert list(picker.days) == [1, 2, 3, 4, 5, 6, 0]


def test_from_every_so_often_cron_starts_empty(picker: SchedulePicker) -> None:
    picker.set_choice(Every(5, Unit.MINUTES))
    picker.kind.setCurrentIndex(4)
    assert picker.choice() == CronText("")


def test_from_no_weekday_cron_starts_empty(picker: SchedulePicker) -> None:
    picker.set_choice(Weekly(frozenset(), time(9)))
    picker.kind.setCurrentIndex(4)
    assert picker.choice() == CronText("")
