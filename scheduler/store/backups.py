"""Copies of the store, each one whole file: made before migrations and once a day, the last few kept."""

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scheduler.store import facts, marker, migrations
from scheduler.store.connection import connect, explained, is_whole
from scheduler.store.errors import StoreDamagedError, StoreError

FILE = "dayhand.db"
FOLDER = "backups"
KEPT = 5
_DAY = timedelta(days=1)
_NAMES = f"dayhand-{'[0-9]' * 8}-{'[0-9]' * 6}.db"


def back_up_if_due(folder: Path, now: datetime) -> Path | None:
    """Write a backup unless one was made in the last 24 hours, which takes one look into the folder."""
    is_recent = any(_name(now - _DAY) < backup.stem <= _name(now) for backup in _all(folder, now))
    return None if is_recent else back_up(folder, now)


def back_up(folder: Path, now: datetime) -> Path:
    """Write a copy of the store as it is, and let go of the oldest ones. Reads every page, so not in a hurry."""
    store, backups = folder / FILE, folder / FOLDER
    target = backups / f"{_name(now)}.db"
    with explained(store):
        backups.mkdir(exist_ok=True, mode=0o700)
        unfinished = target.with_suffix(".part")
        try:
            offered = copy_store(store, unfinished)
            put_in_place(unfinished, target)
        finally:
            for left in backups.glob("*.part*"):
                left.unlink()
        for old in _all(folder, now)[:-KEPT]:
            if old.name != offered:
                old.unlink()
    return target


def last_backup(folder: Path, now: datetime) -> Path | None:
    """The newest backup that this version can read, all of it."""
    return next((backup for backup in reversed(_all(folder, now)) if is_good(backup)), None)


def is_good(backup: Path) -> bool:
    try:
        with closing(connect(backup, read_only=True)) as connection:
            return 0 < migrations.version_of(connection) <= migrations.latest() and is_whole(connection)
    except (StoreError, sqlite3.Error):
        return False


def exist(folder: Path) -> bool:
    return any((folder / FOLDER).glob(_NAMES))


def stamp(now: datetime) -> str:
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}"


def put_in_place(unfinished: Path, target: Path) -> None:
    """Give a finished file its name; after a power cut there is all of it or nothing."""
    with unfinished.open("rb+") as file:
        os.fsync(file.fileno())
    unfinished.replace(target)
    if os.name == "posix":  # elsewhere a folder cannot be opened
        parent = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(parent)
        finally:
            os.close(parent)


def copy_store(store: Path, unfinished: Path) -> str | None:
    """Copy the store without its free pages; the name of the backup that is offered to its person, which must stay."""
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    with closing(connect(store)) as source:
        if not is_whole(source):
            marker.suspect(store)
            raise StoreDamagedError(store)
        source.execute("VACUUM INTO ?", (str(unfinished),))
    with closing(connect(unfinished)) as copy:
        copy.execute("PRAGMA journal_mode = DELETE")
        offered = facts.read(copy, facts.OFFERED)
        facts.forget(copy, facts.SET_ASIDE, facts.OFFERED)
    return offered


def _all(folder: Path, now: datetime) -> list[Path]:
    """The oldest first. One from the future was made under a wrong clock, so it counts as old."""
    return sorted((folder / FOLDER).glob(_NAMES), key=lambda backup: (backup.stem <= _name(now), backup.stem))


def _name(now: datetime) -> str:
    return f"dayhand-{stamp(now)}"
