"""Opening the store safely: back up before migrating, check after an unclean end, set damage aside."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path

from scheduler.store import backups, facts, free_pages, identity, marker, migrations, schedules
from scheduler.store.backups import FILE, back_up, is_good, last_backup, put_in_place, stamp
from scheduler.store.connection import connect, explained, is_whole
from scheduler.store.database import Database
from scheduler.store.errors import NewerStoreError, NoBackupError, OlderStoreError, StoreDamagedError, StoreError
from scheduler.store.suspension import suspend

_UNDERWAY = "It was under way when this was backed up. What it did after that is not known."
_SIDE_FILES = ("-wal", "-shm", "-journal")
_NEXT = ".next."


@dataclass(frozen=True, slots=True)
class Damage:
    """A data file that was damaged or gone, and the backup that could take its place."""

    aside: Path | None
    backup: Path | None

    def say(self, restore: str = "dayhand restore") -> str:
        """One sentence; `restore` is the command that takes the backup, as it can be typed here."""
        trouble = "was gone" if self.aside is None else f"was damaged and is set aside as {self.aside.name}"
        said = f"Your data file {FILE} {trouble}, so Dayhand started with an empty one"
        if self.backup is None:
            return f"{said}; there is no backup, so please add your workflows again."
        return f"{said}; to go on from the backup {self.backup.name}, choose Restore, or quit and run: {restore}"


@dataclass(frozen=True, slots=True)
class Opened:
    database: Database
    damage: Damage | None = None
    """To be said at every start until the person restores the backup or dismisses it."""


def open_store(folder: Path, now: datetime) -> Opened:
    """The store in that folder, ready for use. Damage never stops the app and never goes unsaid."""
    with suppress(StoreDamagedError):
        return _open(folder, now)
    return _open(folder, now)  # the marker is there by now, so every page is looked at


def open_for_reading(folder: Path) -> Database:
    """The store as it is, beside an app that may be using it: nothing is checked, migrated or marked."""
    path = folder / FILE
    with explained(path):
        if not path.is_file():
            raise StoreError(f"There is no data in {folder} yet. Start Dayhand once.")
        with closing(connect(path, read_only=True)) as connection:
            migrations.refuse_newer(connection)
            if migrations.version_of(connection) < migrations.latest():
                raise OlderStoreError
    return Database(path, read_only=True)


def close_store(database: Database) -> None:
    """Leave the file so that the next start need not check it, unless trouble was seen meanwhile."""
    database.close()
    if not database.is_read_only:
        marker.lift(database.path)


def dismiss_damage(database: Database) -> None:
    """The person goes on without the backup that was offered."""
    with database.write() as connection:
        facts.forget(connection, facts.SET_ASIDE, facts.OFFERED)


def restore(folder: Path, now: datetime) -> Path:
    """Put the offered or the last backup in place of the store, which is set aside. The app must not be running.

    What ran and acted since the backup is not known in it and must not do so again unasked: all workflows come back
    paused, and what was under way then is over.
    """
    path = folder / FILE
    with explained(path):
        _complete_exchange(path)
        backup = _offered(folder) or last_backup(folder, now)
        if backup is None:
            raise NoBackupError(folder)

        def make(unfinished: Path) -> None:
            shutil.copyfile(backup, unfinished)
            with closing(connect(unfinished)) as connection:
                migrations.migrate(connection)
                identity.carry_over(path, connection)
                connection.execute("BEGIN IMMEDIATE")
                suspend(connection, now, _UNDERWAY)
                schedules.pause_all(connection, f"Restored from the backup {backup.name}.")
                connection.execute("COMMIT")

        replace(folder, make, now)
    return backup


def replace(folder: Path, make: Callable[[Path], None], now: datetime) -> Path | None:
    """Have another store made, then put it in place of this one, which is set aside; where that is.

    Nothing has changed if `make` fails. The app must not be running.
    """
    path = folder / FILE
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


def _open(folder: Path, now: datetime) -> Opened:
    path = folder / FILE
    with explained(path):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _complete_exchange(path)
        _remove_unfinished(path)
        _refuse_newer(path)
        if not _is_sound(path):
            _start_anew(path, now)
        path.touch(mode=0o600)
        with suppress(PermissionError):  # on a file system without modes
            path.chmod(0o600)
        marker.put(path)
        with closing(connect(path)) as connection:
            free_pages.convert(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
            if 0 < migrations.version_of(connection) < migrations.latest():
                back_up(folder, now)
            migrations.migrate(connection)
            return Opened(Database(path), _remembered(connection, folder))


def _refuse_newer(path: Path) -> None:
    """Look before anything is touched: a newer store stays as it is to the byte, its side files too."""
    if not _holds_something(path):
        return
    try:
        with closing(connect(path, read_only=True)) as connection:
            migrations.refuse_newer(connection)
    except NewerStoreError:
        raise
    except (StoreError, sqlite3.Error):
        return  # comes up again, and is dealt with, when it is opened for writing


def _is_sound(path: Path) -> bool:
    """Whether the store can be used; after an unclean end, every page of it is looked at."""
    is_expected = backups.exist(path.parent)
    if not _holds_something(path):
        is_blank = path.is_file() or not path.exists()
        return is_blank and not is_expected and not _holds_something(path.with_name(f"{FILE}-wal"))
    try:
        with closing(connect(path)) as connection:
            if marker.is_there(path) and not is_whole(connection):
                return False
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
            if (version := migrations.version_of(connection)) == 0:
                return not tables and not is_expected
            return version > 0 and "facts" in tables
    except (StoreDamagedError, sqlite3.Error):  # what is no error of the disk is one of the file
        return False


def _holds_something(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _start_anew(path: Path, now: datetime) -> None:
    """Put an empty store that knows of the damage in place of the damaged one, which is set aside."""
    aside = _free_name(path, "damaged", now)
    backup = last_backup(path.parent, now)
    unfinished = _unfinished(path)
    with closing(connect(unfinished)) as connection:
        free_pages.convert(connection, unfinished)
        migrations.migrate(connection)
        identity.carry_over(path, connection)
        facts.write(connection, facts.SET_ASIDE, aside.name if os.path.lexists(path) else "")
        facts.write(connection, facts.OFFERED, backup.name if backup else "")
    _exchange(path, unfinished, aside)


def _exchange(path: Path, unfinished: Path, aside: Path) -> None:
    """Put a finished store in place of the one that is there, which is set aside.

    The finished file first gets a name that says so, and where the other one goes: from then on, whatever ends this
    halfway, the next to open the folder completes it.
    """
    put_in_place(unfinished, path.with_name(f"{path.name}{_NEXT}{aside.name}"))
    _complete_exchange(path)


def _complete_exchange(path: Path) -> None:
    for ready in sorted(path.parent.glob(f"{path.name}{_NEXT}*")):
        _set_aside(path, path.with_name(ready.name.removeprefix(f"{path.name}{_NEXT}")))
        put_in_place(ready, path)


def _unfinished(path: Path) -> Path:
    """An empty, private file that may take the store's place when it is complete."""
    _remove_unfinished(path)
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.touch(mode=0o600)
    return unfinished


