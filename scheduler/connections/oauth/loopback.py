"""The door that the browser comes back through: one address of this computer, open until the right visitor came."""

import hmac
import selectors
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl

from scheduler.connections.oauth.errors import SignInLateError, SignInStoppedError
from scheduler.connections.oauth.page import make_response

_LONGEST = 16 * 1024
_MOST_VISITORS = 16
_MOST_IN_LINE = 128
_PAUSE = 0.2
_SEND_SECONDS = 5.0
_PATH = "/signed-in"


@dataclass(slots=True)
class _Visitor:
    """Browsers open connections that they may never use, so nobody waits for one alone."""

    connection: socket.socket
    heard: bytearray = field(default_factory=bytearray)


class Arrival:
    """The browser came back with what was asked for, and still waits for its last page."""

    def __init__(self, connection: socket.socket, parameters: Mapping[str, str]) -> None:
        self._connection = connection
        self.parameters = parameters

    def answer(self, title: str, text: str) -> None:
        _say(self._connection, HTTPStatus.OK, title, text)


class Loopback:
    """Listens on 127.0.0.1 while it is entered; what it hears is written down nowhere."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=_MOST_IN_LINE)
        self._listener.settimeout(0)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._visitors: list[_Visitor] = []
        self._host = f"127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def address(self) -> str:
        return f"http://{self._host}{_PATH}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for visitor in self._visitors:
            visitor.connection.close()
        self._selector.close()
        self._listener.close()

    def wait(self, state: str, seconds: float, stop: threading.Event | None = None) -> Arrival:
        """The one visitor who knows the state; others get a page that says so, and change nothing."""
        give_up = time.monotonic() + seconds
        while (left := give_up - time.monotonic()) > 0:
            if stop is not None and stop.is_set():
                raise SignInStoppedError("You stopped signing in. Nothing was changed.")
            for key, _ in self._selector.select(min(left, _PAUSE)):
                if key.data is None:
                    self._let_in()
                    continue
                is_here = any(visitor is key.data for visitor in self._visitors)  # another may have taken its place
                arrival = self._listen_to(key.data, state) if is_here else None
                if arrival is not None:
                    return arrival
        raise SignInLateError(f"Nobody signed in within {_minutes(seconds)}. Connect again when you have the time.")

    def _let_in(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        connection.settimeout(0)
        visitor = _Visitor(connection)
        self._visitors.append(visitor)
        self._selector.register(connection, selectors.EVENT_READ, visitor)
        if len(self._visitors) > _MOST_VISITORS:
            self._send_away(self._visitors[0])

    def _listen_to(self, visitor: _Visitor, state: str) -> Arrival | None:
        try:
            heard = visitor.connection.recv(_LONGEST)
        except BlockingIOError:
            return None
        except OSError:
            heard = b""
        visitor.heard += heard
        if not heard:
            self._send_away(visitor)
        elif len(visitor.heard) > _LONGEST:
            self._refuse(visitor, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif b"\r\n\r\n" in visitor.heard:
            return self._judge(visitor, state)
        return None

    def _judge(self, visitor: _Visitor, state: str) -> Arrival | None:
        target, host = _read_head(bytes(visitor.heard))
        if target is None or host != self._host:
            self._refuse(visitor, HTTPStatus.BAD_REQUEST)
            return None
        path, _, query = target.partition("?")
        if path != _PATH:
            self._refuse(visitor, HTTPStatus.NOT_FOUND)
            return None
        given = parse_qsl(query)
        parameters = dict(given)
        known = hmac.compare_digest(parameters.get("state", "").encode(), state.encode())
        if not known or len(parameters) < len(given) or ("code" in parameters) == ("error" in parameters):
            self._refuse(visitor, HTTPStatus.BAD_REQUEST)
            return None
        self._selector.unregister(visitor.connection)
        return Arrival(visitor.connection, parameters)

    def _refuse(self, visitor: _Visitor, status: HTTPStatus) -> None:
        _say(
            visitor.connection,
            status,
            "Not what Dayhand waits for",
            "This page does not belong to the sign-in that Dayhand has begun. Go back to the page where you sign in, "
            "or connect again in Dayhand.",
        )
        self._send_away(visitor)

    def _send_away(self, visitor: _Visitor) -> None:
        self._selector.unregister(visitor.connection)
        self._visitors.remove(visitor)
        visitor.connection.close()


def _read_head(head: bytes) -> tuple[str | None, str]:
    """What a GET asks for, and of whom; None for anything else."""
    lines = head.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    match lines[0].split(" "):
        case ["GET", target, version] if target.startswith("/") and version.startswith("HTTP/1."):
            hosts = [line.partition(":")[2].strip() for line in lines[1:] if line.lower().startswith("host:")]
            return target, hosts[0] if len(hosts) == 1 else ""
    return None, ""


def _say(connection: socket.socket, status: HTTPStatus, title: str, text: str) -> None:
    """A visitor who no longer listens misses nothing but a page."""
    try:
        connection.settimeout(_SEND_SECONDS)
        connection.sendall(make_response(status, title, text))
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds:.0f} seconds"
