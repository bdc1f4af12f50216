"""A socket for the libraries that write requests and read answers: limited in time, and in what comes before a body."""

import io
import re
import socket
from contextlib import suppress
from typing import Any

from scheduler.connections.transfer_limits import TransferLimit

_MAX_HEADER_BYTES = 60 * 1024
_SEND_BUFFER_BYTES = 128 * 1024
"""The system takes twice as much. What it has taken counts as sent, so it must be gone within the limit on the slowest
line that is accepted."""
_MAX_INFORMATIONAL = 1000
_INFORMATIONAL = re.compile(rb"HTTP/1\.[01] 1(?!01)[0-9]{2}(?![0-9])")
"""101 is none of them: it would be the last answer in this protocol."""
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")


class TooManyHeadersError(Exception):
    """More than any server needs before the body begins."""


class LimitedSocket:
    """What of a socket the libraries use; each wait ends by the limit, however little arrives at a time."""

    def __init__(self, inner: socket.socket, limit: TransferLimit) -> None:
        with suppress(OSError):  # the connection broke already, which sending will tell
            inner.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
        self._inner = inner
        self._limit = limit
        self.reader = LimitedReader(inner, limit)

    def settimeout(self, _: float | None) -> None:
        """The limit decides."""

    def sendall(self, content: Any) -> None:
        left = memoryview(content)
        while left:
            self._inner.settimeout(self._limit.left())
            sent = self._inner.send(left)
            self._limit.note_progress(sent)
            left = left[sent:]

    def makefile(self, _mode: str = "rb", *_: Any) -> io.BufferedReader:
        return io.BufferedReader(self.reader)

    def close(self) -> None:
        """The body may still be read: whoever made the socket closes it."""

    def shutdown(self, how: int) -> None:
        self._inner.shutdown(how)


class LimitedReader(io.RawIOBase):
    """What arrives; until `headers_done` an end is a break, and only so much is read."""

    def __init__(self, inner: socket.socket, limit: TransferLimit) -> None:
        self._inner = inner
        self._limit = limit
        self._header_bytes: int | None = 0
        self._pending = b""
        """Arrived, and not handed on yet."""

    def skip_informational(self) -> None:
        """Read past answers such as 102 and 103, which announce the one that counts."""
        for _ in range(_MAX_INFORMATIONAL):
            while b"\n" not in self._pending:
                self._pending += self._receive()
            if not _INFORMATIONAL.match(self._pending):
                return
            while not (end := _END_OF_HEADERS.search(self._pending)):
                self._pending += self._receive()
            self._pending = self._pending[end.end() :]
        raise TooManyHeadersError

    def headers_done(self) -> None:
        self._header_bytes = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self._pending or self._receive(len(buffer))
        handed, self._pending = content[: len(buffer)], content[len(buffer) :]
        buffer[: len(handed)] = handed
        return len(handed)

    def _receive(self, size: int = 8192) -> bytes:
        self._inner.settimeout(self._limit.left())
        content = self._inner.recv(size)
        self._limit.left()  # what came too late does not count
        self._limit.note_progress(len(content))
        if self._header_bytes is not None:
            if not content:  # the library would take half of the headers for all of them
                raise ConnectionAbortedError
            self._header_bytes += len(content)
            if self._header_bytes > _MAX_HEADER_BYTES:
                raise TooManyHeadersError
        return content
