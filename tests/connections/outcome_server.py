"""A real server that plays one outcome of an HTTP exchange, for each tool that acts."""

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from scheduler.connections import sockets
from scheduler.connections.connector import Connector, Tool, ToolFailedError
from scheduler.connections.connectors.caldav.connector import caldav
from scheduler.connections.connectors.feed.connector import feed
from scheduler.connections.connectors.google.calendar import _event_id
from scheduler.connections.connectors.google.connector import google
from scheduler.connections.connectors.http.connector import http
from scheduler.connections.connectors.slack.connector import slack
from scheduler.connections.registry import Registry
from scheduler.rules.failures import FailureClass
from tests.connections.tool_calls import call, tool_of
from tests.connections.web_servers import read_headers, read_request, socket_server

KEY = "key"
PATIENCE = 3.0
"""Timeout in seconds of a call that a server stalls."""
PORTAL = b"<!DOCTYPE html><html><body>Log in to this network</body></html>"
DEEP = b"[" * 700 + b"]" * 700

Play = Callable[[socket.socket, threading.Event, "Subject"], None]


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A tool that acts, and its service's answer."""

    connector: Connector
    tool: str
    request: str
    """The first bytes of the action's request; other requests may precede it."""
    done: dict[str, Any] | bytes | None
    """The service's answer; None for an empty body."""
    parameters: dict[str, Any]
    settings: dict[str, str] = field(default_factory=dict)
    address: str = "base_url"
    before: bytes = b"{}"
    """The answer to other requests."""
    too_large: int = 51_000_000

    @property
    def body(self) -> bytes:
        if isinstance(self.done, bytes):
            return self.done
        return b"" if self.done is None else json.dumps(self.done).encode()

    def with_field(self, value: bytes) -> bytes:
        """The answer with an additional field."""
        return (
            b'{"strange": %b, %b' % (value, self.body[1:])
            if isinstance(self.done, dict)
            else b'{"strange": %b}' % value
        )

    def chosen(self) -> Tool:
        return tool_of(self.connector, self.tool)


TOKEN = {"access_token": "token", "account": "me@example.org"}
EVENT = {"summary": "s", "start": "2026-05-04", "end": "2026-05-05"}
SUBJECTS = {
    "http": Subject(
        connector=http,
        tool="send",
        request="POST /",
        done={"made": 1},
        parameters={"path": "a", "json": {"a": 1}},
        too_large=4_100_000,
    ),
    "caldav": Subject(
        connector=caldav,
        tool="create",
        request="PUT /",
        done=None,
        parameters={"title": "t", "start": "2026-05-04"},
        address="url",
        before=b'<multistatus xmlns="DAV:"/>',
    ),
    "slack": Subject(
        connector=slack,
        tool="post",
        request="POST /api/chat.postMessage",
        done={"ok": True, "channel": "C00000001", "ts": "1.0"},
        parameters={"channel": "C00000001", "text": "t"},
        settings=TOKEN,
    ),
    "mail": Subject(
        connector=google,
        tool="send_mail",
        request="POST /gmail/v1/users/me/messages/send",
        done={"id": "m1", "threadId": "t1"},
        parameters={"to": ["a@example.org"], "subject": "s", "text": "t"},
        settings=TOKEN,
    ),
    "label": Subject(
        connector=google,
        tool="label_mail",
        request="POST /gmail/v1/users/me/messages/1/modify",
        done={"id": "1", "labelIds": ["L1"]},
        parameters={"id": "1", "add": ["done"]},
        settings=TOKEN,
        before=b'{"labels": [{"id": "L1", "name": "done"}]}',
    ),
    "event": Subject(
        connector=google,
        tool="create_event",
        request="POST /calendar/v3/calendars/primary/events",
        done={"id": _event_id(KEY), "summary": "s"},
        parameters=EVENT,
        settings=TOKEN,
    ),
    "file": Subject(
        connector=google,
        tool="upload_file",
        request="POST /upload/drive/v3/files",
        done={"id": "f1", "name": "n"},
        parameters={"name": "n", "text": "t" * 3_000_000},
        settings=TOKEN,
    ),
}

READERS = {
    "http": replace(SUBJECTS["http"], tool="get", request="GET /", parameters={"path": "a"}),
    "caldav": replace(
        SUBJECTS["caldav"],
        tool="events",
        request="REPORT /",
        done=b'<multistatus xmlns="DAV:"/>',
        parameters={"start": "2026-05-04", "end": "2026-05-05"},
    ),
    "slack": replace(
        SUBJECTS["slack"],
        tool="list_channels",
        request="POST /api/conversations.list",
        done={"ok": True, "channels": []},
        parameters={},
    ),
    "google": replace(
        SUBJECTS["event"], tool="list_events", request="GET /calendar", done={"items": []}, parameters={}
    ),
    "feed": Subject(
        connector=feed, tool="entries", request="GET /", done=b"<rss><channel/></rss>", parameters={}, address="url"
    ),
}


