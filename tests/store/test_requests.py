"""Requests: opened once, answered once, closed when no answer is needed."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scheduler.rules.requests import RequestKind
from scheduler.store import requests
from scheduler.store.database import Database
from scheduler.store.requests import AnswerOutcome, RequestAnswer, RequestRow
from tests.store.workflow_rows import LATER, NOW, add_run, add_workflow, store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with store(tmp_path) as database:
        add_run(database, "r1")
        yield database


@dataclass
class RequestWriter:
    database: Database

    def put(self, name: str = "q1", subject: str = "r1", run: str = "r1", digest: str = "h") -> bool:
        row = RequestRow(
            name, RequestKind.APPROVAL, "w", subject, "Add 3 rows?", NOW, run, {"tool": "append"}, {"rows": 3}, digest
        )
        with self.database.write() as db:
            return requests.add(db, row)

    def answer(self, given: str, name: str = "q1") -> AnswerOutcome:
        with self.database.write() as db:
            return requests.answer(db, name, given, LATER)


def test_the_same_request_is_opened_once(database: Database) -> None:
    writer = RequestWriter(database)
    assert writer.put("q1")
    assert not writer.put("q2")
    assert writer.put("q3", subject="another")
    [first, other] = requests.read_open(database.read())
    assert (first.call, first.kind, other.id) == ({"tool": "append"}, RequestKind.APPROVAL, "q3")


def test_the_first_answer_counts(database: Database) -> None:
    """The same twice is a no-op, a different second one is refused."""
    writer = RequestWriter(database)
    writer.put()
    assert writer.answer("yes") is AnswerOutcome.ACCEPTED
    assert writer.answer("yes") is AnswerOutcome.REPEATED
    assert writer.answer("no") is AnswerOutcome.TOO_LATE
    row = requests.find(database.read(), "q1")
    assert row is not None
    assert (row.answer, row.answered) == ("yes", LATER)


def test_after_an_answer_the_same_request_can_be_opened_again(database: Database) -> None:
    writer = RequestWriter(database)
    writer.put("q1")
    writer.answer("yes")
    assert writer.put("q2")


def test_a_withdrawn_request_takes_no_answer(database: Database) -> None:
    writer = RequestWriter(database)
    writer.put()
    with database.write() as db:
        assert requests.close(db, LATER, run="r1") == 1
    assert writer.answer("yes") is AnswerOutcome.TOO_LATE
    assert writer.answer("yes", "nobody") is AnswerOutcome.TOO_LATE
    assert requests.read_open(database.read()) == []


def test_a_request_is_read_as_it_was_stored(database: Database) -> None:
    request = RequestRow("q1", RequestKind.RECONNECT, "w", "imap:home", "Sign in again.", NOW)
    with database.write() as db:
        requests.add(db, request)
    assert requests.find(database.read(), "q1") == request
    assert requests.find(database.read(), "q2") is None


def test_another_kind_about_the_same_subject_is_another_request(database: Database) -> None:
    RequestWriter(database).put()
    with database.write() as db:
        assert requests.add(db, RequestRow("q2", RequestKind.UNSURE, "w", "r1", "Did it happen?", NOW))


def test_closing_for_a_workflow_affects_only_open_requests(database: Database) -> None:
    writer = RequestWriter(database)
    writer.put("q1")
    writer.answer("yes")
    writer.put("q2", subject="r2", run="r2")
    writer.put("q3", subject="r3", run="r3")
    with database.write() as db:
        add_workflow(db, "v")
        requests.add(db, RequestRow("foreign", RequestKind.APPROVAL, "v", "r1", "May I?", NOW))
        assert requests.close(db, LATER, RequestAnswer.SOLVED, workflow="w") == 2
    assert [answered(database, name) for name in ("q1", "q2", "q3", "foreign")] == ["yes", "solved", "solved", None]
    assert [one.id for one in requests.read_open(database.read())] == ["foreign"]


def test_closing_for_a_run_leaves_other_requests_of_its_workflow(database: Database) -> None:
    writer = RequestWriter(database)
    writer.put("q1")
    writer.put("q2", subject="r2", run="r2")
    with database.write() as db:
        assert requests.close(db, LATER, run="r1") == 1
        assert requests.close(db, LATER, run="r1") == 0
    assert [answered(database, name) for name in ("q1", "q2")] == ["withdrawn", None]


def test_resolving_returns_the_ids(database: Database) -> None:
    """A reconnect resolves every request about that connection."""
    with database.write() as db:
        for name, subject in [("q1", "imap:home"), ("q2", "imap:work")]:
            requests.add(db, RequestRow(name, RequestKind.RECONNECT, "w", subject, "Sign in again.", NOW))
        requests.add(db, RequestRow("q3", RequestKind.PERMISSION, "w", "imap:home", "May it?", NOW))
        assert requests.resolve(db, LATER, RequestKind.RECONNECT, "imap:home") == ["q1"]
        assert requests.resolve(db, LATER, RequestKind.RECONNECT, "imap:home") == []
    assert [answered(database, name) for name in ("q1", "q2", "q3")] == ["solved", None, None]


@pytest.mark.parametrize(("given", "approved"), [("yes", True), ("no", False), ("withdrawn", False), (None, False)])
def test_only_a_yes_approves(database: Database, given: str | None, approved: bool) -> None:  # noqa: FBT001
    writer = RequestWriter(database)
    writer.put(digest="h1")
    if given is not None:
        writer.answer(given)
    assert (requests.find_approval(database.read(), "r1", "h1") is not None) is approved
    assert requests.find_approval(database.read(), "r1", "h2") is None
    assert requests.find_approval(database.read(), "r2", "h1") is None


def test_an_approval_of_something_else_approves_nothing(database: Database) -> None:
    with database.write() as db:
        requests.add(db, RequestRow("q1", RequestKind.PERMISSION, "w", "x", "May it?", NOW, "r1", hash="h1"))
    assert RequestWriter(database).answer("yes") is AnswerOutcome.ACCEPTED
    assert requests.find_approval(database.read(), "r1", "h1") is None


def test_a_request_can_be_moved_to_another_run(database: Database) -> None:
    """A request that several runs wait for outlives the first one."""
    RequestWriter(database).put()
    with database.write() as db:
        requests.reassign(db, "q1", "r2", "w")
        assert requests.close(db, LATER, run="r1") == 0
        assert requests.close(db, LATER, run="r2") == 1


def test_open_requests_come_last_even_if_the_clock_was_set_back(database: Database) -> None:
    with database.write() as db:
        for name, at in [("q1", LATER), ("q2", NOW)]:
            requests.add(db, RequestRow(name, RequestKind.UNSURE, "w", "r1", "Did it happen?", at, "r1"))
            if name == "q1":
                requests.answer(db, name, RequestAnswer.SKIP, LATER)
    assert [one.id for one in requests.of_run(database.read(), "r1")] == ["q1", "q2"]


def test_all_requests_of_a_run_are_found_whether_answered_or_not(database: Database) -> None:
    writer = RequestWriter(database)
    writer.put("q1")
    writer.answer("no")
    writer.put("q2")
    writer.put("q3", subject="r2", run="r2")
    assert [one.id for one in requests.of_run(database.read(), "r1")] == ["q1", "q2"]


def answered(database: Database, name: str) -> str | None:
    row = requests.find(database.read(), name)
    assert row is not None
    return row.answer


def test_calls_that_were_read_before_are_not_read_again(database: Database) -> None:
    """A call may take megabytes, and the open requests are read after every change."""
    writer = RequestWriter(database)
    writer.put("q1")
    [first] = requests.read_open(database.read())
    [again] = requests.read_open(database.read(), {first.id: first})
    assert again == first
    assert again.call is first.call and again.ui is first.ui
    with database.write() as db:
        requests.reassign(db, "q1", "r2", "w")
    [moved] = requests.read_open(database.read(), {first.id: first})
    assert moved.run == "r2" and moved.call is first.call
    writer.answer("yes")
    assert requests.read_open(database.read(), {first.id: first}) == []


def test_a_list_without_calls_has_everything_else(database: Database) -> None:
    RequestWriter(database).put("q1")
    [light], [whole] = requests.list_open(database.read()), requests.read_open(database.read())
    assert light == whole._replace(call=None, ui=None)
    assert whole.call == {"tool": "append"}
