"""The schedule editor: picking, describing and previewing times, without losing settings."""

from collections.abc import Callable
from datetime import UTC, datetime, time
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTime
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QSpinBox, QTimeEdit, QWidget
from pytestqt.qtbot import QtBot

from app.theme.tokens import Colours
from app.widgets.schedule_choice import DailyChoice
from app.widgets.schedule_editor import ScheduleEditor
from scheduler.timing.spec import ScheduleSpec

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
EVERY, DAILY, WEEKLY, MONTHLY, CRON, AS_IT_IS = range(6)


@pytest.fixture
def edit(shown: Callable[..., None]) -> Callable[..., ScheduleEditor]:
    def edit(written: dict[str, Any], zone: str = "Europe/Berlin") -> ScheduleEditor:
        editor = ScheduleEditor()
        editor.set_schedule(written, machine_zone=zone, now=NOW)
        shown(editor, 760, 320)
        return editor

    return edit


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ({"every": "5m", "anchor": "2026-11-01T00:02:00Z"}, EVERY),
        ({"cron": "@daily", "timezone": "UTC"}, DAILY),
        ({"cron": ["0 9 * * mon-fri"], "timezone": "America/New_York", "jitter": "30s"}, WEEKLY),
        ({"cron": "0 9 L * *", "exclude": ["2026-12-31"]}, MONTHLY),
        ({"cron": "0 0 13 * 5", "timezone": "local"}, CRON),
        ({"cron": ["0 9 * * 1#2", "*/45 6 * * *"]}, CRON),
        ({"calendar": {"hour": 18, "day": "last"}, "limit": 3}, AS_IT_IS),
        ({"once": "2026-12-24T18:00"}, AS_IT_IS),
    ],
)
def test_an_untouched_schedule_is_returned_unchanged(
    edit: Callable[..., ScheduleEditor], written: dict[str, Any], kind: int
) -> None:
    editor = edit(written)
    assert editor.picker.kind.currentIndex() == kind
    assert editor.value() == written
    assert not editor.is_changed()


def test_a_complex_cron_expression_survives_switching_kinds(
    edit: Callable[..., ScheduleEditor],
) -> None:
    written = {"cron": "0 0 13 * 5", "timezone": "Europe/Berlin"}
    editor = edit(written)
    for kind in (EVERY, DAILY, WEEKLY, MONTHLY):
        editor.picker.kind.setCurrentIndex(kind)
        assert editor.value() != written
    editor.picker.kind.setCurrentIndex(CRON)
    assert editor.value() == written
    assert editor.picker.cron.text() == "0 0 13 * 5"


def test_an_unsupported_schedule_can_be_selected_again(edit: Callable[..., ScheduleEditor]) -> None:
    written = {"calendar": {"hour": 18, "day": "last"}}
    editor = edit(written)
    editor.picker.kind.setCurrentIndex(DAILY)
    assert editor.is_changed()
    editor.picker.kind.setCurrentIndex(AS_IT_IS)
    assert editor.value() == written


def test_the_schedule_is_described_with_its_next_five_times(edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"cron": "0 9 * * 1-5", "timezone": "Europe/Berlin"})
    assert editor.description_label.text() == "Weekdays at 09:00"
    assert editor.times_label.text().split("\n") == [
        "Tomorrow 09:00 · in 20 h",
        "Wednesday 09:00",
        "Thursday 09:00",
        "Friday 09:00",
        "Mon 23 Nov 09:00",
    ]


def test_times_of_another_zone_are_shown_in_both_zones(edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"cron": "0 9 * * *", "timezone": "America/New_York"})
    assert editor.description_label.text() == "Daily at 09:00 (New York)"
    assert editor.times_label.text().startswith("Today 09:00 in New York (15:00 here) · in 2 h\n")


