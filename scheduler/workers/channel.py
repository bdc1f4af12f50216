"""The host's ends of a worker's pipes: messages in both directions, and what the script prints."""

import codecs
import os
import time
from collections.abc import Callable
from threading import Lock

from dayhand import _protocol as protocol

from scheduler.workers.script import MEGABYTE, Limits
from scheduler.workers.system import read, set_nonblocking, write_all

_CHUNK_BYTES = 1 << 14
_MAX_MESSAGE_BYTES = 1 << 20
"""Read at once before the messages are handled, however fast a script writes more."""
_MAX_OUTPUT_BYTES = 1 << 21
_MAX_END_BYTES = 1 << 16
"""Read at once before messages get a turn, however fast a script prints more."""


class ChannelClosedError(Exception):
    """The worker no longer reads messages, or has closed its end."""


class Channel:
    """Two pipes that never block longer than the caller allows. Any thread may send."""

    def __init__(self, reading: int, writing: int, limits: Limits) -> None:
        set_nonblocking(reading)
        set_nonblocking(writing)
        self.reading = reading
        self._writing = writing
        self._limit = limits.inputs
        self._inbox = protocol.Inbox(limits.message, protocol.MAX_VALUES)
        self._lock = Lock()
        self._is_closed = False

    def send(self, message: protocol.Message, *, within: float) -> None:
        """Send the whole message; TooLargeError before the first byte, ChannelClosedError if it takes too long."""
        data = protocol.encode(message, self._limit)
        deadline = time.monotonic() + within
        with self._lock:
            if self._is_closed:
                raise ChannelClosedError
            try:
                write_all(self._writing, data, deadline)
            except OSError as error:
                raise ChannelClosedError from error

    def receive(self) -> list[protocol.Message]:
        """The messages that are complete by now, without waiting; may be empty.

        ChannelClosedError: the worker closed its end; GarbageError: the bytes are not a message.
        """
        messages: list[protocol.Message] = []
        for _ in range(_MAX_MESSAGE_BYTES // _CHUNK_BYTES):
            try:
                data = read(self.reading, _CHUNK_BYTES)
            except BlockingIOError:
                return messages
            if not data:
                if messages:
                    return messages
                raise ChannelClosedError
            messages += self._inbox.feed(data)
            if len(data) < _CHUNK_BYTES:
                break
        return messages

    def close(self) -> None:
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                os.close(self.reading)
                os.close(self._writing)


class OutputReader:
    """The read end of a worker's standard output; drained always. Of much output, the beginning and the end are kept.

    The write end belongs to the worker and all its children.
    """

    def __init__(self, descriptor: int) -> None:
        set_nonblocking(descriptor)
        self._descriptor = descriptor
        self.start_phase(0, lambda _: None)

    def start_phase(self, limit: int, keep: Callable[[str], None]) -> None:
        """Start a new phase with the full limit; `keep` gets the text."""
        self._most_at_end = min(limit // 4, _MAX_END_BYTES)
        self._left = self._most_at_start = limit - self._most_at_end
        self._end, self._cut = bytearray(), 0
        self._keep = keep
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def end_phase(self) -> None:
        """Pass on the end of the output: why something failed is usually written there."""
        if self._cut:
            start, end = _format_size(self._most_at_start), _format_size(self._most_at_end)
            self._keep(f"\n[Dayhand keeps the first {start} and the last {end} of a run's output; the rest was cut.]\n")
            line = self._end.find(b"\n") + 1
            self._keep(bytes(self._end[line:]).decode("utf-8", "replace"))
        elif text := self._decoder.decode(self._end):
            self._keep(text)
        self._end, self._cut = bytearray(), 0

    def drain(self) -> bool:
        """Read what has arrived, without waiting; False once every write end is closed."""
        for _ in range(_MAX_OUTPUT_BYTES // _CHUNK_BYTES):
            try:
                data = read(self._descriptor, _CHUNK_BYTES)
            except BlockingIOError:
                return True
            if not data:
                return False
            self._take(data)
            if len(data) < _CHUNK_BYTES:
                break
        return True

    def _take(self, data: bytes) -> None:
        kept, self._left = data[: self._left], self._left - min(len(data), self._left)
        if text := self._decoder.decode(kept):
            self._keep(text)
        self._end += data[len(kept) :]
        if (too_much := len(self._end) - self._most_at_end) > 0:
            del self._end[:too_much]
            self._cut += too_much


def _format_size(size: int) -> str:
    return f"{size / MEGABYTE:g} MB" if size >= MEGABYTE else f"{size // 1024} KB" if size >= 1024 else f"{size} bytes"
