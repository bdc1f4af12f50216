"""How long one exchange with a server may take: as long as bytes move, but not for ever.

The rule for everything that is sent and received: something moves within `seconds`, and all of it together takes at
most `seconds` and the time that the bytes so far need at the slowest rate that is accepted.
"""

import math
from time import monotonic

from scheduler.connections.dialling import Deadline

MIN_BYTES_PER_S = 16 * 1024
"""A bad mobile line is faster. At this rate 25 MB take 27 minutes, and a server that sends a byte a second is given up
on after `seconds`."""


class TransferLimit(Deadline):
    """One for a whole exchange, from the first attempt to reach the server to the last byte of its answer.

    `max_bytes` is what may move in it: a server that goes on with more wins no time by that.
    """

    def __init__(self, seconds: float, max_bytes: float = math.inf) -> None:
        super().__init__(seconds)
        self._began = self._progress = monotonic()
        self._moved = 0
        self._max_bytes = max_bytes

    def note_progress(self, count: int) -> None:
        """So many bytes more were sent or received."""
        if count > 0:
            self._moved += count
            self._progress = monotonic()

    def left(self) -> float:
        """How long to wait for the next byte; TimeoutError if there is no time left."""
        left = min(self._progress + self.seconds, self._end_of_all()) - monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def was_too_slow(self) -> bool:
        """Whether a transfer was under way, and its time is over."""
        return self._moved > MIN_BYTES_PER_S and monotonic() >= self._end_of_all()

    def _end_of_all(self) -> float:
        return self._began + self.seconds + min(self._moved, self._max_bytes) / MIN_BYTES_PER_S
