"""One connection to a SQLite file, which says in our words what a person can do something about."""

import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

from scheduler.store import marker
from scheduler.store.errors import DiskFailedError, StoreClosedError, StoreDamagedError, explain

_REMEMBERED = 100
"""Queries after which the finished ones are forgotten."""
PATIENCE = 10
"""Seconds to wait for another process that holds the write lock."""


def connect(path: Path, *, read_only: bool = False) -> "Connection":
    """A connection to a file that exists."""
    with explained(path):
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}",
            uri=True,
            isolation_level=None,
            timeout=PATIENCE,
            check_same_thread=False,
            cached_statements=256,
            factory=Connection,
        )
    connection.path = path
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        # A log that is written over costs half of one that grows, so it is moved into the file early.
        connection.execute("PRAGMA wal_autocheckpoint = 1000")
    except BaseException:
        connection.close()
        raise
    return connection


def is_whole(connection: sqlite3.Connection) -> bool:
    """Whether every page of the file makes sense; reads all of it."""
    try:
        return [row[0] for row in connection.execute("PRAGMA quick_check")] == ["ok"]
    except StoreDamagedError:
        return False


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what goes wrong with that file into our own errors."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        _raise(error, path)


def _raise(error: sqlite3.Error | OSError | UnicodeDecodeError, path: Path) -> NoReturn:
    ours = explain(error, path)
    if ours is None:
        raise error
    if isinstance(ours, StoreDamagedError | DiskFailedError):
        marker.suspect(path)
    raise ours from error


def _guarded(method: Callable[..., Any]) -> Any:
    @wraps(method)
    def call(cursor: Any, *arguments: Any) -> Any:
        connection: Connection = cursor.connection
        with connection.step:
            try:
                return method(cursor, *arguments)
            except (sqlite3.Error, UnicodeDecodeError) as error:
                if connection.is_closed:
                    raise StoreClosedError from error
                _raise(error, connection.path)

    return call


def _stating(method: Callable[..., Any]) -> Any:
    """The way that every statement takes, so it is short: one lock, and nothing to remember without rows."""

    @wraps(method)
    def call(connection: "Connection", sql: str, parameters: Any = (), /) -> Any:
        with connection.step:
            if connection.is_closed:
                raise StoreClosedError
            cursor = _new_cursor(connection, _Cursor)
            try:
                method(cursor, sql, parameters)
            except (sqlite3.Error, UnicodeDecodeError) as error:
                cursor.close()
                _raise(error, connection.path)
            if cursor.description is not None:
                connection.remember(cursor)
            return cursor

    return call


class _Cursor(sqlite3.Cursor):
    """A query can fail at its first step or at any later one, and be closed by another thread between two."""

    execute = _guarded(sqlite3.Cursor.execute)
    executemany = _guarded(sqlite3.Cursor.executemany)
    fetchone = _guarded(sqlite3.Cursor.fetchone)
    fetchall = _guarded(sqlite3.Cursor.fetchall)
    __next__ = _guarded(sqlite3.Cursor.__next__)


class Connection(sqlite3.Connection):
    path: Path
    is_closed = False
    execute = _stating(sqlite3.Cursor.execute)
    executemany = _stating(sqlite3.Cursor.executemany)

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        # Python crashes if a connection is closed by one thread while another is inside SQLite with it.
        self.step = threading.RLock()
        # SQLite keeps a connection open for a query that somebody still holds, be it in a traceback.
        self._cursors: list[weakref.ref[sqlite3.Cursor]] = []
        super().__init__(*arguments, **settings)

    def cursor(self, factory: Any = _Cursor) -> Any:
        if self.is_closed:
            raise StoreClosedError
        cursor = super().cursor(factory)
        self.remember(cursor)
        return cursor

    def close(self) -> None:
        with self.step:
            self.is_closed = True
            for held in self._cursors:
                if (cursor := held()) is not None:
                    cursor.close()
            super().close()

    def remember(self, cursor: sqlite3.Cursor) -> None:
        if len(self._cursors) >= _REMEMBERED:
            self._cursors = [held for held in self._cursors if held() is not None]
        self._cursors.append(weakref.ref(cursor))


_new_cursor = sqlite3.Connection.cursor
