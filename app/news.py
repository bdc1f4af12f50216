"""What the engine announces, on its way to the thread of the window: each thing once, and never more than fits."""

from dataclasses import replace
from threading import Lock

from scheduler.engine.clock import Clock
from scheduler.engine.launcher import Announcement

_MOST = 1_000
"""Different announcements that wait while nobody listens, as when the window hangs; the oldest go first."""
_AGAIN_S = 600.0
"""Seconds after which the same warning is said again."""


class News:
    """Any thread may add; one takes."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._waiting: dict[Announcement, None] = {}
        self._warned: dict[str, float] = {}

    def add(self, announcement: Announcement) -> bool:
        """Whether it is the first since they were taken, so that somebody must be told to come."""
        with self._lock:
            if announcement.is_warning and self._was_said(announcement.sentence):
                announcement = replace(announcement, sentence="", is_warning=False)
            is_first = not self._waiting
            self._waiting[announcement] = None
            if len(self._waiting) > _MOST:
                del self._waiting[next(iter(self._waiting))]
            return is_first

    def take(self) -> list[Announcement]:
        """All that wait, the oldest first."""
        with self._lock:
            taken, self._waiting = list(self._waiting), {}
            return taken

    def _was_said(self, sentence: str) -> bool:
        now = self._clock.monotonic()
        self._warned = {one: at for one, at in self._warned.items() if now < at + _AGAIN_S}
        if sentence in self._warned:
            return True
        self._warned[sentence] = now
        if len(self._warned) > _MOST:
            del self._warned[next(iter(self._warned))]
        return False
