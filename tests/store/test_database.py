"""Transactions, and what threads see of each other's changes."""

import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from scheduler.store import key_values
from scheduler.store.database import Database, from_ms, to_ms
from tests.store.store_files import NOW, count, fill, run_in_threads, run_python


def test_only_durable_transactions_wait_for_the_disk(database: Database) -> None:
    """Whatever was written before, even after a failed one."""

    def is_durable(*, durable: bool) -> bool:
        with database.write(durable=durable) as db:
            return db.execute("PRAGMA synchronous").fetchone()[0] == 2

    def fail() -> None:
        with database.write(durable=True):
            raise KeyError

    assert [is_durable(durable=durable) for durable in (False, True, True, False)] == [False, True, True, False]
    with pytest.raises(KeyError):
        fail()
    assert not is_durable(durable=False)


def test_a_short_read_never_waits_and_never_sees_uncommitted_changes(database: Database) -> None:
    """It uses the writer's connection while no transaction is running, otherwise its own."""
    with database.write() as writer:
        key_values.write(writer, "word", "old")
        with database.quick_read() as db:
            assert db is writer
    with database.quick_read() as db:
        assert db is writer and key_values.read(db, "word") == "old"
    seen: list[tuple[bool, str | None]] = []

    def look() -> None:
        with database.quick_read() as db:
            seen.append((db is writer, key_values.read(db, "word")))

    with database.write() as db:
        key_values.write(db, "word", "new")
        assert run_in_threads(look) == []
    assert run_in_threads(look) == []
    assert seen == [(False, "old"), (True, "new")]


def test_a_transaction_is_committed_at_its_end(database: Database, folder: Path) -> None:
    with database.write() as db:
        key_values.write(db, "a", "1")
        with closing(sqlite3.connect(folder / "dayhand.db")) as other:
            assert key_values.read(other, "a") is None
    with closing(sqlite3.connect(folder / "dayhand.db")) as other:
        assert key_values.read(other, "a") == "1"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, sqlite3.IntegrityError])
def test_a_transaction_that_raises_leaves_nothing(database: Database, error: type[BaseException]) -> None:
    def write() -> None:
        with database.write() as db:
            key_values.write(db, "a", "1")
            raise error

    with pytest.raises(error):
        write()
    assert key_values.read(database.read(), "a") is None
    with database.write() as db:
        key_values.write(db, "b", "2")
    assert key_values.read(database.read(), "b") == "2"


def test_errors_caused_by_our_own_bugs_are_not_converted(database: Database) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        database.read().execute("SELECT * FROM nowhere")
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"), database.write() as db:
        db.execute("INSERT INTO gaps VALUES ('nobody/h', 0, 1, 1, 0, 'missed', 'off', 0)")
    with pytest.raises(sqlite3.IntegrityError, match="cannot store TEXT value in INTEGER"), database.write() as db:
        db.execute("INSERT INTO answers VALUES ('a', 'b', 'c', 'noon')")


def test_a_nested_transaction_is_refused_and_changes_nothing(database: Database) -> None:
    with database.write() as db:
        key_values.write(db, "a", "1")
        with pytest.raises(sqlite3.OperationalError, match="within a transaction"), database.write():
            pass
        key_values.write(db, "b", "2")
    assert key_values.read(database.read(), "a") == "1"


def test_an_unfinished_query_does_not_block_the_writer(database: Database) -> None:
    """With one connection, writing while reading an old snapshot fails with "database is locked"."""
    fill(database, 200)
    unfinished = database.read().execute("SELECT * FROM schedules")
    unfinished.fetchone()
    assert run_in_threads(lambda: fill(database, 1, "other")) == []
    fill(database, 1, "mine")
    assert len(unfinished.fetchall()) == 199, "it still reads its own snapshot"
    assert count(database) == 202


def test_a_transaction_sees_its_own_changes_and_other_threads_do_not(database: Database) -> None:
    with database.write() as db:
        key_values.write(db, "a", "1")
        seen: list[str | None] = [key_values.read(database.read(), "a")]
        assert run_in_threads(lambda: seen.append(key_values.read(database.read(), "a"))) == []
    assert seen == ["1", None]


def test_a_thread_that_wrote_reads_only_what_is_committed(database: Database) -> None:
    fill(database, 3)
    begun = database.read().execute("SELECT * FROM schedules")
    inside, has_read = threading.Event(), threading.Event()

    def write() -> None:
        with database.write() as db:
            db.execute("DELETE FROM schedules")
            inside.set()
            assert has_read.wait(10)

    thread = threading.Thread(target=write)
    thread.start()
    assert inside.wait(10)
    assert count(database) == 3
    assert len(begun.fetchall()) == 3
    has_read.set()
    thread.join()
    assert count(database) == 0


