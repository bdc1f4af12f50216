"""Opens the store safely: backs up before migrating, checks after an unclean exit, sets a damaged file aside."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path

from scheduler.store import (
    backups,
    commit_sequence,
    dirty_flag,
    free_pages,
    identity,
    key_values,
    migrations,
    schedules,
)
from scheduler.store.backups import STORE_FILE, back_up, find_last_backup, format_timestamp, is_usable, put_in_place
from scheduler.store.commit_sequence import CommitSequence
from scheduler.store.database import Database
from scheduler.store.errors import NewerStoreError, NoBackupError, OlderStoreError, StoreDamagedError, StoreError
from scheduler.store.lost_changes import LostChanges, suspend_after_loss
from scheduler.store.sqlite import connect, converted_errors, is_intact
from scheduler.store.suspension import suspend_everything
from scheduler.user_text import UserText

_CANCELLED_BY_RESTORE = UserText("It was running when this backup was made. What it did after that is not known.")
_SIDE_FILES = ("-wal", "-shm", "-journal", commit_sequence.SUFFIX)
_NEXT = ".next."


@dataclass(frozen=True, slots=True)
class StoreDamage:
    """A data file that was damaged or missing, and the backup that could replace it."""

    aside: Path | None
    backup: Path | None

    def describe(self, restore: str = "dayhand restore") -> str:
        """One sentence; `restore` is the command that restores the backup, as typed on this system."""
        trouble = (
            UserText("was missing")
            if self.aside is None
            else UserText("was damaged and was set aside as {aside}", aside=self.aside.name)
        )
        what = UserText(
            "Your data file {store_file} {trouble}, so Dayhand started with an empty one",
            store_file=STORE_FILE,
            trouble=trouble,
        )
        if self.backup is None:
            return UserText("{what}; there is no backup, so please add your workflows again.", what=what)
        return UserText(
            "{what}; to restore the backup {backup}, choose Restore, or quit and run: {restore}",
            what=what,
            backup=self.backup.name,
            restore=restore,
        )


@dataclass(frozen=True, slots=True)
class OpenedStore:
    database: Database
    damage: StoreDamage | LostChanges | None = None
    """Damage is shown at every start until the user restores the backup or dismisses it, lost changes once."""


def open_store(folder: Path, now: datetime) -> OpenedStore:
    """The store in that folder, ready for use. Damage never stops the app and is always reported."""
    with suppress(StoreDamagedError):
        return _open(folder, now)
    return _open(folder, now)  # the dirty flag is set by now, so every page is checked


def open_for_reading(folder: Path) -> Database:
    """The store as it is, while the app may be using it: nothing is checked, migrated or marked."""
    path = folder / STORE_FILE
    with converted_errors(path):
        if not path.is_file():
            raise StoreError(UserText("There is no data in {folder} yet. Start Dayhand once.", folder=folder))
        with closing(connect(path, read_only=True)) as connection:
            migrations.refuse_newer(connection)
            if migrations.version_of(connection) < migrations.latest():
                raise OlderStoreError
    return Database(path, read_only=True)


def close_store(database: Database) -> None:
    """Close cleanly, so that the next start need not check the file, unless it is suspect."""
    database.close()
    if not database.is_read_only:
        dirty_flag.clear(database.path)


def dismiss_damage(database: Database) -> None:
    """The user continues without the offered backup."""
    with database.write() as connection:
        key_values.delete(connection, key_values.SET_ASIDE, key_values.OFFERED_BACKUP)


def restore(folder: Path, now: datetime) -> Path:
    """Replace the store with the offered or the last backup, and set the store aside. The app must not be running.

    The backup does not know what ran since, and that must not run again unasked: all workflows come back paused,
    and unfinished runs are cancelled.
    """
    path = folder / STORE_FILE
    with converted_errors(path):
        _complete_exchange(path)
        backup = _offered(folder) or find_last_backup(folder, now)
        if backup is None:
            raise NoBackupError(folder)

        def make(unfinished: Path) -> None:
            shutil.copyfile(backup, unfinished)
            with closing(connect(unfinished)) as connection:
                migrations.migrate(connection)
                identity.copy_from(path, connection)
                connection.execute("BEGIN IMMEDIATE")
                suspend_everything(connection, now, _CANCELLED_BY_RESTORE)
                schedules.pause_all(connection, UserText("Restored from the backup {backup}.", backup=backup.name))
                connection.execute("COMMIT")

        replace_store(folder, make, now)
    return backup


def replace_store(folder: Path, make: Callable[[Path], None], now: datetime) -> Path | None:
    """Make another store, replace this one with it, and set this one aside; returns where.

    Nothing changes if `make` fails. The app must not be running.
    """
    path = folder / STORE_FILE
    _complete_exchange(path)
    unfinished = _unfinished(path)
    try:
        make(unfinished)
    except BaseException:
        _remove_unfinished(path)
        raise
    aside = _free_name(path, "replaced", now)
    _exchange(path, unfinished, aside)
    return aside if aside.exists() else None


def _open(folder: Path, now: datetime) -> OpenedStore:
    path = folder / STORE_FILE
    with converted_errors(path):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _complete_exchange(path)
        _remove_unfinished(path)
        _refuse_newer(path)
        if not _is_sound(path):
            _start_empty(path, now)
        with prepared_file(path, lambda: back_up(folder, now)) as connection:
            lost = suspend_after_loss(path, connection, now)
            return OpenedStore(Database(path, sequence=CommitSequence(path)), lost or _remembered(connection, folder))


@contextmanager
def prepared_file(path: Path, back_up: Callable[[], object]) -> Iterator[sqlite3.Connection]:
    """A connection to a sound file, which is marked as in use and brought up to date, after `back_up` if necessary."""
    path.touch(mode=0o600)
    with suppress(PermissionError):  # on a file system without modes
        path.chmod(0o600)
    dirty_flag.mark_in_use(path)
    with closing(connect(path)) as connection:
        free_pages.enable_incremental_vacuum(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        if 0 < migrations.version_of(connection) < migrations.latest():
            back_up()
        migrations.migrate(connection)
        yield connection


def _refuse_newer(path: Path) -> None:
    """Check before anything is written: a newer store and its side files stay unchanged, byte for byte."""
    if not _holds_something(path):
        return
    try:
        with closing(connect(path, read_only=True)) as connection:
            migrations.refuse_newer(connection)
    except NewerStoreError:
        raise
    except (StoreError, sqlite3.Error):
        return  # handled when the file is opened for writing


def _is_sound(path: Path) -> bool:
    """Whether the store can be used; after an unclean exit, every page is checked."""
    is_expected = backups.has_backups(path.parent)
    if not _holds_something(path):
        is_blank = path.is_file() or not path.exists()
        return is_blank and not is_expected and not _holds_something(path.with_name(f"{STORE_FILE}-wal"))
    try:
        with closing(connect(path)) as connection:
            if dirty_flag.is_set(path) and not is_intact(connection):
                return False
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
            if (version := migrations.version_of(connection)) == 0:
                return not tables and not is_expected
            return version > 0 and "facts" in tables
    except (StoreDamagedError, sqlite3.Error):  # not an error of the disk, so one of the file
        return False


def _holds_something(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _start_empty(path: Path, now: datetime) -> None:
    """Replace the damaged store, which is set aside, with an empty one that remembers the damage."""
    aside = _free_name(path, "damaged", now)
    backup = find_last_backup(path.parent, now)
    unfinished = _unfinished(path)
    with closing(connect(unfinished)) as connection:
        free_pages.enable_incremental_vacuum(connection, unfinished)
        migrations.migrate(connection)
        identity.copy_from(path, connection)
        key_values.write(connection, key_values.SET_ASIDE, aside.name if os.path.lexists(path) else "")
        key_values.write(connection, key_values.OFFERED_BACKUP, backup.name if backup else "")
    _exchange(path, unfinished, aside)


def _exchange(path: Path, unfinished: Path, aside: Path) -> None:
    """Replace the store, which is set aside, with a finished one.

    The finished file first gets a name that says so and where the old one goes; from then on, if this is
    interrupted, the next process to open the folder completes it.
    """
    put_in_place(unfinished, path.with_name(f"{path.name}{_NEXT}{aside.name}"))
    _complete_exchange(path)


def _complete_exchange(path: Path) -> None:
    for ready in sorted(path.parent.glob(f"{path.name}{_NEXT}*")):
        _set_aside(path, path.with_name(ready.name.removeprefix(f"{path.name}{_NEXT}")))
        put_in_place(ready, path)


def _unfinished(path: Path) -> Path:
    """An empty, private file in which to build a new store."""
    _remove_unfinished(path)
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.touch(mode=0o600)
    return unfinished


def _remove_unfinished(path: Path) -> None:
    """Delete the leftovers of an interrupted process."""
    for leftover in path.parent.glob(f"{path.name}.part*"):
        leftover.unlink()


def _free_name(path: Path, word: str, now: datetime) -> Path:
    names = (path.with_name(f"dayhand-{word}-{format_timestamp(now)}{-n if n > 1 else ''}.db") for n in count(1))
    return next(name for name in names if not any(name.parent.glob(f"{name.name}*")))


def _set_aside(path: Path, aside: Path) -> None:
    """Rename the store, then its side files: interrupted, the store is missing, but never without its journal."""
    for suffix in ("", *_SIDE_FILES):
        if os.path.lexists(f"{path}{suffix}"):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))


def _remembered(connection: sqlite3.Connection, folder: Path) -> StoreDamage | None:
    """The damage that this store replaced, until the user has decided."""
    aside, offered = (
        key_values.read(connection, key_values.SET_ASIDE),
        key_values.read(connection, key_values.OFFERED_BACKUP),
    )
    if aside is None:
        return None
    backup = folder / backups.BACKUP_FOLDER / offered if offered else None
    return StoreDamage(folder / aside if aside else None, backup if backup and backup.exists() else None)


def _offered(folder: Path) -> Path | None:
    """The backup that was offered when this store replaced a damaged one."""
    path = folder / STORE_FILE
    if not _holds_something(path):
        return None
    with suppress(StoreError, sqlite3.Error), closing(connect(path)) as connection:
        damage = _remembered(connection, folder)
        if damage is not None and damage.backup is not None and is_usable(damage.backup):
            return damage.backup
    return None
