"""Chores for quiet moments: let the history's index follow, and forget what is old. A little at a time."""

from collections.abc import Callable
from datetime import datetime, timedelta

from scheduler.engine.context import Context
from scheduler.store import history, retention

KEPT = timedelta(days=365)
_INDEXED_AT_ONCE = 500
_FORGOTTEN_AT_ONCE = 200
_BETWEEN = timedelta(hours=1)


class Tidying:
    """Belongs to the engine's thread."""

    def __init__(self, context: Context, kept: timedelta = KEPT, clean_up: Callable[[], object] = lambda: None) -> None:
        """`clean_up` is called when all that is old was forgotten: what hung on it can go, too."""
        self._context = context
        self._kept = kept
        self._clean_up = clean_up
        self._forgot: datetime | None = None

    def step(self) -> bool:
        """Do a little; says whether there is more. Reads only, if there is nothing to do."""
        return self._index() or self._forget()

    def _index(self) -> bool:
        if not history.is_behind(self._context.database.read()):
            return False
        with self._context.database.write() as db:
            return history.index_some(db, _INDEXED_AT_ONCE)

    def _forget(self) -> bool:
        """Once an hour look for what is too old, and go on until there is no more of it."""
        now = self._context.clock.now()
        if self._forgot is not None and self._forgot <= now < self._forgot + _BETWEEN:
            return False
        with self._context.database.write() as db:
            gone = retention.prune(db, now - self._kept, now, _FORGOTTEN_AT_ONCE)
        if gone:
            return True
        self._forgot = now
        self._clean_up()
        return False
