"""Backups: complete, private, limited in number, and never partial."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from scheduler.store import backups, key_values, migrations
from scheduler.store.backups import back_up, back_up_if_due, find_last_backup
from scheduler.store.database import Database
from scheduler.store.errors import StoreDamagedError, StoreError
from scheduler.store.opening import close_store, dismiss_damage, open_store
from tests.killing import KILLED
from tests.store.store_files import NOW, count_in, file_names, fill, make_store, modes, run_python, zero_pages

DAY = timedelta(days=1)


@pytest.fixture
def store(folder: Path) -> Iterator[Database]:
    database = open_store(folder, NOW).database
    fill(database, 200)
    yield database
    database.close()


def kept(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "backups").iterdir())


@pytest.mark.posix("Windows has no file modes")
def test_a_backup_is_one_private_file_with_everything(store: Database, folder: Path) -> None:
    backup = back_up(folder, NOW)
    assert kept(folder) == ["dayhand-20261116-100000.db"] == [backup.name]
    assert count_in(backup) == 200, "including what is only in the journal of the running store"
    assert kept(folder) == [backup.name], "reading it needs no side files"
    assert modes(folder)["data/backups"] == "0o700"
    assert modes(folder)["data/backups/dayhand-20261116-100000.db"] == "0o600"


def test_at_most_five_are_kept(store: Database, folder: Path) -> None:
    for day in range(8):
        back_up(folder, NOW + day * DAY)
    assert kept(folder) == [f"dayhand-202611{16 + day}-100000.db" for day in range(3, 8)]


def test_other_files_in_the_folder_are_left_alone(store: Database, folder: Path) -> None:
    (folder / "backups").mkdir()
    mine = folder / "backups" / "dayhand-before-holidays.db"
    mine.write_text("mine")
    for day in range(8):
        back_up(folder, NOW + day * DAY)
    assert mine.read_text() == "mine"
    assert len(kept(folder)) == 6


def test_a_backup_is_due_once_a_day(store: Database, folder: Path) -> None:
    assert back_up_if_due(folder, NOW) is not None
    assert back_up_if_due(folder, NOW + DAY - timedelta(seconds=1)) is None
    assert back_up_if_due(folder, NOW + DAY) is not None
    assert back_up_if_due(folder, NOW + DAY) is None
    assert len(kept(folder)) == 2


def test_checking_whether_one_is_due_does_not_touch_the_store(
    store: Database, folder: Path, statements: list[str]
) -> None:
    back_up(folder, NOW)
    statements.clear()
    for minute in range(1000):
        assert back_up_if_due(folder, NOW + timedelta(minutes=minute)) is None
    assert statements == []


def test_a_backup_does_not_block_writers(store: Database, folder: Path) -> None:
    with store.write() as db:
        db.execute("DELETE FROM schedules")
        backup = back_up(folder, NOW)
    assert count_in(backup) == 200, "uncommitted changes are not in it"


def test_a_wrong_clock_neither_stops_backups_nor_deletes_new_ones(store: Database, folder: Path) -> None:
    for day in range(5):
        back_up(folder, NOW + timedelta(days=365 + day))
    fill(store, 1, "new")
    backup = back_up_if_due(folder, NOW)
    assert backup is not None and backup.exists()
    assert len(kept(folder)) == 5
    assert find_last_backup(folder, NOW) == backup, "the one made last, not the one dated last"
    assert back_up_if_due(folder, NOW) is None


def test_names_do_not_depend_on_the_zone_of_now(store: Database, folder: Path) -> None:
    tokyo = datetime(2026, 11, 16, 19, 0, tzinfo=timezone(timedelta(hours=9)))
    assert tokyo == NOW
    assert back_up(folder, tokyo) == back_up(folder, NOW.astimezone(UTC))


DIES_WHILE_COPYING = """
import os, sys
from pathlib import Path
from scheduler.store import backups
from tests.store.store_files import NOW
backups.put_in_place = lambda *_: os.kill(os.getpid(), 9)
backups.back_up(Path(sys.argv[1]), NOW)
"""


def test_an_unfinished_copy_is_never_taken_for_a_backup(folder: Path) -> None:
    make_store(folder)
    assert run_python(DIES_WHILE_COPYING, folder).returncode == KILLED
    assert kept(folder) == ["dayhand-20261116-100000.part"]
    if os.name == "posix":
        assert modes(folder)["data/backups/dayhand-20261116-100000.part"] == "0o600"
    assert find_last_backup(folder, NOW) is None
    assert back_up_if_due(folder, NOW + DAY) is not None
    assert kept(folder) == ["dayhand-20261117-100000.db"], "the next backup removes it"


@pytest.mark.posix("reads the names of open files from /proc")
def test_a_copy_reaches_the_disk_before_it_gets_its_name(
    store: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    fsync, replace = backups.os.fsync, Path.replace

    def traced_fsync(number: int) -> None:
        steps.append("sync " + Path(f"/proc/self/fd/{number}").readlink().suffix)
        fsync(number)

    def traced_replace(path: Path, target: Path) -> Path:
        steps.append(f"{path.suffix} becomes {target.suffix}")
        return replace(path, target)

    monkeypatch.setattr(backups.os, "fsync", traced_fsync)
    monkeypatch.setattr(Path, "replace", traced_replace)
    back_up(folder, NOW)
    assert steps == ["sync .part", ".part becomes .db", "sync "]


def test_a_copy_that_fails_leaves_nothing_behind(
    store: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Especially not a large file on a full disk."""

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    good = back_up(folder, NOW)
    monkeypatch.setattr(backups, "put_in_place", fail)
    with pytest.raises(StoreError, match="is full"):
        back_up(folder, NOW + DAY)
    assert kept(folder) == [good.name]


