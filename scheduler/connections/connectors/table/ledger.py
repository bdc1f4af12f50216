"""Records what was added to a CSV file, by idempotency key, in a small database next to it.

Keys in the file itself would clutter the user's columns and vanish with deleted rows. An entry is on the disk before
the file is changed, and says how to find out from the file how far the addition got.
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
_ADDED_COLUMNS = ("inode", "modified")
"""Columns that older ledgers do not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """One addition: bytes appended at a size, or an old content replaced by a new one, by digest."""

    key: str
    result: Any
    size: int | None = None
    inode: int | None = None
    """Inode and modification time (ns) of the file before, to detect changes by another program."""
    modified: int | None = None
    payload: bytes = b""
    old: str = ""
    new: str = ""


class Ledger:
    """The caller must hold the lock of the file."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def find_state(self, key: str) -> tuple[str, Any] | None:
        """The state of an addition (begun, done or unknown) and its result; None if there is none."""
        row = self._db.execute("SELECT state, result FROM additions WHERE key = ?", (key,)).fetchone()
        return None if row is None else (row[0], json.loads(row[1]))

    def find_unfinished(self) -> Addition | None:
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

    def remove(self, key: str) -> None:
        """The addition certainly did not happen."""
        self._db.execute("DELETE FROM additions WHERE key = ?", (key,))

    def mark_unknown(self, key: str) -> None:
        """The file no longer shows whether it happened."""
        self._db.execute("UPDATE additions SET state = 'unknown', payload = NULL WHERE key = ?", (key,))


@contextmanager
def open_ledger(path: Path) -> Iterator[Ledger]:
    """Open or create the ledger. Each of its statements is on the disk when it returns."""
    path.touch(0o600)  # it briefly contains rows, which other users may not be allowed to see
    with explained_database(path), closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = EXTRA")
        db.execute(_SCHEMA)
        known = {row[0] for row in db.execute("SELECT name FROM pragma_table_info('additions')")}
        for column in _ADDED_COLUMNS:
            if column not in known:
                db.execute(f"ALTER TABLE additions ADD COLUMN {column} INTEGER")
        yield Ledger(db)
