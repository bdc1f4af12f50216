"""Compiled times: the next one, those in a range, the last one, and their number."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from scheduler.timing.compiled import Count
from tests.timing.schedule_builders import NOW, times, utc

FIRST = datetime.min.replace(tzinfo=UTC)
FINAL = datetime.max.replace(tzinfo=UTC)
WRITTEN = (
    {"every": "7m"},
    {"cron": "*/7 * * * *"},
    {"cron": ["0 9 * * 1-5", "30 2 * * *"]},
    {"calendar": {"hour": "*/5", "minute": 59}},
    {"every": "1h", "exclude": [{"hour": "9-17"}, {"weekday": "sun"}]},
    {"once": "2026-03-29T02:30"},
)


@pytest.mark.parametrize("written", [{"every": "1h", "anchor": "2026-01-01T00:00Z"}, {"cron": "0 * * * *"}])
def test_start_and_end_are_inclusive(written: dict[str, str]) -> None:
    narrowed = times(start_at="2026-06-01T10:00Z", end_at="2026-06-01T12:00Z", **written)
    inside = [utc("2026-06-01 10:00"), utc("2026-06-01 11:00"), utc("2026-06-01 12:00")]
    assert list(narrowed.between(NOW, utc("2027-01-01 00:00"))) == inside
    assert narrowed.upcoming(NOW, 9) == inside
    assert narrowed.count(NOW, utc("2027-01-01 00:00"), 9) == Count(3)
    assert narrowed.last(NOW, utc("2027-01-01 00:00")) == inside[-1]


def test_a_start_between_two_times_waits_for_the_next_time() -> None:
    """The start does not move the interval's anchor."""
    late = times(every="1h", anchor="2026-01-01T00:15Z", start_at="2026-06-01T10:16Z")
    assert late.after(NOW) == utc("2026-06-01 11:15")


def test_an_end_date_includes_the_whole_day() -> None:
    """A date without a time, in the schedule's zone."""
    narrowed = times("America/New_York", cron="0 */6 * * *", start_at="2026-06-01", end_at="2026-06-01")
    result = list(narrowed.between(NOW, utc("2027-01-01 00:00")))
    assert [f"{at.astimezone(narrowed.zone):%d %H}" for at in result] == ["01 00", "01 06", "01 12", "01 18"]


def test_after_the_end_there_are_no_more_times() -> None:
    narrowed = times(cron="0 * * * *", end_at="2026-01-01T05:00Z")
    assert narrowed.after(utc("2026-01-01 04:59")) == utc("2026-01-01 05:00")
    assert narrowed.after(utc("2026-01-01 05:00")) is None


def test_a_single_instant_occurs_once() -> None:
    once = times("Europe/Berlin", once="2026-06-01T12:00")
    assert once.upcoming(NOW, 5) == [utc("2026-06-01 10:00")]
    assert once.after(utc("2026-06-01 10:00")) is None
    assert list(once.between(NOW, utc("2026-06-01 10:00"))) == [utc("2026-06-01 10:00")]
    assert list(once.between(utc("2026-06-01 10:00"), utc("2027-01-01 00:00"))) == []


def test_a_single_instant_outside_start_and_end_never_occurs() -> None:
    assert times(once="2026-06-01T12:00Z", start_at="2026-06-01T12:01Z").after(NOW) is None
    assert times(once="2026-06-01T12:00Z", end_at="2026-06-01T11:59Z").after(NOW) is None
    assert times(once="2026-06-01T12:00Z", exclude="2026-06-01").after(NOW) is None


@pytest.mark.parametrize("written", WRITTEN, ids=str)
def test_an_empty_range_has_no_times(written: dict[str, str]) -> None:
    some = times("Europe/Berlin", **written)
    at = some.after(NOW)
    assert at is not None
    assert list(some.between(at, at)) == list(some.between(at, at - timedelta(days=1))) == []
    assert some.last(at, at) is None
    assert some.count(at, at - timedelta(days=1), 10) == Count(0)


@pytest.mark.parametrize("written", WRITTEN, ids=str)
def test_a_range_includes_its_end_and_excludes_its_start(written: dict[str, str]) -> None:
    some = times("Europe/Berlin", **written)
    for earlier, later in pairwise(some.upcoming(NOW, 20)):
        assert list(some.between(earlier, later)) == [later]
        assert some.last(earlier, later) == later
        assert some.last(earlier, later - timedelta(seconds=1)) is None


