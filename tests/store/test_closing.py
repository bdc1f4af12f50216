"""Closing: waits for the running transaction and closes the connections of all threads."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scheduler.store import dirty_flag, key_values
from scheduler.store.database import Database
from scheduler.store.errors import (
    StoreClosedError,
)
from scheduler.store.opening import close_store
from tests.store.store_files import CLEAN_FILES, count, count_in, file_names, fill, run_in_threads, run_python


def test_closing_closes_the_connections_of_all_threads(database: Database, folder: Path) -> None:
    may_end, has_written = threading.Event(), threading.Event()
    refused: list[BaseException] = []

    def live() -> None:
        fill(database, 5)
        held = database.read()
        half_read = held.execute("SELECT * FROM schedules")
        half_read.fetchone()
        has_written.set()
        may_end.wait(10)
        for act in (
            half_read.fetchone,
            lambda: held.execute("SELECT 1"),
            lambda: count(database),
            lambda: fill(database, 1, "late"),
        ):
            refused.extend(in_this_thread(act))

    def in_this_thread(act: Callable[[], object]) -> Iterator[BaseException]:
        try:
            act()
        except StoreClosedError as error:
            yield error

    thread = threading.Thread(target=live)
    thread.start()
    assert has_written.wait(10)
    fill(database, 5, "mine")
    close_store(database)
    may_end.set()
    thread.join()
    assert len(refused) == 4
    assert file_names(folder) == CLEAN_FILES
    assert count_in(folder / "dayhand.db") == 10


def test_closing_waits_for_the_running_transaction(database: Database, folder: Path) -> None:
    inside, closing_now = threading.Event(), threading.Event()

    def write() -> None:
        with database.write() as db:
            inside.set()
            assert closing_now.wait(10)
            key_values.write(db, "a", "1")

    def close() -> None:
        assert inside.wait(10)
        closing_now.set()
        close_store(database)

    assert run_in_threads(write, close) == []
    with closing(sqlite3.connect(folder / "dayhand.db")) as db:
        assert key_values.read(db, "a") == "1"
    assert not dirty_flag.is_set(database.path)


def test_closing_twice_is_allowed(database: Database) -> None:
    close_store(database)
    close_store(database)
    with pytest.raises(StoreClosedError, match="Dayhand is closing"):
        database.read()


CLOSES_UNDER_READERS = """
import sys, threading
from pathlib import Path
from scheduler.store.errors import StoreClosedError
from scheduler.store.opening import close_store, open_store
from tests.store.store_files import NOW, fill

for number in range(15):
    database = open_store(Path(sys.argv[1]) / str(number), NOW).database
    fill(database, 2000)
    everyone_reads = threading.Barrier(6)

    def read(query):
        held = database.read()
        everyone_reads.wait()
        try:
            while True:
                list(held.execute(query))
        except StoreClosedError:
            pass

    queries = ["SELECT * FROM schedules ORDER BY spec"] * 3 + ["SELECT 1"] * 2
    threads = [threading.Thread(target=read, args=(query,)) for query in queries]
    for thread in threads:
        thread.start()
    everyone_reads.wait()
    list(database.read().execute("SELECT * FROM schedules ORDER BY spec"))
    close_store(database)
    for thread in threads:
        thread.join()
print("alive")
"""


def test_closing_under_readers_does_not_crash_python(folder: Path) -> None:
    """Closing a connection while another thread uses it inside SQLite would be a segmentation fault."""
    ended = run_python(CLOSES_UNDER_READERS, folder)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "alive\n", "")
