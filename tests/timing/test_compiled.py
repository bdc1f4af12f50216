"""What comes next, what lies between, which was last, how many there are."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from scheduler.timing.times import Count
from tests.timing.written import NOW, times, utc

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
    """S13."""
    narrowed = times(start_at="2026-06-01T10:00Z", end_at="2026-06-01T12:00Z", **written)
    inside = [utc("2026-06-01 10:00"), utc("2026-06-01 11:00"), utc("2026-06-01 12:00")]
    assert list(narrowed.between(NOW, utc("2027-01-01 00:00"))) == inside
    assert narrowed.upcoming(NOW, 9) == inside
    assert narrowed.count(NOW, utc("2027-01-01 00:00"), 9) == Count(3)
    assert narrowed.last(NOW, utc("2027-01-01 00:00")) == inside[-1]


def test_a_start_between_two_times_waits_for_the_next_grid_point() -> None:
    """S13: the start does not move the grid."""
    late = times(every="1h", anchor="2026-01-01T00:15Z", start_at="2026-06-01T10:16Z")
    assert late.after(NOW) == utc("2026-06-01 11:15")


def test_an_end_date_includes_the_whole_day() -> None:
    """S13: a date without a time, in the schedule's zone."""
    narrowed = times("America/New_York", cron="0 */6 * * *", start_at="2026-06-01", end_at="2026-06-01")
    found = list(narrowed.between(NOW, utc("2027-01-01 00:00")))
    assert [f"{at.astimezone(narrowed.zone):%d %H}" for at in found] == ["01 00", "01 06", "01 12", "01 18"]


def test_after_the_end_there_are_no_more_times() -> None:
    narrowed = times(cron="0 * * * *", end_at="2026-01-01T05:00Z")
    assert narrowed.after(utc("2026-01-01 04:59")) == utc("2026-01-01 05:00")
    assert narrowed.after(utc("2026-01-01 05:00")) is None


def test_a_single_instant_comes_once() -> None:
    once = times("Europe/Berlin", once="2026-06-01T12:00")
    assert once.upcoming(NOW, 5) == [utc("2026-06-01 10:00")]
    assert once.after(utc("2026-06-01 10:00")) is None
    assert list(once.between(NOW, utc("2026-06-01 10:00"))) == [utc("2026-06-01 10:00")]
    assert list(once.between(utc("2026-06-01 10:00"), utc("2027-01-01 00:00"))) == []


def test_a_single_instant_outside_start_and_end_never_comes() -> None:
    assert times(once="2026-06-01T12:00Z", start_at="2026-06-01T12:01Z").after(NOW) is None
    assert times(once="2026-06-01T12:00Z", end_at="2026-06-01T11:59Z").after(NOW) is None
    assert times(once="2026-06-01T12:00Z", exclude="2026-06-01").after(NOW) is None


@pytest.mark.parametrize("written", WRITTEN, ids=str)
def test_a_span_without_extent_holds_no_time(written: dict[str, str]) -> None:
    some = times("Europe/Berlin", **written)
    at = some.after(NOW)
    assert at is not None
    assert list(some.between(at, at)) == list(some.between(at, at - timedelta(days=1))) == []
    assert some.last(at, at) is None
    assert some.count(at, at - timedelta(days=1), 10) == Count(0)


@pytest.mark.parametrize("written", WRITTEN, ids=str)
def test_the_end_of_a_span_belongs_to_it_and_its_beginning_does_not(written: dict[str, str]) -> None:
    some = times("Europe/Berlin", **written)
    for earlier, later in pairwise(some.upcoming(NOW, 20)):
        assert list(some.between(earlier, later)) == [later]
        assert some.last(earlier, later) == later
        assert some.last(earlier, later - timedelta(seconds=1)) is None


@pytest.mark.parametrize("written", WRITTEN, ids=str)
def test_the_last_time_of_a_long_span_is_found(written: dict[str, str]) -> None:
    some = times("Europe/Berlin", **written)
    until = utc("2026-05-03 12:34:56")
    assert some.last(NOW, until) == list(some.between(NOW, until))[-1]


