"""Writing what must not be lost although the store refuses for now: again and again until there is room."""

import sqlite3
from collections.abc import Callable
from threading import Event
from typing import TypeVar

from scheduler.engine.context import Context
from scheduler.engine.launcher import Announcement
from scheduler.store.errors import StaleError, StoreClosedError, StoreError

_WAITS = (0.5, 1.0, 2.0, 5.0)

Written = TypeVar("Written")


class Insistence:
    """Any thread may insist. It ends when the app closes: what was not written is found by the next start."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._closing = Event()

    def close(self) -> None:
        self._closing.set()

    def write(self, write: Callable[[sqlite3.Connection], Written], *, durable: bool = False) -> Written:
        """One transaction, which is tried until the store takes it; `write` reads the clock anew each time."""
        tries = 0
        while True:
            try:
                with self._context.database.write(durable=durable) as db:
                    return write(db)
            except (StoreClosedError, StaleError):
                raise
            except StoreError as error:
                if tries == 0:
                    self._context.tell(Announcement("store", str(error), is_warning=True))
                if self._closing.wait(_WAITS[min(tries, len(_WAITS) - 1)]):
                    raise
                tries += 1