@pytest.mark.parametrize("written", WRITTEN, ids=str)
def test_the_last_time_of_a_long_range_is_found(written: dict[str, str]) -> None:
    some = times("Europe/Berlin", **written)
    until = utc("2026-05-03 12:34:56")
    assert some.last(NOW, until) == list(some.between(NOW, until))[-1]


def test_the_last_time_in_half_a_century_is_found_in_few_steps() -> None:
    """Catch-up needs this after any outage: a binary search, not a scan of 26 million minutes."""
    assert times(cron="* * * * *").last(NOW, utc("2076-01-01 00:00:30")) == utc("2076-01-01 00:00")
    assert times(cron="0 0 29 2 *").last(NOW, utc("2076-01-01 00:00")) == utc("2072-02-29 00:00")


def test_a_count_is_exact_up_to_its_limit_and_then_reports_more() -> None:
    minutes = times(cron="* * * * *")
    assert minutes.count(NOW, NOW + timedelta(minutes=10_000), 10_000) == Count(10_000)
    assert minutes.count(NOW, NOW + timedelta(minutes=10_001), 10_000) == Count(10_000, more=True)
    grid = times(every="1m")
    assert grid.count(NOW, NOW + timedelta(minutes=10_001), 10_000) == Count(10_000, more=True)
    assert str(Count(10_000, more=True)) == "more than 10,000"
    assert str(Count(1234)) == "1,234"


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Etc/GMT+12", "America/New_York"])
def test_times_on_the_last_evening_of_2099_are_found(zone: str) -> None:
    """In every zone, with and without exclusions, and nothing after it."""
    late = datetime(2099, 12, 31, 23, 59, 50, tzinfo=ZoneInfo(zone)).astimezone(UTC)
    schedules: list[dict[str, Any]] = [
        {"once": "2099-12-31T23:59:50"},
        {"cron": "50 59 23 31 12 *"},
        {"calendar": {"second": 50, "minute": 59, "hour": 23, "year": 2099}},
        {"every": "10s", "end_at": "2099-12-31"},
        {"every": "10s", "exclude": {"year": "2026-2098"}, "end_at": "2099-12-31"},
    ]
    for written in schedules:
        some = times(zone, **written)
        assert some.last(NOW, FINAL) == late, written
        assert some.after(late - timedelta(seconds=10)) == late
        assert some.after(late) is None
    assert times(zone, every="10s", exclude={"year": "2026-2099"}).after(late) is None
    assert times(zone, every="10s", exclude={"weekday": "mon-sat"}).after(late - timedelta(minutes=1)) is None


def test_upcoming_returns_at_most_the_given_number() -> None:
    hourly = times(cron="0 * * * *", end_at="2026-01-01T03:00Z")
    assert hourly.upcoming(NOW, 0) == []
    assert hourly.upcoming(NOW, 2) == [utc("2026-01-01 01:00"), utc("2026-01-01 02:00")]
    assert len(hourly.upcoming(NOW, 50)) == 3


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Etc/GMT+12", "America/New_York"])
@pytest.mark.parametrize("written", WRITTEN, ids=str)
def test_the_first_and_last_possible_instants_work(zone: str, written: dict[str, str]) -> None:
    some = times(zone, **written)
    assert some.after(FINAL) is None
    assert some.after(some.upper_bound) is None
    assert list(some.between(FINAL, FIRST)) == []
    first = some.after(FIRST)
    assert first is not None
    assert next(some.between(FIRST, FINAL)) == first
    last = some.last(utc("2099-01-01 00:00"), FINAL)
    assert last is None or last <= some.upper_bound
    assert some.count(utc("2099-06-01 00:00"), FINAL, 10) == some.count(utc("2099-06-01 00:00"), some.upper_bound, 10)


@pytest.mark.parametrize("written", WRITTEN, ids=str)
def test_a_time_is_next_a_microsecond_before_it_and_past_from_then_on(written: dict[str, str]) -> None:
    some = times("Europe/Berlin", **written)
    tick = timedelta(microseconds=1)
    for at in some.upcoming(utc("2026-03-28 23:00"), 20):
        assert some.after(at - tick) == at
        for instant in (at, at + tick):
            following = some.after(instant)
            assert following is None or following > at


def test_a_run_forty_days_ahead_is_found() -> None:
    """Further away than 32 bits of milliseconds."""
    result = times(cron="0 9 31 * *").after(utc("2026-01-31 09:00"))
    assert result == utc("2026-03-31 09:00")
    assert (result - utc("2026-01-31 09:00")) / timedelta(milliseconds=1) > 2**31
