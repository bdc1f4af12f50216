"""The loopback listener that the browser returns to after signing in, and the page that it shows."""

import hmac
import html
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

from scheduler.connections.oauth.errors import SignInCancelledError, SignInTimeoutError
from scheduler.user_text import UserText

_MAX_REQUEST_BYTES = 16 * 1024
_MAX_CLIENTS = 16
_BACKLOG = 128
_POLL_S = 0.2
_SEND_TIMEOUT_S = 5.0
_PATH = "/signed-in"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 0; min-height: 100vh; display: grid; place-items: center; background: Canvas; color: CanvasText;
  font: 1.1rem/1.5 system-ui, sans-serif; }}
main {{ max-width: 32rem; padding: 2rem; text-align: center; }}
h1 {{ font-size: 1.6rem; font-weight: 600; }}
</style>
</head>
<body><main><h1>{title}</h1><p>{text}</p></main></body>
</html>
"""


@dataclass(slots=True)
class _Client:
    """One connection of a browser, which may open several and leave some unused."""

    connection: socket.socket
    received: bytearray = field(default_factory=bytearray)


class BrowserCallback:
    """The browser's redirect with code or error; the browser still waits for its page."""

    def __init__(self, connection: socket.socket, parameters: Mapping[str, str]) -> None:
        self._connection = connection
        self.parameters = parameters

    def show_page(self, title: str, text: str) -> None:
        _send_page(self._connection, HTTPStatus.OK, title, text)


class LoopbackListener:
    """Listens on 127.0.0.1 until its context ends. Never logs what it receives."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=_BACKLOG)
        self._listener.settimeout(0)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._clients: list[_Client] = []
        self._host = f"127.0.0.1:{self._listener.getsockname()[1]}"

    @property
    def address(self) -> str:
        return f"http://{self._host}{_PATH}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for client in self._clients:
            client.connection.close()
        self._selector.close()
        self._listener.close()

    def wait_for_callback(self, state: str, seconds: float, stop: threading.Event | None = None) -> BrowserCallback:
        """Wait for the request with the right state; all others get an error page."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if stop is not None and stop.is_set():
                raise SignInCancelledError(UserText("Sign-in cancelled. Nothing was changed."))
            for key, _ in self._selector.select(min(left, _POLL_S)):
                if key.data is None:
                    self._accept()
                    continue
                is_open = any(client is key.data for client in self._clients)  # it may have been dropped for another
                arrival = self._receive(key.data, state) if is_open else None
                if arrival is not None:
                    return arrival
        raise SignInTimeoutError(
            UserText(
                "You did not sign in within {duration}. Connect again when you are ready.",
                duration=_format_duration(seconds),
            )
        )

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        connection.settimeout(0)
        client = _Client(connection)
        self._clients.append(client)
        self._selector.register(connection, selectors.EVENT_READ, client)
        if len(self._clients) > _MAX_CLIENTS:
            self._close(self._clients[0])

    def _receive(self, client: _Client, state: str) -> BrowserCallback | None:
        try:
            received = client.connection.recv(_MAX_REQUEST_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            received = b""
        client.received += received
        if not received:
            self._close(client)
        elif len(client.received) > _MAX_REQUEST_BYTES:
            self._refuse(client, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif b"\r\n\r\n" in client.received:
            return self._handle_request(client, state)
        return None

    def _handle_request(self, client: _Client, state: str) -> BrowserCallback | None:
        target, host = _parse_request(bytes(client.received))
        if target is None or host != self._host:
            self._refuse(client, HTTPStatus.BAD_REQUEST)
            return None
        path, _, query = target.partition("?")
        if path != _PATH:
            self._refuse(client, HTTPStatus.NOT_FOUND)
            return None
        given = parse_qsl(query)
        parameters = dict(given)
        known = hmac.compare_digest(parameters.get("state", "").encode(), state.encode())
        if not known or len(parameters) < len(given) or ("code" in parameters) == ("error" in parameters):
            self._refuse(client, HTTPStatus.BAD_REQUEST)
            return None
        self._selector.unregister(client.connection)
        return BrowserCallback(client.connection, parameters)

    def _refuse(self, client: _Client, status: HTTPStatus) -> None:
        _send_page(
            client.connection,
            status,
            UserText("Not the page Dayhand expected"),
            UserText(
                "This page does not belong to the sign-in that Dayhand started. Go back to the sign-in "
                "page, or connect again in Dayhand."
            ),
        )
        self._close(client)

    def _close(self, client: _Client) -> None:
        self._selector.unregister(client.connection)
        self._clients.remove(client)
        client.connection.close()


def _parse_request(head: bytes) -> tuple[str | None, str]:
    """Target and host of a GET request; None for anything else."""
    lines = head.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    match lines[0].split(" "):
        case ["GET", target, version] if target.startswith("/") and version.startswith("HTTP/1."):
            hosts = [line.partition(":")[2].strip() for line in lines[1:] if line.lower().startswith("host:")]
            return target, hosts[0] if len(hosts) == 1 else ""
    return None, ""


def _send_page(connection: socket.socket, status: HTTPStatus, title: str, text: str) -> None:
    """Ignores errors: a client that has disconnected only misses the page."""
    try:
        connection.settimeout(_SEND_TIMEOUT_S)
        connection.sendall(_make_response(status, title, text))
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def _make_response(status: HTTPStatus, title: str, text: str) -> bytes:
    """A complete HTTP response that is not cached and loads nothing."""
    body = _PAGE.format(title=html.escape(title), text=html.escape(text)).encode()
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Content-Type: text/html; charset=utf-8",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        "Referrer-Policy: no-referrer",
        "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
    )
    return "\r\n".join((*head, "", "")).encode() + body


def _format_duration(seconds: float) -> str:
    return (
        UserText("{seconds} minutes", seconds=f"{seconds / 60:.0f}")
        if seconds >= 90
        else UserText("{seconds} seconds", seconds=f"{seconds:.0f}")
    )
