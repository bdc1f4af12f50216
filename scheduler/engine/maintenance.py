"""Work for idle moments, in small steps: update the history index and delete what is too old.

While the engine is never idle, only the index is updated; searches also read what it has not reached yet.
"""

import json
from collections.abc import Callable
from datetime import datetime, timedelta

from scheduler.engine.context import EngineContext
from scheduler.rules.trusted_time import ClockStability, Sightings, add_sighting, find_trusted_time
from scheduler.store import history_index, key_values, retention

_INDEX_ROWS_IDLE, _INDEX_ROWS_BUSY = 500, 50
_MAX_INDEX_LAG = 100
_PRUNE_ROWS = 200
_PRUNE_INTERVAL = timedelta(hours=1)
_PRUNE_FRACTION, _MIN_PRUNE_ROWS = 20, 500
"""At most a twentieth of all runs is deleted in an hour, or this many rows where that is fewer."""
_SIGHTINGS = "clock sightings"
"""The stored key for the times at which the clock was steady."""


class Maintenance:
    """Belongs to the engine thread. How long history is kept is read from the settings, which may change."""

    def __init__(self, context: EngineContext, clean_up: Callable[[], object] = lambda: None) -> None:
        """`clean_up` is called when everything too old is deleted: what depended on it can go, too."""
        self._context = context
        self._clean_up = clean_up
        self._last_round: tuple[datetime, timedelta | None] | None = None
        """When the last round of deleting ended, and how long history was kept then."""
        self._rows_left: int | None = None
        """How many rows this round may still delete; None between two rounds."""
        self._steadiness = ClockStability()
        self._sightings: Sightings | None = None

    def step(self) -> bool:
        """Do a little; returns whether there is more. Only reads if there is nothing to do."""
        return self._index() or self._delete_old()

    def index_while_busy(self) -> bool:
        """Index a few rows while the engine is busy, if the index is far behind; returns whether there is more."""
        if history_index.count_unindexed(self._context.database.read()) <= _MAX_INDEX_LAG:
            return False
        with self._context.database.write() as db:
            history_index.index_batch(db, _INDEX_ROWS_BUSY)
        return True

    def _index(self) -> bool:
        if not history_index.count_unindexed(self._context.database.read()):
            return False
        with self._context.database.write() as db:
            return history_index.index_batch(db, _INDEX_ROWS_IDLE)

    def _delete_old(self) -> bool:
        """Once an hour, and when the user changes the setting, delete what is too old, at most a small share."""
        now, kept = self._context.clock.now(), self._context.settings.kept
        trusted = self._trusted_now(now)
        if self._last_round is not None:
            then, kept_then = self._last_round
            if then <= now < then + _PRUNE_INTERVAL and kept == kept_then:
                return False
        if kept is not None and trusted is not None and self._prune(trusted - kept, now):
            return True
        self._last_round, self._rows_left = (now, kept), None
        self._clean_up()
        return False

    def _prune(self, before: datetime, now: datetime) -> bool:
        """Delete a few rows; returns whether to continue."""
        if self._rows_left is None:
            self._rows_left = max(
                _MIN_PRUNE_ROWS, retention.count_runs(self._context.database.read()) // _PRUNE_FRACTION
            )
        with self._context.database.write() as db:
            gone = retention.prune(db, before, now, min(_PRUNE_ROWS, self._rows_left))
        self._rows_left -= gone
        return gone > 0 and self._rows_left > 0

    def _trusted_now(self, now: datetime) -> datetime | None:
        """The time to measure age by; at most one write a day."""
        is_steady = self._steadiness.is_stable(now, self._context.clock.monotonic())
        if self._sightings is None:
            written = key_values.read(self._context.database.read(), _SIGHTINGS)
            self._sightings = tuple(map(datetime.fromisoformat, json.loads(written or "[]")))
        if is_steady and (seen := add_sighting(self._sightings, now)) != self._sightings:
            with self._context.database.write() as db:
                key_values.write(db, _SIGHTINGS, json.dumps([one.isoformat() for one in seen]))
            self._sightings = seen
        return find_trusted_time(self._sightings, now)
