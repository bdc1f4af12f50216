"""The host's end of the conversation with one worker."""

import os
import time
from threading import Lock

from dayhand import _protocol as protocol

from scheduler.workers.limits import Limits
from scheduler.workers.system import read, unblock, write_all

_CHUNK = 1 << 14
_AT_ONCE = 1 << 20
"""Bytes that are taken before what they say is dealt with, however fast a script writes more."""


class StoppedListeningError(Exception):
    """The worker takes no more messages."""


class Channel:
    """Two pipes, never waited for longer than the caller allows. Any thread may send."""

    def __init__(self, reading: int, writing: int, limits: Limits) -> None:
        unblock(reading)
        unblock(writing)
        self.reading = reading
        self._writing = writing
        self._limit = limits.inputs
        self._inbox = protocol.Inbox(limits.message, protocol.MOST_VALUES)
        self._lock = Lock()
        self._is_closed = False

    def send(self, message: protocol.Message, *, within: float) -> None:
        """Send it whole; TooLargeError before the first byte, StoppedListeningError if it cannot be sent in time."""
        data = protocol.encode(message, self._limit)
        deadline = time.monotonic() + within
        with self._lock:
            if self._is_closed:
                raise StoppedListeningError
            try:
                write_all(self._writing, data, deadline)
            except OSError as error:
                raise StoppedListeningError from error

    def receive(self) -> list[protocol.Message]:
        """What has arrived, without waiting: perhaps nothing whole yet, perhaps not all.

        StoppedListeningError: it hung up; GarbageError: that is no message.
        """
        messages: list[protocol.Message] = []
        for _ in range(_AT_ONCE // _CHUNK):
            try:
                data = read(self.reading, _CHUNK)
            except BlockingIOError:
                return messages
            if not data:
                if messages:
                    return messages
                raise StoppedListeningError
            messages += self._inbox.feed(data)
            if len(data) < _CHUNK:
                break
        return messages

    def close(self) -> None:
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                os.close(self.reading)
                os.close(self._writing)
