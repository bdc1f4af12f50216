"""How long one exchange with a server may take: as long as bytes move, but not for ever.

The rule for everything that is sent and received: something moves within `seconds`, and all of it together takes at
most `seconds` and the time that the bytes so far need at the slowest rate that is accepted.
"""

from time import monotonic

from scheduler.connections.dialling import Deadline

MIN_BYTES_PER_SECOND = 10_000
"""Slower than any connection that can be worked with: 25 MB may take 42 minutes, a megabyte 100 seconds, and a server
that sends a byte a second is given up on after `seconds`."""


class TransferLimit(Deadline):
    """One for a whole exchange, from the first attempt to reach the server to the last byte of its answer."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self._began = self._progress = monotonic()
        self._moved = 0

    def moved(self, count: int) -> None:
        """So many bytes more were sent or received."""
        if count > 0:
            self._moved += count
            self._progress = monotonic()

    def left(self) -> float:
        """How long to wait for the next byte; TimeoutError if there is no time left."""
        without_progress = self._progress + self.seconds
        in_all = self._began + self.seconds + self._moved / MIN_BYTES_PER_SECOND
        left = min(without_progress, in_all) - monotonic()
        if left <= 0:
            raise TimeoutError
        return left
