"""A real local server that checks a password, and a connector for it."""

import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from scheduler.connections.connector import Call, Connector, Field, Parameter, ParameterKind, Tool, ToolFailedError
from scheduler.connections.registry import Registry
from scheduler.rules.failures import TransportFailure, classify_http_status, classify_transport_failure


class PasswordServer:
    def __init__(self) -> None:
        self.password = "hunter2"
        self.seen: list[str] = []
        """Every password received, in order."""
        self.let_in: list[str] = []
        """The paths of accepted requests."""
        self.gate: threading.Event | None = None
        """Answers wait for this event."""
        self.entered = threading.Event()
        self.url = ""

    @contextmanager
    def working(self) -> Iterator["PasswordServer"]:
        with ThreadingHTTPServer(("127.0.0.1", 0), self._handler()) as server:
            self.url = f"http://127.0.0.1:{server.server_port}"
            thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="doorman")
            thread.start()
            try:
                yield self
            finally:
                server.shutdown()
                thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                shown = self.headers.get("X-Password", "")
                outer.seen.append(shown)
                is_right = shown == outer.password
                outer.entered.set()
                if outer.gate is not None:
                    assert outer.gate.wait(60)
                if is_right:
                    outer.let_in.append(self.path)
                self.send_response(200 if is_right else 401)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        return Handler


@pytest.fixture
def password_server() -> Iterator[PasswordServer]:
    with PasswordServer().working() as server:
        yield server


def _visit(call: Call, path: str) -> None:
    visit = urllib.request.Request(f"{call.settings['url']}{path}", headers={"X-Password": call.settings["password"]})
    mutating = bool(call.key)
    try:
        with urllib.request.urlopen(visit, timeout=call.seconds):
            return
    except urllib.error.HTTPError as error:
        with error:
            sentence = f"The doorman did not let {call.connection} in with {call.settings['password']}."
            raise ToolFailedError.because(classify_http_status(error.code, mutating=mutating), sentence) from error
    except OSError as error:
        kind = classify_transport_failure(TransportFailure.NOT_REACHED, mutating=mutating)
        raise ToolFailedError.because(kind, "There is no doorman.") from error


def _look(call: Call) -> list[Any]:
    _visit(call, "/look")
    return []


def _send(call: Call) -> str:
    _visit(call, "/send")
    return "sent"


def _test(call: Call) -> str:
    _visit(call, "/test")
    return "The doorman knows you."


door = Connector(
    kind="door",
    title="Door",
    help="A door with a doorman.",
    fields=(
        Field(name="url", label="Address"),
        Field(name="password", label="Password", secret=True),
        Field(name="badge", label="Badge", secret=True, required=False),
    ),
    tools=(
        Tool(name="look", help="Look through the door.", parameters={}, run=_look),
        Tool(
            name="send",
            help="Send something through the door.",
            parameters={"n": Parameter(ParameterKind.ANY, required=False)},
            run=_send,
            mutating=True,
        ),
    ),
    test=_test,
)

plain_door = Connector(
    kind="plain",
    title="Plain door",
    help="",
    fields=(Field(name="path", label="Path"), Field(name="token", label="Token", secret=True, required=False)),
    tools=(Tool(name="look", help="Look.", parameters={}, run=lambda call: dict(call.settings)),),
    test=lambda _: "Fine.",
)


def password_registry() -> Registry:
    return Registry([door, plain_door])
