"""What every host of an engine does around its ticks: recover once, notice clock jumps, and retry after a failure.

The host brings the timer: a QTimer in the app, a thread of its own in the library.
"""

import logging
from datetime import datetime, timedelta

from scheduler.engine.clock import Clock
from scheduler.engine.scheduling.engine import MAX_SLEEP, Engine
from scheduler.engine.scheduling.error_backoff import ErrorBackoff
from scheduler.engine.scheduling.launcher import Announce, Announcement

log = logging.getLogger(__name__)

_TICK = "tick"
_MAX_DRIFT = timedelta(seconds=5)
"""Between wall and monotonic time; beyond it the machine was asleep, or the clock was changed."""


class Ticker:
    """Belongs to the thread of the engine."""

    def __init__(self, engine: Engine, clock: Clock, announce: Announce) -> None:
        self._engine = engine
        self._clock = clock
        self._announce = announce
        self._has_recovered = False
        self._backoff = ErrorBackoff(longest=MAX_SLEEP.total_seconds())
        self._last: tuple[datetime, float] | None = None

    @property
    def is_delayed(self) -> bool:
        """Whether the last tick failed so recently that the next one must wait."""
        return bool(self._backoff.delayed(self._clock.monotonic()))

    def recovered(self) -> Engine:
        """The engine, after it has recovered the state of an earlier process; a failure is retried at the next call."""
        if not self._has_recovered:
            self._engine.recover()
            self._has_recovered = True
        return self._engine

    def tick(self, now: datetime) -> datetime:
        """Tick and return when to tick next. Never raises: a failure is logged, announced and retried later."""
        if self._has_jumped(now):
            self._engine.wake()
        try:
            return self.recovered().tick(now)
        except Exception as error:  # the outermost frame of a timer: logged, announced and retried
            log.exception("The tick failed")
            self._announce(
                Announcement("engine", f"Dayhand has a problem and will try again: {error}", is_warning=True)
            )
            monotonic = self._clock.monotonic()
            return now + timedelta(seconds=self._backoff.fail(_TICK, monotonic) - monotonic)

    def _has_jumped(self, now: datetime) -> bool:
        monotonic = self._clock.monotonic()
        last, self._last = self._last, (now, monotonic)
        if last is None:
            return False
        return abs((now - last[0]) - timedelta(seconds=monotonic - last[1])) > _MAX_DRIFT
