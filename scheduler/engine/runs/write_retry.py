"""Retries writes that must not be lost until the store accepts them."""

import sqlite3
from collections.abc import Callable
from threading import Event
from typing import TypeVar

from scheduler.engine.scheduling.launcher import Announce, Announcement
from scheduler.store.database import Database
from scheduler.store.errors import StaleError, StoreClosedError, StoreError

_DELAYS_S = (0.5, 1.0, 2.0, 5.0)

Written = TypeVar("Written")


class RetryingWriter:
    """Thread-safe. Stops retrying when the app closes; recovery handles the rest at the next start."""

    def __init__(self, database: Database, report_change: Announce) -> None:
        self._database = database
        self._report_change = report_change
        self._closing = Event()

    def close(self) -> None:
        self._closing.set()

    def write(self, write: Callable[[sqlite3.Connection], Written], *, durable: bool = False) -> Written:
        """Retry one transaction until the store accepts it; `write` must read the clock on each try."""
        tries = 0
        while True:
            try:
                with self._database.write(durable=durable) as db:
                    return write(db)
            except (StoreClosedError, StaleError):
                raise
            except StoreError as error:
                if tries == 0:
                    self._report_change(Announcement("store", str(error), is_warning=True))
                if self._closing.wait(_DELAYS_S[min(tries, len(_DELAYS_S) - 1)]):
                    raise
                tries += 1
