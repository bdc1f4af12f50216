"""Damaged data files of all kinds: set aside, reported, the last good backup offered, and the app continues."""

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from scheduler.store import dirty_flag
from scheduler.store.backups import back_up
from scheduler.store.errors import (
    DiskFailedError,
    NoBackupError,
    StoreBusyError,
    StoreDamagedError,
    StoreForbiddenError,
)
from scheduler.store.lost_changes import LostChanges
from scheduler.store.opening import close_store, dismiss_damage, open_store, restore
from tests.store.store_files import (
    CLEAN_FILES,
    NOW,
    count,
    count_in,
    end_uncleanly,
    file_names,
    fill,
    make_crashed_store,
    make_store,
    modes,
    zero_pages,
)

Damage = Callable[[Path], None]
DAY = timedelta(days=1)
ASIDE = "dayhand-damaged-20261116-100000.db"


def garbage_header(path: Path) -> None:
    path.write_bytes(b"\x00garbage" * 16 + path.read_bytes()[128:])


def random_bytes(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


def truncated_to_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def truncated_to_the_header(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50])


def zeros_only(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def zeroed_pages_after_a_crash(path: Path) -> None:
    zero_pages(path)
    end_uncleanly(path)


def a_schema_that_is_not_text(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE schedules", b"CREATE TAB\xcc\xff schedules"))


def a_text_file(path: Path) -> None:
    path.write_text("Dear diary, today I opened the wrong file in an editor.\n" * 100)


def the_database_of_another_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE bookmarks (url TEXT)")


def a_foreign_database_with_a_version(path: Path) -> None:
    the_database_of_another_program(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 1")


def a_negative_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = -3")


def no_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 0")


def an_unknown_file_format(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[44:48] = b"\x00\x00\x00\x99"
    path.write_bytes(content)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "photo.jpg").write_text("cheese")


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


DAMAGES = [
    garbage_header,
    random_bytes,
    truncated_to_half,
    truncated_to_the_header,
    zeros_only,
    zeroed_pages_after_a_crash,
    a_schema_that_is_not_text,
    a_text_file,
    the_database_of_another_program,
    a_foreign_database_with_a_version,
    a_negative_version,
    no_version,
    an_unknown_file_format,
    a_folder,
    pytest.param(a_pipe, marks=pytest.mark.posix("Windows has no pipes in folders")),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_set_aside_and_the_backup_can_be_restored(folder: Path, damage: Damage) -> None:
    path = make_store(folder)
    backup = back_up(folder, NOW - DAY)
    damage(path)
    content = path.read_bytes() if path.is_file() else None

    opened = open_store(folder, NOW)
    assert opened.damage is not None
    assert opened.damage.aside == folder / ASIDE
    assert opened.damage.backup == backup
    assert opened.damage.describe() == (
        f"Your data file dayhand.db was damaged and was set aside as {ASIDE}, so Dayhand started with an empty one; "
        "to restore the backup dayhand-20261115-100000.db, choose Restore, or quit and run: dayhand restore"
    )
    if content is not None:
        assert (folder / ASIDE).read_bytes() == content
    assert count(opened.database) == 0
    fill(opened.database, 3)
    close_store(opened.database)
    assert count_in(path) == 3

    assert restore(folder, NOW) == backup
    opened = open_store(folder, NOW)
    assert opened.damage is None
    assert count(opened.database) == 200
    close_store(opened.database)
    assert count_in(folder / "dayhand-replaced-20261116-100000.db") == 3, "what was added after the damage is kept too"
    assert count_in(backup) == 200


@pytest.mark.parametrize("damage", DAMAGES)
def test_without_a_backup_the_app_starts_empty_and_says_so(folder: Path, damage: Damage) -> None:
    damage(make_store(folder))
    opened = open_store(folder, NOW)
    assert opened.damage is not None
    assert opened.damage.describe() == (
        f"Your data file dayhand.db was damaged and was set aside as {ASIDE}, so Dayhand started with an empty one; "
        "there is no backup, so please add your workflows again."
    )
    fill(opened.database, 3)
    close_store(opened.database)
    before = file_names(folder)
    with pytest.raises(NoBackupError, match=r"no readable backup in .*data, so nothing was changed"):
        restore(folder, NOW)
    assert file_names(folder) == before
    assert count_in(folder / "dayhand.db") == 3


@pytest.mark.parametrize("seed", range(40))
def test_no_damage_stops_the_app(folder: Path, seed: int) -> None:
    """Bytes changed, removed or appended anywhere, after a clean exit or a crash."""
    chance = random.Random(seed)
    path = make_store(folder)
    back_up(folder, NOW - DAY)
    content = bytearray(path.read_bytes())
    start = chance.choice([chance.randrange(60), chance.randrange(64, 4096), chance.randrange(4096, len(content))])
    length = chance.choice([1, 100, 4096, 20_000])
    match chance.choice(["noise", "zeros", "cut", "longer"]):
        case "noise":
            content[start : start + length] = chance.randbytes(len(content[start : start + length]))
        case "zeros":
            content[start : start + length] = bytes(len(content[start : start + length]))
        case "cut":
            del content[start:]
        case "longer":
            content += chance.randbytes(length)
    path.write_bytes(content)
    if chance.random() < 0.5:
        end_uncleanly(path)
    opened = open_store(folder, NOW)
    if opened.damage is not None:
        assert count(opened.database) == 0
        close_store(opened.database)
        restore(folder, NOW)
        opened = open_store(folder, NOW)
        assert count(opened.database) == 200
    close_store(opened.database)


def test_damage_found_after_a_clean_start_is_set_aside_at_the_next_start(folder: Path) -> None:
    """A clean exit skips the check, so the error sets the dirty flag for the next start."""
    path = make_store(folder)
    zero_pages(path, path.read_bytes().index(b"w99/hw99h"))
    opened = open_store(folder, NOW)
    assert opened.damage is None
    with pytest.raises(StoreDamagedError, match="start it again: it sets the file aside"):
        opened.database.read().execute("SELECT * FROM schedules").fetchall()
    close_store(opened.database)
    opened = open_store(folder, NOW)
    assert opened.damage is not None
    close_store(opened.database)


@pytest.mark.parametrize(
    "fetch", [list, lambda rows: rows.fetchall(), lambda rows: [rows.fetchone() for _ in range(200)]]
)
def test_damage_is_reported_however_the_rows_are_read(folder: Path, fetch: Callable[[sqlite3.Cursor], object]) -> None:
    """SQLite reaches the bad page long after the query began."""
    path = make_store(folder)
    zero_pages(path, path.read_bytes().index(b"w99/hw99h"))
    database = open_store(folder, NOW).database
    rows = database.read().execute("SELECT * FROM schedules")
    with pytest.raises(StoreDamagedError):
        fetch(rows)
    database.close()


def test_damage_that_stops_the_migration_is_set_aside_at_once(folder: Path, add_steps: Callable[..., None]) -> None:
    zero_pages(make_store(folder))
    add_steps("ALTER TABLE schedules ADD COLUMN colour TEXT;\nUPDATE schedules SET colour = 'blue';")
    opened = open_store(folder, NOW)
    assert opened.damage is not None
    assert opened.damage.backup is None, "a copy of a damaged file is not a backup"
    fill(opened.database, 1)
    close_store(opened.database)


def test_an_empty_file_without_backups_is_a_first_start(folder: Path) -> None:
    folder.mkdir()
    (folder / "dayhand.db").touch()
    opened = open_store(folder, NOW)
    assert opened.damage is None
    fill(opened.database, 1)
    close_store(opened.database)
    assert file_names(folder) == CLEAN_FILES


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def emptied_by_sqlite(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")


@pytest.mark.parametrize("damage", [emptied, emptied_by_sqlite])
def test_an_empty_file_with_a_backup_is_damage(folder: Path, damage: Damage) -> None:
    """As left by a power cut, or by a kill between setting a file aside and recording it."""
    path = make_store(folder)
    backup = back_up(folder, NOW - DAY)
    damage(path)
    opened = open_store(folder, NOW)
    assert opened.damage is not None and opened.damage.backup == backup
    close_store(opened.database)
    restore(folder, NOW)
    assert count_in(path) == 200


def test_a_missing_file_is_reported_and_the_backup_offered(folder: Path) -> None:
    path = make_store(folder)
    back_up(folder, NOW - DAY)
    path.unlink()
    opened = open_store(folder, NOW)
    assert opened.damage is not None
    assert opened.damage.describe().startswith(
        "Your data file dayhand.db was missing, so Dayhand started with an empty one;"
    )
    close_store(opened.database)
    restore(folder, NOW)
    assert count_in(path) == 200


def test_a_crash_alone_damages_nothing(folder: Path) -> None:
    make_crashed_store(folder)
    opened = open_store(folder, NOW)
    assert opened.damage is None
    assert count(opened.database) == 200
    close_store(opened.database)


@pytest.mark.parametrize("content", [None, b"", b"garbage" * 5000])
def test_a_damaged_shared_memory_file_loses_nothing(folder: Path, content: bytes | None) -> None:
    path = make_crashed_store(folder)
    shared = path.with_name("dayhand.db-shm")
    shared.unlink() if content is None else shared.write_bytes(content)
    opened = open_store(folder, NOW)
    assert opened.damage is None
    assert count(opened.database) == 200
    close_store(opened.database)


@pytest.mark.parametrize("content", [None, b"", b"garbage" * 5000])
def test_a_lost_journal_loses_only_its_own_content(folder: Path, content: bytes | None) -> None:
    path = make_crashed_store(folder)
    journal = path.with_name("dayhand.db-wal")
    journal.unlink() if content is None else journal.write_bytes(content)
    opened = open_store(folder, NOW)
    assert isinstance(opened.damage, LostChanges)
    assert count(opened.database) == 100
    fill(opened.database, 7)
    close_store(opened.database)
    assert count_in(path) == 107


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_journal_without_its_file_is_kept_and_not_mixed_with_the_new_store(folder: Path, *, is_gone: bool) -> None:
    path = make_crashed_store(folder)
    path.unlink() if is_gone else path.write_bytes(b"")
    journal = path.with_name("dayhand.db-wal").read_bytes()
    opened = open_store(folder, NOW)
    assert opened.damage is not None
    assert (folder / f"{ASIDE}-wal").read_bytes() == journal
    assert count(opened.database) == 0
    close_store(opened.database)
    assert count_in(path) == 0


def test_the_side_files_are_set_aside_with_the_damaged_file(folder: Path) -> None:
    path = make_store(folder)
    a_folder(path)
    for suffix in ("-wal", "-shm", "-journal"):
        path.with_name(f"dayhand.db{suffix}").write_text(f"old{suffix}")
    close_store(open_store(folder, NOW).database)
    beside = {f"{ASIDE}{suffix}" for suffix in ("-wal", "-shm", "-journal", "-sequence")}
    assert file_names(folder) == {"dayhand.db", ASIDE} | beside
    for suffix in ("-wal", "-shm", "-journal"):
        assert (folder / f"{ASIDE}{suffix}").read_text() == f"old{suffix}"


def test_files_damaged_in_the_same_second_are_kept_separately(folder: Path) -> None:
    path = make_store(folder)
    for text in ("first", "second", "third"):
        path.write_text(text)
        close_store(open_store(folder, NOW).database)
    texts = {
        name: (folder / name).read_text() for name in file_names(folder) if "damaged" in name and name.endswith(".db")
    }
    assert texts == {ASIDE: "first", ASIDE.replace(".db", "-2.db"): "second", ASIDE.replace(".db", "-3.db"): "third"}


def test_damage_is_reported_at_every_start_until_it_is_dismissed(folder: Path) -> None:
    """A user who missed the first notification can still restore."""
    path = make_store(folder)
    backup = back_up(folder, NOW - DAY)
    path.write_text("garbage")
    first = open_store(folder, NOW)
    close_store(first.database)
    again = open_store(folder, NOW + DAY)
    assert again.damage == first.damage
    assert again.damage is not None and again.damage.backup == backup
    dismiss_damage(again.database)
    close_store(again.database)
    last = open_store(folder, NOW + DAY)
    assert last.damage is None
    close_store(last.database)


def test_restore_takes_the_offered_backup_and_not_a_newer_one_of_the_empty_store(folder: Path) -> None:
    """The backup of the day after the damage is empty."""
    path = make_store(folder)
    offered = back_up(folder, NOW - DAY)
    path.write_text("garbage")
    database = open_store(folder, NOW).database
    back_up(folder, NOW + DAY)
    close_store(database)
    assert restore(folder, NOW + DAY) == offered
    assert count_in(path) == 200


@pytest.mark.parametrize("is_gone", [False, True])
def test_an_offered_backup_that_got_damaged_is_replaced_by_another(folder: Path, *, is_gone: bool) -> None:
    path = make_store(folder)
    older, offered = back_up(folder, NOW - 2 * DAY), back_up(folder, NOW - DAY)
    path.write_text("garbage")
    close_store(open_store(folder, NOW).database)
    offered.unlink() if is_gone else zero_pages(offered)
    assert restore(folder, NOW) == older
    assert count_in(path) == 200


def test_a_backup_that_is_gone_is_no_longer_offered(folder: Path) -> None:
    path = make_store(folder)
    backup = back_up(folder, NOW - DAY)
    path.write_text("garbage")
    close_store(open_store(folder, NOW).database)
    backup.unlink()
    opened = open_store(folder, NOW)
    assert opened.damage is not None and opened.damage.backup is None
    close_store(opened.database)


def test_after_dismissing_restore_takes_the_newest_again(folder: Path) -> None:
    path = make_store(folder)
    back_up(folder, NOW - DAY)
    path.write_text("garbage")
    database = open_store(folder, NOW).database
    fill(database, 5)
    dismiss_damage(database)
    newest = back_up(folder, NOW + DAY)
    close_store(database)
    assert restore(folder, NOW + DAY) == newest
    assert count_in(path) == 5


def test_restore_skips_a_damaged_newest_backup(folder: Path) -> None:
    path = make_store(folder)
    good = back_up(folder, NOW - 2 * DAY)
    zero_pages(back_up(folder, NOW - DAY))
    path.write_text("garbage")
    opened = open_store(folder, NOW)
    assert opened.damage is not None and opened.damage.backup == good
    close_store(opened.database)
    assert restore(folder, NOW) == good
    assert count_in(path) == 200


def test_restore_works_on_a_file_that_was_never_opened(folder: Path) -> None:
    """The app is closed, and the user restores from the command line."""
    path = make_store(folder)
    back_up(folder, NOW - DAY)
    path.write_text("garbage")
    restore(folder, NOW)
    assert count_in(path) == 200
    assert (folder / "dayhand-replaced-20261116-100000.db").read_text() == "garbage"


@pytest.mark.parametrize("is_gone", [False, True])
def test_restore_leaves_no_old_journal_beside_the_restored_file(folder: Path, *, is_gone: bool) -> None:
    """SQLite would replay it over the wrong pages."""
    path = make_crashed_store(folder)
    shutil.copytree(folder, folder.with_name("copied"))
    back_up(folder.with_name("copied"), NOW - DAY)
    shutil.copytree(folder.with_name("copied") / "backups", folder / "backups")
    if is_gone:
        path.unlink()
    restore(folder, NOW)
    assert not path.with_name("dayhand.db-wal").exists()
    assert count_in(path) == 200


@pytest.mark.posix("Windows has no file modes")
def test_a_restored_file_is_private_and_usable(folder: Path) -> None:
    path = make_store(folder)
    back_up(folder, NOW)
    mask = os.umask(0)
    try:
        restore(folder, NOW)
    finally:
        os.umask(mask)
    assert modes(folder)["data/dayhand.db"] == "0o600"
    opened = open_store(folder, NOW)
    fill(opened.database, 1, "new")
    close_store(opened.database)
    assert count_in(path) == 201


def test_a_locked_file_is_not_treated_as_damaged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scheduler.store.sqlite.BUSY_TIMEOUT_S", 0.05)
    path = make_store(folder)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreBusyError, match=r"Another program has locked .*dayhand\.db"):
            open_store(folder, NOW)
    opened = open_store(folder, NOW)
    assert opened.damage is None
    assert count(opened.database) == 200
    close_store(opened.database)


def test_a_file_in_place_of_the_folder_is_reported(folder: Path) -> None:
    folder.write_text("not a folder")
    with pytest.raises(StoreForbiddenError, match="data cannot be opened or changed"):
        open_store(folder, NOW)
    with pytest.raises(StoreForbiddenError):
        open_store(folder / "below", NOW)
    assert folder.read_text() == "not a folder"


@pytest.mark.posix("Windows has no file modes")
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may read and write everything")
@pytest.mark.parametrize(("what", "mode"), [("dayhand.db", 0o000), (".", 0o000), (".", 0o500)])
def test_a_file_without_permission_is_reported_and_left_alone(folder: Path, what: str, mode: int) -> None:
    path = make_store(folder)
    content = path.read_bytes()
    shut = folder / what
    before = shut.stat().st_mode
    shut.chmod(mode)
    try:
        with pytest.raises((StoreForbiddenError, DiskFailedError), match="Check"):
            open_store(folder, NOW)
    finally:
        shut.chmod(before)
    assert path.read_bytes() == content
    assert not dirty_flag.is_set(path)
