"""Converts SQLite errors to tool failures."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scheduler.connections.connector import ToolFailedError
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

_BUSY_CODES = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_PERMISSION_CODES = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)
_CORRUPT_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def explain_database(error: sqlite3.Error, path: Path, *, perhaps_done: bool = False) -> ToolFailedError:
    """The failure for an error; `perhaps_done` if the write may have happened despite a disk error."""
    fail = ToolFailedError.because
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _BUSY_CODES:
        return fail(
            FailureClass.TRANSIENT, UserText("{path} is in use by another program, so nothing was done.", path=path)
        )
    if code == sqlite3.SQLITE_FULL:
        return fail(FailureClass.TRANSIENT, UserText("The disk of {path} is full. Free some space.", path=path))
    if code == sqlite3.SQLITE_IOERR and perhaps_done:
        return fail(
            FailureClass.UNSURE,
            UserText(
                "The disk failed ({error}) while {path} was written. Check whether it was.", error=error, path=path
            ),
        )
    if code == sqlite3.SQLITE_IOERR:
        return fail(
            FailureClass.TRANSIENT,
            UserText("The disk could not read or write {path} ({error}).", path=path, error=error),
        )
    if code in _PERMISSION_CODES:
        return fail(
            FailureClass.PERMISSION, UserText("{path} cannot be opened or changed. Check its permissions.", path=path)
        )
    if code in _CORRUPT_CODES:
        return fail(
            FailureClass.LOGIC, UserText("{path} is damaged or not a SQLite database. Replace or remove it.", path=path)
        )
    return fail(FailureClass.LOGIC, UserText("{path} rejected the change ({error}).", path=path, error=error))


@contextmanager
def explained_database(path: Path, *, perhaps_done: bool = False) -> Iterator[None]:
    """Raise SQLite errors in the block as tool failures."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain_database(error, path, perhaps_done=perhaps_done) from error
