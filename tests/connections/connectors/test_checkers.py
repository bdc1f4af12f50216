"""Checkers: no wrong yes, because something else was found, and no wrong no, because something was not looked at."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.google.calendar import _identity
from scheduler.connections.connectors.google.drive import _mark as file_mark
from scheduler.connections.connectors.mail.writing import identity_of
from scheduler.connections.connectors.slack.connector import _mark as post_mark
from tests.connections import trouble
from tests.connections.calls import NOW, call
from tests.connections.outcome_server import KEY, PORTAL, SUBJECTS, Subject, end_of
from tests.connections.web_servers import Asked, Reply, web

no_proxy = trouble.no_proxy
SENT = identity_of(KEY, "me@example.org")
MARKED = call({}, KEY)
CANNOT_TELL = "cannot tell"
DAYS_AGO = NOW - timedelta(days=3)


def check(subject: Subject, answer: Callable[[Asked], Reply], **more: Any) -> bool | str:
    """What the checker says of an action of three days ago: it happened, it did not, or that it cannot tell."""
    checker = subject.chosen().check
    assert checker is not None
    with web(answer) as server:
        given = {subject.address: server.url, **subject.settings}
        asked: Call = replace(call(given, KEY, **{**subject.parameters, **more}), since=DAYS_AGO)
        try:
            checked: Checked = checker(asked)
        except ToolFailedError:
            return CANNOT_TELL
        return checked.happened


def reply(value: Any, status: int = 200) -> Reply:
    return Reply(status, json.dumps(value).encode())


class Channel:
    """What was said in a channel of Slack, page by page, as Slack gives it."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self.messages = messages

    def __call__(self, asked: Asked) -> Reply:
        form = {name: values[0] for name, values in parse_qs(asked.body.decode()).items()}
        wanted = [one for one in self.messages if float(one["ts"]) > float(form.get("oldest", 0))]
        if asked.path.endswith("conversations.replies"):
            wanted = [one for one in wanted if form["ts"] in (one.get("thread_ts"), one["ts"])]
            wanted = wanted[:1] if not any(one.get("thread_ts") == form["ts"] for one in wanted) else wanted
        start, size = int(form.get("cursor", 0)), int(form["limit"])
        more = {"next_cursor": str(start + size)} if start + size < len(wanted) else {}
        return reply({"ok": True, "messages": wanted[start : start + size], "response_metadata": more})


def at(age: timedelta, **more: Any) -> dict[str, Any]:
    return {"ts": f"{(NOW - age).timestamp():.6f}", "text": "other", **more}


OURS = {"metadata": {"event_type": "dayhand_post", "event_payload": {"key": post_mark(MARKED)}}, "text": "t"}
MINE = at(timedelta(days=3), **OURS)


def chatter(count: int) -> list[dict[str, Any]]:
    """So many messages since, over two days."""
    return [at(timedelta(days=2) * (1 - number / count)) for number in range(count)][::-1]


@pytest.mark.parametrize(
    ("said", "happened"),
    [
        ([], False),
        ([MINE], True),
        ([*chatter(450), MINE], True),
        (chatter(450), False),
        ([*chatter(1200), MINE], CANNOT_TELL),
        ([*chatter(5), at(timedelta(days=9))], False),
        ([at(timedelta(hours=1), text="t", bot_id="B1")], CANNOT_TELL),
        ([at(timedelta(hours=1), text="t", user="U1")], False),
        ([at(timedelta(hours=1), **{**OURS, "metadata": {"event_type": "dayhand_post", "event_payload": {}}})], False),
    ],
)
def test_a_post_is_looked_for_among_all_that_was_said_since(said: list[dict[str, Any]], happened: bool | str) -> None:  # noqa: FBT001  a case
    assert check(SUBJECTS["slack"], Channel(*said)) == happened


@pytest.mark.parametrize("thread", ["1.0", "2.0"])
def test_an_answer_is_looked_for_in_its_whole_thread(thread: str) -> None:
    """Also where the script named an answer instead of the message that began the thread."""
    begun, answered = {"ts": "1.0", "thread_ts": "1.0"}, {"ts": "2.0", "thread_ts": "1.0"}
    for said, happened in (([begun, answered, {**MINE, "thread_ts": "1.0"}], True), ([begun, answered], False)):
        channel = Channel(*said)
        assert check(SUBJECTS["slack"], channel, thread=thread) is happened


class Mailbox:
    """The mails that Gmail's search finds, and those that it lists as sent."""

    def __init__(self, found: dict[str, str], sent: dict[str, str], age: timedelta = timedelta(hours=1)) -> None:
        self.found, self.sent, self.age = found, sent, age

    def __call__(self, asked: Asked) -> Reply:
        parts = urlsplit(asked.path)
        if parts.path.endswith("/messages"):
            listed = self.found if "q" in parse_qs(parts.query) else self.sent
            return reply({"messages": [{"id": name} for name in listed]})
        name = parts.path.rpartition("/")[2]
        header = {"name": "Message-ID", "value": {**self.found, **self.sent}[name]}
        moment = int((NOW - self.age).timestamp() * 1000)
        return reply({"id": name, "internalDate": str(moment), "payload": {"headers": [header]}})