def test_the_last_of_half_a_century_is_found_in_few_steps() -> None:
    """Catch-up asks this after any absence: a search, not a walk over 26 million minutes."""
    assert times(cron="* * * * *").last(NOW, utc("2076-01-01 00:00:30")) == utc("2076-01-01 00:00")
    assert times(cron="0 0 29 2 *").last(NOW, utc("2076-01-01 00:00")) == utc("2072-02-29 00:00")


def test_a_count_is_exact_up_to_its_limit_and_then_says_more() -> None:
    minutes = times(cron="* * * * *")
    assert minutes.count(NOW, NOW + timedelta(minutes=10_000), 10_000) == Count(10_000)
    assert minutes.count(NOW, NOW + timedelta(minutes=10_001), 10_000) == Count(10_000, more=True)
    grid = times(every="1m")
    assert grid.count(NOW, NOW + timedelta(minutes=10_001), 10_000) == Count(10_000, more=True)
    assert str(Count(10_000, more=True)) == "more than 10,000"
    assert str(Count(1234)) == "1,234"


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Etc/GMT+12", "America/New_York"])
def test_the_last_evening_of_the_last_year_is_one_like_any_other(zone: str) -> None:
    """What may be written comes: in every zone, excluded or not, and nothing after it is asked for."""
    late = datetime(2099, 12, 31, 23, 59, 50, tzinfo=ZoneInfo(zone)).astimezone(UTC)
    wishes: list[dict[str, Any]] = [
        {"once": "2099-12-31T23:59:50"},
        {"cron": "50 59 23 31 12 *"},
        {"calendar": {"second": 50, "minute": 59, "hour": 23, "year": 2099}},
        {"every": "10s", "end_at": "2099-12-31"},
        {"every": "10s", "exclude": {"year": "2026-2098"}, "end_at": "2099-12-31"},
    ]
    for written in wishes:
        some = times(zone, **written)
        assert some.last(NOW, FINAL) == late, written
        assert some.after(late - timedelta(seconds=10)) == late
        assert some.after(late) is None
    assert times(zone, every="10s", exclude={"year": "2026-2099"}).after(late) is None
    assert times(zone, every="10s", exclude={"weekday": "mon-sat"}).after(late - timedelta(minutes=1)) is None


def test_upcoming_gives_as_many_as_asked_for_or_as_there_are() -> None:
    hourly = times(cron="0 * * * *", end_at="2026-01-01T03:00Z")
    assert hourly.upcoming(NOW, 0) == []
    assert hourly.upcoming(NOW, 2) == [utc("2026-01-01 01:00"), utc("2026-01-01 02:00")]
    assert len(hourly.upcoming(NOW, 50)) == 3


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Etc/GMT+12", "America/New_York"])
@pytest.mark.parametrize("written", WRITTEN, ids=str)
def test_the_ends_of_time_are_no_trouble(zone: str, written: dict[str, str]) -> None:
    """The first and the last instant that a computer can name."""
    some = times(zone, **written)
    assert some.after(FINAL) is None
    assert some.after(some.horizon) is None
    assert list(some.between(FINAL, FIRST)) == []
    first = some.after(FIRST)
    assert first is not None
    assert next(some.between(FIRST, FINAL)) == first
    last = some.last(utc("2099-01-01 00:00"), FINAL)
    assert last is None or last <= some.horizon
    assert some.count(utc("2099-06-01 00:00"), FINAL, 10) == some.count(utc("2099-06-01 00:00"), some.horizon, 10)


@pytest.mark.parametrize("written", WRITTEN, ids=str)
def test_microseconds_before_a_time_it_is_next_and_after_it_is_past(written: dict[str, str]) -> None:
    """S2."""
    some = times("Europe/Berlin", **written)
    tick = timedelta(microseconds=1)
    for at in some.upcoming(utc("2026-03-28 23:00"), 20):
        assert some.after(at - tick) == at
        for instant in (at, at + tick):
            following = some.after(instant)
            assert following is None or following > at


def test_a_run_forty_days_ahead_is_found() -> None:
    """S20: a monthly time further away than 32 bits of milliseconds reach."""
    found = times(cron="0 9 31 * *").after(utc("2026-01-31 09:00"))
    assert found == utc("2026-03-31 09:00")
    assert (found - utc("2026-01-31 09:00")) / timedelta(milliseconds=1) > 2**31
