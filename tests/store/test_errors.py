"""Errors of the file or its disk are reported so that the user can act, and damage nothing."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler.store import key_values
from scheduler.store.database import Database
from scheduler.store.errors import (
    DiskFailedError,
    DiskFullError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreForbiddenError,
    to_store_error,
)
from scheduler.store.opening import close_store
from scheduler.store.sqlite import Connection
from tests.store.store_files import count, file_names, fill, run_in_threads

HOLDS_THE_LOCK = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
db.execute("ROLLBACK")
"""


@pytest.fixture
def holder(database: Database) -> Iterator[subprocess.Popen[str]]:
    """Another program that holds the write lock until it reads a line."""
    command = [sys.executable, "-c", HOLDS_THE_LOCK, str(database.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process


def test_writing_waits_for_a_lock_of_another_program(
    database: Database, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = threading.Event()
    execute = Connection.execute

    def traced(connection: Connection, sql: str, *parameters: Any) -> Any:
        if sql.startswith("BEGIN"):
            waiting.set()
        return execute(connection, sql, *parameters)

    monkeypatch.setattr(Connection, "execute", traced)

    def write() -> None:
        with database.write() as db:
            key_values.write(db, "a", "1")

    def let_go() -> None:
        assert waiting.wait(5)
        holder.communicate("\n")

    assert run_in_threads(write, let_go) == []
    assert key_values.read(database.read(), "a") == "1"


def test_a_lock_that_stays_is_reported_and_damages_nothing(
    database: Database, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scheduler.store.sqlite.BUSY_TIMEOUT_S", 0.05)
    with pytest.raises(StoreBusyError) as refused, database.write():
        pytest.fail("what is read here could be out of date when it is written")
    assert str(refused.value) == (
        f"Another program has locked {database.path}, so nothing was saved. Close it, then try again."
    )
    assert isinstance(refused.value.__cause__, sqlite3.OperationalError)
    assert key_values.read(database.read(), "a") is None, "reading still works"
    holder.communicate("\n")
    with database.write() as db:
        key_values.write(db, "a", "1")
    assert key_values.read(database.read(), "a") == "1"


def test_a_full_disk_is_reported_nothing_is_half_written_and_freeing_space_helps(database: Database) -> None:
    fill(database, 10)
    with database.write() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(DiskFullError, match=r"The disk of .*dayhand\.db is full, so nothing was saved"):
        fill(database, 5000, "more")
    assert count(database) == 10
    with pytest.raises(DiskFullError):
        fill(database, 5000, "more")
    with database.write() as db:
        db.execute("PRAGMA max_page_count = 1000000")
    fill(database, 5000, "more")
    assert count(database) == 5010


def test_a_full_disk_does_not_cause_a_check(database: Database, folder: Path) -> None:
    with database.write() as db:
        db.execute("PRAGMA max_page_count = 1")
    with pytest.raises(DiskFullError):
        fill(database, 5000)
    close_store(database)
    assert file_names(folder) == {"dayhand.db"}


def test_a_read_only_store_is_reported(database: Database) -> None:
    with database.write() as db:
        db.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreForbiddenError, match="Check the permissions of the file"):
        fill(database, 1)


def test_a_deleted_file_is_reported_and_not_created_again(database: Database) -> None:
    for suffix in ("", "-wal", "-shm"):
        database.path.with_name(f"dayhand.db{suffix}").unlink(missing_ok=True)
    with pytest.raises(StoreForbiddenError):
        database.read()
    assert not database.path.exists()


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        (sqlite3.SQLITE_BUSY, StoreBusyError),
        (sqlite3.SQLITE_BUSY_RECOVERY, StoreBusyError),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, None),
        (sqlite3.SQLITE_LOCKED, StoreBusyError),
        (sqlite3.SQLITE_FULL, DiskFullError),
        (sqlite3.SQLITE_READONLY_DBMOVED, StoreForbiddenError),
        (sqlite3.SQLITE_CANTOPEN, StoreForbiddenError),
        (sqlite3.SQLITE_IOERR_FSYNC, DiskFailedError),
        (sqlite3.SQLITE_CORRUPT_INDEX, StoreDamagedError),
        (sqlite3.SQLITE_NOTADB, StoreDamagedError),
        (sqlite3.SQLITE_CONSTRAINT_UNIQUE, None),
        (sqlite3.SQLITE_ERROR, None),
    ],
)
def test_the_error_code_decides_what_an_error_means_never_its_text(code: int, meaning: type[StoreError] | None) -> None:
    error = sqlite3.OperationalError("database disk image is malformed and locked")
    error.sqlite_errorcode = code
    explained = to_store_error(error, Path("dayhand.db"))
    assert explained is None if meaning is None else type(explained) is meaning
