"""The process dies at any point, or a transaction fails: nothing is lost, nothing runs twice."""

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from scheduler.engine.scheduling.launcher import Outcome, Result
from scheduler.store import schedules
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Overlap
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND, Bench, at


def read_tables(bench: Bench) -> list[Any]:
    db = bench.database.read()
    return [
        [tuple(row) for row in db.execute(f"SELECT * FROM {table}")] for table in ("schedules", "occurrences", "gaps")
    ]


def record_due(bench: Bench) -> None:
    """The first half of a tick: record what is due, start nothing."""
    with bench.database.write() as db:
        bench.engine._emission.emit_due(db, bench.clock.wall)


def test_a_crash_between_recording_and_starting_runs_it_once(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.clock.move(HOUR)
    record_due(bench)
    assert bench.states() == ["queued"]
    bench.crash(10 * SECOND)
    bench.run_for(MINUTE)
    assert bench.states() == ["succeeded"]
    assert len(bench.launcher.begun) == 1


def test_a_crash_between_launching_and_beginning_runs_it_once(bench: Bench) -> None:
    """Launching alone does not set the last run."""
    bench.add({"every": "1h"})
    bench.launcher.slow = True
    bench.run_for(HOUR, finish=False)
    assert len(bench.launcher.waiting) == 1
    bench.crash(10 * SECOND)
    assert bench.row().last_run is None and bench.row().runs == 0
    bench.run_for(MINUTE)
    assert bench.states() == ["succeeded"]
    assert len(bench.launcher.begun) == 1 and bench.row().runs == 1


def test_a_run_killed_by_a_crash_ends_as_interrupted(bench: Bench) -> None:
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    bench.crash(10 * SECOND)
    (row,) = bench.occurrences()
    assert (row.state, row.reason) == (OccurrenceState.FAILED, OccurrenceReason.INTERRUPTED)
    bench.run_for(HOUR)
    assert bench.states() == ["failed", "succeeded"]


def test_a_run_between_two_attempts_continues_after_a_crash(bench: Bench) -> None:
    """The launcher decides which; all others that had started are over."""
    bench.add({"every": "1h"})
    bench.add({"every": "1h"}, name="other")
    bench.run_for(HOUR, finish=False)
    work = bench.launcher.rest(bench.occurrences()[0].key)
    bench.crash(5 * SECOND)
    assert (bench.states(), bench.states("w/other")) == (["started"], ["failed"])
    assert bench.row().runs == 1 and bench.row().last_run == at("11:00")
    bench.launcher.offer(work)
    bench.run_for(MINUTE)
    (row,) = bench.occurrences()
    assert (row.state, row.began, row.ended) == (OccurrenceState.SUCCEEDED, at("11:00"), at("11:00:05"))
    assert bench.row().runs == 1 and bench.row().last_run == at("11:00")


def test_a_crash_at_every_tick_of_a_busy_hour_loses_and_doubles_nothing(bench: Bench) -> None:
    """A full catch-up, a backfill and regular times, with a crash after each tick."""
    bench.add({"cron": "*/10 * * * *"}, catchup="all", overlap="buffer_all")
    bench.sleep(2 * HOUR)
    bench.commands.backfill("w/h", [(at("05:00"), at("08:00"))], overlap=Overlap.BUFFER_ALL)
    begun: list[str] = []
    for _ in range(120):
        bench.engine.tick(bench.clock.wall)
        while bench.launcher.running:
            begun.append(bench.launcher.finish().key)
        bench.engine.tick(bench.clock.wall)
        bench.crash(30 * SECOND)
    assert len(set(begun)) == len(begun)
    rows = bench.occurrences()
    automatic = [row.planned for row in rows if row.origin == "automatic"]
    assert automatic == sorted({at("10:00") + 10 * MINUTE * step for step in range(1, len(automatic) + 1)})
    assert sum(row.origin == "backfill" for row in rows) == 19


@pytest.mark.parametrize(
    ("table", "catchup", "runs"),
    [
        ("schedules", "none", 0),
        ("schedules", "one", 1),
        ("schedules", "all", 3),
        ("gaps", "none", 0),
        ("gaps", "one", 1),
        ("occurrences", "one", 1),
    ],
)
def test_a_failed_transaction_during_a_tick_advances_nothing(bench: Bench, table: str, catchup: str, runs: int) -> None:
    """The second of three schedules fails, and the first is not advanced either."""
    for name in ("a", "h", "z"):
        bench.add({"every": "1h"}, name=name, catchup=catchup)
    bench.sleep(3 * HOUR + 10 * MINUTE)
    before = read_tables(bench)
    verb, column = ("UPDATE", "id") if table == "schedules" else ("INSERT", "schedule")
    db = bench.database.read()
    db.execute(
        f"CREATE TRIGGER fails BEFORE {verb} ON {table} WHEN NEW.{column} = 'w/h' "
        "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    )
    for _ in range(2):
        with pytest.raises(sqlite3.IntegrityError, match="the disk is full"):
            bench.engine.tick(bench.clock.wall)
        assert read_tables(bench) == before
        assert not db.in_transaction
    db.execute("DROP TRIGGER fails")
    bench.run_for(MINUTE)
    assert all(bench.states(f"w/{name}") == ["succeeded"] * runs for name in ("a", "h", "z"))


def test_a_failed_tick_forgets_no_command(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even with nothing else due, the next tick does what the failed one should have done."""
    bench.add({"cron": "0 0 1 1 *"})
    bench.tick()
    bench.commands.trigger("w/h")

    def fails(*_: object) -> None:
        raise sqlite3.OperationalError("database is locked")

    with monkeypatch.context() as patch:
        patch.setattr(schedules, "is_any_due", fails)
        with pytest.raises(sqlite3.OperationalError):
            bench.engine.tick(bench.clock.wall)
    bench.engine.tick(bench.clock.wall)
    assert bench.states() == ["started"]


def test_a_run_whose_start_cannot_be_stored_does_not_start(bench: Bench) -> None:
    """It waits, and starts when the store works again."""
    bench.add({"every": "1h"})
    db = bench.database.read()
    db.execute(
        "CREATE TRIGGER fails BEFORE UPDATE ON occurrences WHEN NEW.state = 'started' "
        "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    )
    bench.clock.move(HOUR)
    with pytest.raises(sqlite3.IntegrityError):
        bench.tick()
    assert bench.states() == ["queued"] and bench.launcher.running == {}
    assert bench.row().runs == 0 and bench.row().last_run is None
    db.execute("DROP TRIGGER fails")
    bench.run_for(SECOND)
    assert bench.states() == ["succeeded"] and bench.row().runs == 1


def test_an_end_that_cannot_be_stored_is_stored_later(bench: Bench) -> None:
    """Until then it counts as running; the launcher ends it again."""
    bench.add({"every": "1h"}, pause_on_failure=True)
    bench.run_for(HOUR, finish=False)
    work = next(iter(bench.launcher.running.values()))
    db = bench.database.read()
    db.execute(
        "CREATE TRIGGER fails BEFORE UPDATE ON schedules WHEN NEW.paused "
        "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    )
    for _ in range(2):
        with pytest.raises(sqlite3.IntegrityError), bench.database.write() as writer:
            bench.launcher.in_flight.end(writer, work, Outcome(Result.FAILED), bench.clock.now())
        bench.tick()
        assert bench.states() == ["started"] and bench.engine._dispatch.in_flight == 1
    db.execute("DROP TRIGGER fails")
    bench.launcher.finish(result=Result.FAILED, detail="no more receipts")
    (row,) = bench.occurrences()
    assert (row.state, row.detail) == (OccurrenceState.FAILED, "no more receipts")
    assert bench.row().paused and bench.engine._dispatch.in_flight == 0


def test_an_end_is_rolled_back_with_its_transaction(bench: Bench) -> None:
    """The launcher's own rows are in the same transaction."""
    bench.add({"every": "1h"})
    bench.run_for(HOUR, finish=False)
    work = next(iter(bench.launcher.running.values()))

    def fail_after_the_end() -> None:
        with bench.database.write() as db:
            bench.launcher.in_flight.end(db, work, Outcome(Result.SUCCEEDED), bench.clock.now())
            raise KeyError

    with pytest.raises(KeyError):
        fail_after_the_end()
    assert bench.states() == ["started"]
    bench.launcher.finish()
    assert bench.states() == ["succeeded"]


def test_only_the_first_reported_end_counts(bench: Bench) -> None:
    bench.add({"every": "1h"}, pause_on_failure=True)
    bench.run_for(HOUR, finish=False)
    work = next(iter(bench.launcher.running.values()))
    bench.launcher.finish()
    with bench.database.write() as db:
        bench.launcher.in_flight.end(db, work, Outcome(Result.FAILED), bench.clock.now())
    assert bench.states() == ["succeeded"] and not bench.row().paused


def test_six_runs_due_together_with_two_slots_all_run(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(concurrency=2)
    for number in range(6):
        bench.add({"once": "2026-11-16T11:00Z"}, name=f"h{number}")
    bench.run_for(HOUR, finish=False)
    seen = []
    while bench.launcher.running:
        assert len(bench.launcher.running) <= 2
        seen.append(bench.launcher.finish().subject)
        bench.tick()
    assert sorted(seen) == [f"w/h{number}" for number in range(6)]
    assert all(
        row.state is OccurrenceState.SUCCEEDED for number in range(6) for row in bench.occurrences(f"w/h{number}")
    )


def test_the_run_that_waited_longest_starts_first(make_bench: Callable[..., Bench]) -> None:
    """Ordered by due time across schedules."""
    bench = make_bench(concurrency=1)
    for second in (30, 10, 20, 0):
        bench.add({"once": f"2026-11-16T11:00:{second:02}Z"}, name=f"h{second:02}")
    bench.run_for(HOUR + MINUTE, finish=False)
    bench.run_for(MINUTE)
    assert [work.subject for work in bench.launcher.begun] == ["w/h00", "w/h10", "w/h20", "w/h30"]


def test_a_thousand_schedules_due_together_all_run(make_bench: Callable[..., Bench]) -> None:
    """In batches, so that no tick takes long."""
    bench = make_bench(concurrency=16)
    for number in range(200):
        bench.add({"once": "2026-11-16T11:00Z"}, name=f"h{number}")
    bench.run_for(HOUR + SECOND)
    assert len({work.subject for work in bench.launcher.begun}) == 200
