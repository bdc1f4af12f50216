"""The picker says exactly what is written; what it cannot say stays as it is."""

from datetime import UTC, datetime, time
from itertools import chain, combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.widgets.schedule_choice import (
    AsItIs,
    Choice,
    CronText,
    Daily,
    Every,
    Monthly,
    Unit,
    Weekly,
    apply_choice,
    read_choice,
    write_choice,
)
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.spec import Spec

NOW = datetime(2026, 3, 27, 12, 0, tzinfo=UTC)
CLOCK = st.builds(time, st.integers(0, 23), st.integers(0, 59))
DAYS = st.frozensets(st.integers(0, 6), min_size=1)
CHOICES = st.one_of(
    st.builds(Every, st.integers(10, 59), st.sampled_from(Unit)),
    st.builds(Daily, CLOCK),
    st.builds(Weekly, DAYS, CLOCK),
    st.builds(Monthly, st.one_of(st.none(), st.integers(1, 31)), CLOCK),
)


@pytest.mark.parametrize(
    ("written", "choice"),
    [
        ({"every": "5m"}, Every(5, Unit.MINUTES)),
        ({"every": "90s"}, Every(90, Unit.SECONDS)),
        ({"every": "1.5h"}, Every(90, Unit.MINUTES)),
        ({"every": "48h"}, Every(2, Unit.DAYS)),
        ({"cron": "0 9 * * *"}, Daily(time(9))),
        ({"cron": "@daily"}, Daily(time(0))),
        ({"cron": ["30 18 * * *"]}, Daily(time(18, 30))),
        ({"cron": "0 9 * * 1-5"}, Weekly(frozenset({1, 2, 3, 4, 5}), time(9))),
        ({"cron": "0 9 * * sat,7"}, Weekly(frozenset({0, 6}), time(9))),
        ({"cron": "15 7 31 * *"}, Monthly(31, time(7, 15))),
        ({"cron": "0 0 L * *"}, Monthly(None, time(0))),
    ],
)
def test_what_a_picker_can_say_is_shown_by_it(written: dict[str, Any], choice: Choice) -> None:
    assert read_choice(written) == choice


@pytest.mark.parametrize(
    "text",
    [
        *("*/15 * * * *", "0 9,18 * * *", "0 0 13 * 5", "0 9 * 1 *", "0 9 1,15 * *", "0 9 * * 1#2", "0 9 * * 5L"),
        *("30 0 9 * * *", "0 0 9 * * * 2027", "*/60 9 * * *", "0 */24 * * *", "0 9 */2 * *", "0 9 L,15 * *"),
        *("60 * * * *", "nonsense", "", "0 9 ? * *"),
    ],
)
def test_any_other_cron_is_left_as_text(text: str) -> None:
    """Also where it names the same times today: `*/60` follows the clock when it changes."""
    assert read_choice({"cron": text}) == CronText(text)


@pytest.mark.parametrize(
    "written", [{"calendar": {"hour": 18}}, {"once": "2026-11-20T09:00"}, {}, {"every": "soon"}, {"every": 5}]
)
def test_what_no_picker_shows_stays_as_it_is(written: dict[str, Any]) -> None:
    assert read_choice(written) == AsItIs()
    assert apply_choice(written, AsItIs(), None) == written


@given(CHOICES)
def test_what_is_picked_is_read_back_with_the_same_times(choice: Choice) -> None:
    written = write_choice(choice)
    again = read_choice(written)
    assert write_choice(again) == write_choice(read_choice(write_choice(again)))
    one, other = (
        Spec.read(write_choice(each), machine_zone="Europe/Berlin", now=NOW).times("Europe/Berlin").upcoming(NOW, 8)
        for each in (choice, again)
    )
    assert one == other


@given(CHOICES)
def test_what_is_picked_can_always_be_saved(choice: Choice) -> None:
    Spec.read(write_choice(choice), machine_zone="UTC", now=NOW).times("UTC")


def test_every_set_of_weekdays_survives() -> None:
    for days in chain.from_iterable(combinations(range(7), size) for size in range(1, 8)):
        choice = Weekly(frozenset(days), time(9))
        assert read_choice(write_choice(choice)) == choice


def test_no_weekday_is_refused_with_a_sentence() -> None:
    with pytest.raises(BadScheduleError, match="choose at least one"):
        write_choice(Weekly(frozenset(), time(9)))


def test_other_settings_are_kept_when_the_times_change() -> None:
    written = {"cron": "0 9 * * *", "timezone": "UTC", "jitter": "30s", "exclude": ["2026-12-24"], "limit": 9}
    assert apply_choice(written, Daily(time(10)), "UTC") == written | {"cron": "0 10 * * *"}


def test_an_anchor_stays_only_with_its_interval() -> None:
    written = {"every": "60m", "anchor": "2026-03-27T10:02:00Z", "timezone": "UTC"}
    assert apply_choice(written, Every(1, Unit.HOURS), "UTC") == written, "the same interval, also written as before"
    assert apply_choice(written, Every(2, Unit.HOURS), "UTC") == {"every": "2h", "timezone": "UTC"}


def test_several_texts_come_apart_at_semicolons() -> None:
    written = {"cron": ["0 9 * * 1-5", "0 12 * * 6"]}
    assert read_choice(written) == CronText("0 9 * * 1-5; 0 12 * * 6")
    assert write_choice(CronText("0 9 * * 1-5;0 12 * * 6 ; ")) == written
