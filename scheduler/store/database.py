"""The SQLite file: one connection per thread, one writer at a time, transactions said out loud."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class Database:
    """Connections to one file. Writers of this process queue on a lock, so none sleeps in SQLite."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._writer = threading.RLock()
        self._open: list[sqlite3.Connection] = []

    def read(self) -> sqlite3.Connection:
        """This thread's connection."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = connect(self.path)
            self._open.append(connection)
        return connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is stored, or nothing."""
        connection = self.read()
        with self._writer:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        while self._open:
            self._open.pop().close()
        self._local = threading.local()


def connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=10, check_same_thread=False, cached_statements=256)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def to_ms(instant: datetime | None) -> int | None:
    return None if instant is None else (instant - _EPOCH) // _MILLISECOND


def from_ms(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else _EPOCH + milliseconds * _MILLISECOND
