"""Chores for quiet moments: let the history's index follow, and forget what is old. A little at a time.

Where there are no quiet moments, only the index follows, at a distance: searching reads what it has not reached.
"""

import json
from collections.abc import Callable
from datetime import datetime, timedelta

from scheduler.engine.context import Context
from scheduler.rules.trusted_time import Sightings, Steadiness, add_sighting, trusted_time
from scheduler.store import facts, history, retention

_INDEXED_AT_ONCE, _INDEXED_MEANWHILE = 500, 50
_FAR_BEHIND = 100
_FORGOTTEN_AT_ONCE = 200
_BETWEEN = timedelta(hours=1)
_SHARE, _FEWEST_PER_ROUND = 20, 500
"""In an hour a twentieth of all runs is forgotten at most, or so many rows where there are few."""
_SIGHTINGS = "clock sightings"
"""The fact that keeps at which times the clock held."""


class Tidying:
    """Belongs to the engine's thread. How long history is kept is read from the settings, which may change."""

    def __init__(self, context: Context, clean_up: Callable[[], object] = lambda: None) -> None:
        """`clean_up` is called when all that is old was forgotten: what hung on it can go, too."""
        self._context = context
        self._clean_up = clean_up
        self._forgot: tuple[datetime, timedelta | None] | None = None
        """When all that was too old had gone, or as much as may go at once, and how long things were kept then."""
        self._allowed: int | None = None
        """How many rows may still go in this round; None between two rounds."""
        self._steadiness = Steadiness()
        self._sightings: Sightings | None = None

    def step(self) -> bool:
        """Do a little; says whether there is more. Reads only, if there is nothing to do."""
        return self._index() or self._forget()

    def keep_up(self) -> bool:
        """Do very little of what cannot wait, while others are at work; says whether there is more."""
        if history.lag(self._context.database.read()) <= _FAR_BEHIND:
            return False
        with self._context.database.write() as db:
            history.index_some(db, _INDEXED_MEANWHILE)
        return True

    def _index(self) -> bool:
        if not history.lag(self._context.database.read()):
            return False
        with self._context.database.write() as db:
            return history.index_some(db, _INDEXED_AT_ONCE)

    def _forget(self) -> bool:
        """Once an hour, and when the person changed their mind, look for what is too old: a small share at most."""
        now, kept = self._context.clock.now(), self._context.settings.kept
        trusted = self._trusted(now)
        if self._forgot is not None:
            then, kept_then = self._forgot
            if then <= now < then + _BETWEEN and kept == kept_then:
                return False
        if kept is not None and trusted is not None and self._prune(trusted - kept, now):
            return True
        self._forgot, self._allowed = (now, kept), None
        self._clean_up()
        return False

    def _prune(self, before: datetime, now: datetime) -> bool:
        """Forget a little; whether to go on."""
        if self._allowed is None:
            self._allowed = max(_FEWEST_PER_ROUND, retention.count(self._context.database.read()) // _SHARE)
        with self._context.database.write() as db:
            gone = retention.prune(db, before, now, min(_FORGOTTEN_AT_ONCE, self._allowed))
        self._allowed -= gone
        return gone > 0 and self._allowed > 0

    def _trusted(self, now: datetime) -> datetime | None:
        """By which time something may be too old; at most one write a day."""
        is_steady = self._steadiness.holds(now, self._context.clock.monotonic())
        if self._sightings is None:
            written = facts.read(self._context.database.read(), _SIGHTINGS)
            self._sightings = tuple(map(datetime.fromisoformat, json.loads(written or "[]")))
        if is_steady and (seen := add_sighting(self._sightings, now)) != self._sightings:
            with self._context.database.write() as db:
                facts.write(db, _SIGHTINGS, json.dumps([one.isoformat() for one in seen]))
            self._sightings = seen
        return trusted_time(self._sightings, now)
