"""A slot that is handed on: the end of one and the beginning of the next are one transaction, without a new look."""

from collections.abc import Callable

import pytest

from scheduler.timing.occurrences import State
from tests.engine.harness import HOUR, Bench


@pytest.fixture
def line(make_bench: Callable[..., Bench]) -> Bench:
    """Three schedules that are due together, and one slot."""
    bench = make_bench(concurrency=1)
    for name in ("a", "b", "c"):
        bench.commands.add("w", name, {"every": "1h"}, kind="job")
    bench.run_for(HOUR, finish=False)
    return bench


def states(bench: Bench) -> dict[str, str]:
    return {name: bench.states(f"w/{name}")[0] for name in ("a", "b", "c")}


def test_the_slot_goes_to_the_next_in_line(line: Bench) -> None:
    assert sorted(states(line).values()) == ["queued", "queued", "started"]
    first = line.launcher.begun[0]
    second = line.launcher.pass_on()
    assert second is not None
    assert second.subject != first.subject
    assert line.occurrences(first.subject)[0].state is State.SUCCEEDED
    assert line.occurrences(second.subject)[0].state is State.STARTED
    assert line.engine.dispatch.in_flight == 1


def test_all_of_them_run_once_and_the_last_one_lands(line: Bench) -> None:
    while line.launcher.pass_on() is not None:
        line.tick()
    assert set(states(line).values()) == {"succeeded"}
    assert sorted(work.subject for work in line.launcher.begun) == ["w/a", "w/b", "w/c"]
    assert line.engine.dispatch.in_flight == 0


def test_a_look_in_between_starts_nothing_twice(line: Bench) -> None:
    line.launcher.pass_on()
    line.engine.stir()
    line.tick()
    assert len(line.launcher.begun) == 2
    assert len(line.launcher.running) == 1


def test_while_all_is_paused_nobody_gets_the_slot(line: Bench) -> None:
    line.engine.context.paused_until = line.clock.wall + HOUR
    assert line.launcher.pass_on() is None
    assert len(line.launcher.begun) == 1
    line.engine.context.paused_until = None
    line.tick()
    assert len(line.launcher.begun) == 2


def test_one_that_has_landed_has_no_slot_to_give(line: Bench) -> None:
    work, reports = next(iter(line.launcher.running.values()))
    line.launcher.finish()
    assert reports.relay(work) is None
    line.tick()
    assert line.engine.dispatch.in_flight == 1


def test_one_that_may_not_begin_any_longer_gives_the_slot_back(line: Bench) -> None:
    """The schedule was removed while its time stood in line."""
    waiting = [name for name, state in states(line).items() if state == "queued"]
    for name in waiting:
        line.commands.delete(f"w/{name}")
    assert line.launcher.pass_on() is None
    assert line.engine.dispatch.in_flight == 0
    line.tick()
    assert len(line.launcher.begun) == 1
