"""A SQLite connection that converts errors the user can act on into our own, and can be closed by any thread."""

import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

from scheduler.store import dirty_flag
from scheduler.store.errors import DiskFailedError, StoreClosedError, StoreDamagedError, to_store_error
from scheduler.user_text import UserText, pack

sqlite3.register_adapter(UserText, pack)  # whoever reads such a column unpacks it

_MAX_TRACKED_CURSORS = 100
"""Above this, finished cursors are dropped from the list."""
BUSY_TIMEOUT_S = 10
"""Seconds to wait for another process that holds the write lock."""


def connect(path: Path, *, read_only: bool = False) -> "Connection":
    """A connection to a file that exists."""
    with converted_errors(path):
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}",
            uri=True,
            isolation_level=None,
            timeout=BUSY_TIMEOUT_S,
            check_same_thread=False,
            cached_statements=256,
            factory=Connection,
        )
    connection.path = path
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        # Overwriting the log costs half as much as growing it, so it is checkpointed early.
        connection.execute("PRAGMA wal_autocheckpoint = 1000")
    except BaseException:
        connection.close()
        raise
    return connection


def is_intact(connection: sqlite3.Connection) -> bool:
    """Whether every page of the file is valid; reads all of it."""
    try:
        return [row[0] for row in connection.execute("PRAGMA quick_check")] == ["ok"]
    except StoreDamagedError:
        return False


@contextmanager
def converted_errors(path: Path) -> Iterator[None]:
    """Convert errors about that file into our own."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        _raise_converted(error, path)


def _raise_converted(error: sqlite3.Error | OSError | UnicodeDecodeError, path: Path) -> NoReturn:
    converted = to_store_error(error, path)
    if converted is None:
        raise error
    if isinstance(converted, StoreDamagedError | DiskFailedError):
        dirty_flag.mark_suspect(path)
    raise converted from error


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
                _raise_converted(error, connection.path)

    return call


def _executing(method: Callable[..., Any]) -> Any:
    """Every statement runs through this, so it is fast: one lock, and cursors are tracked only if they have rows."""

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
                _raise_converted(error, connection.path)
            if cursor.description is not None:
                connection.remember(cursor)
            return cursor

    return call


class _Cursor(sqlite3.Cursor):
    """A query can fail at any step, and be closed by another thread between two steps."""

    execute = _guarded(sqlite3.Cursor.execute)
    executemany = _guarded(sqlite3.Cursor.executemany)
    fetchone = _guarded(sqlite3.Cursor.fetchone)
    fetchall = _guarded(sqlite3.Cursor.fetchall)
    __next__ = _guarded(sqlite3.Cursor.__next__)


class Connection(sqlite3.Connection):
    path: Path
    is_closed = False
    execute = _executing(sqlite3.Cursor.execute)
    executemany = _executing(sqlite3.Cursor.executemany)

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        # Python crashes if one thread closes a connection while another is using it inside SQLite.
        self.step = threading.RLock()
        # SQLite keeps a connection open while any cursor is referenced, even from a traceback.
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
            for reference in self._cursors:
                if (cursor := reference()) is not None:
                    cursor.close()
            super().close()

    def remember(self, cursor: sqlite3.Cursor) -> None:
        if len(self._cursors) >= _MAX_TRACKED_CURSORS:
            self._cursors = [reference for reference in self._cursors if reference() is not None]
        self._cursors.append(weakref.ref(cursor))


_new_cursor = sqlite3.Connection.cursor
