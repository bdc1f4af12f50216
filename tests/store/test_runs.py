"""Runs: one row per attempt, found by what they wait for."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scheduler.rules.phases import Phase, Status
from scheduler.store import lanes, requests, runs
from scheduler.store.database import Database
from scheduler.store.errors import StaleError
from scheduler.store.lanes import Block, LaneRow
from scheduler.store.requests import RequestKind, RequestRow
from scheduler.store.runs import RunRow
from tests.store.workflow_rows import LATER, NOW, add_run, add_workflow, run, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database:
        add_run(database, "r1")
        yield database


def found(database: Database, name: str) -> RunRow:
    row = runs.find(database.read(), name)
    assert row is not None
    return row


def ids(rows: list[RunRow]) -> list[str]:
    return [row.id for row in rows]


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


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [
        (Phase.PREPARING, Phase.PREPARED, "prepared_at"),
        (Phase.PREPARED, Phase.MUTATING, "mutating_at"),
        (Phase.MUTATING, Phase.MUTATED, "mutated_at"),
    ],
)
def test_when_a_checkpoint_was_passed_is_kept(database: Database, old: Phase, new: Phase, column: str) -> None:
    add_run(database, "r2", phase=old)
    with database.write() as db:
        runs.advance(db, "r2", old, new, LATER)
    assert getattr(found(database, "r2"), column) == LATER


def test_a_run_that_commits_has_ended(database: Database) -> None:
    add_run(database, "r2", phase=Phase.EMITTING)
    with database.write() as db:
        runs.advance(db, "r2", Phase.EMITTING, Phase.COMMITTED, LATER, summary="Filed 3")
    one = found(database, "r2")
    assert (one.status, one.ended, one.summary) == (Status.COMMITTED, LATER, "Filed 3")


@pytest.mark.parametrize("status", Status)
def test_only_a_run_that_waits_for_an_answer_is_moved_on_by_one(database: Database, status: Status) -> None:
    """The reject of a person, or the word of a checker."""
    add_run(database, "r2", phase=Phase.PREPARED, status=status)
    if status in (Status.APPROVAL, Status.RECONCILIATION):
        with database.write() as db:
            runs.settle_phase(db, "r2", Phase.PREPARED, Phase.MUTATED, LATER, outcome={"skipped": True})
        one = found(database, "r2")
        assert (one.phase, one.status, one.mutated_at) == (Phase.MUTATED, status, LATER)
        assert one.outcome == {"skipped": True}
    else:
        with pytest.raises(StaleError), database.write() as db:
            runs.settle_phase(db, "r2", Phase.PREPARED, Phase.MUTATED, LATER)


def test_an_answer_finds_the_run_only_where_it_was(database: Database) -> None:
    add_run(database, "r2", phase=Phase.PREPARED, status=Status.APPROVAL)
    with database.write() as db:
        runs.settle_phase(db, "r2", Phase.PREPARED, Phase.MUTATED, LATER)
    with pytest.raises(StaleError), database.write() as db:
        runs.settle_phase(db, "r2", Phase.PREPARED, Phase.MUTATED, LATER)


def test_those_that_are_to_go_on_by_now(database: Database) -> None:
    """In the order in which they were made, of one workflow or of all."""
    with database.write() as db:
        add_workflow(db, "v")
    add_run(database, "now", status=Status.TRANSIENT, resume_at=NOW)
    add_run(database, "later", status=Status.TRANSIENT, resume_at=LATER)
    add_run(database, "crashed", status=Status.CRASHED, resume_at=NOW)
    add_run(database, "foreign", workflow="v", status=Status.TRANSIENT, resume_at=NOW)
    read = database.read()
    assert ids(runs.resuming(read, NOW)) == ["now", "crashed", "foreign"]
    assert ids(runs.resuming(read, LATER, "w")) == ["now", "later", "crashed"]


def test_when_a_run_goes_on_can_be_changed_and_taken_back(database: Database) -> None:
    with database.write() as db:
        runs.resume(db, "r1", LATER)
    assert found(database, "r1").resume_at == LATER
    with database.write() as db:
        runs.resume(db, "r1", None)
    assert runs.resuming(database.read(), LATER) == []


def test_an_attempt_that_is_followed_has_been_dealt_with(database: Database) -> None:
    """Its successor waits and runs in its place; how it stood stays to be seen."""
    add_run(database, "r2", status=Status.TRANSIENT, chain="r1", attempt=2, resume_at=NOW)
    with database.write() as db:
        runs.follow(db, "r2", run("r3", chain="r1", retry_of="r2", attempt=3))
    read = database.read()
    assert runs.resuming(read, LATER) == []
    assert ids(runs.unfinished(read, "w")) == ["r1", "r3"]
    assert ids(runs.chain(read, "r1")) == ["r1", "r2", "r3"]
    assert (found(database, "r2").status, found(database, "r2").followed) == (Status.TRANSIENT, True)


@pytest.mark.parametrize("status", Status)
def test_occurrences_go_on_whose_last_attempt_is_not_their_end(database: Database, status: Status) -> None:
    """It waits, is to be followed, or holds up its lane until a person deals with it."""
    with database.write() as db:
        for name in ("alone", "to follow", "holds up", "followed"):
            runs.insert(db, run(name, status=status)._replace(occurrence=f"key of {name}"))
        runs.insert(db, run("no occurrence", status=status, resume_at=NOW))
        runs.resume(db, "to follow", LATER)
        runs.follow(db, "followed", run("last", chain="followed", attempt=2, status=Status.COMMITTED))
        lanes.block(db, LaneRow("w", "", Block.SCRIPT_ERROR, "It raised.", "holds up"))
    expected = {"key of to follow", "key of holds up"} | ({"key of alone"} if status.is_waiting else set())
    assert runs.occurrences_going_on(database.read()) == expected


def test_progress_is_noted_and_nothing_else_changes(database: Database) -> None:
    before = found(database, "r1")
    with database.write() as db:
        runs.note_progress(db, "r1", {"done": 3, "of": 7})
    assert found(database, "r1") == before._replace(progress={"done": 3, "of": 7})


def test_a_chain_is_all_its_attempts_in_order(database: Database) -> None:
    add_run(database, "r3", chain="r1", retry_of="r2", attempt=3)
    add_run(database, "r2", chain="r1", retry_of="r1", attempt=2)
    add_run(database, "other")
    assert ids(runs.chain(database.read(), "r1")) == ["r1", "r2", "r3"]
    assert ids(runs.chain(database.read(), "other")) == ["other"]
    assert runs.chain(database.read(), "nobody") == []


def test_the_attempts_at_one_planned_time(database: Database) -> None:
    with database.write() as db:
        for attempt in (2, 1):
            runs.insert(db, run(f"a{attempt}", chain="a1", attempt=attempt)._replace(occurrence="key"))
    assert ids(runs.of_occurrence(database.read(), "key")) == ["a1", "a2"]
    assert runs.of_occurrence(database.read(), "another") == []


@pytest.mark.parametrize("status", Status)
def test_what_has_not_been_dealt_with_is_found_for_its_workflow(database: Database, status: Status) -> None:
    """Also one that crashed, while it is to be followed; once, whatever speaks for it."""
    add_run(database, "x", status=status, attempt=2)
    add_run(database, "followed", status=status, attempt=3, resume_at=LATER)
    ended = status in (Status.COMMITTED, Status.CRASHED, Status.CANCELLED)
    assert ids(runs.unfinished(database.read(), "w")) == ["r1", *([] if ended else ["x"]), "followed"]
    assert runs.unfinished(database.read(), "nobody") == []


def test_what_runs_now_is_found_for_a_workflow_or_all(database: Database) -> None:
    with database.write() as db:
        add_workflow(db, "v")
    add_run(database, "foreign", workflow="v")
    for status in set(Status) - {Status.ACTIVE}:
        add_run(database, status.value, status=status)
    read = database.read()
    assert ids(runs.active(read)) == ["r1", "foreign"]
    assert ids(runs.active(read, "v")) == ["foreign"]
    assert runs.active(read, "nobody") == []


def test_the_latest_runs_come_first(database: Database) -> None:
    for name in ("a", "b", "c"):
        add_run(database, name)
    assert ids(runs.recent(database.read(), "w", 2)) == ["c", "b"]


def test_the_first_letters_of_an_id_are_enough(database: Database) -> None:
    for name in ("abc1", "abc2", "abd1", "ABC3"):
        add_run(database, name)
    read = database.read()
    assert ids(runs.beginning_with(read, "abc")) == ["abc1", "abc2"]
    assert ids(runs.beginning_with(read, "abc1")) == ["abc1"]
    assert runs.beginning_with(read, "%") == []


def test_the_last_script_that_committed_is_one_to_go_back_to(database: Database) -> None:
    with database.write() as db:
        for script, status in [(1, Status.COMMITTED), (2, Status.COMMITTED), (3, Status.LOGIC), (4, Status.COMMITTED)]:
            runs.insert(db, run(f"s{script}", status=status)._replace(script=script))
    read = database.read()
    assert [runs.last_committed_script(read, "w", before=number) for number in (4, 3, 2, 1)] == [2, 2, 1, None]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1 FROM runs WHERE resume_at IS NOT NULL AND resume_at <= 5",
        "SELECT 1 FROM runs WHERE chain = 'x' AND attempt > 1",
        "SELECT 1 FROM runs WHERE occurrence = 'x'",
        "SELECT 1 FROM runs WHERE workflow = 'w' ORDER BY number DESC LIMIT 5",
        f"SELECT 1 FROM runs WHERE workflow = 'w' AND {runs._OPEN}",
    ],
)
def test_looking_for_runs_never_walks_the_table(database: Database, query: str) -> None:
    """A history of a million rows costs no more than a short one."""
    plan = " ".join(row[3] for row in database.read().execute(f"EXPLAIN QUERY PLAN {query}"))
    assert "SCAN runs" not in plan
    assert "SEARCH runs USING" in plan


@pytest.mark.parametrize(
    "look",
    [
        runs.active,
        lambda db: runs.active(db, "w"),
        lambda db: runs.unfinished(db, "w"),
        lambda db: runs.resuming(db, NOW),
        lambda db: runs.resuming(db, NOW, "w"),
        lambda db: runs.waiting_for(db, "auth", "imap:home"),
        runs.occurrences_going_on,
    ],
)
def test_what_is_open_is_found_without_reading_what_has_ended(
    database: Database, look: Callable[[sqlite3.Connection], object]
) -> None:
    """Only through the indexes that hold nothing else, whatever SQLite thinks of sorting."""
    db, asked = database.read(), []
    db.set_trace_callback(asked.append)
    look(db)
    db.set_trace_callback(None)
    plan = [row[3] for query in asked for row in db.execute(f"EXPLAIN QUERY PLAN {query}")]
    steps = [step for step in plan if " runs" in step]
    assert steps
    assert [step for step in steps if "runs_open" not in step and "runs_resuming" not in step] == []


def test_those_are_found_that_wait_for_the_same_person(database: Database) -> None:
    """F3: by the class of the failure and what it is about, whichever workflow they belong to."""
    with database.write() as db:
        add_workflow(db, "v")
        for name, workflow, status, failure, subject in [
            ("auth", "w", Status.APPROVAL, "auth", "imap:home"),
            ("foreign", "v", Status.APPROVAL, "auth", "imap:home"),
            ("other", "w", Status.APPROVAL, "auth", "imap:work"),
            ("permission", "w", Status.APPROVAL, "permission", "imap:home"),
            ("over", "w", Status.CANCELLED, "auth", "imap:home"),
        ]:
            error = {"class": failure, "subject": subject, "sentence": "Sign in again."}
            runs.insert(db, run(name, workflow=workflow, status=status)._replace(error=error))
        runs.insert(db, run("asks", status=Status.APPROVAL))
        runs.insert(db, run("gone", status=Status.APPROVAL)._replace(error={"class": "auth", "subject": "imap:home"}))
        runs.follow(db, "gone", run("gone-2", chain="gone", attempt=2))
    assert ids(runs.waiting_for(database.read(), "auth", "imap:home")) == ["auth", "foreign"]


def test_an_attempt_ends_at_the_latest_when_another_takes_its_place(database: Database) -> None:
    add_run(database, "r2", status=Status.RECONCILIATION)
    with database.write() as db:
        runs.follow(db, "r2", run("r3", chain="r2", attempt=2))
    assert found(database, "r2").ended == found(database, "r3").created


def test_progress_forgives_earlier_crashes(database: Database) -> None:
    with database.write() as db:
        runs.insert(db, run("r2")._replace(crashes=2))
        runs.note_checkpoint(db, "r2")
    assert found(database, "r2").crashes == 0


def test_an_interrupted_one_goes_on_until_the_person_has_said_what_became_of_it(database: Database) -> None:
    """Also where its lane is closed by another."""
    with database.write() as db:
        runs.insert(db, run("r2", status=Status.CRASHED)._replace(occurrence="key"))
        asked = RequestRow("q1", RequestKind.INTERRUPTED, "w", "r2", "Did it finish?", NOW, "r2")
        requests.put(db, asked)
    assert runs.occurrences_going_on(database.read()) == {"key"}
    with database.write() as db:
        requests.answer(db, "q1", "skip", LATER)
    assert runs.occurrences_going_on(database.read()) == set()
