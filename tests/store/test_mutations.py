"""Outside actions: written down before the call, settled once."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.rules.mutations import Mutation
from scheduler.store import mutations, requests, runs
from scheduler.store.database import Database
from scheduler.store.errors import StaleError
from scheduler.store.mutations import MutationRow
from scheduler.store.requests import RequestKind, RequestRow
from tests.store.workflow_rows import LATER, NOW, add_run, run, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database:
        add_run(database, "r1")
        yield database


def action(name: str = "r1") -> MutationRow:
    return MutationRow(name, "w", "table:x", "append", {"rows": [[1]]}, f"key-{name}", Mutation.IN_FLIGHT, NOW)


def test_an_outside_action_is_written_down_once_for_a_run(database: Database) -> None:
    """Invariant 3."""
    with database.write() as db:
        mutations.begin(db, action())
    assert mutations.find(database.read(), "r1") == action()
    with pytest.raises(sqlite3.IntegrityError), database.write() as db:
        mutations.begin(db, action())


def test_an_outcome_is_settled_once(database: Database) -> None:
    """Invariant 6."""
    with database.write() as db:
        mutations.begin(db, action())
        mutations.settle(db, "r1", Mutation.IN_FLIGHT, Mutation.UNSURE, LATER)
        mutations.settle(db, "r1", Mutation.UNSURE, Mutation.APPLIED, LATER, result={"id": 7})
    found = mutations.find(database.read(), "r1")
    assert found is not None
    assert (found.status, found.result, found.settled) == (Mutation.APPLIED, {"id": 7}, LATER)
    with pytest.raises(StaleError), database.write() as db:
        mutations.settle(db, "r1", Mutation.UNSURE, Mutation.FAILED, LATER)


def test_checks_are_counted_unless_they_could_not_be_made(database: Database) -> None:
    """X5; a login that expired uses up no try."""
    with database.write() as db:
        mutations.begin(db, action())
        mutations.check_again(db, "r1", LATER, counts=True)
        mutations.check_again(db, "r1", LATER, counts=False)
    [found] = mutations.unsettled(database.read())
    assert (found.checks, found.check_at) == (1, LATER)


def test_what_is_settled_is_not_checked_any_more(database: Database) -> None:
    with database.write() as db:
        mutations.begin(db, action())
        mutations.check_again(db, "r1", NOW, counts=True)
        mutations.settle(db, "r1", Mutation.IN_FLIGHT, Mutation.APPLIED, LATER)
        mutations.check_again(db, "r1", NOW, counts=True)
    found = mutations.find(database.read(), "r1")
    assert found is not None
    assert (found.checks, found.check_at) == (1, None)
    assert mutations.to_check(database.read(), LATER) == []


def test_those_to_be_checked_by_now_come_in_the_order_of_their_times(database: Database) -> None:
    with database.write() as db:
        for name, at in [("second", LATER), ("first", NOW), ("never", None)]:
            mutations.begin(db, action(name))
            mutations.check_again(db, name, at, counts=False)
    assert [one.run for one in mutations.to_check(database.read(), NOW)] == ["first"]
    assert [one.run for one in mutations.to_check(database.read(), LATER)] == ["first", "second"]


def test_the_next_attempt_goes_on_from_what_is_known(database: Database) -> None:
    """Invariant 6: the row moves with the chain, so that there is only ever one."""
    with database.write() as db:
        mutations.begin(db, action())
        mutations.settle(db, "r1", Mutation.IN_FLIGHT, Mutation.APPLIED, LATER, result={"id": 7})
        mutations.hand_over(db, "r1", "r2")
    read = database.read()
    assert (mutations.status_of(read, "r1"), mutations.status_of(read, "r2")) == (None, Mutation.APPLIED)
    found = mutations.find(read, "r2")
    assert found is not None
    assert (found.key, found.result) == ("key-r1", {"id": 7})


def test_what_is_unsettled_is_found_for_a_workflow_or_all(database: Database) -> None:
    with database.write() as db:
        for name in ("flies", "unsure", "applied", "failed"):
            mutations.begin(db, action(name))
        mutations.begin(db, action("foreign")._replace(workflow="v"))
        mutations.settle(db, "unsure", Mutation.IN_FLIGHT, Mutation.UNSURE, LATER)
        mutations.settle(db, "applied", Mutation.IN_FLIGHT, Mutation.APPLIED, LATER)
        mutations.settle(db, "failed", Mutation.IN_FLIGHT, Mutation.FAILED, LATER)
    read = database.read()
    assert {one.run for one in mutations.unsettled(read)} == {"flies", "unsure", "foreign"}
    assert {one.run for one in mutations.unsettled(read, "w")} == {"flies", "unsure"}


def test_an_outcome_that_was_decided_for_it_is_there_from_the_start(database: Database) -> None:
    """The person's reject: nothing was called, and that is known."""
    skipped = action()._replace(status=Mutation.SKIPPED, result={"said": "no"}, settled=LATER)
    with database.write() as db:
        mutations.begin(db, skipped)
    assert mutations.find(database.read(), "r1") == skipped
    assert mutations.unsettled(database.read()) == []


def test_those_are_out_of_reach_that_wait_for_their_connection_and_for_nobody_else(database: Database) -> None:
    """An auth error while reconciling: asked again after the reconnect, unless the person is asked already."""
    with database.write() as db:
        for name in ("stuck", "to check", "asked", "sure", "elsewhere"):
            runs.insert(db, run(name))
            mutations.begin(db, action(name)._replace(connection="table:y" if name == "elsewhere" else "table:x"))
            word = Mutation.APPLIED if name == "sure" else Mutation.UNSURE
            mutations.settle(db, name, Mutation.IN_FLIGHT, word, NOW)
        mutations.check_again(db, "to check", LATER, counts=False)
        for kind, name in [(RequestKind.UNSURE, "asked"), (RequestKind.RECONNECT, "stuck")]:
            requests.put(db, RequestRow(f"q {name}", kind, "w", name, "What now?", NOW, name))
    assert [row.run for row in mutations.out_of_reach(database.read(), "table:x")] == ["stuck"]
