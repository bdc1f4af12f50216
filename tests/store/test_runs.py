"""Runs: one row per attempt, moved only along the tables, found by what they wait for."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scheduler.rules.phases import RunPhase, RunStatus
from scheduler.rules.requests import Block, RequestKind
from scheduler.store import lanes, requests, runs
from scheduler.store.database import Database
from scheduler.store.errors import StaleError
from scheduler.store.lanes import LaneRow
from scheduler.store.requests import RequestRow
from scheduler.store.runs import RunRow
from scheduler.user_text import UserText
from tests.store.workflow_rows import LATER, NOW, add_run, add_workflow, make_run, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database:
        add_run(database, "r1")
        yield database


def find_run(database: Database, name: str) -> RunRow:
    row = runs.find(database.read(), name)
    assert row is not None
    return row


def ids(rows: list[RunRow]) -> list[str]:
    return [row.id for row in rows]


def test_a_run_is_read_as_it_was_stored(database: Database) -> None:
    made = make_run("r2")._replace(
        prepared={"rows": [1]}, outcome=["x"], error={"line": 3}, summary="Filed 3", began=NOW
    )
    with database.write() as db:
        runs.insert(db, made)
    assert runs.find(database.read(), "r2") == made


def test_a_checkpoint_is_passed_once(database: Database) -> None:
    with database.write() as db:
        runs.advance(db, "r1", RunPhase.PREPARING, RunPhase.PREPARED, LATER, prepared={"n": 1})
    row = runs.find(database.read(), "r1")
    assert row is not None
    assert (row.phase, row.prepared, row.updated) == (RunPhase.PREPARED, {"n": 1}, LATER)
    with pytest.raises(StaleError), database.write() as db:
        runs.advance(db, "r1", RunPhase.PREPARING, RunPhase.PREPARED, LATER)


def test_a_run_that_is_not_active_passes_no_checkpoint(database: Database) -> None:
    """For example, one that was stopped while its script was still running."""
    with database.write() as db:
        runs.move(db, "r1", RunStatus.ACTIVE, RunStatus.CANCELLED, LATER, ended=LATER)
    with pytest.raises(StaleError), database.write() as db:
        runs.advance(db, "r1", RunPhase.PREPARING, RunPhase.PREPARED, LATER)


def test_a_status_changes_only_from_the_expected_one(database: Database) -> None:
    with database.write() as db:
        runs.move(db, "r1", RunStatus.ACTIVE, RunStatus.APPROVAL, LATER)
    with pytest.raises(StaleError), database.write() as db:
        runs.move(db, "r1", RunStatus.ACTIVE, RunStatus.COMMITTED, LATER)
    row = runs.find(database.read(), "r1")
    assert row is not None
    assert (row.status, row.phase) == (RunStatus.APPROVAL, RunPhase.PREPARING)


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [
        (RunPhase.PREPARING, RunPhase.PREPARED, "prepared_at"),
        (RunPhase.PREPARED, RunPhase.MUTATING, "mutating_at"),
        (RunPhase.MUTATING, RunPhase.MUTATED, "mutated_at"),
    ],
)
def test_the_time_of_a_checkpoint_is_stored(database: Database, old: RunPhase, new: RunPhase, column: str) -> None:
    add_run(database, "r2", phase=old)
    with database.write() as db:
        runs.advance(db, "r2", old, new, LATER)
    assert getattr(find_run(database, "r2"), column) == LATER


def test_a_run_that_commits_has_ended(database: Database) -> None:
    add_run(database, "r2", phase=RunPhase.EMITTING)
    with database.write() as db:
        runs.advance(db, "r2", RunPhase.EMITTING, RunPhase.COMMITTED, LATER, summary="Filed 3")
    one = find_run(database, "r2")
    assert (one.status, one.ended, one.summary) == (RunStatus.COMMITTED, LATER, "Filed 3")


@pytest.mark.parametrize("status", RunStatus)
def test_an_answer_moves_only_a_run_that_waits_for_one(database: Database, status: RunStatus) -> None:
    """A rejection by the user, or the result of a checker."""
    add_run(database, "r2", phase=RunPhase.PREPARED, status=status)
    if status in (RunStatus.APPROVAL, RunStatus.RECONCILIATION):
        with database.write() as db:
            runs.advance_waiting(db, "r2", RunPhase.PREPARED, RunPhase.MUTATED, LATER, outcome={"skipped": True})
        one = find_run(database, "r2")
        assert (one.phase, one.status, one.mutated_at) == (RunPhase.MUTATED, status, LATER)
        assert one.outcome == {"skipped": True}
    else:
        with pytest.raises(StaleError), database.write() as db:
            runs.advance_waiting(db, "r2", RunPhase.PREPARED, RunPhase.MUTATED, LATER)


def test_an_answer_moves_a_run_only_from_the_expected_phase(database: Database) -> None:
    add_run(database, "r2", phase=RunPhase.PREPARED, status=RunStatus.APPROVAL)
    with database.write() as db:
        runs.advance_waiting(db, "r2", RunPhase.PREPARED, RunPhase.MUTATED, LATER)
    with pytest.raises(StaleError), database.write() as db:
        runs.advance_waiting(db, "r2", RunPhase.PREPARED, RunPhase.MUTATED, LATER)


def test_runs_due_to_resume_are_listed(database: Database) -> None:
    """In order of creation, of one workflow or of all."""
    with database.write() as db:
        add_workflow(db, "v")
    add_run(database, "now", status=RunStatus.TRANSIENT, resume_at=NOW)
    add_run(database, "later", status=RunStatus.TRANSIENT, resume_at=LATER)
    add_run(database, "crashed", status=RunStatus.CRASHED, resume_at=NOW)
    add_run(database, "foreign", workflow="v", status=RunStatus.TRANSIENT, resume_at=NOW)
    read = database.read()
    assert ids(runs.list_resumable(read, NOW)) == ["now", "crashed", "foreign"]
    assert ids(runs.list_resumable(read, LATER, "w")) == ["now", "later", "crashed"]


def test_the_resume_time_can_be_changed_and_cleared(database: Database) -> None:
    with database.write() as db:
        runs.schedule_resume(db, "r1", LATER)
    assert find_run(database, "r1").resume_at == LATER
    with database.write() as db:
        runs.schedule_resume(db, "r1", None)
    assert runs.list_resumable(database.read(), LATER) == []


def test_a_replaced_attempt_is_finished(database: Database) -> None:
    """Its successor waits and runs instead; its own status stays visible."""
    add_run(database, "r2", status=RunStatus.TRANSIENT, chain="r1", attempt=2, resume_at=NOW)
    with database.write() as db:
        runs.supersede(db, "r2", make_run("r3", chain="r1", retry_of="r2", attempt=3))
    read = database.read()
    assert runs.list_resumable(read, LATER) == []
    assert ids(runs.list_unfinished(read, "w")) == ["r1", "r3"]
    assert ids(runs.list_chain(read, "r1")) == ["r1", "r2", "r3"]
    assert (find_run(database, "r2").status, find_run(database, "r2").followed) == (RunStatus.TRANSIENT, True)


@pytest.mark.parametrize("status", RunStatus)
def test_an_occurrence_is_unfinished_while_its_last_attempt_is_not_final(database: Database, status: RunStatus) -> None:
    """It waits, will be continued, or blocks its lane until the user resolves it."""
    with database.write() as db:
        for name in ("alone", "to follow", "holds up", "followed"):
            runs.insert(db, make_run(name, status=status)._replace(occurrence=f"key of {name}"))
        runs.insert(db, make_run("no occurrence", status=status, resume_at=NOW))
        runs.schedule_resume(db, "to follow", LATER)
        runs.supersede(db, "followed", make_run("last", chain="followed", attempt=2, status=RunStatus.COMMITTED))
        lanes.block(db, LaneRow("w", "", Block.SCRIPT_ERROR, "It raised.", "holds up"))
    expected = {"key of to follow", "key of holds up"} | ({"key of alone"} if status.is_waiting else set())
    assert runs.unfinished_occurrences(database.read()) == expected


def test_saving_progress_changes_nothing_else(database: Database) -> None:
    before = find_run(database, "r1")
    with database.write() as db:
        runs.save_progress(db, "r1", {"done": 3, "of": 7})
    assert find_run(database, "r1") == before._replace(progress={"done": 3, "of": 7})


def test_a_chain_is_all_its_attempts_in_order(database: Database) -> None:
    add_run(database, "r3", chain="r1", retry_of="r2", attempt=3)
    add_run(database, "r2", chain="r1", retry_of="r1", attempt=2)
    add_run(database, "other")
    assert ids(runs.list_chain(database.read(), "r1")) == ["r1", "r2", "r3"]
    assert ids(runs.list_chain(database.read(), "other")) == ["other"]
    assert runs.list_chain(database.read(), "nobody") == []


def test_the_attempts_of_one_planned_time_are_found_in_order(database: Database) -> None:
    with database.write() as db:
        for attempt in (2, 1):
            runs.insert(db, make_run(f"a{attempt}", chain="a1", attempt=attempt)._replace(occurrence="key"))
    assert ids(runs.of_occurrence(database.read(), "key")) == ["a1", "a2"]
    assert runs.of_occurrence(database.read(), "another") == []


@pytest.mark.parametrize("status", RunStatus)
def test_unfinished_runs_of_a_workflow_are_found(database: Database, status: RunStatus) -> None:
    """Including a crashed one that will be continued; each only once."""
    add_run(database, "x", status=status, attempt=2)
    add_run(database, "followed", status=status, attempt=3, resume_at=LATER)
    ended = status in (RunStatus.COMMITTED, RunStatus.CRASHED, RunStatus.CANCELLED)
    assert ids(runs.list_unfinished(database.read(), "w")) == ["r1", *([] if ended else ["x"]), "followed"]
    assert runs.list_unfinished(database.read(), "nobody") == []


def test_active_runs_are_found_for_a_workflow_or_all(database: Database) -> None:
    with database.write() as db:
        add_workflow(db, "v")
    add_run(database, "foreign", workflow="v")
    for status in set(RunStatus) - {RunStatus.ACTIVE}:
        add_run(database, status.value, status=status)
    read = database.read()
    assert ids(runs.list_active(read)) == ["r1", "foreign"]
    assert ids(runs.list_active(read, "v")) == ["foreign"]
    assert runs.list_active(read, "nobody") == []


def test_a_run_is_found_by_a_prefix_of_its_id(database: Database) -> None:
    for name in ("abc1", "abc2", "abd1", "ABC3"):
        add_run(database, name)
    read = database.read()
    assert ids(runs.find_by_prefix(read, "abc")) == ["abc1", "abc2"]
    assert ids(runs.find_by_prefix(read, "abc1")) == ["abc1"]
    assert runs.find_by_prefix(read, "%") == []


def test_the_last_committed_script_version_is_found(database: Database) -> None:
    with database.write() as db:
        for script, status in [
            (1, RunStatus.COMMITTED),
            (2, RunStatus.COMMITTED),
            (3, RunStatus.LOGIC),
            (4, RunStatus.COMMITTED),
        ]:
            runs.insert(db, make_run(f"s{script}", status=status)._replace(script=script))
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
def test_queries_for_runs_never_scan_the_table(database: Database, query: str) -> None:
    """A history of a million rows costs no more than a short one."""
    plan = " ".join(row[3] for row in database.read().execute(f"EXPLAIN QUERY PLAN {query}"))
    assert "SCAN runs" not in plan
    assert "SEARCH runs USING" in plan


@pytest.mark.parametrize(
    "look",
    [
        runs.list_active,
        lambda db: runs.list_active(db, "w"),
        lambda db: runs.list_unfinished(db, "w"),
        lambda db: runs.list_resumable(db, NOW),
        lambda db: runs.list_resumable(db, NOW, "w"),
        lambda db: runs.list_waiting_for(db, "auth", "imap:home"),
        runs.unfinished_occurrences,
    ],
)
def test_open_runs_are_found_without_reading_ended_ones(
    database: Database, look: Callable[[sqlite3.Connection], object]
) -> None:
    """Through partial indexes, even though SQLite would prefer to avoid sorting."""
    db, queries = database.read(), []
    db.set_trace_callback(queries.append)
    look(db)
    db.set_trace_callback(None)
    plan = [row[3] for query in queries for row in db.execute(f"EXPLAIN QUERY PLAN {query}")]
    steps = [step for step in plan if " runs" in step]
    assert steps
    assert [step for step in steps if "runs_open" not in step and "runs_resuming" not in step] == []


def test_runs_waiting_for_the_same_problem_are_found(database: Database) -> None:
    """By failure class and subject, in any workflow."""
    with database.write() as db:
        add_workflow(db, "v")
        for name, workflow, status, failure, subject in [
            ("auth", "w", RunStatus.APPROVAL, "auth", "imap:home"),
            ("foreign", "v", RunStatus.APPROVAL, "auth", "imap:home"),
            ("other", "w", RunStatus.APPROVAL, "auth", "imap:work"),
            ("permission", "w", RunStatus.APPROVAL, "permission", "imap:home"),
            ("over", "w", RunStatus.CANCELLED, "auth", "imap:home"),
        ]:
            error = {"class": failure, "subject": subject, "sentence": "Sign in again."}
            runs.insert(db, make_run(name, workflow=workflow, status=status)._replace(error=error))
        runs.insert(db, make_run("asks", status=RunStatus.APPROVAL))
        runs.insert(
            db, make_run("gone", status=RunStatus.APPROVAL)._replace(error={"class": "auth", "subject": "imap:home"})
        )
        runs.supersede(db, "gone", make_run("gone-2", chain="gone", attempt=2))
    assert ids(runs.list_waiting_for(database.read(), "auth", "imap:home")) == ["auth", "foreign"]


def test_an_attempt_ends_at_the_latest_when_another_replaces_it(database: Database) -> None:
    add_run(database, "r2", status=RunStatus.RECONCILIATION)
    with database.write() as db:
        runs.supersede(db, "r2", make_run("r3", chain="r2", attempt=2))
    assert find_run(database, "r2").ended == find_run(database, "r3").created


def test_progress_resets_the_crash_count(database: Database) -> None:
    with database.write() as db:
        runs.insert(db, make_run("r2")._replace(crashes=2))
        runs.reset_crashes(db, "r2")
    assert find_run(database, "r2").crashes == 0


def test_an_interrupted_occurrence_is_unfinished_until_the_user_answers(database: Database) -> None:
    """Even if another run blocks its lane."""
    with database.write() as db:
        runs.insert(db, make_run("r2", status=RunStatus.CRASHED)._replace(occurrence="key"))
        request = RequestRow("q1", RequestKind.INTERRUPTED, "w", "r2", "Did it finish?", NOW, "r2")
        requests.add(db, request)
    assert runs.unfinished_occurrences(database.read()) == {"key"}
    with database.write() as db:
        requests.answer(db, "q1", "skip", LATER)
    assert runs.unfinished_occurrences(database.read()) == set()


def test_why_nothing_follows_a_failed_run_can_still_be_translated(database: Database) -> None:
    with database.write() as db:
        runs.close_failed(db, "r1", UserText("The script changed."))
    summary = find_run(database, "r1").summary
    assert isinstance(summary, UserText) and summary.template == "The script changed."
