"""Chores for quiet moments: let the history's index follow, and forget what is old. A little at a time.

Where there are no quiet moments, only the index follows, at a distance: searching reads what it has not reached.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from scheduler.engine.context import Context
from scheduler.store import history, retention

_INDEXED_AT_ONCE, _INDEXED_MEANWHILE = 500, 50
_FAR_BEHIND = 100
_FORGOTTEN_AT_ONCE = 200
_BETWEEN = timedelta(hours=1)


class Tidying:
    """Belongs to the engine's thread. How long history is kept is read from the settings, which may change."""

    def __init__(self, context: Context, clean_up: Callable[[], object] = lambda: None) -> None:
        """`clean_up` is called when all that is old was forgotten: what hung on it can go, too."""
        self._context = context
        self._clean_up = clean_up
        self._forgot: tuple[datetime, timedelta | None] | None = None
        """When all that was too old had gone, and how long things were kept then."""

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
        """Once an hour, and when the person changed their mind, look for what is too old until there is no more."""
        now, kept = self._context.clock.now(), self._context.settings.kept
        if self._forgot is not None:
            then, kept_then = self._forgot
            if then <= now < then + _BETWEEN and kept == kept_then:
                return False
        if kept is not None:
            with self._context.database.write() as db:
                if retention.prune(db, now - kept, now, _FORGOTTEN_AT_ONCE):
                    return True
        self._forgot = (now, kept)
        self._clean_up()
        return False
