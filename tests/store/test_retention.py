"""Old, finished history is deleted; what is pending, reserved, unresolved or waiting stays."""

import sqlite3
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from scheduler.rules.history_query import HistoryCursor, HistoryQuery
from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import RunPhase, RunStatus
from scheduler.rules.requests import Block, RequestKind
from scheduler.store import (
    events,
    gaps,
    history,
    history_index,
    idempotency,
    lanes,
    logs,
    mutations,
    occurrences,
    requests,
    retention,
    runs,
)
from scheduler.store.database import Database
from scheduler.store.events import EventState
from scheduler.store.lanes import LaneRow
from scheduler.store.mutations import MutationRow
from scheduler.store.requests import RequestRow
from scheduler.timing.catchup import Gap
from scheduler.timing.compiled import Count
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from tests.store.history_samples import MINUTE, add_ended_run, add_occurrence, add_schedule, publish
from tests.store.workflow_rows import NOW, store

DAY = timedelta(days=1)
LATER = NOW + 100 * DAY
OLD = LATER - 30 * DAY
"""What ended before this is old."""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database, database.write():
        yield database


def prune(database: Database, most: int = 100) -> int:
    db = database.read()
    if runs.find(db, "proof") is None:
        # The newest success of a version is kept, so this adds one that no test checks.
        add_ended_run(db, "proof", at=LATER)
    return retention.prune(db, OLD, LATER, most)


def left(database: Database) -> set[str]:
    return {row[0] for row in database.read().execute("SELECT id FROM runs")} - {"proof"}


def test_an_old_run_is_deleted_with_its_log_action_and_answered_request(database: Database) -> None:
    db = database.read()
    add_ended_run(db, "r1")
    logs.append(db, "r1", "hello")
    mutations.begin(db, MutationRow("r1", "w", "table:x", "append", {}, "k", MutationStatus.IN_FLIGHT, NOW))
    mutations.record_outcome(db, "r1", MutationStatus.IN_FLIGHT, MutationStatus.APPLIED, NOW)
    requests.add(db, RequestRow("q1", RequestKind.APPROVAL, "w", "r1", "May I?", NOW, run="r1"))
    requests.answer(db, "q1", "yes", NOW)
    history_index.index_batch(db, 10)
    assert [one.id for one in history.find_runs(db, HistoryQuery(text="file"), HistoryCursor(), 10)] == ["r1"]
    assert prune(database) == 1
    assert left(database) == set()
    for table in ("logs", "mutations", "requests"):
        assert db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0
    assert [one.id for one in history.find_runs(db, HistoryQuery(text="file"), HistoryCursor(), 10)] == ["proof"]


def test_a_recent_run_stays(database: Database) -> None:
    db = database.read()
    add_ended_run(db, "old", at=OLD - MINUTE)
    add_ended_run(db, "edge", at=OLD)
    add_ended_run(db, "new", at=OLD + MINUTE)
    assert prune(database) == 1
    assert left(database) == {"edge", "new"}


def waits_for_approval(db: sqlite3.Connection) -> None:
    add_ended_run(db, "r1", status=RunStatus.APPROVAL, phase=RunPhase.PREPARED, ended=None)


def has_an_unresolved_failure(db: sqlite3.Connection) -> None:
    add_ended_run(db, "r1", status=RunStatus.LOGIC, phase=RunPhase.PREPARED)


def waits_for_a_retry(db: sqlite3.Connection) -> None:
    add_ended_run(db, "r1", status=RunStatus.TRANSIENT, phase=RunPhase.EXECUTING, resume_at=LATER)


def crashed_and_will_be_continued(db: sqlite3.Connection) -> None:
    add_ended_run(db, "r1", status=RunStatus.CRASHED, phase=RunPhase.EXECUTING, resume_at=LATER)


def has_a_later_attempt_that_waits(db: sqlite3.Connection) -> None:
    add_ended_run(db, "r1", status=RunStatus.CRASHED, phase=RunPhase.PREPARED, followed=True)
    add_ended_run(
        db, "r1-2", status=RunStatus.RECONCILIATION, phase=RunPhase.MUTATING, chain="r1", attempt=2, retry_of="r1"
    )


def has_a_later_attempt_that_is_recent(db: sqlite3.Connection) -> None:
    add_ended_run(db, "r1", status=RunStatus.CRASHED, phase=RunPhase.PREPARED, followed=True)
    add_ended_run(db, "r1-2", at=LATER, chain="r1", attempt=2, retry_of="r1")


def has_an_open_request(db: sqlite3.Connection) -> None:
    add_ended_run(db, "r1", status=RunStatus.CRASHED, phase=RunPhase.EXECUTING)
    requests.add(db, RequestRow("q1", RequestKind.INTERRUPTED, "w", "r1", "Did it finish?", NOW, run="r1"))


def has_an_unsure_action(db: sqlite3.Connection) -> None:
    add_ended_run(db, "r1", status=RunStatus.CANCELLED, phase=RunPhase.MUTATING)
    mutations.begin(db, MutationRow("r1", "w", "table:x", "append", {}, "k", MutationStatus.UNSURE, NOW))


def holds_events(db: sqlite3.Connection) -> None:
    publish(db, "m1", "A mail")
    add_ended_run(db, "r1", status=RunStatus.CRASHED, phase=RunPhase.PREPARED)
    events.reserve(db, "w", "r1", [("mails", "m1")])


def blocks_its_lane(db: sqlite3.Connection) -> None:
    add_ended_run(db, "r1", status=RunStatus.CRASHED, phase=RunPhase.EXECUTING)
    lanes.block(db, LaneRow("w", "", Block.INTERRUPTED, "Did it finish?", "r1"))


