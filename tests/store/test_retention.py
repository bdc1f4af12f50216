"""D1: what is old and over goes; what is pending, reserved, unresolved or waiting stays."""

import sqlite3
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from scheduler.rules.mutations import Mutation
from scheduler.rules.phases import Phase, Status
from scheduler.store import (
    answers,
    events,
    gaps,
    history,
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
from scheduler.store.history import Page, Search
from scheduler.store.lanes import Block, LaneRow
from scheduler.store.mutations import MutationRow
from scheduler.store.requests import RequestKind, RequestRow
from scheduler.timing.catchup import Gap
from scheduler.timing.occurrences import Reason, State
from scheduler.timing.times import Count
from tests.store.past import MINUTE, add_past, add_schedule, add_time, publish
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
        # The newest success of a version is kept, so there is one that no test is about.
        add_past(db, "proof", at=LATER)
    return retention.prune(db, OLD, LATER, most)


def left(database: Database) -> set[str]:
    return {row[0] for row in database.read().execute("SELECT id FROM runs")} - {"proof"}


def test_an_old_run_goes_with_its_log_its_action_and_its_answered_request(database: Database) -> None:
    db = database.read()
    add_past(db, "r1")
    logs.append(db, "r1", "hello")
    mutations.begin(db, MutationRow("r1", "w", "table:x", "append", {}, "k", Mutation.IN_FLIGHT, NOW))
    mutations.settle(db, "r1", Mutation.IN_FLIGHT, Mutation.APPLIED, NOW)
    requests.put(db, RequestRow("q1", RequestKind.APPROVAL, "w", "r1", "May I?", NOW, run="r1"))
    requests.answer(db, "q1", "yes", NOW)
    history.index_some(db, 10)
    assert [one.id for one in history.find_runs(db, Search(text="file"), Page(), 10)] == ["r1"]
    assert prune(database) == 1
    assert left(database) == set()
    for table in ("logs", "mutations", "requests"):
        assert db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0
    assert [one.id for one in history.find_runs(db, Search(text="file"), Page(), 10)] == ["proof"]


def test_a_recent_run_stays(database: Database) -> None:
    db = database.read()
    add_past(db, "old", at=OLD - MINUTE)
    add_past(db, "edge", at=OLD)
    add_past(db, "new", at=OLD + MINUTE)
    assert prune(database) == 1
    assert left(database) == {"edge", "new"}


def waits_for_approval(db: sqlite3.Connection) -> None:
    add_past(db, "r1", status=Status.APPROVAL, phase=Phase.PREPARED, ended=None)


def failed_and_nobody_dealt_with_it(db: sqlite3.Connection) -> None:
    add_past(db, "r1", status=Status.LOGIC, phase=Phase.PREPARED)


def backs_off(db: sqlite3.Connection) -> None:
    add_past(db, "r1", status=Status.TRANSIENT, phase=Phase.EXECUTING, resume_at=LATER)


def crashed_and_is_to_be_followed(db: sqlite3.Connection) -> None:
    add_past(db, "r1", status=Status.CRASHED, phase=Phase.EXECUTING, resume_at=LATER)


def has_a_later_attempt_that_waits(db: sqlite3.Connection) -> None:
    add_past(db, "r1", status=Status.CRASHED, phase=Phase.PREPARED, followed=True)
    add_past(db, "r1-2", status=Status.RECONCILIATION, phase=Phase.MUTATING, chain="r1", attempt=2, retry_of="r1")


def has_a_later_attempt_that_is_recent(db: sqlite3.Connection) -> None:
    add_past(db, "r1", status=Status.CRASHED, phase=Phase.PREPARED, followed=True)
    add_past(db, "r1-2", at=LATER, chain="r1", attempt=2, retry_of="r1")


def is_asked_about(db: sqlite3.Connection) -> None:
    add_past(db, "r1", status=Status.CRASHED, phase=Phase.EXECUTING)
    requests.put(db, RequestRow("q1", RequestKind.INTERRUPTED, "w", "r1", "Did it finish?", NOW, run="r1"))


def acted_and_nobody_knows(db: sqlite3.Connection) -> None:
    add_past(db, "r1", status=Status.CANCELLED, phase=Phase.MUTATING)
    mutations.begin(db, MutationRow("r1", "w", "table:x", "append", {}, "k", Mutation.UNSURE, NOW))


def holds_events(db: sqlite3.Connection) -> None:
    publish(db, "m1", "A mail")
    add_past(db, "r1", status=Status.CRASHED, phase=Phase.PREPARED)
    events.reserve(db, "w", "r1", [("mails", "m1")])


def holds_up_its_lane(db: sqlite3.Connection) -> None:
    add_past(db, "r1", status=Status.CRASHED, phase=Phase.EXECUTING)
    lanes.block(db, LaneRow("w", "", Block.INTERRUPTED, "Did it finish?", "r1"))


OPEN: list[Callable[[sqlite3.Connection], None]] = [
    waits_for_approval,
    failed_and_nobody_dealt_with_it,
    backs_off,
    crashed_and_is_to_be_followed,
    has_a_later_attempt_that_waits,
    has_a_later_attempt_that_is_recent,
    is_asked_about,
    acted_and_nobody_knows,
    holds_events,
    holds_up_its_lane,
]


@pytest.mark.parametrize("make", OPEN, ids=lambda make: make.__name__)
def test_a_run_stays_with_its_whole_chain_when_it(
    database: Database, make: Callable[[sqlite3.Connection], None]
) -> None:
    make(database.read())
    before = left(database)
    assert prune(database) == 0
    assert left(database) == before


def test_a_chain_that_is_over_goes_whole(database: Database) -> None:
    db = database.read()
    add_past(db, "r1", status=Status.CRASHED, phase=Phase.PREPARED, followed=True)
    add_past(db, "r1-2", chain="r1", attempt=2, retry_of="r1")
    assert prune(database) == 2
    assert left(database) == set()


def test_consumed_events_are_forgotten_but_for_their_ids(database: Database) -> None:
    """K1: publishing them again must not revive them."""
    db = database.read()
    for name in ("m1", "m2"):
        publish(db, name, name, {"body": "x" * 1000})
    add_past(db, "r1", prepared={"reserve": [{"topic": "mails", "id": "m1"}]})
    events.reserve(db, "w", "r1", [("mails", "m1")])
    events.settle(db, "r1", EventState.CONSUMED)
    prune(database)
    rows = db.execute("SELECT id, state, length(data) < 10 FROM events ORDER BY id").fetchall()
    assert [tuple(row) for row in rows] == [("m1", "consumed", 1), ("m2", "pending", 0)]
    assert not events.publish(db, "w", "mails", "m1", "m1", {"body": "new"}, LATER)


def test_planned_times_that_never_ran_go_and_those_that_wait_stay(database: Database) -> None:
    db = database.read()
    add_schedule(db)
    add_time(db, "skipped", NOW)
    add_time(db, "queued", NOW + MINUTE, State.QUEUED, None)
    add_time(db, "started", NOW + 2 * MINUTE, State.STARTED, None, began=NOW)
    add_time(db, "recent", LATER)
    for first in (NOW, LATER):
        gap = Gap(first, first + MINUTE, Count(2, more=False), Reason.PASSED)
        gaps.add(db, "w/poll", gap, State.MISSED, first)
    assert prune(database) == 2
    assert {row[0] for row in db.execute("SELECT key FROM occurrences")} == {"queued", "started", "recent"}
    assert [gap.first for _, gap in gaps.of_schedule(db, "w/poll")] == [LATER]


def test_a_planned_time_goes_with_the_run_that_was_made_for_it(database: Database) -> None:
    db = database.read()
    add_schedule(db)
    add_time(db, "k1", NOW, State.SUCCEEDED, None, began=NOW)
    add_past(db, "r1", occurrence="k1")
    assert prune(database) == 1
    assert occurrences.find(db, "k1") is None


def test_the_newest_success_of_each_version_stays(database: Database) -> None:
    """It says which version a rollback goes to."""
    db = database.read()
    for number, script in enumerate((1, 1, 2, 2, 3), 1):
        add_past(db, f"r{number}", script=script, at=NOW + number * MINUTE)
    add_past(db, "r6", script=3, status=Status.CANCELLED, at=NOW + 10 * MINUTE)
    prune(database)
    assert left(database) == {"r4", "r5"}
    db.execute("DELETE FROM runs WHERE id = 'proof'")
    assert runs.last_committed_script(db, "w", before=3) == 2


def test_a_little_at_a_time(database: Database) -> None:
    db = database.read()
    for number in range(5):
        add_past(db, f"r{number}")
    assert [prune(database, 2), prune(database, 2), prune(database, 2), prune(database, 2)] == [2, 2, 1, 0]


def test_nothing_of_the_future_goes_though_somebody_asks_for_it(database: Database) -> None:
    db = database.read()
    add_past(db, "r1", at=LATER + DAY)
    assert retention.prune(db, LATER + 10 * DAY, LATER, 10) == 0


def test_old_answers_are_forgotten_too(database: Database) -> None:
    db = database.read()
    answers.keep(db, "old", "run", {}, NOW)
    answers.keep(db, "new", "run", {}, LATER)
    prune(database)
    assert (answers.find(db, "old"), answers.find(db, "new")) == (None, ("run", {}))
