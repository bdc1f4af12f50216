"""When the engine must wake next."""

import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import RunStatus
from scheduler.store import handlers, mutations, next_wake, runs
from scheduler.store.mutations import MutationRow
from scheduler.store.next_wake import NextWake, read_next_wake
from tests.store.workflow_rows import LATER, NOW, make_run, store

NEVER = datetime.max.replace(tzinfo=UTC)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with store(tmp_path) as database, database.write() as db:
        yield db


def let_run_resume(db: sqlite3.Connection, at: datetime) -> None:
    runs.insert(db, make_run("r1", status=RunStatus.TRANSIENT, resume_at=at))


def let_consumer_wake(db: sqlite3.Connection, at: datetime) -> None:
    handlers.update(db, "w", "file", wake_at=at)


def let_action_be_checked(db: sqlite3.Connection, at: datetime) -> None:
    mutations.begin(db, MutationRow("r1", "w", "table:x", "append", {}, "k", MutationStatus.UNSURE, NOW, check_at=at))


def test_without_future_work_there_is_no_next_time(db: sqlite3.Connection) -> None:
    assert read_next_wake(db, NOW) == NextWake(NEVER, has_pending_work=False)


@pytest.mark.parametrize("plan", [let_run_resume, let_consumer_wake, let_action_be_checked])
def test_future_times_count_until_they_are_due(
    db: sqlite3.Connection, plan: Callable[[sqlite3.Connection, datetime], None]
) -> None:
    """Retries, wake times and checks; what is already due is started by events."""
    plan(db, LATER)
    assert read_next_wake(db, NOW).at == LATER
    assert read_next_wake(db, LATER).at == NEVER


def test_the_earliest_time_wins(db: sqlite3.Connection) -> None:
    let_run_resume(db, LATER + timedelta(seconds=2))
    let_consumer_wake(db, LATER + timedelta(seconds=1))
    let_action_be_checked(db, LATER)
    assert [read_next_wake(db, LATER + timedelta(seconds=second - 1)).at for second in range(3)] == [
        LATER + timedelta(seconds=second) for second in range(3)
    ]


def test_a_removed_consumer_does_not_wake_the_engine(db: sqlite3.Connection) -> None:
    let_consumer_wake(db, LATER)
    handlers.remove(db, "w", "file")
    assert read_next_wake(db, NOW).at == NEVER


def test_the_query_scans_neither_history_nor_queue(db: sqlite3.Connection) -> None:
    """Each time comes from an index with only future entries."""
    plan = " / ".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {next_wake._QUERY}", (0,)))
    indexes = ("runs_resuming", "handlers_wake", "mutations_checking", "schedules_due")
    for index in (*indexes, "occurrences_queue", "occurrences_retrying", "occurrences_underway"):
        assert index in plan
    assert "SCAN occurrences" not in plan
