"""One connection to a mail server, bounded in time and size. It knows neither IMAP nor SMTP."""

import base64
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from scheduler.connections.connector import Field, FieldKind, ToolFailedError
from scheduler.connections.errors import logic_failure
from scheduler.connections.host_names import BadHostNameError, to_wire
from scheduler.connections.sockets import open_connection, start_tls
from scheduler.connections.transfer_limits import MIN_BYTES_PER_S, TransferLimit
from scheduler.rules.failures import Failure, FailureClass
from scheduler.user_text import UserText

_MAX_BYTES = 80 * 1024 * 1024
"""Bytes that one call may read in total."""
_CHUNK_BYTES = 64 * 1024
_SEND_BUFFER_BYTES = 128 * 1024
"""Bytes that the system may buffer. By default it buffers whole mails, and while it sends them over a slow line the
server seems not to answer."""
_NOT_READY = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
SECURITY_CHOICES = ("tls", "starttls", "none")


class MailConnectionLostError(ToolFailedError):
    """The connection broke or timed out. The caller knows whether anything may have happened."""

    def __init__(self, sentence: str) -> None:
        super().__init__(Failure(kind=FailureClass.TRANSIENT, sentence=sentence))


class MailResponseTooLargeError(ToolFailedError):
    """The response is endless or far too large. Nothing more is read."""

    def __init__(self, sentence: str) -> None:
        super().__init__(Failure(kind=FailureClass.LOGIC, sentence=sentence))


def security_field(name: str, label: str, default: str) -> Field:
    return Field(
        name=name,
        label=label,
        help="tls from the start, starttls after the greeting, or none for a server on this computer.",
        kind=FieldKind.CHOICE,
        choices=SECURITY_CHOICES,
        default=default,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """Address and credentials of a mail server."""

    host: str
    port: int
    security: str
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "MailServer":
        try:
            host = to_wire(settings["host"].strip())
        except BadHostNameError as error:
            raise logic_failure(
                UserText('"{host}" is not a valid mail server. {error}', host=settings["host"], error=error.sentence)
            ) from error
        return cls(
            host=host,
            port=int(settings["port"]),
            security=settings["security"],
            user=settings.get("user") or "",
            password=settings.get("password") or "",
        )

    def _password_spellings(self) -> list[str]:
        """The password as it may have been sent: servers often repeat what they did not understand."""
        if not self.password:
            return []
        hidden = (f"\0{self.user}\0{self.password}", self.password)
        encoded = [base64.b64encode(one.encode()).decode() for one in hidden]
        return [*encoded, self.password.replace("\\", "\\\\").replace('"', '\\"'), self.password]

    def quote(self, message: bytes | str) -> str:
        """A server message fit to be shown: one short line without the password."""
        text = message.decode("utf-8", "replace") if isinstance(message, bytes) else message
        for spelling in self._password_spellings():
            text = text.replace(spelling, "•••")
        return " ".join("".join(c if c.isprintable() else " " for c in text[:1000]).split())[:200]


class MailSocket:
    """Bytes to and from a server. Every error is a ToolFailedError; always close it."""

    def __init__(self, server: MailServer, seconds: float) -> None:
        if not 0 < server.port < 65_536:  # the system would silently use another one
            raise logic_failure(
                UserText(
                    "{port} is not a valid port for {host}. Correct it in the connection.",
                    port=server.port,
                    host=server.host,
                )
            )
        self._server = server
        self._limit = TransferLimit(seconds)
        self._left = _MAX_BYTES
        self._buffer = bytearray()
        self._socket = open_connection(server.host, server.port, self._limit)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
            if server.security == "tls":
                self.start_tls()
        except BaseException:
            self.close()
            raise

    def start_tls(self) -> None:
        """Start TLS; anything received before it must not be used."""
        host = self._server.host
        if self._buffer:
            raise MailConnectionLostError(
                UserText("{host} sent unencrypted data after agreeing to encrypt, so nothing was sent.", host=host)
            )
        self._socket = start_tls(self._socket, host, self._limit)

    def send(self, content: bytes) -> None:
        left = memoryview(content)
        try:
            while left:
                self._socket.settimeout(self._limit.left())
                sent = self._socket.send(left[:_CHUNK_BYTES])
                self._limit.note_progress(sent)
                left = left[sent:]
        except TimeoutError as error:
            raise self._timed_out() from error
        except OSError as error:
            raise self._broken() from error

    def read_line(self, max_bytes: int = _CHUNK_BYTES) -> bytes:
        """The next line, without its end."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > max_bytes:
                raise self.too_large_error()
            self._receive()
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line.removesuffix(b"\r")

    def read(self, size: int) -> bytes:
        if size > self._left + len(self._buffer):
            raise self.too_large_error()
        while len(self._buffer) < size:
            self._receive()
        content = bytes(self._buffer[:size])
        del self._buffer[:size]
        return content

    def has_unread(self) -> bool:
        """Whether the server has sent something that was not read yet; does not wait."""
        if not self._buffer:
            with suppress(*_NOT_READY, MailConnectionLostError):
                self._receive(wait=False)
        return bool(self._buffer)

    def has_unread_line(self) -> bool:
        """Whether a whole line can be read without waiting."""
        return self.has_unread() and b"\n" in self._buffer

    def too_large_error(self) -> MailResponseTooLargeError:
        return MailResponseTooLargeError(
            UserText("{host} sent too much data, so the rest was not read.", host=self._server.host)
        )

    def close(self) -> None:
        with suppress(OSError):
            self._socket.close()

    def _receive(self, *, wait: bool = True) -> None:
        if self._left <= 0:
            raise self.too_large_error()
        try:
            self._socket.settimeout(self._limit.left() if wait else 0)
            content = self._socket.recv(_CHUNK_BYTES)
        except TimeoutError as error:
            raise self._timed_out() from error
        except _NOT_READY:
            raise
        except OSError as error:
            raise self._broken() from error
        if not content:
            raise self._broken()
        self._left -= len(content)
        self._limit.note_progress(len(content))
        self._buffer += content

    def _timed_out(self) -> MailConnectionLostError:
        if self._limit.was_too_slow():
            rate = MIN_BYTES_PER_S // 1024
            return MailConnectionLostError(
                UserText(
                    "The connection to {host} is too slow: less than {rate} KB per second.",
                    host=self._server.host,
                    rate=rate,
                )
            )
        return MailConnectionLostError(
            UserText(
                "{host} did not answer within {seconds} seconds.",
                host=self._server.host,
                seconds=f"{self._limit.seconds:g}",
            )
        )

    def _broken(self) -> MailConnectionLostError:
        return MailConnectionLostError(
            UserText("Lost the connection to {host}. It may be restarting.", host=self._server.host)
        )
