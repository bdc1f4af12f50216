"""Limits for one exchange with a server, and a socket for urllib3 that enforces them.

Some bytes must move within every `seconds`, and the whole exchange may take at most `seconds` plus the time that the
bytes so far need at the minimum rate.
"""

import io
import math
import re
import socket
from contextlib import suppress
from time import monotonic
from typing import Any

from scheduler.connections.channel import StopSignal
from scheduler.connections.sockets import Deadline

MIN_BYTES_PER_S = 16 * 1024
"""Less than a bad mobile connection. At this rate 25 MB take 27 minutes, and a server that sends a byte per second
times out after `seconds`."""
_MAX_HEADER_BYTES = 60 * 1024
_SEND_BUFFER_BYTES = 128 * 1024
"""The system doubles this. What it has buffered counts as sent, so it must be transmitted within the limit even at the
minimum rate."""
_MAX_INFORMATIONAL_ANSWERS = 1000
_INFORMATIONAL = re.compile(rb"HTTP/1\.[01] 1(?!01)[0-9]{2}(?![0-9])")
"""Not 101, which would be the last answer in this protocol."""
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")


class TransferLimit(Deadline):
    """For a whole exchange, from connecting to the last byte of the answer.

    Bytes beyond `max_bytes` do not extend the time.
    """

    def __init__(self, seconds: float, max_bytes: float = math.inf) -> None:
        super().__init__(seconds)
        self._began = self._progress = monotonic()
        self._moved = 0
        self._max_bytes = max_bytes

    def note_progress(self, count: int) -> None:
        """Count bytes that were sent or received."""
        if count > 0:
            self._moved += count
            self._progress = monotonic()

    def left(self) -> float:
        """Seconds to wait for the next byte; TimeoutError if there are none left."""
        left = min(self._progress + self.seconds, self._deadline()) - monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def note_socket(self, used: socket.socket) -> None:
        """The socket that is used from now on."""

    def was_too_slow(self) -> bool:
        """Whether the timeout was due to the minimum rate."""
        return self._moved > MIN_BYTES_PER_S and monotonic() >= self._deadline()

    def _deadline(self) -> float:
        return self._began + self.seconds + min(self._moved, self._max_bytes) / MIN_BYTES_PER_S


class StreamLimit(TransferLimit):
    """For an answer that goes on and on: only silence ends it, or the signal."""

    def __init__(self, seconds: float, stop: StopSignal) -> None:
        super().__init__(seconds)
        self._stop = stop

    def note_socket(self, used: socket.socket) -> None:
        self._stop.watch(used)

    def left(self) -> float:
        left = self._progress + self.seconds - monotonic()
        if left <= 0 or self._stop.is_set:
            raise TimeoutError
        return left


class TooManyHeadersError(Exception):
    """The headers exceed what any server needs."""


class LimitedSocket:
    """The socket methods that urllib3 uses; every wait is bounded by the limit."""

    def __init__(self, inner: socket.socket, limit: TransferLimit) -> None:
        with suppress(OSError):  # already disconnected: sending will fail
            inner.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
        self._inner = inner
        self._limit = limit
        self.reader = LimitedReader(inner, limit)
        limit.note_socket(inner)

    def settimeout(self, _: float | None) -> None:
        """Ignored: the limit decides."""

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
        """Does nothing, as the body may still be read; the creator of the socket closes it."""

    def shutdown(self, how: int) -> None:
        self._inner.shutdown(how)


class LimitedReader(io.RawIOBase):
    """Reads from the socket; until `headers_done`, limits the size and treats the end of the stream as an error."""

    def __init__(self, inner: socket.socket, limit: TransferLimit) -> None:
        self._inner = inner
        self._limit = limit
        self._header_bytes: int | None = 0
        self._pending = b""
        """Received but not read yet."""

    def skip_informational(self) -> None:
        """Skip answers such as 102 and 103, which precede the final one."""
        for _ in range(_MAX_INFORMATIONAL_ANSWERS):
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
        given, self._pending = content[: len(buffer)], content[len(buffer) :]
        buffer[: len(given)] = given
        return len(given)

    def _receive(self, size: int = 8192) -> bytes:
        self._inner.settimeout(self._limit.left())
        content = self._inner.recv(size)
        self._limit.left()  # raises if it came too late
        self._limit.note_progress(len(content))
        if self._header_bytes is not None:
            if not content:  # http.client would accept truncated headers
                raise ConnectionAbortedError
            self._header_bytes += len(content)
            if self._header_bytes > _MAX_HEADER_BYTES:
                raise TooManyHeadersError
        return content
