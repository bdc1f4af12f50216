"""One connection to a mail server, with limits for what is sent and read over it. It knows no protocol."""

import base64
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from scheduler.connections.connector import Field, FieldKind, ToolFailedError
from scheduler.connections.dialling import dial, secure
from scheduler.connections.host_names import BadHostNameError, to_wire
from scheduler.connections.mistakes import wrong
from scheduler.connections.transfer_limits import MIN_BYTES_PER_S, TransferLimit
from scheduler.rules.failures import Failure, FailureClass

_MOST = 80 * 1024 * 1024
"""Bytes that one call may read, whatever it is for."""
_CHUNK = 64 * 1024
_SEND_BUFFER = 128 * 1024
"""Bytes that the system may hold back for us. Left to itself it takes whole mails, and what it still has to send over a
slow line would look like a server that does not answer."""
_NOTHING_YET = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
SECURITY = ("tls", "starttls", "none")


class LostError(ToolFailedError):
    """The connection broke or came to its deadline. Whether anything happened is for the caller to know."""

    def __init__(self, sentence: str) -> None:
        super().__init__(Failure(kind=FailureClass.TRANSIENT, sentence=sentence))


class TooMuchError(ToolFailedError):
    """An answer without an end, or nearly. Nothing more is read."""

    def __init__(self, sentence: str) -> None:
        super().__init__(Failure(kind=FailureClass.LOGIC, sentence=sentence))


def security_field(name: str, label: str, default: str) -> Field:
    return Field(
        name=name,
        label=label,
        help="tls from the first byte on, starttls after a greeting, or none for a server on this computer.",
        kind=FieldKind.CHOICE,
        choices=SECURITY,
        default=default,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where to go, and as whom."""

    host: str
    port: int
    security: str
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Server":
        try:
            host = to_wire(settings["host"].strip())
        except BadHostNameError as error:
            raise wrong(f'"{settings["host"]}" names no mail server. {error.sentence}') from error
        return cls(
            host=host,
            port=int(settings["port"]),
            security=settings["security"],
            user=settings.get("user") or "",
            password=settings.get("password") or "",
        )

    def _spellings(self) -> list[str]:
        """How the password may have gone over the wire; servers like to repeat what they did not understand."""
        if not self.password:
            return []
        hidden = (f"\0{self.user}\0{self.password}", self.password)
        encoded = [base64.b64encode(one.encode()).decode() for one in hidden]
        return [*encoded, self.password.replace("\\", "\\\\").replace('"', '\\"'), self.password]

    def quote(self, said: bytes | str) -> str:
        """What the server said, fit to be shown: short, one line, without the password."""
        text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
        for spelling in self._spellings():
            text = text.replace(spelling, "•••")
        return " ".join("".join(c if c.isprintable() else " " for c in text[:1000]).split())[:200]


class Wire:
    """Bytes to and from a server. Whatever goes wrong is a ToolFailedError; close it in any case."""

    def __init__(self, server: Server, seconds: float) -> None:
        if not 0 < server.port < 65_536:  # the system would take another one silently
            raise wrong(f"{server.port} is not a port of {server.host}. Connect again with the right one.")
        self._server = server
        self._limit = TransferLimit(seconds)
        self._left = _MOST
        self._buffer = bytearray()
        self._socket = dial(server.host, server.port, self._limit)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
            if server.security == "tls":
                self.secure()
        except BaseException:
            self.close()
            raise

    def secure(self) -> None:
        """Everything from here on is encrypted; what was said in the clear does not count any more."""
        host = self._server.host
        if self._buffer:
            raise LostError(f"{host} went on in the clear after it had agreed to encrypt, so nothing was sent.")
        self._socket = secure(self._socket, host, self._limit)

    def send(self, content: bytes) -> None:
        left = memoryview(content)
        try:
            while left:
                self._socket.settimeout(self._limit.left())
                sent = self._socket.send(left[:_CHUNK])
                self._limit.note_progress(sent)
                left = left[sent:]
        except TimeoutError as error:
            raise self._late() from error
        except OSError as error:
            raise self._broken() from error

    def read_line(self, longest: int = _CHUNK) -> bytes:
        """The next line, without its end."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > longest:
                raise self.too_much()
            self._receive()
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line.removesuffix(b"\r")

    def read(self, size: int) -> bytes:
        if size > self._left + len(self._buffer):
            raise self.too_much()
        while len(self._buffer) < size:
            self._receive()
        content = bytes(self._buffer[:size])
        del self._buffer[:size]
        return content

    def has_unread(self) -> bool:
        """Whether the server has said something that nobody has read yet; this waits for nothing."""
        if not self._buffer:
            with suppress(*_NOTHING_YET, LostError):
                self._receive(wait=False)
        return bool(self._buffer)

    def has_unread_line(self) -> bool:
        """The same for a whole line, so that reading it does not wait either."""
        return self.has_unread() and b"\n" in self._buffer

    def too_much(self) -> TooMuchError:
        return TooMuchError(f"{self._server.host} sent more than anybody needs, so the rest was not read.")

    def close(self) -> None:
        with suppress(OSError):
            self._socket.close()

    def _receive(self, *, wait: bool = True) -> None:
        if self._left <= 0:
            raise self.too_much()
        try:
            self._socket.settimeout(self._limit.left() if wait else 0)
            content = self._socket.recv(_CHUNK)
        except TimeoutError as error:
            raise self._late() from error
        except _NOTHING_YET:
            raise
        except OSError as error:
            raise self._broken() from error
        if not content:
            raise self._broken()
        self._left -= len(content)
        self._limit.note_progress(len(content))
        self._buffer += content

    def _late(self) -> LostError:
        if self._limit.was_too_slow():
            rate = MIN_BYTES_PER_S // 1024
            return LostError(f"The connection to {self._server.host} is too slow: less than {rate} KB a second.")
        return LostError(f"{self._server.host} did not answer within {self._limit.seconds:g} seconds.")

    def _broken(self) -> LostError:
        return LostError(f"The connection to {self._server.host} broke. It may be restarting.")
