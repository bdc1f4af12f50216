"""Requests: asked once, answered once, closed when nobody needs an answer."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scheduler.store import requests
from scheduler.store.database import Database
from scheduler.store.requests import Answered, Given, RequestKind, RequestRow
from tests.store.workflow_rows import LATER, NOW, add_run, add_workflow, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database:
        add_run(database, "r1")
        yield database


@dataclass
class Question:
    database: Database

    def put(self, name: str = "q1", subject: str = "r1", run: str = "r1", digest: str = "h") -> bool:
        row = RequestRow(
            name, RequestKind.APPROVAL, "w", subject, "Add 3 rows?", NOW, run, {"tool": "append"}, {"rows": 3}, digest
        )
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
        assert requests.close(db, LATER, run="r1") == 1
    assert question.answer("yes") is Answered.TOO_LATE
    assert question.answer("yes", "nobody") is Answered.TOO_LATE
    assert requests.still_open(database.read()) == []


def test_a_request_comes_back_as_it_was_asked(database: Database) -> None:
    asked = RequestRow("q1", RequestKind.RECONNECT, "w", "imap:home", "Sign in again.", NOW)
    with database.write() as db:
        requests.put(db, asked)
    assert requests.find(database.read(), "q1") == asked
    assert requests.find(database.read(), "q2") is None


def test_another_kind_about_the_same_is_another_question(database: Database) -> None:
    Question(database).put()
    with database.write() as db:
        assert requests.put(db, RequestRow("q2", RequestKind.UNSURE, "w", "r1", "Did it happen?", NOW))


def test_only_what_is_open_is_closed_for_a_workflow(database: Database) -> None:
    question = Question(database)
    question.put("q1")
    question.answer("yes")
    question.put("q2", subject="r2", run="r2")
    question.put("q3", subject="r3", run="r3")
    with database.write() as db:
        add_workflow(db, "v")
        requests.put(db, RequestRow("foreign", RequestKind.APPROVAL, "v", "r1", "May I?", NOW))
        assert requests.close(db, LATER, Given.SOLVED, workflow="w") == 2
    assert [answered(database, name) for name in ("q1", "q2", "q3", "foreign")] == ["yes", "solved", "solved", None]
    assert [one.id for one in requests.still_open(database.read())] == ["foreign"]


def test_closing_for_a_run_leaves_the_others_of_its_workflow(database: Database) -> None:
    question = Question(database)
    question.put("q1")
    question.put("q2", subject="r2", run="r2")
    with database.write() as db:
        assert requests.close(db, LATER, run="r1") == 1
        assert requests.close(db, LATER, run="r1") == 0
    assert [answered(database, name) for name in ("q1", "q2")] == ["withdrawn", None]


def test_what_is_solved_is_said_by_its_ids(database: Database) -> None:
    """F3: a reconnect settles every question about that connection."""
    with database.write() as db:
        for name, subject in [("q1", "imap:home"), ("q2", "imap:work")]:
            requests.put(db, RequestRow(name, RequestKind.RECONNECT, "w", subject, "Sign in again.", NOW))
        requests.put(db, RequestRow("q3", RequestKind.PERMISSION, "w", "imap:home", "May it?", NOW))
        assert requests.solve(db, LATER, RequestKind.RECONNECT, "imap:home") == ["q1"]
        assert requests.solve(db, LATER, RequestKind.RECONNECT, "imap:home") == []
    assert [answered(database, name) for name in ("q1", "q2", "q3")] == ["solved", None, None]


@pytest.mark.parametrize(("given", "approved"), [("yes", True), ("no", False), ("withdrawn", False), (None, False)])
def test_only_a_yes_approves(database: Database, given: str | None, approved: bool) -> None:  # noqa: FBT001
    question = Question(database)
    question.put(digest="h1")
    if given is not None:
        question.answer(given)
    assert requests.is_approved(database.read(), "r1", "h1") is approved
    assert not requests.is_approved(database.read(), "r1", "h2")
    assert not requests.is_approved(database.read(), "r2", "h1")


def test_a_yes_to_something_else_approves_nothing(database: Database) -> None:
    with database.write() as db:
        requests.put(db, RequestRow("q1", RequestKind.PERMISSION, "w", "x", "May it?", NOW, "r1", hash="h1"))
    assert Question(database).answer("yes") is Answered.TAKEN
    assert not requests.is_approved(database.read(), "r1", "h1")


def test_a_request_can_be_asked_for_the_sake_of_another_run(database: Database) -> None:
    """F3: what many wait for outlives the one that asked first."""
    Question(database).put()
    with database.write() as db:
        requests.hand_over(db, "q1", "r2", "w")
        assert requests.close(db, LATER, run="r1") == 0
        assert requests.close(db, LATER, run="r2") == 1


def test_what_is_still_open_comes_last_whatever_the_clock_said(database: Database) -> None:
    """M5: the clock was set back between two questions."""
    with database.write() as db:
        for name, at in [("q1", LATER), ("q2", NOW)]:
            requests.put(db, RequestRow(name, RequestKind.UNSURE, "w", "r1", "Did it happen?", at, "r1"))
            if name == "q1":
                requests.answer(db, name, Given.SKIP, LATER)
    assert [one.id for one in requests.of_run(database.read(), "r1")] == ["q1", "q2"]


def test_all_requests_of_a_run_are_found_answered_or_not(database: Database) -> None:
    question = Question(database)
    question.put("q1")
    question.answer("no")
    question.put("q2")
    question.put("q3", subject="r2", run="r2")
    assert [one.id for one in requests.of_run(database.read(), "r1")] == ["q1", "q2"]


def answered(database: Database, name: str) -> str | None:
    row = requests.find(database.read(), name)
    assert row is not None
    return row.answer


def test_what_was_read_before_is_not_read_again(database: Database) -> None:
    """A call may take megabytes, and somebody looks at the open requests after every change."""
    question = Question(database)
    question.put("q1")
    [first] = requests.still_open(database.read())
    [again] = requests.still_open(database.read(), {first.id: first})
    assert again == first
    assert again.call is first.call and again.ui is first.ui
    with database.write() as db:
        requests.hand_over(db, "q1", "r2", "w")
    [moved] = requests.still_open(database.read(), {first.id: first})
    assert moved.run == "r2" and moved.call is first.call
    question.answer("yes")
    assert requests.still_open(database.read(), {first.id: first}) == []


def test_a_list_without_calls_says_all_the_rest(database: Database) -> None:
    Question(database).put("q1")
    [light], [whole] = requests.list_open(database.read()), requests.still_open(database.read())
    assert light == whole._replace(call=None, ui=None)
    assert whole.call == {"tool": "append"}
