"""What was added to a file, by idempotency key: a small database beside it, written before and after the file is.

A key in the file itself would vanish with a row that the person deletes, and stand among their own columns. Here it
is certain: an entry is on the disk before the file is touched, and says how to tell from the file how far it came.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scheduler.connections.connectors.table.sqlite_errors import explained_database

_SCHEMA = """
CREATE TABLE IF NOT EXISTS additions (
    key TEXT PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('begun', 'done', 'unknown')),
    result TEXT NOT NULL,
    size INTEGER,
    payload BLOB,
    old TEXT,
    new TEXT,
    inode INTEGER,
    modified INTEGER
) STRICT
"""
_LATER = ("inode", "modified")
"""Columns that older ledgers lack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """One addition that was begun: bytes after a size, or one content for another, known by their digests."""

    key: str
    result: Any
    size: int | None = None
    inode: int | None = None
    """Of the file before, as is the nanosecond of its last change: they tell whether anybody else touched it."""
    modified: int | None = None
    payload: bytes = b""
    old: str = ""
    new: str = ""


class Ledger:
    """The caller holds the lock of the file."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def state(self, key: str) -> tuple[str, Any] | None:
        """How an addition stands, begun, done or unknown, and its result; None if there is none."""
        row = self._db.execute("SELECT state, result FROM additions WHERE key = ?", (key,)).fetchone()
        return None if row is None else (row[0], json.loads(row[1]))

    def unfinished(self) -> Addition | None:
        row = self._db.execute(
            "SELECT key, result, size, payload, old, new, inode, modified FROM additions WHERE state = 'begun'"
        ).fetchone()
        if row is None:
            return None
        key, result, size, payload, old, new, inode, modified = row
        return Addition(
            key=key,
            result=json.loads(result),
            size=size,
            payload=payload,
            old=old,
            new=new,
            inode=inode,
            modified=modified,
        )

    def begin(self, addition: Addition) -> None:
        self._db.execute(
            "INSERT INTO additions (key, state, result, size, payload, old, new, inode, modified) "
            "VALUES (?, 'begun', ?, ?, ?, ?, ?, ?, ?)",
            (
                addition.key,
                json.dumps(addition.result),
                addition.size,
                addition.payload,
                addition.old,
                addition.new,
                addition.inode,
                addition.modified,
            ),
        )

    def finish(self, key: str) -> None:
        self._db.execute("UPDATE additions SET state = 'done', payload = NULL WHERE key = ?", (key,))

    def forget(self, key: str) -> None:
        """It certainly did not happen."""
        self._db.execute("DELETE FROM additions WHERE key = ?", (key,))

    def give_up(self, key: str) -> None:
        """The file no longer tells whether it happened."""
        self._db.execute("UPDATE additions SET state = 'unknown', payload = NULL WHERE key = ?", (key,))


@contextmanager
def open_ledger(path: Path) -> Iterator[Ledger]:
    """The ledger at that path, made if need be. Each of its statements is on the disk when it returns."""
    path.touch(0o600)  # it holds rows for a moment, and others may not see more of them than in the file itself
    with explained_database(path), closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = EXTRA")
        db.execute(_SCHEMA)
        known = {row[0] for row in db.execute("SELECT name FROM pragma_table_info('additions')")}
        for column in _LATER:
            if column not in known:
                db.execute(f"ALTER TABLE additions ADD COLUMN {column} INTEGER")
        yield Ledger(db)
