"""What goes wrong with the file or its disk is said so that a person can act on it, and spoils nothing."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler.store import facts
from scheduler.store.connection import Connection
from scheduler.store.database import Database
from scheduler.store.errors import (
    DiskFailedError,
    DiskFullError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreForbiddenError,
    explain,
)
from scheduler.store.health import close_store
from tests.store.stores import count, fill, in_threads, listing

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


def test_a_lock_of_another_program_is_waited_for(
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
            facts.write(db, "a", "1")

    def let_go() -> None:
        assert waiting.wait(5)
        holder.communicate("\n")

    assert in_threads(write, let_go) == []
    assert facts.read(database.read(), "a") == "1"


def test_a_lock_that_stays_is_said_and_spoils_nothing(
    database: Database, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scheduler.store.connection.PATIENCE", 0.05)
    with pytest.raises(StoreBusyError) as refused, database.write():
        pytest.fail("what is read here could be out of date when it is written")
    assert str(refused.value) == (
        f"Another program keeps {database.path} locked, so nothing was saved. Close it, then try again."
    )
    assert isinstance(refused.value.__cause__, sqlite3.OperationalError)
    assert facts.read(database.read(), "a") is None, "reading goes on meanwhile"
    holder.communicate("\n")
    with database.write() as db:
        facts.write(db, "a", "1")
    assert facts.read(database.read(), "a") == "1"


def test_a_full_disk_is_said_nothing_is_half_written_and_room_helps(database: Database) -> None:
    """D5"""
    fill(database, 10)
    with database.write() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(DiskFullError, match=r"no room left on the disk of .*dayhand\.db, so nothing was saved"):
        fill(database, 5000, "more")
    assert count(database) == 10
    with pytest.raises(DiskFullError):
        fill(database, 5000, "more")
    with database.write() as db:
        db.execute("PRAGMA max_page_count = 1000000")
    fill(database, 5000, "more")
    assert count(database) == 5010


def test_a_full_disk_is_no_reason_to_check(database: Database, folder: Path) -> None:
    with database.write() as db:
        db.execute("PRAGMA max_page_count = 1")
    with pytest.raises(DiskFullError):
        fill(database, 5000)
    close_store(database)
    assert listing(folder) == {"dayhand.db"}


def test_a_store_that_may_not_be_changed_is_said(database: Database) -> None:
    with database.write() as db:
        db.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreForbiddenError, match="Check that you may read and write it"):
        fill(database, 1)


def test_a_file_that_vanished_is_said_and_not_made_anew(database: Database) -> None:
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
def test_the_code_decides_what_an_error_means_and_never_its_text(code: int, meaning: type[StoreError] | None) -> None:
    error = sqlite3.OperationalError("database disk image is malformed and locked")
    error.sqlite_errorcode = code
    explained = explain(error, Path("dayhand.db"))
    assert explained is None if meaning is None else type(explained) is meaning
