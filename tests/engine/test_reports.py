"""Passing on a slot: the end of one run and the start of the next are one transaction, without a tick."""

from collections.abc import Callable

import pytest

from scheduler.timing.occurrences import OccurrenceState
from tests.engine.engine_fixture import HOUR, Bench


@pytest.fixture
def bench_with_queue(make_bench: Callable[..., Bench]) -> Bench:
    """Three schedules due together, and one slot."""
    bench = make_bench(concurrency=1)
    for name in ("a", "b", "c"):
        bench.commands.add("w", name, {"every": "1h"}, kind="job")
    bench.run_for(HOUR, finish=False)
    return bench


def states(bench: Bench) -> dict[str, str]:
    return {name: bench.states(f"w/{name}")[0] for name in ("a", "b", "c")}


def test_the_slot_goes_to_the_next_in_the_queue(bench_with_queue: Bench) -> None:
    assert sorted(states(bench_with_queue).values()) == ["queued", "queued", "started"]
    first = bench_with_queue.launcher.begun[0]
    second = bench_with_queue.launcher.finish_and_relay()
    assert second is not None
    assert second.subject != first.subject
    assert bench_with_queue.occurrences(first.subject)[0].state is OccurrenceState.SUCCEEDED
    assert bench_with_queue.occurrences(second.subject)[0].state is OccurrenceState.STARTED
    assert bench_with_queue.engine.dispatch.in_flight == 1


def test_all_of_them_run_once_and_the_last_one_frees_the_slot(bench_with_queue: Bench) -> None:
    while bench_with_queue.launcher.finish_and_relay() is not None:
        bench_with_queue.tick()
    assert set(states(bench_with_queue).values()) == {"succeeded"}
    assert sorted(work.subject for work in bench_with_queue.launcher.begun) == ["w/a", "w/b", "w/c"]
    assert bench_with_queue.engine.dispatch.in_flight == 0


def test_a_tick_in_between_starts_nothing_twice(bench_with_queue: Bench) -> None:
    bench_with_queue.launcher.finish_and_relay()
    bench_with_queue.engine.wake()
    bench_with_queue.tick()
    assert len(bench_with_queue.launcher.begun) == 2
    assert len(bench_with_queue.launcher.running) == 1


def test_nothing_gets_the_slot_while_everything_is_paused(bench_with_queue: Bench) -> None:
    bench_with_queue.engine.context.paused_until = bench_with_queue.clock.wall + HOUR
    assert bench_with_queue.launcher.finish_and_relay() is None
    assert len(bench_with_queue.launcher.begun) == 1
    bench_with_queue.engine.context.paused_until = None
    bench_with_queue.tick()
    assert len(bench_with_queue.launcher.begun) == 2


def test_work_that_has_freed_its_slot_cannot_pass_it_on(bench_with_queue: Bench) -> None:
    work = next(iter(bench_with_queue.launcher.running.values()))
    bench_with_queue.launcher.finish()
    assert bench_with_queue.launcher.in_flight.replace_with_next(work) is None
    bench_with_queue.tick()
    assert bench_with_queue.engine.dispatch.in_flight == 1


def test_work_that_may_no_longer_start_gives_the_slot_back(bench_with_queue: Bench) -> None:
    """Its schedule was removed while it was queued."""
    waiting = [name for name, state in states(bench_with_queue).items() if state == "queued"]
    for name in waiting:
        bench_with_queue.commands.delete(f"w/{name}")
    assert bench_with_queue.launcher.finish_and_relay() is None
    assert bench_with_queue.engine.dispatch.in_flight == 0
    bench_with_queue.tick()
    assert len(bench_with_queue.launcher.begun) == 1
