"""A launcher that starts nothing: for measuring what comes before a start."""

import sqlite3
from datetime import datetime

from scheduler.engine.scheduling.engine import EngineParts
from scheduler.engine.scheduling.launcher import Work
from scheduler.rules.lanes import Candidate


class NullLauncher:
    def attach(self, parts: EngineParts) -> "NullLauncher":
        """Called by an engine to get its launcher."""
        return self

    def list_ready(self, db: sqlite3.Connection, now: datetime) -> list[tuple[Candidate, Work]]:
        return []

    def start(self, work: Work) -> None:
        return

    def stop(self, key: str, *, kill: bool) -> None:
        return

    def abandon(self, db: sqlite3.Connection, key: str, now: datetime) -> None:
        return

    def recover(self, db: sqlite3.Connection, now: datetime) -> set[str]:
        return set()

    def close(self) -> None:
        return
