"""Times as users type them at a command."""

import pytest

from scheduler.timing.errors import BadScheduleError
from scheduler.timing.time_expressions import Direction, parse_time
from scheduler.timing.zones import find_zone
from tests.timing.schedule_builders import utc

BERLIN = find_zone("Europe/Berlin")
NOW = utc("2026-11-18 11:30")  # a Wednesday, 12:30 in Berlin


def past(text: str, *, end_of_day: bool = False) -> str:
    at = parse_time(text, "since", BERLIN, NOW, Direction.PAST, end_of_day=end_of_day)
    return f"{at.astimezone(BERLIN):%Y-%m-%d %H:%M:%S}"


def future(text: str) -> str:
    return f"{parse_time(text, 'until', BERLIN, NOW, Direction.FUTURE).astimezone(BERLIN):%Y-%m-%d %H:%M:%S}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", "2026-11-18 12:30:00"),
        ("today", "2026-11-18 00:00:00"),
        ("Yesterday", "2026-11-17 00:00:00"),
        (" yesterday  18:05:30 ", "2026-11-17 18:05:30"),
        ("tomorrow", "2026-11-19 00:00:00"),
        ("2d", "2026-11-16 12:30:00"),
        ("1.5h", "2026-11-18 11:00:00"),
        ("90m ago", "2026-11-18 11:00:00"),
        ("in 2h", "2026-11-18 14:30:00"),
        ("12:30", "2026-11-18 12:30:00"),
        ("14:00", "2026-11-17 14:00:00"),
        ("9:00", "2026-11-18 09:00:00"),
        ("wed", "2026-11-18 00:00:00"),
        ("Thursday", "2026-11-12 00:00:00"),
        ("wed 13:00", "2026-11-11 13:00:00"),
        ("mon 09:00", "2026-11-16 09:00:00"),
        ("2026-11-01", "2026-11-01 00:00:00"),
        ("2026-11-01T08:00Z", "2026-11-01 09:00:00"),
    ],
)
def test_a_past_time_is_the_latest_one(text: str, expected: str) -> None:
    assert past(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2d", "2026-11-20 12:30:00"),
        ("2d ago", "2026-11-16 12:30:00"),
        ("14:00", "2026-11-18 14:00:00"),
        ("12:30", "2026-11-19 12:30:00"),
        ("tomorrow 18:00", "2026-11-19 18:00:00"),
        ("wed", "2026-11-25 00:00:00"),
        ("wed 13:00", "2026-11-18 13:00:00"),
        ("mon 09:00", "2026-11-23 09:00:00"),
        ("2026-12-01", "2026-12-01 00:00:00"),
    ],
)
def test_a_future_time_is_the_next_one(text: str, expected: str) -> None:
    assert future(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yesterday", "2026-11-17 23:59:59"),
        ("mon", "2026-11-16 23:59:59"),
        ("2026-11-01", "2026-11-01 23:59:59"),
        ("yesterday 18:00", "2026-11-17 18:00:00"),
    ],
)
def test_the_end_of_a_range_includes_its_day(text: str, expected: str) -> None:
    assert past(text, end_of_day=True) == expected


def test_a_length_is_real_time_and_a_clock_time_is_wall_time_when_clocks_change() -> None:
    after_change = utc("2026-10-25 11:00")  # 12:00 in Berlin, 25 hours after 12:00 the day before
    day_ago = parse_time("1d", "since", BERLIN, after_change, Direction.PAST)
    assert (f"{day_ago.astimezone(BERLIN):%d %H:%M}", day_ago) == ("24 13:00", utc("2026-10-24 11:00"))
    assert parse_time("yesterday 12:00", "since", BERLIN, after_change, Direction.PAST) == utc("2026-10-24 10:00")
    assert parse_time("today 02:30", "since", BERLIN, after_change, Direction.PAST) == utc("2026-10-25 00:30")


@pytest.mark.parametrize(
    "text",
    ["", "soon", "mo", "t", "25:00", "14", "14:60", "5 weeks", "-2d", "in 2d ago",
     "mon tue", "yesterday 2d", "99999999d", "½d"]
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_examples(text: str) -> None:
    with pytest.raises(BadScheduleError) as refused:
        past(text)
    assert refused.value.sentence == (
        f"since: {text!r} is not a time; write for example "
        "2026-11-20T09:00, 2026-11-20, yesterday, tomorrow 18:00, mon 09:00, 14:00 or 2d."
    )


def test_a_date_that_does_not_exist_is_refused_as_a_date() -> None:
    with pytest.raises(BadScheduleError, match="'2026-02-30' is not a date and time"):
        past("2026-02-30")
