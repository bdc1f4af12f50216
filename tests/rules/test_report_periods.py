"""The report of a day or week is due at eight in the morning after it, by the clock on the wall."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from scheduler.rules.report_periods import ReportInterval, ReportPeriod, find_due_period

BERLIN = ZoneInfo("Europe/Berlin")


def due(interval: ReportInterval, *at: int) -> ReportPeriod:
    found = find_due_period(interval, datetime(*at, tzinfo=BERLIN).astimezone(UTC), BERLIN)  # type: ignore[arg-type, misc]
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("at", "key"),
    [
        ((2026, 11, 16, 7, 59), "weekly 2026-11-02"),  # a Monday
        ((2026, 11, 16, 8, 0), "weekly 2026-11-09"),
        ((2026, 11, 22, 23, 0), "weekly 2026-11-09"),
        ((2026, 11, 23, 8, 0), "weekly 2026-11-16"),
    ],
)
def test_a_week_is_due_on_monday_morning(at: tuple[int, ...], key: str) -> None:
    found = due(ReportInterval.WEEKLY, *at)
    assert found.key == key
    assert found.until - found.since == timedelta(days=7)


def test_a_day_is_due_on_the_next_morning() -> None:
    assert due(ReportInterval.DAILY, 2026, 11, 18, 7, 59).key == "daily 2026-11-16"
    assert due(ReportInterval.DAILY, 2026, 11, 18, 8, 0).key == "daily 2026-11-17"


def test_days_with_a_clock_change_are_whole() -> None:
    spring = due(ReportInterval.DAILY, 2026, 3, 30, 9)
    autumn = due(ReportInterval.WEEKLY, 2026, 10, 26, 9)
    assert spring.until - spring.since == timedelta(hours=23)
    assert autumn.until - autumn.since == timedelta(days=7, hours=1)


def test_nothing_is_due_if_no_report_is_wanted() -> None:
    assert find_due_period(ReportInterval.OFF, datetime(2026, 11, 16, 10, tzinfo=UTC), BERLIN) is None
