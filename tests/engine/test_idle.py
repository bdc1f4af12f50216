"""A tick with nothing due reads no disk."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.engine.engine_fixture import HOUR, MINUTE, SECOND, Bench


@contextmanager
def statements(bench: Bench) -> Iterator[list[str]]:
    """Records the SQL statements of readers and writers."""
    seen: list[str] = []
    reader = bench.database.read()
    with bench.database.write() as writer:
        pass
    for connection in (reader, writer):
        connection.set_trace_callback(seen.append)
    yield seen
    for connection in (reader, writer):
        connection.set_trace_callback(None)


def statements_in_an_idle_hour(bench: Bench) -> list[str]:
    """The SQL statements of sixty ticks with nothing due."""
    bench.tick()
    with statements(bench) as seen:
        for _ in range(60):
            bench.clock.move(MINUTE - SECOND)
            wake = bench.engine.tick(bench.clock.wall)
            assert bench.clock.wall < wake <= bench.clock.wall + MINUTE
    return seen


def test_without_schedules_nothing_is_read(bench: Bench) -> None:
    assert statements_in_an_idle_hour(bench) == []


def test_with_schedules_that_are_not_due_nothing_is_read(bench: Bench) -> None:
    for number in range(20):
        bench.add({"cron": f"{number} 14 * * *"}, name=f"h{number}", needs=["network"])
    bench.add({"every": "1h"}, name="paused")
    bench.commands.pause("w/paused")
    bench.add({"once": "2026-11-16T10:00:30Z"}, name="finished")
    bench.run_for(MINUTE)
    assert statements_in_an_idle_hour(bench) == []


def test_nothing_is_read_while_a_run_is_active(bench: Bench) -> None:
    bench.add({"every": "6h"})
    bench.commands.trigger("w/h")
    bench.run_for(MINUTE, finish=False)
    assert bench.launcher.running
    assert statements_in_an_idle_hour(bench) == []


def test_nothing_is_read_while_a_run_waits_for_its_next_attempt(bench: Bench) -> None:
    bench.add({"every": "6h"})
    bench.run_for(6 * HOUR, finish=False)
    bench.launcher.rest()
    assert statements_in_an_idle_hour(bench) == []


def test_a_due_tick_does_read(bench: Bench) -> None:
    bench.add({"every": "30m"})
    bench.tick()
    with statements(bench) as seen:
        bench.clock.move(30 * MINUTE)
        bench.tick()
    assert seen