def test_a_damaged_store_never_replaces_good_backups(folder: Path) -> None:
    """The daily backup finds damage that was not noticed yet; the next start checks."""
    path = make_store(folder)
    good = back_up(folder, NOW)
    zero_pages(path)
    opened = open_store(folder, NOW + DAY)
    assert opened.damage is None, "after a clean exit not every page is checked"
    for _ in range(6):
        with pytest.raises(StoreDamagedError, match="Quit Dayhand and start it again"):
            back_up_if_due(folder, NOW + DAY)
    assert kept(folder) == [good.name]
    close_store(opened.database)
    opened = open_store(folder, NOW + DAY)
    assert opened.damage is not None and opened.damage.backup == good
    opened.database.close()


def _zero(path: Path) -> None:
    zero_pages(path)


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _scribble(path: Path) -> None:
    path.write_text("dear diary")


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _set_unknown_format(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:47] + b"\x99" + content[48:])


def _make_newer(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {migrations.latest() + 1}")
    db.close()


@pytest.mark.parametrize(
    "damage", [_zero, _truncate, _scribble, _empty, _replace_by_folder, _set_unknown_format, _make_newer]
)
def test_a_damaged_newest_backup_is_skipped(store: Database, folder: Path, damage: Callable[[Path], None]) -> None:
    older, newest = back_up(folder, NOW), back_up(folder, NOW + DAY)
    assert find_last_backup(folder, NOW + DAY) == newest
    damage(newest)
    assert find_last_backup(folder, NOW + DAY) == older
    assert kept(folder) == [older.name, newest.name], "checking it leaves no files behind"


def test_the_offered_backup_stays_until_the_user_decides(folder: Path) -> None:
    """Daily backups of the empty store must not displace the one with the data."""
    path = make_store(folder)
    offered = back_up(folder, NOW)
    path.write_text("garbage")
    database = open_store(folder, NOW + DAY).database
    for day in range(1, 10):
        back_up(folder, NOW + day * DAY)
    assert offered.exists() and len(kept(folder)) == 6
    dismiss_damage(database)
    back_up(folder, NOW + 10 * DAY)
    assert not offered.exists() and len(kept(folder)) == 5
    database.close()


def test_a_backup_does_not_contain_the_note_that_its_store_replaced_a_damaged_one(folder: Path) -> None:
    path = make_store(folder)
    back_up(folder, NOW)
    path.write_text("garbage")
    opened = open_store(folder, NOW + DAY)
    assert opened.damage is not None
    backup = back_up(folder, NOW + DAY)
    opened.database.close()
    shutil.copy(backup, path)
    opened = open_store(folder, NOW + DAY)
    assert opened.damage is None
    assert key_values.read(opened.database.read(), key_values.OFFERED_BACKUP) is None
    opened.database.close()


def test_without_a_store_there_is_no_backup(folder: Path) -> None:
    folder.mkdir()
    with pytest.raises(StoreError, match=r"dayhand\.db cannot be opened"):
        back_up_if_due(folder, NOW)
    assert kept(folder) == []
    assert file_names(folder) == {"backups"}
