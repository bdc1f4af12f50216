"""Transactions, and what threads see of each other's."""

import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from scheduler.store import facts
from scheduler.store.database import Database, from_ms, to_ms
from tests.store.stores import NOW, count, fill, in_threads, run_python


def test_only_what_guards_an_outside_action_waits_for_the_disk(database: Database) -> None:
    """Whatever was written before it, also after one that failed."""

    def is_durable(*, asked: bool) -> bool:
        with database.write(durable=asked) as db:
            return db.execute("PRAGMA synchronous").fetchone()[0] == 2

    def fail() -> None:
        with database.write(durable=True):
            raise KeyError

    assert [is_durable(asked=asked) for asked in (False, True, True, False)] == [False, True, True, False]
    with pytest.raises(KeyError):
        fail()
    assert not is_durable(asked=False)


def test_a_quick_look_never_waits_and_never_sees_what_is_not_stored(database: Database) -> None:
    """It reads where the writer does while nobody writes; beside a transaction of another thread, by itself."""
    with database.write() as writer:
        facts.write(writer, "word", "old")
        with database.at_hand() as db:
            assert db is writer
    with database.at_hand() as db:
        assert db is writer and facts.read(db, "word") == "old"
    seen: list[tuple[bool, str | None]] = []

    def look() -> None:
        with database.at_hand() as db:
            seen.append((db is writer, facts.read(db, "word")))

    with database.write() as db:
        facts.write(db, "word", "new")
        assert in_threads(look) == []
    assert in_threads(look) == []
    assert seen == [(False, "old"), (True, "new")]


def test_a_transaction_is_stored_at_its_end(database: Database, folder: Path) -> None:
    with database.write() as db:
        facts.write(db, "a", "1")
        with closing(sqlite3.connect(folder / "dayhand.db")) as other:
            assert facts.read(other, "a") is None
    with closing(sqlite3.connect(folder / "dayhand.db")) as other:
        assert facts.read(other, "a") == "1"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, sqlite3.IntegrityError])
def test_a_transaction_that_raises_leaves_nothing(database: Database, error: type[BaseException]) -> None:
    def write() -> None:
        with database.write() as db:
            facts.write(db, "a", "1")
            raise error

    with pytest.raises(error):
        write()
    assert facts.read(database.read(), "a") is None
    with database.write() as db:
        facts.write(db, "b", "2")
    assert facts.read(database.read(), "b") == "2"


def test_our_own_mistakes_stay_what_they_are(database: Database) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        database.read().execute("SELECT * FROM nowhere")
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"), database.write() as db:
        db.execute("INSERT INTO gaps VALUES ('nobody/h', 0, 1, 1, 0, 'missed', 'off', 0)")
    with pytest.raises(sqlite3.IntegrityError, match="cannot store TEXT value in INTEGER"), database.write() as db:
        db.execute("INSERT INTO answers VALUES ('a', 'b', 'c', 'noon')")


def test_a_transaction_inside_a_transaction_is_refused_and_spoils_nothing(database: Database) -> None:
    with database.write() as db:
        facts.write(db, "a", "1")
        with pytest.raises(sqlite3.OperationalError, match="within a transaction"), database.write():
            pass
        facts.write(db, "b", "2")
    assert facts.read(database.read(), "a") == "1"


def test_a_query_that_nobody_finished_does_not_stop_the_writer(database: Database) -> None:
    """Reading an old state in the thread that then writes is what SQLite answers with "database is locked"."""
    fill(database, 200)
    unfinished = database.read().execute("SELECT * FROM schedules")
    unfinished.fetchone()
    assert in_threads(lambda: fill(database, 1, "other")) == []
    fill(database, 1, "mine")
    assert len(unfinished.fetchall()) == 199, "and it still reads the state in which it began"
    assert count(database) == 202


def test_a_write_sees_itself_and_other_threads_do_not(database: Database) -> None:
    with database.write() as db:
        facts.write(db, "a", "1")
        seen: list[str | None] = [facts.read(database.read(), "a")]
        assert in_threads(lambda: seen.append(facts.read(database.read(), "a"))) == []
    assert seen == ["1", None]


