"""Runs, the outside actions they made, and the requests they wait for."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scheduler.rules.mutations import Mutation
from scheduler.rules.phases import HandlerKind, Phase, Status
from scheduler.store import mutations, requests, runs, workflows
from scheduler.store.database import Database
from scheduler.store.errors import StaleError
from scheduler.store.mutations import MutationRow
from scheduler.store.requests import Answered, RequestKind, RequestRow
from scheduler.store.workflows import ScriptOrigin, ScriptRow
from tests.store.workflow_rows import LATER, NOW, add_run, run, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database:
        add_run(database, "r1")
        yield database


def test_a_run_comes_back_as_it_was_stored(database: Database) -> None:
    made = run("r2")._replace(prepared={"rows": [1]}, outcome=["x"], error={"line": 3}, summary="Filed 3", began=NOW)
    with database.write() as db:
        runs.insert(db, made)
    assert runs.find(database.read(), "r2") == made


def test_a_checkpoint_is_passed_once(database: Database) -> None:
    with database.write() as db:
        runs.advance(db, "r1", Phase.PREPARING, Phase.PREPARED, LATER, prepared={"n": 1})
    found = runs.find(database.read(), "r1")
    assert found is not None
    assert (found.phase, found.prepared, found.updated) == (Phase.PREPARED, {"n": 1}, LATER)
    with pytest.raises(StaleError), database.write() as db:
        runs.advance(db, "r1", Phase.PREPARING, Phase.PREPARED, LATER)


def test_a_run_that_is_not_active_passes_no_checkpoint(database: Database) -> None:
    """A run that was stopped while its script was still busy."""
    with database.write() as db:
        runs.move(db, "r1", Status.ACTIVE, Status.CANCELLED, LATER, ended=LATER)
    with pytest.raises(StaleError), database.write() as db:
        runs.advance(db, "r1", Phase.PREPARING, Phase.PREPARED, LATER)


def test_a_status_changes_only_from_where_it_was_believed_to_be(database: Database) -> None:
    with database.write() as db:
        runs.move(db, "r1", Status.ACTIVE, Status.APPROVAL, LATER)
    with pytest.raises(StaleError), database.write() as db:
        runs.move(db, "r1", Status.ACTIVE, Status.COMMITTED, LATER)
    found = runs.find(database.read(), "r1")
    assert found is not None
    assert (found.status, found.phase) == (Status.APPROVAL, Phase.PREPARING)


def test_a_chain_is_all_its_attempts_from_any_of_them(database: Database) -> None:
    add_run(database, "r2", retry_of="r1", attempt=2)
    add_run(database, "r3", retry_of="r2", attempt=3)
    add_run(database, "other")
    for name in ("r1", "r2", "r3"):
        assert [one.id for one in runs.chain(database.read(), name)] == ["r1", "r2", "r3"]


def test_what_has_not_ended_is_found_for_a_workflow(database: Database) -> None:
    for name, status in [("a", Status.COMMITTED), ("b", Status.APPROVAL), ("c", Status.LOGIC), ("d", Status.CRASHED)]:
        add_run(database, name, status=status, attempt=2)
    read = database.read()
    assert [one.id for one in runs.unfinished(read, "w")] == ["r1", "b", "c"]
    assert [one.id for one in runs.active(read)] == [one.id for one in runs.active(read, "w")] == ["r1"]
    assert runs.active(read, "nobody") == []


def action(name: str = "r1") -> MutationRow:
    return MutationRow(name, "table:x", "append", {"rows": [[1]]}, f"key-{name}", Mutation.IN_FLIGHT, NOW)


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


@dataclass
class Question:
    database: Database

    def put(self, name: str = "q1", subject: str = "r1") -> bool:
        row = RequestRow(name, RequestKind.APPROVAL, "w", subject, "Add 3 rows?", NOW, "r1", {"tool": "append"}, "h")
        with self.database.write() as db:
            return requests.put(db, row)

    def answer(self, given: str, name: str = "q1") -> Answered:
        with self.database.write() as db:
            return requests.answer(db, name, given, LATER)


def test_the_same_question_is_asked_once(database: Database) -> None:
    question = Question(database)
    assert question.put("q1")
    assert not question.put("q2")
    assert question.put("q3", subject="another")
    [first, other] = requests.still_open(database.read())
    assert (first.call, first.kind, other.id) == ({"tool": "append"}, RequestKind.APPROVAL, "q3")


def test_the_first_answer_counts(database: Database) -> None:
    """X6: the same twice is a no-op, a different second one is refused."""
    question = Question(database)
    question.put()
    assert question.answer("yes") is Answered.TAKEN
    assert question.answer("yes") is Answered.SAME
    assert question.answer("no") is Answered.TOO_LATE
    found = requests.find(database.read(), "q1")
    assert found is not None
    assert (found.answer, found.answered) == ("yes", LATER)


def test_after_an_answer_the_same_may_be_asked_again(database: Database) -> None:
    question = Question(database)
    question.put("q1")
    question.answer("yes")
    assert question.put("q2")


def test_a_withdrawn_request_takes_no_answer(database: Database) -> None:
    """X14"""
    question = Question(database)
    question.put()
    with database.write() as db:
        assert requests.withdraw(db, LATER, run="r1") == 1
    assert question.answer("yes") is Answered.TOO_LATE
    assert question.answer("yes", "nobody") is Answered.TOO_LATE
    assert requests.still_open(database.read()) == []


def test_scripts_are_numbered_and_never_change(database: Database) -> None:
    second = ScriptRow("w", 2, "bb", "pass", ScriptOrigin.FIX, {"handlers": ["x"]}, LATER)
    with database.write() as db:
        workflows.add_script(db, second)
    assert [one.number for one in workflows.scripts(database.read(), "w")] == [2, 1]
    assert workflows.find_script(database.read(), "w", 2) == second


def test_a_deploy_keeps_what_the_person_decided(database: Database) -> None:
    with database.write() as db:
        workflows.set_status(db, "w", workflows.WorkflowStatus.PAUSED)
        old = workflows.find(db, "w")
        assert old is not None
        workflows.save(db, old._replace(script=2, status=workflows.WorkflowStatus.ACTIVE, tags=("x",)))
    found = workflows.find(database.read(), "w")
    assert found is not None
    assert (found.status, found.script, found.tags) == (workflows.WorkflowStatus.PAUSED, 2, ("x",))
    assert found.version > old.version


def test_state_is_kept_by_the_name_of_its_handler(database: Database) -> None:
    """A handler that is removed and comes back goes on where it was."""
    with database.write() as db:
        workflows.update_handler(db, "w", "file", state={"filed": 3}, seen=7, wake_at=LATER, look=False)
        workflows.remove_handler(db, "w", "file")
    assert [one.name for one in workflows.handlers(database.read(), "w")] == ["poll"]
    with database.write() as db:
        workflows.put_handler(db, "w", "file", HandlerKind.CONSUMER)
    found = workflows.find_handler(database.read(), "w", "file")
    assert found is not None
    assert (found.state, found.seen, found.wake_at, found.look) == ({"filed": 3}, 7, None, True)