def _remove_unfinished(path: Path) -> None:
    """What somebody left who was ended while making it."""
    for left in path.parent.glob(f"{path.name}.part*"):
        left.unlink()


def _free_name(path: Path, word: str, now: datetime) -> Path:
    names = (path.with_name(f"dayhand-{word}-{stamp(now)}{-n if n > 1 else ''}.db") for n in count(1))
    return next(name for name in names if not any(name.parent.glob(f"{name.name}*")))


def _set_aside(path: Path, aside: Path) -> None:
    """Rename the store, then its side files: halfway it is gone, which is said, and never without its journal."""
    for suffix in ("", *_SIDE_FILES):
        if os.path.lexists(f"{path}{suffix}"):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))


def _remembered(connection: sqlite3.Connection, folder: Path) -> Damage | None:
    """The damage that this store replaced, while the person has not decided."""
    aside, offered = facts.read(connection, facts.SET_ASIDE), facts.read(connection, facts.OFFERED)
    if aside is None:
        return None
    backup = folder / backups.FOLDER / offered if offered else None
    return Damage(folder / aside if aside else None, backup if backup and backup.exists() else None)


def _offered(folder: Path) -> Path | None:
    """The backup that was offered when this store took the place of a damaged one."""
    path = folder / FILE
    if not _holds_something(path):
        return None
    with suppress(StoreError, sqlite3.Error), closing(connect(path)) as connection:
        damage = _remembered(connection, folder)
        if damage is not None and damage.backup is not None and is_good(damage.backup):
            return damage.backup
    return None