def test_a_thread_that_wrote_reads_only_what_is_committed(database: Database) -> None:
    fill(database, 3)
    begun = database.read().execute("SELECT * FROM schedules")
    inside, looked = threading.Event(), threading.Event()

    def write() -> None:
        with database.write() as db:
            db.execute("DELETE FROM schedules")
            inside.set()
            assert looked.wait(10)

    thread = threading.Thread(target=write)
    thread.start()
    assert inside.wait(10)
    assert count(database) == 3
    assert len(begun.fetchall()) == 3
    looked.set()
    thread.join()
    assert count(database) == 0


def test_every_connection_is_set_up(database: Database) -> None:
    def look() -> None:
        db = database.read()
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert db.execute("PRAGMA foreign_keys").fetchone()[0] == 1
        assert db.execute("PRAGMA synchronous").fetchone()[0] == 1
        assert db.execute("PRAGMA busy_timeout").fetchone()[0] == 10_000
        assert db.execute("SELECT 1 AS one").fetchone()["one"] == 1

    look()
    assert in_threads(look) == []
    with database.write():
        look()


def test_two_threads_that_write_never_meet_a_lock(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scheduler.store.connection.PATIENCE", 0)

    def write(word: str) -> None:
        for number in range(200):
            with database.write() as db:
                facts.write(db, f"{word} {number}", word)

    assert in_threads(lambda: write("left"), lambda: write("right")) == []
    written = database.read().execute("SELECT value, count(*) FROM facts GROUP BY 1 ORDER BY 1")
    assert [tuple(row) for row in written] == [("left", 200), ("right", 200)]


def test_readers_see_whole_transactions_while_others_write(database: Database) -> None:
    ended = threading.Event()

    def write() -> None:
        for number in range(200):
            with database.write() as db:
                facts.write(db, "a", str(number))
                facts.write(db, "b", str(number))
        ended.set()

    def read() -> None:
        while not ended.is_set():
            values = database.read().execute("SELECT DISTINCT value FROM facts").fetchall()
            assert len(values) <= 1

    assert in_threads(write, read, read) == []


def test_threads_that_come_and_go_leave_no_connections_behind(database: Database) -> None:
    for _ in range(300):
        assert in_threads(lambda: count(database)) == []
    held = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink() and link.readlink() == database.path]
    assert 0 < len(held) < 10


READS_IN_A_QTHREAD = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QObject, QThread, QTimer, Slot
from scheduler.store.health import open_store
from tests.store.stores import NOW

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
    """Python forgets such a thread, and all its thread-local values, whenever a slot returns."""
    ended = run_python(READS_IN_A_QTHREAD, folder)
    assert ended.stdout == "1 False\n", ended.stderr


def test_instants_survive_to_the_millisecond() -> None:
    exact = NOW.replace(microsecond=123000)
    assert from_ms(to_ms(exact)) == exact
    assert from_ms(to_ms(exact.replace(microsecond=123999))) == exact
    assert to_ms(None) is None
    assert from_ms(None) is None
    before = NOW.replace(year=1969)
    assert from_ms(to_ms(before)) == before


def in_the_file_alone(database: Database, folder: Path) -> set[str]:
    """The facts that are in the file itself, without its log."""
    alone = folder / "alone.db"
    shutil.copyfile(database.path, alone)
    with closing(sqlite3.connect(alone)) as copy:
        return {row[0] for row in copy.execute("SELECT name FROM facts")}


def test_the_log_is_moved_in_a_quiet_moment_once_it_is_worth_it(database: Database, tmp_path: Path) -> None:
    with database.write() as db:
        facts.write(db, "first", "1")
    database.move_log()
    assert "first" not in in_the_file_alone(database, tmp_path)
    for number in range(100):
        with database.write() as db:
            facts.write(db, "counted", str(number))
    database.move_log()
    assert {"first", "counted"} <= in_the_file_alone(database, tmp_path)


def test_moving_the_log_changes_nothing_that_is_stored(database: Database) -> None:
    before = database.read().execute("PRAGMA user_version").fetchone()[0]
    for number in range(150):
        with database.write() as db:
            facts.write(db, f"fact {number}", str(number))
    database.move_log()
    assert database.read().execute("PRAGMA user_version").fetchone()[0] == before
    assert facts.read(database.read(), "fact 149") == "149"