OPEN: list[Callable[[sqlite3.Connection], None]] = [
    waits_for_approval,
    has_an_unresolved_failure,
    waits_for_a_retry,
    crashed_and_will_be_continued,
    has_a_later_attempt_that_waits,
    has_a_later_attempt_that_is_recent,
    has_an_open_request,
    has_an_unsure_action,
    holds_events,
    blocks_its_lane,
]


@pytest.mark.parametrize("make", OPEN, ids=lambda make: make.__name__)
def test_a_run_and_its_chain_are_kept_if_it(database: Database, make: Callable[[sqlite3.Connection], None]) -> None:
    make(database.read())
    before = left(database)
    assert prune(database) == 0
    assert left(database) == before


def test_a_finished_chain_is_deleted_completely(database: Database) -> None:
    db = database.read()
    add_ended_run(db, "r1", status=RunStatus.CRASHED, phase=RunPhase.PREPARED, followed=True)
    add_ended_run(db, "r1-2", chain="r1", attempt=2, retry_of="r1")
    assert prune(database) == 2
    assert left(database) == set()


def test_consumed_events_keep_only_their_ids(database: Database) -> None:
    """Publishing them again must not revive them."""
    db = database.read()
    for name in ("m1", "m2"):
        publish(db, name, name, {"body": "x" * 1000})
    add_ended_run(db, "r1", prepared={"reserve": [{"topic": "mails", "id": "m1"}]})
    events.reserve(db, "w", "r1", [("mails", "m1")])
    events.close_reserved(db, "r1", EventState.CONSUMED)
    prune(database)
    rows = db.execute("SELECT id, state, length(data) < 10 FROM events ORDER BY id").fetchall()
    assert [tuple(row) for row in rows] == [("m1", "consumed", 1), ("m2", "pending", 0)]
    assert not events.publish(db, "w", "mails", "m1", "m1", {"body": "new"}, LATER)


def test_planned_times_that_never_ran_are_deleted_and_waiting_ones_stay(database: Database) -> None:
    db = database.read()
    add_schedule(db)
    add_occurrence(db, "skipped", NOW)
    add_occurrence(db, "queued", NOW + MINUTE, OccurrenceState.QUEUED, None)
    add_occurrence(db, "started", NOW + 2 * MINUTE, OccurrenceState.STARTED, None, began=NOW)
    add_occurrence(db, "recent", LATER)
    for first in (NOW, LATER):
        gap = Gap(first, first + MINUTE, Count(2, more=False), OccurrenceReason.PASSED)
        gaps.add(db, "w/poll", gap, OccurrenceState.MISSED, first)
    assert prune(database) == 2
    assert {row[0] for row in db.execute("SELECT key FROM occurrences")} == {"queued", "started", "recent"}
    assert [gap.first for _, gap in gaps.of_schedule(db, "w/poll")] == [LATER]


def test_a_planned_time_is_deleted_with_its_run(database: Database) -> None:
    db = database.read()
    add_schedule(db)
    add_occurrence(db, "k1", NOW, OccurrenceState.SUCCEEDED, None, began=NOW)
    add_ended_run(db, "r1", occurrence="k1")
    assert prune(database) == 1
    assert occurrences.find(db, "k1") is None


def test_runs_of_the_library_are_deleted_without_a_run_row(database: Database) -> None:
    """They belong to no workflow; those of a workflow go only with their run."""
    db = database.read()
    for name in ("jobs/backup", "w/poll"):
        add_schedule(db, name)
        add_occurrence(db, f"{name} ended", NOW, OccurrenceState.SUCCEEDED, None, schedule=name, began=NOW, ended=NOW)
        add_occurrence(db, f"{name} started", NOW, OccurrenceState.STARTED, None, schedule=name, began=NOW)
    logs.append(db, "jobs/backup ended", "hello")
    assert retention.count_runs(db) == 2
    assert prune(database) == 1
    kept = {row[0] for row in db.execute("SELECT key FROM occurrences")}
    assert kept == {"jobs/backup started", "w/poll ended", "w/poll started"}
    assert logs.read(db, "jobs/backup ended") == ""


def test_the_newest_success_of_each_version_stays(database: Database) -> None:
    """It decides which version a rollback restores."""
    db = database.read()
    for number, script in enumerate((1, 1, 2, 2, 3), 1):
        add_ended_run(db, f"r{number}", script=script, at=NOW + number * MINUTE)
    add_ended_run(db, "r6", script=3, status=RunStatus.CANCELLED, at=NOW + 10 * MINUTE)
    prune(database)
    assert left(database) == {"r4", "r5"}
    db.execute("DELETE FROM runs WHERE id = 'proof'")
    assert runs.last_committed_script(db, "w", before=3) == 2


def test_the_number_of_deleted_rows_is_limited(database: Database) -> None:
    db = database.read()
    for number in range(5):
        add_ended_run(db, f"r{number}")
    assert [prune(database, 2), prune(database, 2), prune(database, 2), prune(database, 2)] == [2, 2, 1, 0]


def test_a_limit_in_the_future_deletes_nothing_after_now(database: Database) -> None:
    db = database.read()
    add_ended_run(db, "r1", at=LATER + DAY)
    assert retention.prune(db, LATER + 10 * DAY, LATER, 10) == 0


def test_old_command_results_are_deleted_too(database: Database) -> None:
    db = database.read()
    idempotency.save(db, "old", "run", {}, NOW)
    idempotency.save(db, "new", "run", {}, LATER)
    prune(database)
    assert (idempotency.find(db, "old"), idempotency.find(db, "new")) == (None, ("run", {}))
