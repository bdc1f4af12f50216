"""Checkers: no false yes because of another object, and no false no because something was not searched."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.google.calendar import _event_id
from scheduler.connections.connectors.google.drive import _key_digest as file_mark
from scheduler.connections.connectors.mail.compose import message_id_for
from scheduler.connections.connectors.slack.connector import _key_digest as post_mark
from tests.connections import http_failures
from tests.connections.outcome_server import KEY, PORTAL, SUBJECTS, Subject, outcome_of
from tests.connections.tool_calls import NOW, call
from tests.connections.web_servers import ReceivedRequest, Reply, http_server

no_proxy = http_failures.no_proxy
SENT = message_id_for(KEY, "me@example.org")
MARKED = call({}, KEY)
CANNOT_TELL = "cannot tell"
DAYS_AGO = NOW - timedelta(days=3)


def check(subject: Subject, answer: Callable[[ReceivedRequest], Reply], **more: Any) -> bool | str:
    """The checker's result for an action three days ago: it happened, it did not, or it cannot tell."""
    checker = subject.chosen().check
    assert checker is not None
    with http_server(answer) as server:
        given = {subject.address: server.url, **subject.settings}
        tool_call: Call = replace(call(given, KEY, **{**subject.parameters, **more}), since=DAYS_AGO)
        try:
            checked: Checked = checker(tool_call)
        except ToolFailedError:
            return CANNOT_TELL
        return checked.happened


def reply(value: Any, status: int = 200) -> Reply:
    return Reply(status, json.dumps(value).encode())


