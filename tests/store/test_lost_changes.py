"""Changes that were lost while no app ran are noticed, and nothing runs again unasked."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from scheduler.store import commit_sequence, schedules, workflows
from scheduler.store.lost_changes import LostChanges
from scheduler.store.opening import close_store, open_store
from scheduler.store.workflows import WorkflowStatus
from tests.store.store_files import NOW, count, fill
from tests.store.workflow_rows import add_workflow

BOOT = "scheduler.store.commit_sequence.boot_id"


def delete_the_log(folder: Path) -> None:
    (folder / "dayhand.db-wal").unlink()


def delete_log_and_index(folder: Path) -> None:
    delete_the_log(folder)
    (folder / "dayhand.db-shm").unlink()


def cut_the_log(folder: Path) -> None:
    log = folder / "dayhand.db-wal"
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])


def empty_the_log(folder: Path) -> None:
    (folder / "dayhand.db-wal").write_bytes(b"")


def damage_the_last_page(folder: Path) -> None:
    """SQLite stops reading the log at the first page with a wrong checksum."""
    log = folder / "dayhand.db-wal"
    log.write_bytes(log.read_bytes()[:-100] + bytes(100))


def put_an_older_copy_in_place(folder: Path) -> None:
    delete_log_and_index(folder)
    shutil.copyfile(folder.with_name("older") / "dayhand.db", folder / "dayhand.db")


LOSSES = [
    delete_the_log,
    delete_log_and_index,
    cut_the_log,
    empty_the_log,
    damage_the_last_page,
    put_an_older_copy_in_place,
]


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """The folder of an app that was killed with three transactions in its log, the second of them durable."""
    alive, folder = tmp_path / "alive", tmp_path / "killed"
    database = open_store(alive, NOW).database
    with database.write() as db:
        add_workflow(db, "w")
    close_store(database)
    shutil.copytree(alive, tmp_path / "older")
    database = open_store(alive, NOW).database
    fill(database, 5, "a")
    with database.write(durable=True) as db:
        db.execute("UPDATE workflows SET watching = 1")
    fill(database, 5, "b")
    shutil.copytree(alive, folder)
    close_store(database)
    return folder


@pytest.mark.parametrize("lose", LOSSES)
def test_lost_changes_are_told_once_and_pause_everything(killed: Path, lose: Callable[[Path], None]) -> None:
    lose(killed)
    opened = open_store(killed, NOW)
    assert isinstance(opened.damage, LostChanges) and opened.damage.number > 0
    assert "all workflows are paused" in opened.damage.describe()
    row = workflows.find(opened.database.read(), "w")
    assert row is not None and row.status is WorkflowStatus.PAUSED
    notes = {one.pause_note for one in schedules.list_all(opened.database.read())}
    assert all(note and "were lost" in note for note in notes)
    fill(opened.database, 1, "later")
    close_store(opened.database)
    again = open_store(killed, NOW)
    assert again.damage is None
    close_store(again.database)


def test_a_kill_alone_loses_nothing(killed: Path) -> None:
    opened = open_store(killed, NOW)
    assert (opened.damage, count(opened.database)) == (None, 10)
    close_store(opened.database)


def test_another_program_may_have_opened_and_closed_the_store(killed: Path) -> None:
    """It moves the log's content into the store, and deletes the log."""
    with closing(sqlite3.connect(killed / "dayhand.db")) as db:
        db.execute("SELECT count(*) FROM schedules").fetchone()
    assert not (killed / "dayhand.db-wal").exists()
    opened = open_store(killed, NOW)
    assert (opened.damage, count(opened.database)) == (None, 10)
    close_store(opened.database)


def test_after_a_power_cut_only_durable_changes_must_be_there(killed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damage_the_last_page(killed)
    monkeypatch.setattr(BOOT, lambda: "another")
    opened = open_store(killed, NOW)
    assert (opened.damage, count(opened.database)) == (None, 5)
    close_store(opened.database)


def test_after_a_power_cut_missing_durable_changes_are_told(killed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    delete_log_and_index(killed)
    monkeypatch.setattr(BOOT, lambda: "another")
    opened = open_store(killed, NOW)
    assert isinstance(opened.damage, LostChanges)
    close_store(opened.database)


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"12 many words here", b"-5 x y"])
def test_without_a_readable_file_nothing_is_told(killed: Path, content: bytes | None) -> None:
    path = killed / f"dayhand.db{commit_sequence.SUFFIX}"
    path.unlink() if content is None else path.write_bytes(content)
    opened = open_store(killed, NOW)
    assert opened.damage is None
    close_store(opened.database)
