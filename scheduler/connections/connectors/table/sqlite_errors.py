"""What an error of SQLite means for a call."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scheduler.connections.connector import ToolFailedError
from scheduler.rules.failures import FailureClass

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_FORBIDDEN = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def explain_database(error: sqlite3.Error, path: Path, *, perhaps_done: bool = False) -> ToolFailedError:
    """The failure behind it; `perhaps_done` where a disk that failed may still have done it."""
    fail = ToolFailedError.because
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _BUSY:
        return fail(FailureClass.TRANSIENT, f"Something else is using {path}, so nothing was done.")
    if code == sqlite3.SQLITE_FULL:
        return fail(FailureClass.TRANSIENT, f"There is no room left on the disk of {path}. Free some space.")
    if code == sqlite3.SQLITE_IOERR and perhaps_done:
        return fail(FailureClass.UNSURE, f"The disk failed ({error}) while {path} was written. Look whether it was.")
    if code == sqlite3.SQLITE_IOERR:
        return fail(FailureClass.TRANSIENT, f"The disk could not read or write {path} ({error}).")
    if code in _FORBIDDEN:
        return fail(FailureClass.PERMISSION, f"{path} cannot be opened or changed. Allow it in its permissions.")
    if code in _DAMAGED:
        return fail(FailureClass.LOGIC, f"{path} is damaged, or not a SQLite database. Replace or remove it.")
    return fail(FailureClass.LOGIC, f"{path} did not take that ({error}).")


@contextmanager
def explained_database(path: Path, *, perhaps_done: bool = False) -> Iterator[None]:
    """Errors of SQLite inside become failures of the tool."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain_database(error, path, perhaps_done=perhaps_done) from error
