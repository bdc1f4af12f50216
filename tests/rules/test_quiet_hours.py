"""Quiet hours in local time, over midnight and across clock changes."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.rules.quiet_hours import QuietHours

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = QuietHours(start=time(22), end=time(7))
LUNCH = QuietHours(start=time(12), end=time(13, 30))


def at(wall: str, zone: ZoneInfo = BERLIN) -> datetime:
    return datetime.fromisoformat(wall).replace(tzinfo=zone).astimezone(UTC)


@pytest.mark.parametrize(
    ("hours", "wall", "quiet"),
    [
        (NIGHT, "2026-11-16 21:59:59", False),
        (NIGHT, "2026-11-16 22:00", True),
        (NIGHT, "2026-11-16 23:59:59.999", True),
        (NIGHT, "2026-11-17 00:00", True),
        (NIGHT, "2026-11-17 06:59:59", True),
        (NIGHT, "2026-11-17 07:00", False),
        (NIGHT, "2026-11-17 12:00", False),
        (LUNCH, "2026-11-16 11:59", False),
        (LUNCH, "2026-11-16 12:00", True),
        (LUNCH, "2026-11-16 13:29", True),
        (LUNCH, "2026-11-16 13:30", False),
        (LUNCH, "2026-11-17 00:00", False),
        (QuietHours(start=time(0), end=time(7)), "2026-11-17 00:00", True),
        (QuietHours(start=time(22), end=time(0)), "2026-11-16 23:59", True),
        (QuietHours(start=time(22), end=time(0)), "2026-11-17 00:00", False),
        (QuietHours(start=time(8), end=time(8)), "2026-11-17 08:00", False),
    ],
)
def test_the_start_is_inclusive_and_the_end_exclusive(hours: QuietHours, wall: str, *, quiet: bool) -> None:
    assert hours.is_active_at(at(wall), BERLIN) is quiet


@pytest.mark.parametrize(
    ("hours", "wall", "end"),
    [
        (NIGHT, "2026-11-16 22:00", "2026-11-17 07:00"),
        (NIGHT, "2026-11-17 06:59:59.5", "2026-11-17 07:00"),
        (NIGHT, "2026-03-28 23:00", "2026-03-29 07:00"),
        (NIGHT, "2026-10-24 23:00", "2026-10-25 07:00"),
        (LUNCH, "2026-11-16 12:30", "2026-11-16 13:30"),
        (QuietHours(start=time(22), end=time(2, 30)), "2026-03-28 23:00", "2026-03-29 03:00"),
        (QuietHours(start=time(3), end=time(2, 30)), "2026-03-28 23:00", "2026-03-30 02:30"),
    ],
)
def test_they_end_at_their_local_time(hours: QuietHours, wall: str, end: str) -> None:
    """In the night without 02:30 they end at the skipped hour."""
    assert hours.end_after(at(wall), BERLIN) == at(end)


def test_the_same_instant_is_quiet_in_one_zone_only() -> None:
    instant = at("2026-11-16 23:00")
    assert NIGHT.is_active_at(instant, BERLIN)
    assert not NIGHT.is_active_at(instant, ZoneInfo("America/New_York"))


minutes = st.builds(time, st.integers(0, 23), st.integers(0, 59))
zones = st.sampled_from([BERLIN, ZoneInfo("America/New_York"), ZoneInfo("Australia/Lord_Howe"), ZoneInfo("UTC")])
instants = st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  bounds


@given(start=minutes, end=minutes, now=instants, zone=zones)
def test_the_end_is_the_first_instant_that_is_not_quiet(start: time, end: time, now: datetime, zone: ZoneInfo) -> None:
    hours = QuietHours(start=start, end=end)
    if not hours.is_active_at(now, zone):
        return
    result = hours.end_after(now, zone)
    assert now < result <= now + timedelta(hours=50)
    assert not hours.is_active_at(result, zone)
    assert hours.is_active_at(result - timedelta(minutes=1), zone) or result - timedelta(minutes=1) <= now
