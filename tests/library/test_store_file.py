"""Which files a scheduler opens, and which it refuses without changing them."""

import os
import shutil
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scheduler import Scheduler
from scheduler.library import SchedulerStateError, StoreFileError, StoreInUseError
from scheduler.store import migrations
from scheduler.store.opening import close_store, open_store
from tests.library.library_fixture import TIMEOUT_S


def test_a_second_process_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    program = (
        "import sys; from scheduler import Scheduler\ntry: Scheduler(sys.argv[1])\nexcept Exception as e: print(e)"
    )
    with Scheduler(path):
        with pytest.raises(StoreInUseError, match="is in use by another scheduler"):
            Scheduler(path)
        said = subprocess.run(
            [sys.executable, "-c", program, path], capture_output=True, text=True, timeout=TIMEOUT_S, check=True
        )
    assert "jobs.db is in use by another scheduler" in said.stdout
    Scheduler(path).close()


@pytest.mark.posix("Wine makes no symbolic links")
def test_two_names_of_one_file_are_one_file(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "jobs.db")
    with Scheduler(tmp_path / "jobs.db"), pytest.raises(StoreInUseError):
        Scheduler(tmp_path / "link.db")


def test_the_data_of_the_app_is_refused_and_unchanged(tmp_path: Path) -> None:
    close_store(open_store(tmp_path, datetime.now(UTC)).database)
    store = tmp_path / "dayhand.db"
    before = store.read_bytes()
    with pytest.raises(StoreFileError, match=r"dayhand\.db is the name of the app's own data"):
        Scheduler(store)
    copy = tmp_path / "copy.db"
    shutil.copy(store, copy)
    with pytest.raises(StoreFileError, match="belongs to the app or to another program"):
        Scheduler(copy)
    assert store.read_bytes() == before == copy.read_bytes()


def test_the_file_of_another_program_is_refused_and_unchanged(tmp_path: Path) -> None:
    other, text, folder = tmp_path / "other.db", tmp_path / "notes.txt", tmp_path / "folder"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE things (name)")
    connection.commit()
    connection.close()
    text.write_text("not a database, but a text that is long enough to be looked at " * 100)
    folder.mkdir()
    before = other.read_bytes(), text.read_bytes()
    with pytest.raises(StoreFileError, match="belongs to the app or to another program"):
        Scheduler(other)
    with pytest.raises(StoreFileError, match="is damaged, or not a SQLite file"):
        Scheduler(text)
    with pytest.raises(StoreFileError, match="is a folder"):
        Scheduler(folder)
    with pytest.raises(StoreFileError, match="There is no folder"):
        Scheduler(tmp_path / "nowhere" / "jobs.db")
    with pytest.raises(StoreFileError, match="not in memory"):
        Scheduler(":memory:")
    assert (other.read_bytes(), text.read_bytes()) == before


@pytest.mark.posix("Windows has no file modes")
def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    path.touch()
    with Scheduler(path) as scheduler:
        scheduler.upsert_schedule("job", every="1h")
    with Scheduler(path) as scheduler:
        assert [one.name for one in scheduler.list()] == ["job"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert {one.name for one in tmp_path.iterdir()} == {"jobs.db", "jobs.db-lock"}


def test_a_damaged_file_is_refused_after_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    with Scheduler(path) as scheduler:
        for n in range(300):
            scheduler.upsert_schedule(f"job{n}", every="1h")
    (tmp_path / "jobs.db-in-use").write_text("in use")
    damaged = bytearray(path.read_bytes())
    damaged[8192:32768] = b"\xff" * 24576
    path.write_bytes(damaged)
    with pytest.raises(StoreFileError, match="is damaged"):
        Scheduler(path)
    assert path.read_bytes() == damaged


def test_a_log_without_its_file_is_not_written_into_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "jobs.db-wal").write_bytes(b"changes")
    with pytest.raises(StoreFileError, match="has changes for a file that is gone"):
        Scheduler(tmp_path / "jobs.db")


def test_an_older_file_is_copied_before_it_is_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, steps = tmp_path / "jobs.db", migrations._steps()
    with Scheduler(path) as scheduler:
        scheduler.upsert_schedule("job", every="1h")
    monkeypatch.setattr(migrations, "_steps", lambda: [*steps, (len(steps) + 1, "CREATE TABLE later (name);")])
    with Scheduler(path) as scheduler:
        assert [one.name for one in scheduler.list()] == ["job"]
    assert (tmp_path / f"jobs.db.format-{len(steps)}").exists()
    monkeypatch.undo()
    with pytest.raises(StoreFileError, match="written by a newer version"):
        Scheduler(path)


def test_a_forked_process_must_open_the_file_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Scheduler(tmp_path / "jobs.db") as scheduler:
        pid = os.getpid()
        monkeypatch.setattr(os, "getpid", lambda: pid + 1)
        with pytest.raises(SchedulerStateError, match="Open the file after the fork"):
            scheduler.list()
        monkeypatch.undo()
        assert scheduler.list() == ()


@pytest.mark.posix("Windows keeps an open file from being deleted or replaced")
def test_a_file_deleted_while_in_use_is_noticed(tmp_path: Path) -> None:
    with Scheduler(tmp_path / "jobs.db") as scheduler:
        scheduler.upsert_schedule("job", every="1h")
        (tmp_path / "jobs.db").unlink()
        with pytest.raises(StoreFileError, match="was deleted or replaced while it was in use"):
            scheduler.pause("job")


def test_a_closed_scheduler_says_so(tmp_path: Path) -> None:
    scheduler = Scheduler(tmp_path / "jobs.db")
    scheduler.close()
    scheduler.close()
    for act in (scheduler.list, scheduler.start, scheduler.tick, scheduler.wake):
        with pytest.raises(SchedulerStateError, match="This scheduler is closed"):
            act()


def test_no_row_of_a_workflow_is_needed(tmp_path: Path) -> None:
    """Foreign keys are checked on every write, and there are no workflows."""
    path = tmp_path / "jobs.db"
    with Scheduler(path) as scheduler:
        scheduler.on_due(["echo", "hello"])
        scheduler.upsert_schedule("job", every="1h")
        scheduler.start()
        scheduler.wait(scheduler.trigger("job"), TIMEOUT_S)
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    for table in ("workflows", "runs", "lanes", "handlers", "events"):
        assert db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0
    db.close()
