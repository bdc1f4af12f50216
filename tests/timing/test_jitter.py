"""The small shift of each start."""

from datetime import datetime, timedelta
from hashlib import sha256

import pytest

from scheduler.timing.compiled import PlannedTimes
from scheduler.timing.jitter import Jitter, parse_jitter
from tests.timing.schedule_builders import NOW, refused_with, spec, times, utc

HOURLY = times(cron="0 * * * *")
PLANNED = utc("2026-06-01 12:00")
LOWEST, HIGHEST = "0" * 64, "f" * 64


def keys(number: int) -> list[str]:
    return [sha256(f"backup:{n}".encode()).hexdigest() for n in range(number)]


def due(text: str, key: str, planned: datetime = PLANNED, of: PlannedTimes = HOURLY) -> datetime:
    jitter = parse_jitter(text)
    assert jitter is not None
    return jitter.due_time(planned, key, of)


def test_the_same_key_is_always_shifted_alike() -> None:
    """A restart does not change the shift."""
    for key in keys(50):
        assert due("10m", key) == due("10m", key) == due(" 600S ", key)


def test_different_keys_are_shifted_differently() -> None:
    assert len({due("10m", key) for key in keys(200)}) > 190


def test_the_shift_goes_both_ways_up_to_its_limit() -> None:
    shifts = [due("10m", key) - PLANNED for key in keys(400)]
    assert timedelta(minutes=-10) <= min(shifts) < timedelta(minutes=-9)
    assert timedelta(minutes=9) < max(shifts) <= timedelta(minutes=10)
    assert abs(sum(shifts, timedelta()) / len(shifts)) < timedelta(minutes=1)


def test_a_plus_shifts_only_later() -> None:
    shifts = [due("+10m", key) - PLANNED for key in keys(400)]
    assert timedelta() <= min(shifts) < timedelta(minutes=1)
    assert timedelta(minutes=9) < max(shifts) <= timedelta(minutes=10)


@pytest.mark.parametrize("text", ["2h", "+2h", "1d", "45m"])
@pytest.mark.parametrize("key", [LOWEST, HIGHEST, *keys(20)])
def test_the_shift_never_crosses_the_midpoint_to_a_neighbour(text: str, key: str) -> None:
    """Neighbours keep their order whatever their keys."""
    assert abs(due(text, key) - PLANNED) <= timedelta(minutes=30)
    before, after = PLANNED - timedelta(hours=1), PLANNED + timedelta(hours=1)
    assert due(text, HIGHEST, before) <= due(text, key) <= due(text, LOWEST, after)


def test_each_neighbour_limits_its_own_side() -> None:
    uneven = times(cron=["0 12 * * *", "10 12 * * *", "0 18 * * *"])
    middle = utc("2026-06-01 12:10")
    assert due("1h", LOWEST, middle, uneven) == utc("2026-06-01 12:05")
    assert due("1h", HIGHEST, middle, uneven) == utc("2026-06-01 13:10")


def test_an_excluded_neighbour_does_not_count() -> None:
    sparse = times(cron="0 * * * *", exclude={"hour": "11,13"})
    assert due("45m", LOWEST, of=sparse) == utc("2026-06-01 11:15")
    assert due("45m", HIGHEST, of=sparse) == utc("2026-06-01 12:45")


def test_the_shift_never_goes_before_the_start() -> None:
    """Nothing is due before `start_at`."""
    begun = times(cron="0 12 * * *", start_at="2026-06-01T11:58Z")
    assert due("1h", LOWEST, of=begun) == utc("2026-06-01 11:58")
    at_start = times(cron="0 12 * * *", start_at="2026-06-01T12:00Z")
    assert due("1h", LOWEST, of=at_start) == PLANNED
    assert due("1h", HIGHEST, of=at_start) == utc("2026-06-01 13:00")


def test_a_single_instant_has_no_neighbours() -> None:
    once = times(once="2026-06-01T12:00Z")
    assert due("1d", LOWEST, of=once) == utc("2026-05-31 12:00")
    assert due("1d", HIGHEST, of=once) == utc("2026-06-02 12:00")


def test_neighbours_ten_seconds_apart_keep_their_order() -> None:
    dense = times(every="10s", anchor="2026-06-01T12:00Z")
    planned = dense.upcoming(PLANNED, 30)
    shifted = [due("30s", key, at, dense) for key, at in zip(keys(30), planned, strict=True)]
    assert shifted == sorted(shifted)
    assert max(abs(later - at) for later, at in zip(shifted, planned, strict=True)) <= timedelta(seconds=5)


def test_the_shift_is_in_whole_milliseconds() -> None:
    assert all(due("10m", key).microsecond % 1000 == 0 for key in keys(50))


def test_the_repeated_hour_has_neighbours_of_its_own() -> None:
    fold = times("Europe/Berlin", cron="30 * * * *")
    assert due("2h", HIGHEST, utc("2026-10-25 00:30"), fold) == utc("2026-10-25 01:00")
    assert due("2h", LOWEST, utc("2026-10-25 01:30"), fold) == utc("2026-10-25 01:00")


@pytest.mark.parametrize(
    ("text", "jitter"),
    [
        ("30s", Jitter(timedelta(seconds=30), only_later=False)),
        ("+30s", Jitter(timedelta(seconds=30), only_later=True)),
        (" + 1.5H ", Jitter(timedelta(minutes=90), only_later=True)),
        ("1d", Jitter(timedelta(days=1), only_later=False)),
        ("0s", Jitter(timedelta(), only_later=False)),
        ("+0s", Jitter(timedelta(), only_later=True)),
        (None, None),
    ],
)
def test_jitter_is_read_and_written(text: str | None, jitter: Jitter | None) -> None:
    read = spec(every="1d", jitter=text).jitter
    assert read == jitter
    assert parse_jitter(jitter and jitter.write()) == jitter


@pytest.mark.parametrize("text", ["-30s", "±30s", "++30s", "30", "", "+", "25h", "1.1d", 30, True, ["30s"], {}])
def test_bad_jitter_is_refused(text: object) -> None:
    assert refused_with(every="1d", jitter=text).field == "jitter"


def test_jitter_does_not_change_the_planned_times() -> None:
    plain, shifted = spec(every="1d"), spec(every="1d", jitter="1h")
    assert plain.has_same_times(shifted)
    assert plain.compile("UTC").upcoming(NOW, 5) == shifted.compile("UTC").upcoming(NOW, 5)
