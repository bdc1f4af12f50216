"""The names of a data folder's entries in the keyring."""

import sqlite3
from argparse import Namespace
from pathlib import Path

from app.data.data_dir import data_dir
from scheduler.connections.keyring_entries import KeyringEntries
from scheduler.engine.repair.fixer_config import KEYRING_ENTRY
from scheduler.store import identity
from scheduler.store.backups import STORE_FILE
from scheduler.store.database import Database


def ensure_entries(folder: Path, database: Database) -> KeyringEntries:
    """Creates the folder's identity if it has none. The caller holds the folder's lock."""
    with database.write() as db:
        return _entries(folder, identity.ensure(db, KEYRING_ENTRY))


def read_entries(folder: Path, db: sqlite3.Connection) -> KeyringEntries:
    """Works while an app runs."""
    known = identity.find(db)
    return KeyringEntries(owns_old=_owns_old(folder)) if known is None else _entries(folder, known)


def _entries(folder: Path, known: tuple[str, frozenset[str]]) -> KeyringEntries:
    return KeyringEntries(identity=known[0], inherited=known[1], owns_old=_owns_old(folder))


def _owns_old(folder: Path) -> bool:
    """Entries without an identity, from older versions, belong to the default folder if it is in use."""
    default = data_dir(Namespace(data_dir=None))
    return folder.resolve() == default.resolve() or not (default / STORE_FILE).exists()
