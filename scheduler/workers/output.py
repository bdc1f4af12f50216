"""What a script prints: drained always, kept up to a limit."""

import codecs
from collections.abc import Callable

from scheduler.workers.limits import MEGABYTE
from scheduler.workers.system import read, unblock

_CHUNK = 1 << 14
_AT_ONCE = 1 << 21
"""Bytes that are taken before others get a turn, however fast a script prints more."""


class Output:
    """The reading end of a worker's log. The write end belongs to the worker and all its children."""

    def __init__(self, descriptor: int) -> None:
        unblock(descriptor)
        self._descriptor = descriptor
        self.begin(0, lambda _: None)

    def begin(self, limit: int, keep: Callable[[str], None]) -> None:
        """A new phase has the whole limit to itself."""
        self._left = self._limit = limit
        self._keep = keep
        self._is_cut = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def drain(self) -> bool:
        """Take what is there, or much of it, without waiting; False when nobody can write any more."""
        for _ in range(_AT_ONCE // _CHUNK):
            try:
                data = read(self._descriptor, _CHUNK)
            except BlockingIOError:
                return True
            if not data:
                return False
            self._take(data)
            if len(data) < _CHUNK:
                break
        return True

    def _take(self, data: bytes) -> None:
        kept, self._left = data[: self._left], self._left - min(len(data), self._left)
        if text := self._decoder.decode(kept):
            self._keep(text)
        if len(kept) < len(data) and not self._is_cut:
            self._is_cut = True
            self._keep(f"\n[Dayhand keeps the first {_say(self._limit)} of a run's output; the rest was cut.]\n")


def _say(size: int) -> str:
    return f"{size / MEGABYTE:g} MB" if size >= MEGABYTE else f"{size} bytes"
