"""A store that moves to another folder or computer: a copy to take away, and what a copy must become to go on there.

Whatever comes from a file is hostile. Its rows are read one by one, checked, and written into a store of our own
making: no table, trigger or index of the file is used here.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from scheduler.store import migrations, retention
from scheduler.store.backups import FILE, copy_store
from scheduler.store.connection import connect, explained, is_whole
from scheduler.store.errors import MigrationError, NewerStoreError, StoreDamagedError, StoreError
from scheduler.store.health import replace
from scheduler.store.import_rules import RULES, is_whole_source
from scheduler.store.suspension import suspend

_AT_ONCE = 1_000
_UNDERWAY = "It was under way when this was exported. Whoever exported it goes on with it."


_OPEN_RUNS = "SELECT id FROM runs WHERE status NOT IN ('committed', 'crashed', 'cancelled') AND followed = 0"
_LOOSE_ENDS = (
    "SELECT 1 FROM workflows LEFT JOIN scripts ON workflow = slug AND number = script WHERE number IS NULL",
    "SELECT 1 FROM runs r LEFT JOIN scripts s ON s.workflow = r.workflow AND s.number = script WHERE s.number IS NULL",
    "SELECT 1 FROM schedules WHERE id <> workflow || '/' || handler",
    "SELECT 1 FROM schedules WHERE removed IS NULL AND workflow NOT IN (SELECT slug FROM workflows)",
    f"SELECT 1 FROM events WHERE state = 'reserved' AND (run IS NULL OR run NOT IN ({_OPEN_RUNS}))",
    "SELECT 1 FROM gaps WHERE first > last",
    "SELECT 1 FROM runs WHERE followed = 1 AND status = 'active'",
)
"""Queries that find something only where a store contradicts itself."""


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
        with closing(_connect_foreign(path, read_only=True)) as db:
            version = migrations.version_of(db)
            migrations.refuse_newer(db)
            if version < 1 or _schema(db) != _schema_of(version) or not is_whole(db):
                raise NotOursError
            if db.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise NotOursError
    except NewerStoreError as error:
        raise StoreError("That file was written by a newer Dayhand. Nothing was changed; update this one.") from error
    except (sqlite3.Error, StoreDamagedError, UnicodeDecodeError, OverflowError) as error:
        raise NotOursError from error


def take_in(folder: Path, source: Path, adjust: Callable[[sqlite3.Connection], None], now: datetime) -> Path | None:
    """Put a checked copy in place of the folder's store, which is set aside; where that is.

    Everything arrives paused. What was under way stays with where it came from: nothing is done twice.
    """

    def make(unfinished: Path) -> None:
        with closing(connect(unfinished)) as db:
            migrations.migrate(db)
            db.execute("BEGIN IMMEDIATE")
            _copy_rows(source, db)
            suspend(db, now, _UNDERWAY)
            adjust(db)
            db.execute("COMMIT")

    with explained(folder / FILE):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return replace(folder, make, now)


def _connect_foreign(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Nothing in that file gets to run, and no cell of it is taken on trust."""
    db = connect(path, read_only=read_only)
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    return db


def _copy_rows(source: Path, db: sqlite3.Connection) -> None:
    """Every row that may travel; NotOursError for one that makes no sense."""
    db.execute("PRAGMA defer_foreign_keys = ON")
    try:
        with closing(_connect_foreign(source)) as foreign:
            migrations.migrate(foreign)
            for table in RULES:
                columns = ", ".join(RULES[table])
                marks = ", ".join("?" * len(RULES[table]))
                db.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", _checked(foreign, table))
    except (sqlite3.Error, StoreDamagedError, MigrationError, UnicodeError, OverflowError) as error:
        raise NotOursError from error
    _refuse_loose_ends(db)


def _checked(foreign: sqlite3.Connection, table: str) -> Iterator[tuple[Any, ...]]:
    rules = list(RULES[table].values())
    for row in foreign.execute(f"SELECT {', '.join(RULES[table])} FROM {table}"):
        if not all(rule(value) for rule, value in zip(rules, row, strict=True)):
            raise NotOursError
        yield tuple(row)


def _refuse_loose_ends(db: sqlite3.Connection) -> None:
    """What the columns alone do not show: rows that must agree with others."""
    if any(db.execute(query).fetchone() is not None for query in _LOOSE_ENDS):
        raise NotOursError
    for sha256, source in db.execute("SELECT sha256, source FROM scripts"):
        if not is_whole_source(sha256, source):
            raise NotOursError
    if db.execute("PRAGMA foreign_key_check").fetchone() is not None:
        raise NotOursError
    db.execute("DELETE FROM logs WHERE run NOT IN (SELECT id FROM runs)")
    db.execute("DELETE FROM mutations WHERE run NOT IN (SELECT id FROM runs)")


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
