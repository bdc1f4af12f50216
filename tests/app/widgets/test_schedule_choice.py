"""Choices mean exactly the written schedule; others are kept unchanged."""

from datetime import UTC, datetime, time
from itertools import chain, combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.widgets.schedule_choice import (
    CronChoice,
    DailyChoice,
    IntervalChoice,
    MonthlyChoice,
    ScheduleChoice,
    TimeUnit,
    UnchangedChoice,
    WeeklyChoice,
    apply_choice,
    choice_to_schedule,
    parse_choice,
)
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.spec import ScheduleSpec

NOW = datetime(2026, 3, 27, 12, 0, tzinfo=UTC)
CLOCK = st.builds(time, st.integers(0, 23), st.integers(0, 59))
DAYS = st.frozensets(st.integers(0, 6), min_size=1)
CHOICES = st.one_of(
    st.builds(IntervalChoice, st.integers(10, 59), st.sampled_from(TimeUnit)),
    st.builds(DailyChoice, CLOCK),
    st.builds(WeeklyChoice, DAYS, CLOCK),
    st.builds(MonthlyChoice, st.one_of(st.none(), st.integers(1, 31)), CLOCK),
)


@pytest.mark.parametrize(
    ("written", "choice"),
    [
        ({"every": "5m"}, IntervalChoice(5, TimeUnit.MINUTES)),
        ({"every": "90s"}, IntervalChoice(90, TimeUnit.SECONDS)),
        ({"every": "1.5h"}, IntervalChoice(90, TimeUnit.MINUTES)),
        ({"every": "48h"}, IntervalChoice(2, TimeUnit.DAYS)),
        ({"cron": "0 9 * * *"}, DailyChoice(time(9))),
        ({"cron": "@daily"}, DailyChoice(time(0))),
        ({"cron": ["30 18 * * *"]}, DailyChoice(time(18, 30))),
        ({"cron": "0 9 * * 1-5"}, WeeklyChoice(frozenset({1, 2, 3, 4, 5}), time(9))),
        ({"cron": "0 9 * * sat,7"}, WeeklyChoice(frozenset({0, 6}), time(9))),
        ({"cron": "15 7 31 * *"}, MonthlyChoice(31, time(7, 15))),
        ({"cron": "0 0 L * *"}, MonthlyChoice(None, time(0))),
    ],
)
def test_simple_schedules_become_choices(written: dict[str, Any], choice: ScheduleChoice) -> None:
    assert parse_choice(written) == choice


@pytest.mark.parametrize(
    "text",
    [
        *("*/15 * * * *", "0 9,18 * * *", "0 0 13 * 5", "0 9 * 1 *", "0 9 1,15 * *", "0 9 * * 1#2", "0 9 * * 5L"),
        *("30 0 9 * * *", "0 0 9 * * * 2027", "*/60 9 * * *", "0 */24 * * *", "0 9 */2 * *", "0 9 L,15 * *"),
        *("60 * * * *", "nonsense", "", "0 9 ? * *"),
    ],
)
def test_any_other_cron_stays_an_expression(text: str) -> None:
    """Even if it means the same times today: `*/60` behaves differently at clock changes."""
    assert parse_choice({"cron": text}) == CronChoice(text)


@pytest.mark.parametrize(
    "written", [{"calendar": {"hour": 18}}, {"once": "2026-11-20T09:00"}, {}, {"every": "soon"}, {"every": 5}]
)
def test_other_schedules_are_kept_unchanged(written: dict[str, Any]) -> None:
    assert parse_choice(written) == UnchangedChoice()
    assert apply_choice(written, UnchangedChoice(), None) == written


@given(CHOICES)
def test_a_choice_is_read_back_with_the_same_times(choice: ScheduleChoice) -> None:
    written = choice_to_schedule(choice)
    again = parse_choice(written)
    assert choice_to_schedule(again) == choice_to_schedule(parse_choice(choice_to_schedule(again)))
    one, other = (
        ScheduleSpec.read(choice_to_schedule(each), machine_zone="Europe/Berlin", now=NOW)
        .compile("Europe/Berlin")
        .upcoming(NOW, 8)
        for each in (choice, again)
    )
    assert one == other


@given(CHOICES)
def test_every_choice_is_a_valid_schedule(choice: ScheduleChoice) -> None:
    ScheduleSpec.read(choice_to_schedule(choice), machine_zone="UTC", now=NOW).compile("UTC")


def test_every_set_of_weekdays_is_read_back() -> None:
    for days in chain.from_iterable(combinations(range(7), size) for size in range(1, 8)):
        choice = WeeklyChoice(frozenset(days), time(9))
        assert parse_choice(choice_to_schedule(choice)) == choice


def test_a_weekly_choice_without_days_is_rejected() -> None:
    with pytest.raises(BadScheduleError, match="choose at least one"):
        choice_to_schedule(WeeklyChoice(frozenset(), time(9)))


def test_other_settings_are_kept_when_the_timing_changes() -> None:
    written = {"cron": "0 9 * * *", "timezone": "UTC", "jitter": "30s", "exclude": ["2026-12-24"], "limit": 9}
    assert apply_choice(written, DailyChoice(time(10)), "UTC") == written | {"cron": "0 10 * * *"}


def test_an_anchor_is_kept_only_with_its_interval() -> None:
    written = {"every": "60m", "anchor": "2026-03-27T10:02:00Z", "timezone": "UTC"}
    assert apply_choice(written, IntervalChoice(1, TimeUnit.HOURS), "UTC") == written, (
        "the same interval, written as before"
    )
    assert apply_choice(written, IntervalChoice(2, TimeUnit.HOURS), "UTC") == {"every": "2h", "timezone": "UTC"}


def test_expressions_are_separated_by_semicolons() -> None:
    written = {"cron": ["0 9 * * 1-5", "0 12 * * 6"]}
    assert parse_choice(written) == CronChoice("0 9 * * 1-5; 0 12 * * 6")
    assert choice_to_schedule(CronChoice("0 9 * * 1-5;0 12 * * 6 ; ")) == written