def test_every_connection_has_our_settings(database: Database) -> None:
    def look() -> None:
        db = database.read()
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert db.execute("PRAGMA foreign_keys").fetchone()[0] == 1
        assert db.execute("PRAGMA synchronous").fetchone()[0] == 1
        assert db.execute("PRAGMA busy_timeout").fetchone()[0] == 10_000
        assert db.execute("SELECT 1 AS one").fetchone()["one"] == 1

    look()
    assert run_in_threads(look) == []
    with database.write():
        look()


def test_two_writing_threads_never_meet_a_locked_database(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scheduler.store.sqlite.BUSY_TIMEOUT_S", 0)

    def write(word: str) -> None:
        for number in range(200):
            with database.write() as db:
                key_values.write(db, f"{word} {number}", word)

    assert run_in_threads(lambda: write("left"), lambda: write("right")) == []
    written = database.read().execute("SELECT value, count(*) FROM facts WHERE name LIKE '% %' GROUP BY 1 ORDER BY 1")
    assert [tuple(row) for row in written] == [("left", 200), ("right", 200)]


def test_readers_see_only_whole_transactions(database: Database) -> None:
    ended = threading.Event()

    def write() -> None:
        for number in range(200):
            with database.write() as db:
                key_values.write(db, "a", str(number))
                key_values.write(db, "b", str(number))
        ended.set()

    def read() -> None:
        while not ended.is_set():
            values = database.read().execute("SELECT DISTINCT value FROM facts WHERE name IN ('a', 'b')").fetchall()
            assert len(values) <= 1

    assert run_in_threads(write, read, read) == []


@pytest.mark.posix("counts open files in /proc")
def test_short_lived_threads_leave_no_connections_behind(database: Database) -> None:
    for _ in range(300):
        assert run_in_threads(lambda: count(database)) == []
    held = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink() and link.readlink() == database.path]
    assert 0 < len(held) < 10


READS_IN_A_QTHREAD = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QObject, QThread, QTimer, Slot
from scheduler.store.opening import open_store
from tests.store.store_files import NOW

class Worker(QObject):
    seen = []

    @Slot()
    def look(self):
        self.seen.append(database.read())
        if len(self.seen) == 5:
            self.thread().quit()

app = QCoreApplication([])
database = open_store(Path(sys.argv[1]), NOW).database
worker, thread, timer = Worker(), QThread(), QTimer()
worker.moveToThread(thread)
timer.timeout.connect(worker.look)
thread.finished.connect(app.quit)
timer.start(1)
thread.start()
app.exec()
print(len(set(map(id, worker.seen))), worker.seen[0] is database.read())
"""


def test_a_qthread_keeps_its_connection_between_two_slots(folder: Path) -> None:
    """Python drops such a thread's thread-local values whenever a slot returns."""
    ended = run_python(READS_IN_A_QTHREAD, folder)
    assert ended.stdout == "1 False\n", ended.stderr


def test_instants_are_stored_to_the_millisecond() -> None:
    exact = NOW.replace(microsecond=123000)
    assert from_ms(to_ms(exact)) == exact
    assert from_ms(to_ms(exact.replace(microsecond=123999))) == exact
    assert to_ms(None) is None
    assert from_ms(None) is None
    before = NOW.replace(year=1969)
    assert from_ms(to_ms(before)) == before


def in_the_file_alone(database: Database, folder: Path) -> set[str]:
    """The names of key-values in the file itself, without its write-ahead log."""
    alone = folder / "alone.db"
    shutil.copyfile(database.path, alone)
    with closing(sqlite3.connect(alone)) as copy:
        return {row[0] for row in copy.execute("SELECT name FROM facts")}


def test_the_log_is_checkpointed_once_it_is_long_enough(database: Database, tmp_path: Path) -> None:
    with database.write() as db:
        key_values.write(db, "first", "1")
    database.checkpoint()
    assert "first" not in in_the_file_alone(database, tmp_path)
    for number in range(100):
        with database.write() as db:
            key_values.write(db, "counted", str(number))
    database.checkpoint()
    assert {"first", "counted"} <= in_the_file_alone(database, tmp_path)


def test_a_checkpoint_changes_no_data(database: Database) -> None:
    before = database.read().execute("PRAGMA user_version").fetchone()[0]
    for number in range(150):
        with database.write() as db:
            key_values.write(db, f"fact {number}", str(number))
    database.checkpoint()
    assert database.read().execute("PRAGMA user_version").fetchone()[0] == before
    assert key_values.read(database.read(), "fact 149") == "149"
