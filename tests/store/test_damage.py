"""D4, a damaged data file in its varieties: set aside, said, the last good backup offered, and the app goes on."""

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from scheduler.store import marker
from scheduler.store.backups import back_up
from scheduler.store.errors import (
    DiskFailedError,
    NoBackupError,
    StoreBusyError,
    StoreDamagedError,
    StoreForbiddenError,
)
from scheduler.store.health import close_store, dismiss_damage, open_store, restore
from tests.store.stores import NOW, count, count_in, crashed, end_uncleanly, fill, listing, made, modes, zero_pages

Spoil = Callable[[Path], None]
DAY = timedelta(days=1)
ASIDE = "dayhand-damaged-20261116-100000.db"


def garbage_header(path: Path) -> None:
    path.write_bytes(b"\x00garbage" * 16 + path.read_bytes()[128:])


def random_bytes(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


def half_of_it(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def the_first_bytes(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50])


def zeros_only(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def zeroed_pages_after_a_crash(path: Path) -> None:
    zero_pages(path)
    end_uncleanly(path)


def a_schema_that_is_no_text(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE schedules", b"CREATE TAB\xcc\xff schedules"))


def a_text_file(path: Path) -> None:
    path.write_text("Dear diary, today I opened the wrong file in an editor.\n" * 100)


def the_database_of_another_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE bookmarks (url TEXT)")


def one_with_a_version_of_its_own(path: Path) -> None:
    the_database_of_another_program(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 1")


def a_negative_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = -3")


def no_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 0")


def a_file_format_that_nobody_knows(path: Path) -> None:
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


SPOILS = [
    garbage_header,
    random_bytes,
    half_of_it,
    the_first_bytes,
    zeros_only,
    zeroed_pages_after_a_crash,
    a_schema_that_is_no_text,
    a_text_file,
    the_database_of_another_program,
    one_with_a_version_of_its_own,
    a_negative_version,
    no_version,
    a_file_format_that_nobody_knows,
    a_folder,
    a_pipe,
]


@pytest.mark.parametrize("spoil", SPOILS)
def test_a_damaged_file_is_set_aside_and_the_backup_comes_back(folder: Path, spoil: Spoil) -> None:
    """D4"""
    path = made(folder)
    backup = back_up(folder, NOW - DAY)
    spoil(path)
    content = path.read_bytes() if path.is_file() else None

    opened = open_store(folder, NOW)
    assert opened.damage is not None
    assert opened.damage.aside == folder / ASIDE
    assert opened.damage.backup == backup
    assert opened.damage.say() == (
        f"Your data file dayhand.db was damaged and is set aside as {ASIDE}, so Dayhand started with an empty one; "
        "to go on from the backup dayhand-20261115-100000.db, choose Restore, or quit and run: dayhand restore"
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
    assert count_in(folder / "dayhand-replaced-20261116-100000.db") == 3, "what came after the damage is kept too"
    assert count_in(backup) == 200


@pytest.mark.parametrize("spoil", SPOILS)
def test_without_a_backup_the_app_goes_on_and_says_so(folder: Path, spoil: Spoil) -> None:
    """D4"""
    spoil(made(folder))
    opened = open_store(folder, NOW)
    assert opened.damage is not None
    assert opened.damage.say() == (
        f"Your data file dayhand.db was damaged and is set aside as {ASIDE}, so Dayhand started with an empty one; "
        "there is no backup, so please add your workflows again."
    )
    fill(opened.database, 3)
    close_store(opened.database)
    before = listing(folder)
    with pytest.raises(NoBackupError, match=r"no backup in .*data that can be read, so nothing was changed"):
        restore(folder, NOW)
    assert listing(folder) == before
    assert count_in(folder / "dayhand.db") == 3


@pytest.mark.parametrize("seed", range(40))
def test_no_damage_whatsoever_stops_the_app(folder: Path, seed: int) -> None:
    """D4: bytes changed, cut off or appended anywhere, after a clean end or a crash"""
    chance = random.Random(seed)
    path = made(folder)
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


def test_zeroed_pages_after_a_clean_end_are_met_later_and_set_aside_at_the_next_start(folder: Path) -> None:
    """D4: a clean end spares the check, so whoever meets the damage sees to it that the next start looks."""
    path = made(folder)
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
def test_damage_is_told_however_the_rows_are_read(folder: Path, fetch: Callable[[sqlite3.Cursor], object]) -> None:
    """D4: SQLite meets a bad page long after the query began."""
    path = made(folder)
    zero_pages(path, path.read_bytes().index(b"w99/hw99h"))
    database = open_store(folder, NOW).database
    rows = database.read().execute("SELECT * FROM schedules")
    with pytest.raises(StoreDamagedError):
        fetch(rows)
    database.close()


def test_damage_that_stops_the_migration_is_set_aside_at_once(folder: Path, add_steps: Callable[..., None]) -> None:
    """D4, D2"""
    zero_pages(made(folder))
    add_steps("ALTER TABLE schedules ADD COLUMN colour TEXT;\nUPDATE schedules SET colour = 'blue';")
    opened = open_store(folder, NOW)
    assert opened.damage is not None
    assert opened.damage.backup is None, "a copy of damage is no backup"
    fill(opened.database, 1)
    close_store(opened.database)


def test_an_empty_file_without_a_past_is_a_first_start(folder: Path) -> None:
    folder.mkdir()
    (folder / "dayhand.db").touch()
    opened = open_store(folder, NOW)
    assert opened.damage is None
    fill(opened.database, 1)
    close_store(opened.database)
    assert listing(folder) == {"dayhand.db"}


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def emptied_by_sqlite(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")


@pytest.mark.parametrize("spoil", [emptied, emptied_by_sqlite])
def test_an_empty_file_with_a_backup_is_damage(folder: Path, spoil: Spoil) -> None:
    """D4: what a power cut leaves of a file, or a kill between setting aside and saying so."""
    path = made(folder)
    backup = back_up(folder, NOW - DAY)
    spoil(path)
    opened = open_store(folder, NOW)
    assert opened.damage is not None and opened.damage.backup == backup
    close_store(opened.database)
    restore(folder, NOW)
    assert count_in(path) == 200


def test_a_file_that_is_gone_is_said_and_the_backup_offered(folder: Path) -> None:
    """D4"""
    path = made(folder)
    back_up(folder, NOW - DAY)
    path.unlink()
    opened = open_store(folder, NOW)
    assert opened.damage is not None
    assert opened.damage.say().startswith("Your data file dayhand.db was gone, so Dayhand started with an empty one;")
    close_store(opened.database)
    restore(folder, NOW)
    assert count_in(path) == 200


def test_a_crash_alone_damages_nothing(folder: Path) -> None:
    crashed(folder)
    opened = open_store(folder, NOW)
    assert opened.damage is None
    assert count(opened.database) == 200
    close_store(opened.database)


@pytest.mark.parametrize("content", [None, b"", b"garbage" * 5000])
def test_a_spoilt_shared_memory_file_costs_nothing(folder: Path, content: bytes | None) -> None:
    """D4"""
    path = crashed(folder)
    shared = path.with_name("dayhand.db-shm")
    shared.unlink() if content is None else shared.write_bytes(content)
    opened = open_store(folder, NOW)
    assert opened.damage is None
    assert count(opened.database) == 200
    close_store(opened.database)


@pytest.mark.parametrize("content", [None, b"", b"garbage" * 5000])
def test_a_lost_journal_costs_only_what_was_in_it(folder: Path, content: bytes | None) -> None:
    """D4: a missing journal beside existing shared memory"""
    path = crashed(folder)
    journal = path.with_name("dayhand.db-wal")
    journal.unlink() if content is None else journal.write_bytes(content)
    opened = open_store(folder, NOW)
    assert opened.damage is None
    assert count(opened.database) == 100
    fill(opened.database, 7)
    close_store(opened.database)
    assert count_in(path) == 107


@pytest.mark.parametrize("is_gone", [False, True])
def test_a_journal_without_its_file_is_kept_and_not_mixed_with_the_new_store(folder: Path, *, is_gone: bool) -> None:
    """D4"""
    path = crashed(folder)
    path.unlink() if is_gone else path.write_bytes(b"")
    journal = path.with_name("dayhand.db-wal").read_bytes()
    opened = open_store(folder, NOW)
    assert opened.damage is not None
    assert (folder / f"{ASIDE}-wal").read_bytes() == journal
    assert count(opened.database) == 0
    close_store(opened.database)
    assert count_in(path) == 0


def test_the_side_files_go_with_the_damaged_file(folder: Path) -> None:
    """D4"""
    path = made(folder)
    a_folder(path)
    for suffix in ("-wal", "-shm", "-journal"):
        path.with_name(f"dayhand.db{suffix}").write_text(f"old{suffix}")
    close_store(open_store(folder, NOW).database)
    assert listing(folder) == {"dayhand.db", ASIDE, f"{ASIDE}-wal", f"{ASIDE}-shm", f"{ASIDE}-journal"}
    for suffix in ("-wal", "-shm", "-journal"):
        assert (folder / f"{ASIDE}{suffix}").read_text() == f"old{suffix}"


def test_damages_in_the_same_second_keep_their_own_files(folder: Path) -> None:
    """D4"""
    path = made(folder)
    for text in ("first", "second", "third"):
        path.write_text(text)
        close_store(open_store(folder, NOW).database)
    texts = {name: (folder / name).read_text() for name in listing(folder) if "damaged" in name}
    assert texts == {ASIDE: "first", ASIDE.replace(".db", "-2.db"): "second", ASIDE.replace(".db", "-3.db"): "third"}


def test_damage_is_said_at_every_start_until_it_is_dismissed(folder: Path) -> None:
    """D4: whoever missed the first notice can still restore."""
    path = made(folder)
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
    """D4: the backup of the day after the damage holds nothing."""
    path = made(folder)
    offered = back_up(folder, NOW - DAY)
    path.write_text("garbage")
    database = open_store(folder, NOW).database
    back_up(folder, NOW + DAY)
    close_store(database)
    assert restore(folder, NOW + DAY) == offered
    assert count_in(path) == 200


@pytest.mark.parametrize("is_gone", [False, True])
def test_an_offered_backup_that_spoilt_meanwhile_gives_way_to_another(folder: Path, *, is_gone: bool) -> None:
    """D4"""
    path = made(folder)
    older, offered = back_up(folder, NOW - 2 * DAY), back_up(folder, NOW - DAY)
    path.write_text("garbage")
    close_store(open_store(folder, NOW).database)
    offered.unlink() if is_gone else zero_pages(offered)
    assert restore(folder, NOW) == older
    assert count_in(path) == 200


def test_a_backup_that_is_gone_is_no_longer_offered(folder: Path) -> None:
    """D4"""
    path = made(folder)
    backup = back_up(folder, NOW - DAY)
    path.write_text("garbage")
    close_store(open_store(folder, NOW).database)
    backup.unlink()
    opened = open_store(folder, NOW)
    assert opened.damage is not None and opened.damage.backup is None
    close_store(opened.database)


def test_after_dismissing_restore_takes_the_newest_again(folder: Path) -> None:
    path = made(folder)
    back_up(folder, NOW - DAY)
    path.write_text("garbage")
    database = open_store(folder, NOW).database
    fill(database, 5)
    dismiss_damage(database)
    newest = back_up(folder, NOW + DAY)
    close_store(database)
    assert restore(folder, NOW + DAY) == newest
    assert count_in(path) == 5


def test_restore_passes_over_a_corrupt_newest_backup(folder: Path) -> None:
    """D4"""
    path = made(folder)
    good = back_up(folder, NOW - 2 * DAY)
    zero_pages(back_up(folder, NOW - DAY))
    path.write_text("garbage")
    opened = open_store(folder, NOW)
    assert opened.damage is not None and opened.damage.backup == good
    close_store(opened.database)
    assert restore(folder, NOW) == good
    assert count_in(path) == 200


def test_restore_works_on_a_file_that_was_never_opened(folder: Path) -> None:
    """D4: the app is closed, and the person goes straight to the command line."""
    path = made(folder)
    back_up(folder, NOW - DAY)
    path.write_text("garbage")
    restore(folder, NOW)
    assert count_in(path) == 200
    assert (folder / "dayhand-replaced-20261116-100000.db").read_text() == "garbage"


@pytest.mark.parametrize("is_gone", [False, True])
def test_restore_leaves_no_old_journal_to_the_restored_file(folder: Path, *, is_gone: bool) -> None:
    """D4: SQLite would replay it over pages that it does not belong to."""
    path = crashed(folder)
    shutil.copytree(folder, folder.with_name("copied"))
    back_up(folder.with_name("copied"), NOW - DAY)
    shutil.copytree(folder.with_name("copied") / "backups", folder / "backups")
    if is_gone:
        path.unlink()
    restore(folder, NOW)
    assert not path.with_name("dayhand.db-wal").exists()
    assert count_in(path) == 200


def test_a_restored_file_is_private_and_usable(folder: Path) -> None:
    path = made(folder)
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


def test_a_locked_file_is_not_taken_for_a_damaged_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scheduler.store.connection.PATIENCE", 0.05)
    path = made(folder)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreBusyError, match=r"Another program keeps .*dayhand\.db locked"):
            open_store(folder, NOW)
    opened = open_store(folder, NOW)
    assert opened.damage is None
    assert count(opened.database) == 200
    close_store(opened.database)


def test_a_file_in_place_of_the_folder_is_said(folder: Path) -> None:
    folder.write_text("not a folder")
    with pytest.raises(StoreForbiddenError, match="data cannot be opened or changed"):
        open_store(folder, NOW)
    with pytest.raises(StoreForbiddenError):
        open_store(folder / "below", NOW)
    assert folder.read_text() == "not a folder"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
@pytest.mark.parametrize(("what", "mode"), [("dayhand.db", 0o000), (".", 0o000), (".", 0o500)])
def test_a_file_without_permission_is_said_and_left_alone(folder: Path, what: str, mode: int) -> None:
    path = made(folder)
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
    assert not marker.is_there(path)
