"""Transfer limits: progress extends the time, but not below the minimum rate and not forever."""

import pytest

from scheduler.connections import sockets, transfer_limits
from scheduler.connections.transfer_limits import MIN_BYTES_PER_S, TransferLimit
from tests.clocks import MonotonicClock

SECONDS = 30
PER_MINUTE = 60 * MIN_BYTES_PER_S


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> MonotonicClock:
    clock = MonotonicClock(1000.0)
    monkeypatch.setattr(sockets, "monotonic", clock)
    monkeypatch.setattr(transfer_limits, "monotonic", clock)
    return clock


def move(limit: TransferLimit, clock: MonotonicClock, count: int, seconds: float) -> None:
    clock.now += seconds
    limit.left()
    limit.note_progress(count)


def move_on(limit: TransferLimit, clock: MonotonicClock, count: int, seconds: float) -> None:
    for _ in range(1_000):
        move(limit, clock, count, seconds)


def test_without_progress_it_times_out(clock: MonotonicClock) -> None:
    limit = TransferLimit(SECONDS, PER_MINUTE)
    clock.now += 29
    assert limit.left() == 1
    clock.now += 1
    with pytest.raises(TimeoutError):
        limit.left()
    assert not limit.was_too_slow()


def test_at_the_minimum_rate_a_transfer_may_take_hours(clock: MonotonicClock) -> None:
    limit = TransferLimit(SECONDS, 1_000 * PER_MINUTE)
    for _ in range(1_000 * 6):
        move(limit, clock, PER_MINUTE // 6, 10)
    assert limit.left() == SECONDS


def test_a_stall_in_the_middle_times_out(clock: MonotonicClock) -> None:
    limit = TransferLimit(SECONDS, 10 * PER_MINUTE)
    move(limit, clock, PER_MINUTE, 1)
    clock.now += SECONDS
    with pytest.raises(TimeoutError):
        limit.left()
    assert not limit.was_too_slow()


def test_below_the_minimum_rate_it_is_too_slow(clock: MonotonicClock) -> None:
    limit = TransferLimit(SECONDS, 10 * PER_MINUTE)
    move(limit, clock, PER_MINUTE, 1)
    with pytest.raises(TimeoutError):
        move_on(limit, clock, 1, 10)
    assert limit.was_too_slow()
    assert clock.now - 1000 == pytest.approx(SECONDS + 60, abs=10)


def test_bytes_beyond_the_maximum_do_not_extend_the_time(clock: MonotonicClock) -> None:
    limit = TransferLimit(SECONDS, PER_MINUTE)
    with pytest.raises(TimeoutError):
        move_on(limit, clock, 10 * PER_MINUTE, 1)
    assert clock.now - 1000 == SECONDS + 60
