"""The seam between runs, which fail, and whoever has their scripts repaired."""

import sqlite3
from datetime import datetime
from typing import Protocol

from scheduler.store.requests import RequestRow


class Repairing(Protocol):
    def take(self, db: sqlite3.Connection, run: str, now: datetime) -> None:
        """A run has ended badly, in a transaction of the caller's: have its script repaired, if that is wanted."""

    def recover(self, db: sqlite3.Connection, now: datetime) -> None:
        """After a restart: what was being repaired goes on, or is left to the person."""

    def accept(self, db: sqlite3.Connection, row: RequestRow, now: datetime) -> None:
        """The person said yes to a repair, or to one that was used without asking."""

    def decline(self, db: sqlite3.Connection, row: RequestRow, now: datetime) -> None:
        """The person said no."""


class NoRepairs:
    """Nobody repairs anything."""

    def take(self, db: sqlite3.Connection, run: str, now: datetime) -> None:
        pass

    def recover(self, db: sqlite3.Connection, now: datetime) -> None:
        pass

    def accept(self, db: sqlite3.Connection, row: RequestRow, now: datetime) -> None:
        pass

    def decline(self, db: sqlite3.Connection, row: RequestRow, now: datetime) -> None:
        pass
