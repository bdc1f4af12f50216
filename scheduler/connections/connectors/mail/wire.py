"""One connection to a mail server: one deadline for all of it, and an end to what is read. It knows no protocol."""

import base64
import errno
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from scheduler.connections.connector import Field, FieldKind, ToolFailedError
from scheduler.connections.connectors.mistakes import wrong
from scheduler.rules.failures import Failure, FailureClass

_OFFLINE = (errno.ENETUNREACH, errno.ENETDOWN)
_MOST = 80 * 1024 * 1024
"""Bytes that one call may read, whatever it is for."""
_CHUNK = 64 * 1024
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
        return cls(
            host=settings["host"].strip(),
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
        self._server = server
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._left = _MOST
        self._buffer = bytearray()
        self._socket = self._connect()
        try:
            if server.security == "tls":
                self.secure()
        except BaseException:
            self.close()
            raise

    def seconds_left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def secure(self) -> None:
        """Everything from here on is encrypted; what was said in the clear does not count any more."""
        host = self._server.host
        if self._buffer:
            raise LostError(f"{host} went on in the clear after it had agreed to encrypt, so nothing was sent.")
        try:
            self._socket.settimeout(self.seconds_left())
            self._socket = ssl.create_default_context().wrap_socket(self._socket, server_hostname=host)
        except ssl.SSLCertVerificationError as error:
            raise LostError(
                f"{host} could not prove that it is {host} ({error.verify_message.rstrip('.')}), so nothing was sent. "
                "If this network asks for a login, log in; else let whoever runs the server renew its certificate."
            ) from error
        except TimeoutError as error:
            raise self._late() from error
        except (OSError, ValueError) as error:
            raise LostError(
                f"No secure connection to {host} could be made. Look whether its port and encryption are right."
            ) from error

    def send(self, content: bytes) -> None:
        left = memoryview(content)
        try:
            while left:
                self._socket.settimeout(self.seconds_left())
                left = left[self._socket.send(left[:_CHUNK]) :]
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

    def too_much(self) -> TooMuchError:
        return TooMuchError(f"{self._server.host} sent more than anybody needs, so the rest was not read.")

    def close(self) -> None:
        with suppress(OSError):
            self._socket.close()

    def _receive(self) -> None:
        if self._left <= 0:
            raise self.too_much()
        try:
            self._socket.settimeout(self.seconds_left())
            content = self._socket.recv(_CHUNK)
        except TimeoutError as error:
            raise self._late() from error
        except OSError as error:
            raise self._broken() from error
        if not content:
            raise self._broken()
        self._left -= len(content)
        self._buffer += content

    def _late(self) -> LostError:
        return LostError(f"{self._server.host} did not answer within {self._seconds:g} seconds.")

    def _broken(self) -> LostError:
        return LostError(f"The connection to {self._server.host} broke. It may be restarting.")

    def _connect(self) -> socket.socket:
        host = self._server.host
        if not 0 < self._server.port < 65_536:  # the system would take another one silently
            raise wrong(f"{self._server.port} is not a port of {host}. Connect again with the right one.")
        failure: OSError | None = None
        try:
            for family, kind, protocol, _, address in self._resolve():
                connecting = socket.socket(family, kind, protocol)
                try:
                    connecting.settimeout(self.seconds_left())
                    connecting.connect(address)
                except OSError as error:
                    connecting.close()
                    failure = error
                else:
                    return connecting
        except TimeoutError as error:
            failure = failure or error
        except (socket.gaierror, ValueError) as error:
            offline = isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN
            sentence = f"{host} was not found. Look whether this computer is online and the server's name is right."
            raise _not_reached(sentence, offline=offline) from error
        if failure is None or isinstance(failure, TimeoutError):
            raise self._late() from failure
        sentence = f"{host} could not be reached ({failure.strerror}). Look whether it runs and its port is right."
        raise _not_reached(sentence, offline=failure.errno in _OFFLINE) from failure

    def _resolve(self) -> list[Any]:
        """The addresses. The system's look-up knows no deadline, so it is left behind when ours comes."""
        host, port = self._server.host, self._server.port
        with suppress(socket.gaierror, UnicodeError):
            return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
        found: list[Any] = []
        failed: list[Exception] = []

        def look_up() -> None:
            try:
                found.extend(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
            except (OSError, ValueError) as error:
                failed.append(error)

        looking = threading.Thread(target=look_up, name="look up", daemon=True)
        looking.start()
        looking.join(self.seconds_left())
        if failed:
            raise failed[0]
        if looking.is_alive():
            raise TimeoutError
        return found


def _not_reached(sentence: str, *, offline: bool) -> ToolFailedError:
    """Being offline brings nobody nearer to being blocked."""
    return ToolFailedError(Failure(kind=FailureClass.TRANSIENT, sentence=sentence, counts=not offline))
