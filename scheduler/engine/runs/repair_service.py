"""The interface between failed runs and the repair of their scripts."""

import sqlite3
from datetime import datetime
from typing import Protocol

from scheduler.store.requests import RequestRow


class RepairService(Protocol):
    def repair_failed_run(self, db: sqlite3.Connection, run: str, now: datetime) -> None:
        """A run has failed, in the caller's transaction: start a repair if a fixer is set up."""

    def recover(self, db: sqlite3.Connection, now: datetime) -> None:
        """After a restart: continue repairs, or leave them to the user."""

    def accept(self, db: sqlite3.Connection, row: RequestRow, now: datetime) -> None:
        """The user approved a repair, or one that was applied without asking."""

    def decline(self, db: sqlite3.Connection, row: RequestRow, now: datetime) -> None:
        """The user rejected it."""
