"""When the engine is needed next."""

import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scheduler.rules.mutations import Mutation
from scheduler.rules.phases import Status
from scheduler.store import agenda, handlers, mutations, runs
from scheduler.store.agenda import Agenda, read_agenda
from scheduler.store.mutations import MutationRow
from tests.store.workflow_rows import LATER, NOW, run, store

NEVER = datetime.max.replace(tzinfo=UTC)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with store(tmp_path) as database, database.write() as db:
        yield db


def let_run_resume(db: sqlite3.Connection, at: datetime) -> None:
    runs.insert(db, run("r1", status=Status.TRANSIENT, resume_at=at))


def let_consumer_wake(db: sqlite3.Connection, at: datetime) -> None:
    handlers.update(db, "w", "file", wake_at=at)


def let_action_be_checked(db: sqlite3.Connection, at: datetime) -> None:
    mutations.begin(db, MutationRow("r1", "w", "table:x", "append", {}, "k", Mutation.UNSURE, NOW, check_at=at))


def test_with_nothing_to_come_there_is_no_next_time(db: sqlite3.Connection) -> None:
    assert read_agenda(db, NOW) == Agenda(NEVER, has_chores=False)


@pytest.mark.parametrize("plan", [let_run_resume, let_consumer_wake, let_action_be_checked])
def test_what_comes_by_itself_is_on_it_until_it_has_come(
    db: sqlite3.Connection, plan: Callable[[sqlite3.Connection, datetime], None]
) -> None:
    """Retries, wake times and checks; what is due and waits is woken by events."""
    plan(db, LATER)
    assert read_agenda(db, NOW).next == LATER
    assert read_agenda(db, LATER).next == NEVER


def test_the_earliest_comes_first(db: sqlite3.Connection) -> None:
    let_run_resume(db, LATER + timedelta(seconds=2))
    let_consumer_wake(db, LATER + timedelta(seconds=1))
    let_action_be_checked(db, LATER)
    assert [read_agenda(db, LATER + timedelta(seconds=second - 1)).next for second in range(3)] == [
        LATER + timedelta(seconds=second) for second in range(3)
    ]


def test_a_removed_consumer_wakes_nobody(db: sqlite3.Connection) -> None:
    let_consumer_wake(db, LATER)
    handlers.remove(db, "w", "file")
    assert read_agenda(db, NOW).next == NEVER


def test_looking_walks_neither_history_nor_queue(db: sqlite3.Connection) -> None:
    """Each instant comes from an index that holds only what is still to come."""
    plan = " / ".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {agenda._QUERY}", (0,)))
    indexes = ("runs_resuming", "handlers_wake", "mutations_checking", "schedules_due")
    for index in (*indexes, "occurrences_queue", "occurrences_retrying", "occurrences_underway"):
        assert index in plan
    assert "SCAN occurrences" not in plan
