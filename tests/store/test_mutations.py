"""Outside actions: recorded before the call, resolved once."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.rules.mutations import MutationStatus
from scheduler.rules.requests import RequestKind
from scheduler.store import mutations, requests, runs
from scheduler.store.database import Database
from scheduler.store.errors import StaleError
from scheduler.store.mutations import MutationRow
from scheduler.store.requests import RequestRow
from tests.store.workflow_rows import LATER, NOW, add_run, make_run, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database:
        add_run(database, "r1")
        yield database


def action(name: str = "r1") -> MutationRow:
    return MutationRow(name, "w", "table:x", "append", {"rows": [[1]]}, f"key-{name}", MutationStatus.IN_FLIGHT, NOW)


def test_an_outside_action_is_recorded_once_per_run(database: Database) -> None:
    with database.write() as db:
        mutations.begin(db, action())
    assert mutations.find(database.read(), "r1") == action()
    with pytest.raises(sqlite3.IntegrityError), database.write() as db:
        mutations.begin(db, action())


def test_an_outcome_is_recorded_once(database: Database) -> None:
    with database.write() as db:
        mutations.begin(db, action())
        mutations.record_outcome(db, "r1", MutationStatus.IN_FLIGHT, MutationStatus.UNSURE, LATER)
        mutations.record_outcome(db, "r1", MutationStatus.UNSURE, MutationStatus.APPLIED, LATER, result={"id": 7})
    row = mutations.find(database.read(), "r1")
    assert row is not None
    assert (row.status, row.result, row.settled) == (MutationStatus.APPLIED, {"id": 7}, LATER)
    with pytest.raises(StaleError), database.write() as db:
        mutations.record_outcome(db, "r1", MutationStatus.UNSURE, MutationStatus.FAILED, LATER)


def test_checks_are_counted_unless_they_could_not_be_made(database: Database) -> None:
    """An expired login does not use up a check."""
    with database.write() as db:
        mutations.begin(db, action())
        mutations.schedule_check(db, "r1", LATER, counts=True)
        mutations.schedule_check(db, "r1", LATER, counts=False)
    [row] = mutations.list_unresolved(database.read())
    assert (row.checks, row.check_at) == (1, LATER)


def test_a_resolved_action_is_not_checked_any_more(database: Database) -> None:
    with database.write() as db:
        mutations.begin(db, action())
        mutations.schedule_check(db, "r1", NOW, counts=True)
        mutations.record_outcome(db, "r1", MutationStatus.IN_FLIGHT, MutationStatus.APPLIED, LATER)
        mutations.schedule_check(db, "r1", NOW, counts=True)
    row = mutations.find(database.read(), "r1")
    assert row is not None
    assert (row.checks, row.check_at) == (1, None)
    assert mutations.list_due_checks(database.read(), LATER) == []


def test_due_checks_are_listed_in_order_of_their_times(database: Database) -> None:
    with database.write() as db:
        for name, at in [("second", LATER), ("first", NOW), ("never", None)]:
            mutations.begin(db, action(name))
            mutations.schedule_check(db, name, at, counts=False)
    assert [one.run for one in mutations.list_due_checks(database.read(), NOW)] == ["first"]
    assert [one.run for one in mutations.list_due_checks(database.read(), LATER)] == ["first", "second"]


def test_the_next_attempt_takes_over_the_outside_action(database: Database) -> None:
    """The row moves with the chain, so there is only ever one."""
    with database.write() as db:
        mutations.begin(db, action())
        mutations.record_outcome(db, "r1", MutationStatus.IN_FLIGHT, MutationStatus.APPLIED, LATER, result={"id": 7})
        mutations.reassign(db, "r1", "r2")
    read = database.read()
    assert (mutations.status_of(read, "r1"), mutations.status_of(read, "r2")) == (None, MutationStatus.APPLIED)
    row = mutations.find(read, "r2")
    assert row is not None
    assert (row.key, row.result) == ("key-r1", {"id": 7})


def test_unresolved_actions_are_found_for_a_workflow_or_all(database: Database) -> None:
    with database.write() as db:
        for name in ("flies", "unsure", "applied", "failed"):
            mutations.begin(db, action(name))
        mutations.begin(db, action("foreign")._replace(workflow="v"))
        mutations.record_outcome(db, "unsure", MutationStatus.IN_FLIGHT, MutationStatus.UNSURE, LATER)
        mutations.record_outcome(db, "applied", MutationStatus.IN_FLIGHT, MutationStatus.APPLIED, LATER)
        mutations.record_outcome(db, "failed", MutationStatus.IN_FLIGHT, MutationStatus.FAILED, LATER)
    read = database.read()
    assert {one.run for one in mutations.list_unresolved(read)} == {"flies", "unsure", "foreign"}
    assert {one.run for one in mutations.list_unresolved(read, "w")} == {"flies", "unsure"}


def test_an_action_can_be_recorded_with_its_outcome(database: Database) -> None:
    """After a rejection by the user, nothing was called."""
    skipped = action()._replace(status=MutationStatus.SKIPPED, result={"said": "no"}, settled=LATER)
    with database.write() as db:
        mutations.begin(db, skipped)
    assert mutations.find(database.read(), "r1") == skipped
    assert mutations.list_unresolved(database.read()) == []


def test_actions_out_of_reach_wait_only_for_their_connection(database: Database) -> None:
    """After an auth error while reconciling: checked again after the reconnect, unless the user was asked."""
    with database.write() as db:
        for name in ("stuck", "to check", "asked", "sure", "elsewhere"):
            runs.insert(db, make_run(name))
            mutations.begin(db, action(name)._replace(connection="table:y" if name == "elsewhere" else "table:x"))
            word = MutationStatus.APPLIED if name == "sure" else MutationStatus.UNSURE
            mutations.record_outcome(db, name, MutationStatus.IN_FLIGHT, word, NOW)
        mutations.schedule_check(db, "to check", LATER, counts=False)
        for kind, name in [(RequestKind.UNSURE, "asked"), (RequestKind.RECONNECT, "stuck")]:
            requests.add(db, RequestRow(f"q {name}", kind, "w", name, "What now?", NOW, name))
    assert [row.run for row in mutations.list_uncheckable(database.read(), "table:x")] == ["stuck"]