MANY = {f"m{number}": "<other@example.org>" for number in range(50)}


@pytest.mark.parametrize(
    ("found", "sent", "age", "happened"),
    [
        ({"a": SENT}, {}, timedelta(hours=1), True),
        ({}, {"a": SENT}, timedelta(hours=1), True),
        ({"a": "<other@example.org>"}, {}, timedelta(hours=1), False),
        ({}, {}, timedelta(hours=1), False),
        ({}, MANY, timedelta(days=2), CANNOT_TELL),
        ({}, MANY, timedelta(days=5), False),
    ],
)
def test_a_mail_is_one_that_has_its_id(
    found: dict[str, str],
    sent: dict[str, str],
    age: timedelta,
    happened: bool | str,  # noqa: FBT001  a case
) -> None:
    assert check(SUBJECTS["mail"], Mailbox(found, sent, age)) == happened


FILE = {"id": "f1", "appProperties": {"dayhand": file_mark(MARKED)}}


@pytest.mark.parametrize(
    ("searched", "newest", "happened"),
    [
        ({"files": [FILE]}, {}, True),
        ({"files": []}, {"files": [{"id": "f0"}, FILE]}, True),
        ({"files": [{"id": "f0", "appProperties": {"dayhand": "other"}}]}, {"files": []}, False),
        ({"files": [], "incompleteSearch": True}, {"files": []}, CANNOT_TELL),
        ({"files": []}, {"files": [], "incompleteSearch": True}, CANNOT_TELL),
    ],
)
def test_a_file_is_looked_for_where_the_index_is_not_behind(
    searched: dict[str, Any],
    newest: dict[str, Any],
    happened: bool | str,  # noqa: FBT001  a case
) -> None:
    subject = SUBJECTS["file"]
    assert check(subject, lambda asked: reply(searched if "q=" in asked.path else newest), text="t") == happened


@pytest.mark.parametrize(
    ("answered", "happened"),
    [
        (reply({"id": _identity(KEY)}), True),
        (reply({"id": _identity(KEY), "status": "cancelled"}), True),
        (reply({"id": "other"}), CANNOT_TELL),
        (Reply(200, PORTAL), CANNOT_TELL),
        (Reply(404), False),
        (Reply(410), True),
        (Reply(500), CANNOT_TELL),
    ],
)
def test_an_event_at_google_is_the_one_with_its_id(answered: Reply, happened: bool | str) -> None:  # noqa: FBT001  a case
    assert check(SUBJECTS["event"], lambda _: answered) == happened


@pytest.mark.parametrize(
    ("found", "end"),
    [
        (reply({"id": _identity(KEY)}), "applied"),
        (reply({"id": "other"}), "unsure"),
        (Reply(410), "applied"),
        (Reply(404), "failed"),
        (Reply(500), "unsure"),
        (Reply(401), "unsure"),
    ],
)
def test_an_event_whose_id_is_taken_is_looked_at(found: Reply, end: str) -> None:
    with web(lambda asked: Reply(409) if asked.method == "POST" else found) as server:
        assert end_of(SUBJECTS["event"], server.url) == end


ICS = (
    b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:%b@dayhand\r\nDTSTART:20260504T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
NONE = Reply(207, b'<multistatus xmlns="DAV:"/>')


def named(asked: Asked) -> Reply:
    """The event at the address that was asked for."""
    return Reply(body=ICS % asked.path.rpartition("/")[2].removesuffix(".ics").encode())


def given(found: Reply | Callable[[Asked], Reply], reported: Reply, put: int = 201) -> Callable[[Asked], Reply]:
    def answer(asked: Asked) -> Reply:
        if asked.method == "PUT":
            return Reply(put)
        return reported if asked.method == "REPORT" else found if isinstance(found, Reply) else found(asked)

    return answer


@pytest.mark.parametrize(
    ("found", "reported", "happened"),
    [
        (named, NONE, True),
        (Reply(404), NONE, False),
        (Reply(body=ICS % b"other"), NONE, False),
        (Reply(200, PORTAL), NONE, CANNOT_TELL),
        (Reply(200), NONE, CANNOT_TELL),
        (Reply(404), Reply(200, PORTAL), CANNOT_TELL),
        (Reply(500), NONE, CANNOT_TELL),
        (Reply(302), NONE, CANNOT_TELL),
    ],
)
def test_an_event_on_a_calendar_server_is_the_one_with_its_id(
    found: Reply | Callable[[Asked], Reply],
    reported: Reply,
    happened: bool | str,  # noqa: FBT001  a case
) -> None:
    assert check(SUBJECTS["caldav"], given(found, reported)) == happened


@pytest.mark.parametrize(
    ("found", "reported", "end"),
    [
        (named, NONE, "applied"),
        (Reply(404), NONE, "failed"),
        (Reply(200, PORTAL), NONE, "unsure"),
        (Reply(500), NONE, "unsure"),
        (Reply(401), NONE, "unsure"),
    ],
)
def test_an_address_that_is_taken_is_looked_at(
    found: Reply | Callable[[Asked], Reply], reported: Reply, end: str
) -> None:
    with web(given(found, reported, put=412)) as server:
        assert end_of(SUBJECTS["caldav"], server.url) == end
