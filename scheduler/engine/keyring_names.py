"""Which entries of the keyring belong to a data folder."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.keyring_entries import KeyringEntries
from scheduler.engine.fixer_config import KEYRING_ENTRY
from scheduler.store import connections, identity
from scheduler.store.backups import STORE_FILE
from scheduler.store.connections import ConnectionRow
from scheduler.store.database import Database
from scheduler.store.errors import StoreError
from scheduler.store.opening import open_for_reading
from scheduler.store.sqlite import connect

_SET_ASIDE = "dayhand-*-*.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSecret:
    """A keyring entry, by the name of its connection."""

    entries: KeyringEntries
    name: str
    is_certain: bool = True
    """False if there may be no such entry."""


def ensure_entries(folder: Path, database: Database) -> KeyringEntries:
    """Creates the folder's identity if it has none. The caller holds the folder's lock."""
    with database.write() as db:
        return _entries(folder, identity.ensure(db, KEYRING_ENTRY))


def read_entries(folder: Path, db: sqlite3.Connection) -> KeyringEntries:
    """Works while an app runs."""
    known = identity.find(db)
    return KeyringEntries(owns_old=_owns_old(folder)) if known is None else _entries(folder, known)


def list_saved_secrets(folder: Path, *, has_fixer_key: bool) -> Iterator[SavedSecret]:
    """The entries known to the store, and to stores that were set aside. Raises StoreError."""
    database = open_for_reading(folder)
    try:
        entries, rows = read_entries(folder, database.read()), connections.list_all(database.read())
    finally:
        database.close()
    if entries.identity or entries.owns_old:  # otherwise they belong to another folder
        if has_fixer_key:
            yield SavedSecret(entries=entries, name=KEYRING_ENTRY)
        yield from _secrets_of(entries, rows)
    for aside in sorted(folder.glob(_SET_ASIDE)):
        with suppress(StoreError, sqlite3.Error, ValueError), closing(connect(aside, read_only=True)) as db:
            entries, rows = read_entries(folder, db), connections.list_all(db)
            if entries.identity:
                yield from _secrets_of(entries, rows)
                yield SavedSecret(entries=entries, name=KEYRING_ENTRY, is_certain=False)


def _secrets_of(entries: KeyringEntries, rows: Iterable[ConnectionRow]) -> Iterator[SavedSecret]:
    from scheduler.connections.registry import builtin_registry, parse_name  # noqa: PLC0415  loads every connector

    registry = builtin_registry(lambda _title, _text: None)
    for row in rows:
        try:
            has_secrets = registry.connector(parse_name(row.name)[0]).has_secrets(row.settings)
        except ConnectionRuleError:
            has_secrets = True  # its connector is no longer installed; it may have secrets
        if has_secrets:
            yield SavedSecret(entries=entries, name=row.name)


def _entries(folder: Path, known: tuple[str, frozenset[str]]) -> KeyringEntries:
    return KeyringEntries(identity=known[0], inherited=known[1], owns_old=_owns_old(folder))


def _owns_old(folder: Path) -> bool:
    """Entries without an identity, from older versions, belong to the default folder if it is in use."""
    default = user_data_path("dayhand", appauthor=False)
    return folder.resolve() == default.resolve() or not (default / STORE_FILE).exists()
