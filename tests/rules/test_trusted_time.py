"""The time that decides what is too old was seen, and confirmed a day later."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from scheduler.rules.trusted_time import ClockStability, Sightings, add_sighting, find_trusted_time

NOON = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def sightings_at(*days: float) -> Sightings:
    sightings: Sightings = ()
    for day in days:
        sightings = add_sighting(sightings, NOON + day * DAY)
    return sightings


def test_a_time_is_not_trusted_before_it_is_confirmed() -> None:
    assert find_trusted_time((), NOON) is None
    assert find_trusted_time(sightings_at(0), NOON) is None
    assert find_trusted_time(sightings_at(0, 0.5, 0.9), NOON + DAY) is None


def test_each_day_confirms_the_one_before() -> None:
    assert find_trusted_time(sightings_at(0, 1), NOON + DAY) == NOON
    assert find_trusted_time(sightings_at(0, 1, 2, 3, 4), NOON + 4 * DAY) == NOON + 3 * DAY


def test_a_jump_is_not_trusted_until_it_has_lasted_a_day() -> None:
    assert find_trusted_time(sightings_at(0, 1, 401), NOON + 401 * DAY) == NOON + DAY
    assert find_trusted_time(sightings_at(0, 1, 401, 401.9), NOON + 402 * DAY) == NOON + DAY
    assert find_trusted_time(sightings_at(0, 1, 401, 402), NOON + 402 * DAY) == NOON + 401 * DAY


def test_sightings_of_a_wrong_clock_are_dropped_when_it_is_corrected() -> None:
    assert sightings_at(0, 1, 401, 2) == (NOON, NOON + DAY, NOON + 2 * DAY)
    assert find_trusted_time(sightings_at(0, 1, 401), NOON + 2 * DAY) == NOON, "not counted before that either"


@given(st.lists(st.floats(0, 2_000), max_size=20), st.floats(0, 2_000))
def test_a_trusted_time_was_seen_at_least_a_day_ago(days: list[float], now: float) -> None:
    sightings = sightings_at(*days)
    trusted = find_trusted_time(sightings, NOON + now * DAY)
    assert len(sightings) <= 3
    if trusted is not None:
        assert trusted in sightings
        assert trusted <= NOON + now * DAY - DAY


def test_the_clock_is_stable_after_ten_minutes_in_step_with_the_monotonic_clock() -> None:
    steadiness = ClockStability()
    minute = timedelta(minutes=1)
    assert not any(steadiness.is_stable(NOON + number * minute, 60.0 * number) for number in range(10))
    assert steadiness.is_stable(NOON + 10 * minute, 600)
    assert not steadiness.is_stable(NOON + 400 * DAY, 660), "the clock was set, or the machine slept"
    assert steadiness.is_stable(NOON + 400 * DAY + 11 * minute, 660 + 660)
