"""A store that moves to another folder or computer: a copy to take away, and what a copy must become to go on there."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from scheduler.store import migrations, retention
from scheduler.store.backups import FILE, copy_store
from scheduler.store.connection import connect, explained, is_whole
from scheduler.store.errors import NewerStoreError, StoreDamagedError, StoreError
from scheduler.store.health import replace
from scheduler.store.suspension import suspend

_AT_ONCE = 1_000
_UNDERWAY = "It was under way when this was exported. Whoever exported it goes on with it."


class NotOursError(StoreError):
    """A file that is no store of ours, or no whole one."""

    def __init__(self) -> None:
        super().__init__("The data in that file is damaged or not of Dayhand, so nothing was changed.")


def copy_out(folder: Path, target: Path, now: datetime, *, history: bool) -> None:
    """Write a copy of the store, which may be in use; without its history only what is still open comes along."""
    with explained(target):
        copy_store(folder / FILE, target)
        with closing(connect(target)) as db:
            while not history and retention.prune(db, now + timedelta(milliseconds=1), now, _AT_ONCE):
                pass
            db.execute("VACUUM")  # what was forgotten long ago does not travel


def check(path: Path) -> None:
    """StoreError unless it is a whole store that this version can read: its tables, and nothing that acts by itself."""
    try:
        with closing(connect(path, read_only=True)) as db:
            db.execute("PRAGMA trusted_schema = OFF")
            version = migrations.version_of(db)
            migrations.refuse_newer(db)
            if version < 1 or _schema(db) != _schema_of(version) or not is_whole(db):
                raise NotOursError
            if db.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise NotOursError
    except NewerStoreError as error:
        raise StoreError("That file was written by a newer Dayhand. Nothing was changed; update this one.") from error
    except (sqlite3.Error, StoreDamagedError) as error:
        raise NotOursError from error


def take_in(folder: Path, source: Path, adjust: Callable[[sqlite3.Connection], None], now: datetime) -> Path | None:
    """Put a checked copy in place of the folder's store, which is set aside; where that is.

    Everything arrives paused. What was under way stays with where it came from: nothing is done twice.
    """

    def make(unfinished: Path) -> None:
        copy_store(source, unfinished)
        with closing(connect(unfinished)) as db:
            migrations.migrate(db)
            db.execute("BEGIN IMMEDIATE")
            suspend(db, now, _UNDERWAY)
            adjust(db)
            db.execute("COMMIT")

    with explained(folder / FILE):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return replace(folder, make, now)


def is_used(db: sqlite3.Connection) -> bool:
    """Whether it holds anything that a person would miss."""
    tables = ("workflows", "connections", "runs")
    return any(db.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None for table in tables)


def _schema(db: sqlite3.Connection) -> set[tuple[str, str, str | None]]:
    return {(row[0], row[1], row[2]) for row in db.execute("SELECT type, name, sql FROM sqlite_schema")}


def _schema_of(version: int) -> set[tuple[str, str, str | None]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrations.migrate(db, version)
        return _schema(db)