class Channel:
    """The messages of a Slack channel, in pages as Slack returns them."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self.messages = messages

    def __call__(self, request: ReceivedRequest) -> Reply:
        form = {name: values[0] for name, values in parse_qs(request.body.decode()).items()}
        messages = [one for one in self.messages if float(one["ts"]) > float(form.get("oldest", 0))]
        if request.path.endswith("conversations.replies"):
            messages = [one for one in messages if form["ts"] in (one.get("thread_ts"), one["ts"])]
            messages = messages[:1] if not any(one.get("thread_ts") == form["ts"] for one in messages) else messages
        start, size = int(form.get("cursor", 0)), int(form["limit"])
        more = {"next_cursor": str(start + size)} if start + size < len(messages) else {}
        return reply({"ok": True, "messages": messages[start : start + size], "response_metadata": more})


def at(age: timedelta, **more: Any) -> dict[str, Any]:
    return {"ts": f"{(NOW - age).timestamp():.6f}", "text": "other", **more}


OURS = {"metadata": {"event_type": "dayhand_post", "event_payload": {"key": post_mark(MARKED)}}, "text": "t"}
POSTED = at(timedelta(days=3), **OURS)


def other_messages(count: int) -> list[dict[str, Any]]:
    """That many messages over the last two days."""
    return [at(timedelta(days=2) * (1 - number / count)) for number in range(count)][::-1]


@pytest.mark.parametrize(
    ("messages", "happened"),
    [
        ([], False),
        ([POSTED], True),
        ([*other_messages(450), POSTED], True),
        (other_messages(450), False),
        ([*other_messages(1200), POSTED], CANNOT_TELL),
        ([*other_messages(5), at(timedelta(days=9))], False),
        ([at(timedelta(hours=1), text="t", bot_id="B1")], CANNOT_TELL),
        ([at(timedelta(hours=1), text="t", user="U1")], False),
        ([at(timedelta(hours=1), **{**OURS, "metadata": {"event_type": "dayhand_post", "event_payload": {}}})], False),
    ],
)
def test_a_post_is_searched_among_all_messages_since(messages: list[dict[str, Any]], happened: bool | str) -> None:  # noqa: FBT001  a case
    assert check(SUBJECTS["slack"], Channel(*messages)) == happened


@pytest.mark.parametrize("thread", ["1.0", "2.0"])
def test_a_reply_is_searched_in_its_whole_thread(thread: str) -> None:
    """Even if the script named a reply instead of the first message of the thread."""
    begun, answered = {"ts": "1.0", "thread_ts": "1.0"}, {"ts": "2.0", "thread_ts": "1.0"}
    for messages, happened in (([begun, answered, {**POSTED, "thread_ts": "1.0"}], True), ([begun, answered], False)):
        channel = Channel(*messages)
        assert check(SUBJECTS["slack"], channel, thread=thread) is happened


class Mailbox:
    """A Gmail account with the mails that its search finds and those that it lists as sent."""

    def __init__(self, matches: dict[str, str], sent: dict[str, str], age: timedelta = timedelta(hours=1)) -> None:
        self.matches, self.sent, self.age = matches, sent, age

    def __call__(self, request: ReceivedRequest) -> Reply:
        parts = urlsplit(request.path)
        if parts.path.endswith("/messages"):
            listed = self.matches if "q" in parse_qs(parts.query) else self.sent
            return reply({"messages": [{"id": name} for name in listed]})
        name = parts.path.rpartition("/")[2]
        header = {"name": "Message-ID", "value": {**self.matches, **self.sent}[name]}
        moment = int((NOW - self.age).timestamp() * 1000)
        return reply({"id": name, "internalDate": str(moment), "payload": {"headers": [header]}})


MANY = {f"m{number}": "<other@example.org>" for number in range(50)}


@pytest.mark.parametrize(
    ("matches", "sent", "age", "happened"),
    [
        ({"a": SENT}, {}, timedelta(hours=1), True),
        ({}, {"a": SENT}, timedelta(hours=1), True),
        ({"a": "<other@example.org>"}, {}, timedelta(hours=1), False),
        ({}, {}, timedelta(hours=1), False),
        ({}, MANY, timedelta(days=2), CANNOT_TELL),
        ({}, MANY, timedelta(days=5), False),
    ],
)
def test_a_mail_is_identified_by_its_message_id(
    matches: dict[str, str],
    sent: dict[str, str],
    age: timedelta,
    happened: bool | str,  # noqa: FBT001  a case
) -> None:
    assert check(SUBJECTS["mail"], Mailbox(matches, sent, age)) == happened


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
def test_a_file_is_also_searched_among_the_newest_files(
    searched: dict[str, Any],
    newest: dict[str, Any],
    happened: bool | str,  # noqa: FBT001  a case
) -> None:
    subject = SUBJECTS["file"]
    assert check(subject, lambda request: reply(searched if "q=" in request.path else newest), text="t") == happened


@pytest.mark.parametrize(
    ("answered", "happened"),
    [
        (reply({"id": _event_id(KEY)}), True),
        (reply({"id": _event_id(KEY), "status": "cancelled"}), True),
        (reply({"id": "other"}), CANNOT_TELL),
        (Reply(200, PORTAL), CANNOT_TELL),
        (Reply(404), False),
        (Reply(410), True),
        (Reply(500), CANNOT_TELL),
    ],
)
def test_a_google_event_is_identified_by_its_id(answered: Reply, happened: bool | str) -> None:  # noqa: FBT001  a case
    assert check(SUBJECTS["event"], lambda _: answered) == happened


@pytest.mark.parametrize(
    ("stored", "end"),
    [
        (reply({"id": _event_id(KEY)}), "applied"),
        (reply({"id": "other"}), "unsure"),
        (Reply(410), "applied"),
        (Reply(404), "failed"),
        (Reply(500), "unsure"),
        (Reply(401), "unsure"),
    ],
)
def test_an_existing_google_event_with_the_id_is_read(stored: Reply, end: str) -> None:
    with http_server(lambda request: Reply(409) if request.method == "POST" else stored) as server:
        assert outcome_of(SUBJECTS["event"], server.url) == end


ICS = (
    b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:%b@dayhand\r\nDTSTART:20260504T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
NONE = Reply(207, b'<multistatus xmlns="DAV:"/>')


def event_at(request: ReceivedRequest) -> Reply:
    """The event at the requested address."""
    return Reply(body=ICS % request.path.rpartition("/")[2].removesuffix(".ics").encode())


def given(
    stored: Reply | Callable[[ReceivedRequest], Reply], reported: Reply, put: int = 201
) -> Callable[[ReceivedRequest], Reply]:
    def answer(request: ReceivedRequest) -> Reply:
        if request.method == "PUT":
            return Reply(put)
        return reported if request.method == "REPORT" else stored if isinstance(stored, Reply) else stored(request)

    return answer


@pytest.mark.parametrize(
    ("stored", "reported", "happened"),
    [
        (event_at, NONE, True),
        (Reply(404), NONE, False),
        (Reply(body=ICS % b"other"), NONE, False),
        (Reply(200, PORTAL), NONE, CANNOT_TELL),
        (Reply(200), NONE, CANNOT_TELL),
        (Reply(404), Reply(200, PORTAL), CANNOT_TELL),
        (Reply(500), NONE, CANNOT_TELL),
        (Reply(302), NONE, CANNOT_TELL),
    ],
)
def test_a_caldav_event_is_identified_by_its_id(
    stored: Reply | Callable[[ReceivedRequest], Reply],
    reported: Reply,
    happened: bool | str,  # noqa: FBT001  a case
) -> None:
    assert check(SUBJECTS["caldav"], given(stored, reported)) == happened


@pytest.mark.parametrize(
    ("stored", "reported", "end"),
    [
        (event_at, NONE, "applied"),
        (Reply(404), NONE, "failed"),
        (Reply(200, PORTAL), NONE, "unsure"),
        (Reply(500), NONE, "unsure"),
        (Reply(401), NONE, "unsure"),
    ],
)
def test_an_existing_caldav_event_at_the_address_is_read(
    stored: Reply | Callable[[ReceivedRequest], Reply], reported: Reply, end: str
) -> None:
    with http_server(given(stored, reported, put=412)) as server:
        assert outcome_of(SUBJECTS["caldav"], server.url) == end
