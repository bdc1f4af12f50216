"""Under which names the keyring keeps the secrets of a data folder."""

import sqlite3
from argparse import Namespace
from pathlib import Path

from app.keeping.folder import data_dir
from scheduler.connections.entries import Entries
from scheduler.engine.fixing.choice import KEY
from scheduler.store import identity
from scheduler.store.backups import FILE
from scheduler.store.database import Database


def make_entries(folder: Path, database: Database) -> Entries:
    """The caller holds the folder's lock: its identity is made if there is none."""
    with database.write() as db:
        return _entries(folder, identity.ensure(db, KEY))


def read_entries(folder: Path, db: sqlite3.Connection) -> Entries:
    """Beside an app that may run."""
    known = identity.find(db)
    return Entries(owns_old=_owns_old(folder)) if known is None else _entries(folder, known)


def _entries(folder: Path, known: tuple[str, frozenset[str]]) -> Entries:
    return Entries(identity=known[0], inherited=known[1], owns_old=_owns_old(folder))


def _owns_old(folder: Path) -> bool:
    """Entries from before there were identities are the usual folder's, if it is in use."""
    usual = data_dir(Namespace(data_dir=None))
    return folder.resolve() == usual.resolve() or not (usual / FILE).exists()