def test_the_times_shown_match_the_value(edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"every": "7h", "anchor": "2026-11-16T10:00:00Z"})
    editor.picker.number.setValue(9)
    value = editor.value()
    assert value == {"every": "9h"}
    spec = ScheduleSpec.read(value, machine_zone="Europe/Berlin", now=NOW)
    assert spec.compile("Europe/Berlin").upcoming(NOW, 1) == [datetime(2026, 11, 16, 21, 0, tzinfo=UTC)]
    assert editor.times_label.text().startswith("Today 22:00 · in 9 h")


def test_the_end_of_a_schedule_is_shown(edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"cron": "0 9 * * *", "end_at": "2026-11-18"})
    assert editor.times_label.text().split("\n")[-1] == "No further runs."
    over = edit({"cron": "0 9 * * *", "end_at": "2026-11-10"})
    assert over.times_label.text() == "No upcoming runs."


def test_an_invalid_field_shows_its_error(qtbot: QtBot, edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"cron": "0 0 13 * 5"})
    with qtbot.waitSignal(editor.changed):
        editor.picker.cron.setText("60 * * * *")
    assert editor.value() is None
    assert editor.error_label.isVisible() and not editor.times_label.isVisible()
    assert editor.error_label.text() == "minute: 60 is out of range; use 0 to 59."
    assert editor.picker.cron.accessibleDescription() == editor.error_label.text()
    editor.picker.cron.setText("0 10 * * *")
    assert not editor.error_label.isVisible()
    assert editor.value() == {"cron": "0 10 * * *"}


@pytest.mark.parametrize(
    ("text", "field"), [("0 0 30 2 *", "day"), ("", "cron"), ("* * *", "cron"), ("0 9 * * mondays", "weekday")]
)
def test_impossible_or_meaningless_schedules_are_rejected(
    edit: Callable[..., ScheduleEditor], text: str, field: str
) -> None:
    editor = edit({"cron": "0 0 13 * 5"})
    editor.picker.cron.setText(text)
    assert editor.value() is None
    assert editor.error_label.text().startswith(f"{field}: ")


def test_too_short_an_interval_is_rejected(edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"every": "30s"})
    editor.picker.number.setValue(5)
    assert editor.value() is None
    assert editor.error_label.text().startswith("every: ")


def test_a_weekly_schedule_without_days_is_rejected(qtbot: QtBot, edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"cron": "0 9 * * 1"})
    qtbot.mouseClick(editor.picker.days[1], Qt.MouseButton.LeftButton)
    assert editor.value() is None
    assert "choose at least one" in editor.error_label.text()


def test_an_unknown_zone_is_rejected(edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"cron": "0 9 * * *", "timezone": "Europe/Berlin"})
    editor.zone.setCurrentText("Europe/Nowhere")
    assert editor.value() is None
    assert editor.error_label.text().startswith("timezone: ")


def test_a_missing_zone_stays_missing_unless_changed(edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"cron": "0 9 * * *"})
    assert editor.zone.currentText() == "Europe/Berlin"
    editor.picker.times[DailyChoice].setTime(QTime(10, 0))
    assert editor.value() == {"cron": "0 10 * * *"}
    editor.zone.setCurrentText("Asia/Tokyo")
    assert editor.value() == {"cron": "0 10 * * *", "timezone": "Asia/Tokyo"}


def test_the_zone_of_the_computer_is_the_first_choice(edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"cron": "0 9 * * *", "timezone": "local"})
    assert editor.zone.currentText() == "This computer's time zone (Europe/Berlin)"
    assert editor.value() == {"cron": "0 9 * * *", "timezone": "local"}


def test_switching_to_cron_starts_from_the_current_choice(edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"cron": "0 9 * * 1-5"})
    editor.picker.days[6].setChecked(True)
    editor.picker.kind.setCurrentIndex(CRON)
    assert editor.picker.cron.text() == "0 9 * * 1,2,3,4,5,6"
    assert editor.value() == {"cron": "0 9 * * 1,2,3,4,5,6"}


