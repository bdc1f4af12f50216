"""A data folder as a whole: lock, open, read, back up, restore, export. The app knows the store only through this.

Each verb loads only what it needs, because the command line starts often.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scheduler.store.errors import StoreError
from scheduler.store.lock import FolderInUseError, hold

if TYPE_CHECKING:
    from scheduler.connections.keyring_entries import KeyringEntries
    from scheduler.engine.keyring_names import SavedSecret
    from scheduler.store.database import Database
    from scheduler.store.diagnostics import StoreDescription
    from scheduler.store.lost_changes import LostChanges
    from scheduler.store.opening import StoreDamage

__all__ = [
    "FolderDescription", "FolderInUseError", "OpenedFolder", "SavedConnections", "StoreError", "back_up",
    "back_up_if_due", "check_export", "check_readable", "describe", "export_store", "has_data", "hold",
    "list_saved_secrets", "open_folder", "read_connections", "restore", "shrink",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedFolder:
    """A folder in use by this process, which holds its lock."""

    database: Database
    keyring_entries: KeyringEntries
    damage: StoreDamage | LostChanges | None
    """Damage is shown at every start until the user restores the backup or dismisses it, lost changes once."""

    def close(self) -> None:
        """Close cleanly, so that the next start need not check the store."""
        from scheduler.store.opening import close_store

        close_store(self.database)


def open_folder(folder: Path, now: datetime) -> OpenedFolder:
    """The caller holds the folder's lock. Damage never stops the app and is always reported."""
    from scheduler.engine.keyring_names import ensure_entries
    from scheduler.store.opening import open_store
    from scheduler.store.own_policies import keep_own_policies

    opened = open_store(folder, now)
    keep_own_policies(opened.database)
    entries = ensure_entries(folder, opened.database)
    return OpenedFolder(database=opened.database, keyring_entries=entries, damage=opened.damage)


def check_readable(folder: Path) -> None:
    """StoreError if there is no data, or this version cannot read it."""
    with _reading(folder):
        pass


def has_data(folder: Path) -> bool:
    """Whether the folder contains anything the user would miss."""
    from scheduler.store import transfer
    from scheduler.store.backups import STORE_FILE

    if not (folder / STORE_FILE).exists():
        return False
    try:
        with _reading(folder) as db:
            return transfer.has_data(db)
    except StoreError:
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedConnections:
    settings: dict[str, dict[str, Any]]
    """By name."""
    keyring_entries: KeyringEntries


def read_connections(folder: Path) -> SavedConnections:
    """The connections, and where their secrets are; empty if the store cannot be read."""
    from scheduler.connections.keyring_entries import KeyringEntries
    from scheduler.engine.keyring_names import read_entries
    from scheduler.store import connections

    try:
        with _reading(folder) as db:
            known = {row.name: row.settings for row in connections.list_all(db)}
            return SavedConnections(settings=known, keyring_entries=read_entries(folder, db))
    except StoreError:
        return SavedConnections(settings={}, keyring_entries=KeyringEntries())


def list_saved_secrets(folder: Path, *, has_fixer_key: bool) -> list[SavedSecret]:
    """Every keyring entry of this folder, also of stores that were set aside."""
    from scheduler.engine import keyring_names

    return list(keyring_names.list_saved_secrets(folder, has_fixer_key=has_fixer_key))


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderDescription:
    store: StoreDescription
    size: int
    """Of the store, in bytes."""
    connection_settings: tuple[dict[str, Any], ...]
    """Private: to be hidden in everything else that is shown."""


def describe(folder: Path) -> FolderDescription:
    """For diagnostics. StoreError if it cannot be read."""
    from scheduler.store import connections
    from scheduler.store.backups import STORE_FILE
    from scheduler.store.diagnostics import describe_store

    with _reading(folder) as db:
        try:
            return FolderDescription(
                store=describe_store(db),
                size=(folder / STORE_FILE).stat().st_size,
                connection_settings=tuple(row.settings for row in connections.list_all(db)),
            )
        except (StoreError, sqlite3.Error) as error:
            raise StoreError(type(error).__name__) from error  # its text may quote what is stored


def back_up(folder: Path, now: datetime) -> Path:
    """Reads every page, so it is slow."""
    from scheduler.store import backups

    return backups.back_up(folder, now)


def back_up_if_due(folder: Path, now: datetime) -> Path | None:
    """Back up unless that was done in the last 24 hours."""
    from scheduler.store import backups

    return backups.back_up_if_due(folder, now)


def shrink(folder: Path, pause: Callable[[], bool]) -> None:
    """Return free pages to the system, in steps; `pause` is called between them and says whether to stop."""
    from scheduler.store import free_pages

    free_pages.shrink(folder, pause)


def restore(folder: Path, now: datetime) -> Path:
    """Go back to the offered or the last backup, which is returned. The caller holds the folder's lock."""
    from scheduler.store import opening

    return opening.restore(folder, now)


def export_store(folder: Path, target: Path, now: datetime, *, history: bool) -> None:
    """Write a copy of the store, which may be in use."""
    from scheduler.store import transfer

    transfer.export_store(folder, target, now, history=history)


def check_export(store: Path) -> None:
    """StoreError unless that copy is intact and this version can import it."""
    from scheduler.store import transfer

    transfer.check_file(store)


@contextmanager
def _reading(folder: Path) -> Iterator[sqlite3.Connection]:
    """Works while an app runs."""
    from scheduler.store.opening import open_for_reading

    database = open_for_reading(folder)
    try:
        yield database.read()
    finally:
        database.close()
