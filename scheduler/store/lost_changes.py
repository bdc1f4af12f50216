"""What is done at the next start if the newest changes to the store were lost while no app ran."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from scheduler.store import commit_sequence, schedules
from scheduler.store.backups import STORE_FILE
from scheduler.store.suspension import suspend_everything
from scheduler.user_text import UserText

_CANCELLED_BY_LOSS = UserText("The newest changes to Dayhand's data were lost. What it did is not known.")
_PAUSED_BY_LOSS = UserText("The newest changes to Dayhand's data were lost. Check what ran last, then resume.")


@dataclass(frozen=True, slots=True)
class LostChanges:
    """The newest changes to the store are gone, although the file is sound: each workflow is paused, with a note."""

    number: int

    def describe(self, restore: str = "") -> str:
        """One sentence; a backup would be older still, so `restore` is not offered."""
        del restore
        return UserText(
            "The newest changes to your data file {store_file} are missing: the file beside it that ends in -wal was "
            "deleted or cut, or the data file is an older copy. What ran last is not recorded, so all workflows are "
            "paused. Check what they did, then resume them.",
            store_file=STORE_FILE,
        )


def suspend_after_loss(path: Path, connection: sqlite3.Connection, now: datetime) -> LostChanges | None:
    """If the store is older than it was, nothing may run again unasked."""
    expected = commit_sequence.read_expected(path)
    number = expected - commit_sequence.read(connection)
    if number <= 0:
        return None
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("BEGIN IMMEDIATE")
    suspend_everything(connection, now, _CANCELLED_BY_LOSS)
    schedules.pause_all(connection, _PAUSED_BY_LOSS)
    commit_sequence.write(connection, expected)
    connection.execute("COMMIT")
    return LostChanges(number)
