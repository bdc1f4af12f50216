"""Export and import of a store.

Imported files are untrusted: their rows are read one by one, validated, and written into a new store; no table,
trigger or index of the file is used.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from scheduler.store import migrations, retention
from scheduler.store.backups import STORE_FILE, copy_store
from scheduler.store.errors import MigrationError, NewerStoreError, StoreDamagedError, StoreError
from scheduler.store.import_rules import RULES, is_hash_valid
from scheduler.store.opening import replace_store
from scheduler.store.sqlite import connect, converted_errors, is_intact
from scheduler.store.suspension import suspend_everything
from scheduler.user_text import UserText

_PRUNE_BATCH = 1_000
_CANCELLED_BY_IMPORT = UserText("It was running when this was exported. It continues where it was exported.")
_OPEN_RUNS = "SELECT id FROM runs WHERE status NOT IN ('committed', 'crashed', 'cancelled') AND followed = 0"
_CONTRADICTIONS = (
    "SELECT 1 FROM workflows LEFT JOIN scripts ON workflow = slug AND number = script WHERE number IS NULL",
    "SELECT 1 FROM runs r LEFT JOIN scripts s ON s.workflow = r.workflow AND s.number = script WHERE s.number IS NULL",
    "SELECT 1 FROM schedules WHERE id <> workflow || '/' || handler",
    "SELECT 1 FROM schedules WHERE removed IS NULL AND workflow NOT IN (SELECT slug FROM workflows)",
    f"SELECT 1 FROM events WHERE state = 'reserved' AND (run IS NULL OR run NOT IN ({_OPEN_RUNS}))",
    "SELECT 1 FROM gaps WHERE first > last",
    "SELECT 1 FROM runs WHERE followed = 1 AND status = 'active'",
)
"""Queries that find rows only if a store contradicts itself."""


class InvalidStoreFileError(StoreError):
    """The file is not a store of ours, or is damaged."""

    def __init__(self) -> None:
        super().__init__(UserText("The data in that file is damaged or not from Dayhand, so nothing was changed."))


def export_store(folder: Path, target: Path, now: datetime, *, history: bool) -> None:
    """Write a copy of the store, which may be in use; without history, only what is still open."""
    with converted_errors(target):
        copy_store(folder / STORE_FILE, target)
        with closing(connect(target)) as db:
            while not history and retention.prune(db, now + timedelta(milliseconds=1), now, _PRUNE_BATCH):
                pass
            db.execute("VACUUM")  # so that deleted data is not exported


def check_file(path: Path) -> None:
    """StoreError unless it is an intact store that this version can read, with exactly our schema."""
    try:
        with closing(_connect_untrusted(path, read_only=True)) as db:
            version = migrations.version_of(db)
            migrations.refuse_newer(db)
            if version < 1 or _schema(db) != _schema_of(version) or not is_intact(db):
                raise InvalidStoreFileError
            if db.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise InvalidStoreFileError
    except NewerStoreError as error:
        raise StoreError(
            UserText("That file was written by a newer Dayhand. Nothing was changed; update this one.")
        ) from error
    except (sqlite3.Error, StoreDamagedError, UnicodeDecodeError, OverflowError) as error:
        raise InvalidStoreFileError from error


def import_store(
    folder: Path, source: Path, adjust: Callable[[sqlite3.Connection], None], now: datetime
) -> Path | None:
    """Replace the folder's store, which is set aside, with a checked copy; returns where the old one is.

    Everything arrives paused. Unfinished runs are cancelled, so that nothing is done twice.
    """

    def make(unfinished: Path) -> None:
        with closing(connect(unfinished)) as db:
            migrations.migrate(db)
            db.execute("BEGIN IMMEDIATE")
            _copy_rows(source, db)
            suspend_everything(db, now, _CANCELLED_BY_IMPORT)
            adjust(db)
            db.execute("COMMIT")

    with converted_errors(folder / STORE_FILE):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return replace_store(folder, make, now)


def _connect_untrusted(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open it so that nothing in its schema can run and every cell is checked."""
    db = connect(path, read_only=read_only)
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    return db


def _copy_rows(source: Path, db: sqlite3.Connection) -> None:
    """Copy every row that is imported; InvalidStoreFileError if one is invalid."""
    db.execute("PRAGMA defer_foreign_keys = ON")
    try:
        with closing(_connect_untrusted(source)) as foreign:
            migrations.migrate(foreign)
            for table in RULES:
                columns = ", ".join(RULES[table])
                marks = ", ".join("?" * len(RULES[table]))
                db.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", _valid_rows(foreign, table))
    except (sqlite3.Error, StoreDamagedError, MigrationError, UnicodeError, OverflowError) as error:
        raise InvalidStoreFileError from error
    _refuse_contradictions(db)


def _valid_rows(foreign: sqlite3.Connection, table: str) -> Iterator[tuple[Any, ...]]:
    rules = list(RULES[table].values())
    for row in foreign.execute(f"SELECT {', '.join(RULES[table])} FROM {table}"):
        if not all(rule(value) for rule, value in zip(rules, row, strict=True)):
            raise InvalidStoreFileError
        yield tuple(row)


def _refuse_contradictions(db: sqlite3.Connection) -> None:
    """Check what single columns cannot show: rows that must agree with others."""
    if any(db.execute(query).fetchone() is not None for query in _CONTRADICTIONS):
        raise InvalidStoreFileError
    for sha256, source in db.execute("SELECT sha256, source FROM scripts"):
        if not is_hash_valid(sha256, source):
            raise InvalidStoreFileError
    if db.execute("PRAGMA foreign_key_check").fetchone() is not None:
        raise InvalidStoreFileError
    db.execute("DELETE FROM logs WHERE run NOT IN (SELECT id FROM runs)")
    db.execute("DELETE FROM mutations WHERE run NOT IN (SELECT id FROM runs)")


def has_data(db: sqlite3.Connection) -> bool:
    """Whether it contains anything the user would miss."""
    tables = ("workflows", "connections", "runs")
    return any(db.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None for table in tables)


def _schema(db: sqlite3.Connection) -> set[tuple[str, str, str | None]]:
    return {(row[0], row[1], row[2]) for row in db.execute("SELECT type, name, sql FROM sqlite_schema")}


def _schema_of(version: int) -> set[tuple[str, str, str | None]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrations.migrate(db, version)
        return _schema(db)
