"""Intervals in real time."""

from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from scheduler.timing.every import IntervalRule, parse_interval
from tests.timing.schedule_builders import refused_with, times, utc

EVERY_5_M = times(every="5m", anchor="2026-06-01T10:02Z")


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("2026-06-01 10:02:00", "2026-06-01 10:07"),
        ("2026-06-01 10:04:00", "2026-06-01 10:07"),
        ("2026-06-01 09:00:00", "2026-06-01 10:02"),
        ("2026-06-04 10:03:00", "2026-06-04 10:07"),
        ("2026-06-01 10:06:59.999999", "2026-06-01 10:07"),
        ("2026-06-01 10:07:00.000001", "2026-06-01 10:12"),
        ("2025-06-01 10:07:00", "2026-06-01 10:02"),
    ],
)
def test_the_next_time_is_the_first_multiple_of_the_interval_after_the_instant(after: str, expected: str) -> None:
    """Strictly later; the anchor itself if it is in the future; unchanged after days off."""
    assert EVERY_5_M.after(utc(after)) == utc(expected)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10s", 10),
        ("30s", 30),
        ("5m", 300),
        ("1.5h", 5400),
        ("2d", 172_800),
        (" 5M ", 300),
        ("5 m", 300),
        ("0.5D", 43_200),
        ("36500d", 36_500 * 86_400),
    ],
)
def test_an_interval_is_a_number_and_a_unit_in_any_case(text: str, seconds: int) -> None:
    assert parse_interval(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "text",
    [
        *("5", "-5m", "+5m", "5 weeks", "5w", "m", "", " ", "5m 3s", "1,5h", "1e3s", ".5h", "5.h", "٥m", "５m", "0x5m"),  # noqa: RUF001
        *(5, 5.0, True, None, ["5m"], {"minutes": 5}),
    ],
)
def test_an_invalid_interval_is_refused(text: object) -> None:
    assert refused_with(every=text).field == "every"


@pytest.mark.parametrize("text", ["9s", "0s", "0m", "0.1m", "9.0s"])
def test_an_interval_below_ten_seconds_is_refused(text: str) -> None:
    """The message names the limit."""
    assert "10s" in refused_with(every=text).sentence


@pytest.mark.parametrize("text", ["0.01m", "10.5s"])
def test_an_interval_with_fractional_seconds_is_refused(text: str) -> None:
    assert "whole number of seconds" in refused_with(every=text).sentence


def test_an_interval_over_a_hundred_years_is_refused() -> None:
    assert "hundred years" in refused_with(every="36501d").sentence
    assert "hundred years" in refused_with(every="999999999d").sentence


def test_every_24_hours_does_not_follow_the_clock() -> None:
    """09:00 in Berlin becomes 10:00 when clocks go forward."""
    daily = times("Europe/Berlin", every="24h", anchor="2026-03-27T09:00")
    result = daily.upcoming(utc("2026-03-27 12:00"), 3)
    assert result == [utc("2026-03-28 08:00"), utc("2026-03-29 08:00"), utc("2026-03-30 08:00")]
    assert [f"{at.astimezone(daily.zone):%H:%M}" for at in result] == ["09:00", "10:00", "10:00"]


@pytest.mark.parametrize("night", ["2026-03-29 00:00", "2026-10-25 00:00"])
def test_a_clock_change_neither_adds_nor_takes_a_time(night: str) -> None:
    result = list(times("Europe/Berlin", every="10m").between(utc(night), utc(night) + timedelta(hours=3)))
    assert len(result) == 18
    assert {later - earlier for earlier, later in pairwise(result)} == {timedelta(minutes=10)}


def test_the_anchor_is_the_moment_of_creation_to_the_second() -> None:
    created = utc("2026-06-01 10:02:03.456789")
    assert times(every="1h", now=created).after(created) == utc("2026-06-01 11:02:03")


def test_an_anchor_with_a_zone_still_counts_real_hours() -> None:
    """Adding hours to a time with a zone would add them to the wall clock."""
    zone = times("Europe/Berlin", every="1h").zone
    created = datetime(2026, 10, 24, 12, tzinfo=zone)
    assert times("Europe/Berlin", every="24h", now=created).after(created) == utc("2026-10-25 10:00")


def test_a_run_forty_days_ahead_is_found() -> None:
    """Further away than 32 bits of milliseconds."""
    result = times(every="40d", anchor="2026-06-01T10:00Z").after(utc("2026-06-01 10:00"))
    assert result == utc("2026-07-11 10:00")
    assert (result - utc("2026-06-01 10:00")) / timedelta(milliseconds=1) > 2**31


def test_a_hundred_years_ahead_there_are_no_more_times() -> None:
    slow = times(every="36500d", anchor="2026-06-01T10:00Z")
    assert slow.after(utc("2026-05-31 10:00")) == utc("2026-06-01 10:00")
    assert slow.after(utc("2026-06-01 10:00")) is None
    assert list(slow.between(utc("2026-01-01 00:00"), utc("2099-01-01 00:00"))) == [utc("2026-06-01 10:00")]


def test_a_century_of_ten_second_intervals_is_counted_without_enumerating() -> None:
    fast = times(every="10s", anchor="2026-01-01T00:00Z")
    first, last = utc("2026-01-01 00:00"), utc("2096-01-01 00:00")
    assert fast.count(first, last, 10**9).number == (last - first) // timedelta(seconds=10)


def test_the_count_equals_the_number_of_enumerated_times() -> None:
    grid = IntervalRule(timedelta(minutes=7), utc("2026-01-01 00:03"))
    spans = [
        ("2025-12-31 00:00", "2025-12-31 12:00"),
        ("2025-12-31 00:00", "2026-01-01 00:03"),
        ("2026-01-01 00:03", "2026-01-01 00:10"),
        ("2026-01-01 00:02", "2026-01-02 00:00"),
        ("2026-01-02 00:00", "2026-01-01 00:00"),
    ]
    for after, until in spans:
        enumerated = list(grid.between(utc(after), utc(until), EVERY_5_M.zone))
        assert grid.count(utc(after), utc(until)) == len(enumerated)
