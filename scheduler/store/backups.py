"""Backups of the store, one file each: made before migrations and once a day; the last few are kept."""

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scheduler.file_system import sync_folder
from scheduler.store import dirty_flag, key_values, migrations
from scheduler.store.errors import StoreDamagedError, StoreError
from scheduler.store.sqlite import connect, converted_errors, is_intact

STORE_FILE = "dayhand.db"
BACKUP_FOLDER = "backups"
MAX_BACKUPS = 5
_DAY = timedelta(days=1)
_NAMES = f"dayhand-{'[0-9]' * 8}-{'[0-9]' * 6}.db"


def back_up_if_due(folder: Path, now: datetime) -> Path | None:
    """Write a backup unless one was made in the last 24 hours; this only lists the folder."""
    is_recent = any(_name(now - _DAY) < backup.stem <= _name(now) for backup in _all(folder, now))
    return None if is_recent else back_up(folder, now)


def back_up(folder: Path, now: datetime) -> Path:
    """Write a copy of the store and delete the oldest copies. Reads every page, so it is slow."""
    store, backups = folder / STORE_FILE, folder / BACKUP_FOLDER
    target = backups / f"{_name(now)}.db"
    with converted_errors(store):
        backups.mkdir(exist_ok=True, mode=0o700)
        unfinished = target.with_suffix(".part")
        try:
            offered = copy_store(store, unfinished)
            put_in_place(unfinished, target)
        finally:
            for leftover in backups.glob("*.part*"):
                leftover.unlink()
        for old in _all(folder, now)[:-MAX_BACKUPS]:
            if old.name != offered:
                old.unlink()
    return target


def find_last_backup(folder: Path, now: datetime) -> Path | None:
    """The newest intact backup that this version can read."""
    return next((backup for backup in reversed(_all(folder, now)) if is_usable(backup)), None)


def is_usable(backup: Path) -> bool:
    try:
        with closing(connect(backup, read_only=True)) as connection:
            return 0 < migrations.version_of(connection) <= migrations.latest() and is_intact(connection)
    except (StoreError, sqlite3.Error):
        return False


def has_backups(folder: Path) -> bool:
    return any((folder / BACKUP_FOLDER).glob(_NAMES))


def format_timestamp(now: datetime) -> str:
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}"


def put_in_place(unfinished: Path, target: Path) -> None:
    """Rename a finished file; after a power cut it exists completely or not at all."""
    with unfinished.open("rb+") as file:
        os.fsync(file.fileno())
    unfinished.replace(target)
    sync_folder(target.parent)


def copy_store(store: Path, unfinished: Path) -> str | None:
    """Copy the store without its free pages; returns the name of the backup offered to the user, which must stay."""
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    with closing(connect(store)) as source:
        if not is_intact(source):
            dirty_flag.mark_suspect(store)
            raise StoreDamagedError(store)
        source.execute("VACUUM INTO ?", (str(unfinished),))
    with closing(connect(unfinished)) as copy:
        copy.execute("PRAGMA journal_mode = DELETE")
        offered = key_values.read(copy, key_values.OFFERED_BACKUP)
        key_values.delete(copy, key_values.SET_ASIDE, key_values.OFFERED_BACKUP)
    return offered


def _all(folder: Path, now: datetime) -> list[Path]:
    """Oldest first. One dated in the future was made under a wrong clock and counts as old."""
    return sorted((folder / BACKUP_FOLDER).glob(_NAMES), key=lambda backup: (backup.stem <= _name(now), backup.stem))


def _name(now: datetime) -> str:
    return f"dayhand-{format_timestamp(now)}"