def answer(status: int, body: bytes, headers: str = "") -> bytes:
    is_bare = status < 200 or status in (204, 304)
    size = "" if is_bare else f"Content-Length: {len(body)}\r\n"
    return f"HTTP/1.1 {status} X\r\n{size}{headers}\r\n".encode() + (b"" if is_bare else body)


def reset(connection: socket.socket) -> None:
    """Make the next close reset the connection."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@contextmanager
def served(subject: Subject, play: Play) -> Iterator[str]:
    """The address of a server that plays this when the action arrives."""

    def behave(connection: socket.socket, over: threading.Event) -> None:
        data = connection.recv(65536, socket.MSG_PEEK)
        while data and b"\r\n" not in data:
            data = connection.recv(65536, socket.MSG_PEEK)
        if data.decode("latin-1").startswith(subject.request):
            play(connection, over, subject)
        elif data:
            request = read_request(connection)
            is_missing = request.startswith(b"GET") and subject.tool in ("create", "create_event")
            status = 404 if is_missing else 207 if subject.connector is caldav else 200
            connection.sendall(answer(status, subject.before))

    with socket_server(behave) as server:
        yield server.url


def run_tool(subject: Subject, address: str, seconds: float = 30) -> FailureClass | None:
    """The failure class, if any; the tool is wrapped as by the registry."""
    given = {subject.address: address, **subject.settings}
    tool = Registry([subject.connector]).tool(f"{subject.connector.kind}:it", subject.tool)
    try:
        json.dumps(tool.run(call(given, KEY, seconds, **subject.parameters)), allow_nan=False)
    except ToolFailedError as error:
        return error.failure.kind
    return None


def outcome_of(subject: Subject, address: str, seconds: float = 30) -> str:
    """The outcome of the action: applied, failed or unsure."""
    failure = run_tool(subject, address, seconds)
    if failure is None:
        return "applied"
    return "unsure" if failure is FailureClass.UNSURE else "failed"


def send_and_close(*pieces: bytes) -> Play:
    """Read the whole request, answer and close."""

    def play(connection: socket.socket, _: threading.Event, __: Subject) -> None:
        read_request(connection)
        for piece in pieces:
            connection.sendall(piece)

    return play


def status(code: int, headers: str = "") -> Play:
    """Answer with that status and the service's normal body."""

    def play(connection: socket.socket, _: threading.Event, subject: Subject) -> None:
        read_request(connection)
        connection.sendall(answer(code, subject.body, headers))

    return play


def done(*, before: bytes = b"", times: int = 1) -> Play:
    def play(connection: socket.socket, _: threading.Event, subject: Subject) -> None:
        read_request(connection)
        code = 201 if subject.done is None else 200
        connection.sendall(before + answer(code, subject.body) * times)

    return play


def with_body(make: Callable[[Subject], bytes], code: int = 200, headers: str = "") -> Play:
    def play(connection: socket.socket, _: threading.Event, subject: Subject) -> None:
        read_request(connection)
        connection.sendall(answer(code, make(subject), headers))

    return play


def redirect(code: int, goal: str | None) -> Play:
    """To another path of the server, which succeeds, or to another server."""

    def play(connection: socket.socket, _: threading.Event, subject: Subject) -> None:
        request = read_request(connection)
        if b"/elsewhere" in request.split(b"\r\n")[0]:
            connection.sendall(answer(201, subject.body))
        else:
            connection.sendall(answer(code, b"", f"Location: {goal}\r\n" if goal else ""))

    return play


def stop(how: str, *, reads: str, sent: bytes = b"") -> Play:
    """Close, reset or stall after reading nothing, part or all of the request and sending `sent`."""

    def play(connection: socket.socket, over: threading.Event, _: Subject) -> None:
        if reads == "part":
            read_headers(connection)
        elif reads == "all":
            read_request(connection)
        connection.sendall(sent)
        if how == "stall":
            over.wait(60)
        elif how == "reset":
            reset(connection)

    return play


@contextmanager
def unreachable(kind: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An unreachable or untrusted server: nothing can have been done."""
    if kind == "no encryption":
        with socket_server(lambda connection, _: connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")) as server:
            yield server.url.replace("http:", "https:")
    elif kind == "unknown name":

        def fail(*_: Any) -> Any:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")

        monkeypatch.setattr(sockets, "_resolve", fail)  # faked: not every computer has a DNS server
        yield "http://nowhere.example"
    else:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))  # bound but not listening: the port is reserved and refuses connections
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