def test_a_typed_expression_survives_switching_kinds(qtbot: QtBot, edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"cron": "0 9 * * *"})
    editor.picker.kind.setCurrentIndex(CRON)
    editor.picker.cron.selectAll()
    qtbot.keyClicks(editor.picker.cron, "0 9 1,15 * *")
    editor.picker.kind.setCurrentIndex(DAILY)
    editor.picker.kind.setCurrentIndex(CRON)
    assert editor.picker.cron.text() == "0 9 1,15 * *"


def test_the_time_of_day_is_kept_from_daily_to_weekly(edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"cron": "0 9 * * *"})
    editor.picker.times[DailyChoice].setTime(QTime(17, 45))
    editor.picker.kind.setCurrentIndex(WEEKLY)
    assert editor.value() == {"cron": "45 17 * * 1-5"}


def test_showing_a_schedule_is_not_a_change(qtbot: QtBot, edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"every": "5m"})
    with qtbot.assertNotEmitted(editor.changed):
        editor.set_schedule({"cron": "0 9 * * 1"}, machine_zone="Europe/Berlin", now=NOW)
    assert editor.picker.choice() != DailyChoice(time(9))


def test_a_change_is_emitted_once(qtbot: QtBot, edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"every": "5m"})
    emitted: list[dict[str, Any] | None] = []
    editor.changed.connect(lambda: emitted.append(editor.value()))
    editor.picker.number.setValue(10)
    assert emitted == [{"every": "10m"}]


def test_times_follow_now(edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"cron": "0 9 * * *"})
    now = datetime(2026, 11, 17, 7, 59, 30, tzinfo=UTC)
    editor.set_schedule({"cron": "0 9 * * *"}, machine_zone="Europe/Berlin", now=now)
    assert editor.times_label.text().startswith("Today 09:00 · in 30 s\n")


def test_every_control_has_a_name_and_a_tab_stop(edit: Callable[..., ScheduleEditor]) -> None:
    editor = edit({"cron": "0 9 * * 1-5"})
    controls: list[QWidget] = [
        widget
        for kind in (QComboBox, QSpinBox, QTimeEdit, QPushButton)
        for widget in editor.findChildren(kind)  # type: ignore[type-abstract]
    ]
    assert len(controls) >= 15
    for control in [*controls, editor.picker.cron]:
        assert control.accessibleName(), control
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, control
    buddies = {label.text(): label.buddy() for label in editor.findChildren(QLabel) if label.buddy()}
    assert buddies == {"&Runs": editor.picker.kind, "Time &zone": editor.zone}


@pytest.mark.parametrize("written", [{"cron": "0 9 * * 1-5"}, {"every": "5m"}, {"cron": "0 9 L * *"}])
def test_nothing_is_cut_off(edit: Callable[..., ScheduleEditor], written: dict[str, Any], colours: Colours) -> None:
    editor = edit(written)
    for button in editor.findChildren(QPushButton):
        if button.isVisible():
            assert button.width() >= button.fontMetrics().horizontalAdvance(button.text()) + 8
    for box in editor.findChildren(QComboBox):
        if box.isVisible() and not box.isEditable():
            assert box.width() >= box.fontMetrics().horizontalAdvance(box.currentText()) + 24
    for field in editor.findChildren(QLineEdit):
        if field.isVisible():
            assert field.width() >= field.fontMetrics().horizontalAdvance(field.text())
            assert field.height() >= field.fontMetrics().height()


def test_no_more_times_are_shown_than_the_limit_allows(edit: Callable[..., ScheduleEditor]) -> None:
    written = {"cron": "0 9 * * *", "limit": 3}
    editor = edit(written)
    assert editor.times_label.text().splitlines()[-1] == "No further runs."
    assert len(editor.times_label.text().splitlines()) == 4
    editor.set_schedule(written, machine_zone="Europe/Berlin", now=NOW, ran=3)
    assert editor.times_label.text() == "No upcoming runs."
