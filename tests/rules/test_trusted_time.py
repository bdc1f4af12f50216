"""Which time decides what is too old: one that was seen, and confirmed a day later."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from scheduler.rules.trusted_time import Sightings, Steadiness, add_sighting, trusted_time

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def see(*days: float) -> Sightings:
    sightings: Sightings = ()
    for day in days:
        sightings = add_sighting(sightings, NOON + day * DAY)
    return sightings


def test_nothing_is_trusted_before_it_was_confirmed() -> None:
    assert trusted_time((), NOON) is None
    assert trusted_time(see(0), NOON) is None
    assert trusted_time(see(0, 0.5, 0.9), NOON + DAY) is None


def test_each_day_confirms_the_one_before() -> None:
    assert trusted_time(see(0, 1), NOON + DAY) == NOON
    assert trusted_time(see(0, 1, 2, 3, 4), NOON + 4 * DAY) == NOON + 3 * DAY


def test_a_leap_is_not_trusted_until_it_has_held_for_a_day() -> None:
    assert trusted_time(see(0, 1, 401), NOON + 401 * DAY) == NOON + DAY
    assert trusted_time(see(0, 1, 401, 401.9), NOON + 402 * DAY) == NOON + DAY
    assert trusted_time(see(0, 1, 401, 402), NOON + 402 * DAY) == NOON + 401 * DAY


def test_what_was_seen_under_a_wrong_clock_is_dropped_when_it_is_set_right() -> None:
    assert see(0, 1, 401, 2) == (NOON, NOON + DAY, NOON + 2 * DAY)
    assert trusted_time(see(0, 1, 401), NOON + 2 * DAY) == NOON, "and is not counted before"


@given(st.lists(st.floats(0, 2_000), max_size=20), st.floats(0, 2_000))
def test_what_is_trusted_lies_a_day_behind_and_was_seen(days: list[float], now: float) -> None:
    sightings = see(*days)
    trusted = trusted_time(sightings, NOON + now * DAY)
    assert len(sightings) <= 3
    if trusted is not None:
        assert trusted in sightings
        assert trusted <= NOON + now * DAY - DAY


def test_a_time_holds_after_ten_minutes_side_by_side_with_the_monotonic_clock() -> None:
    steadiness = Steadiness()
    minute = timedelta(minutes=1)
    assert not any(steadiness.holds(NOON + number * minute, 60.0 * number) for number in range(10))
    assert steadiness.holds(NOON + 10 * minute, 600)
    assert not steadiness.holds(NOON + 400 * DAY, 660), "it was set, or the machine slept"
    assert steadiness.holds(NOON + 400 * DAY + 11 * minute, 660 + 660)
