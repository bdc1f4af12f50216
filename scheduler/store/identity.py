"""The id of a data folder in the keyring. Created once, and kept with the store."""

import json
import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from uuid import uuid4

from scheduler.store import connections, key_values

_IDENTITY = "keyring identity"
_INHERITED = "keyring inherited"
_PATTERN = re.compile("[0-9a-f]{12}")


def find(db: sqlite3.Connection) -> tuple[str, frozenset[str]] | None:
    """The id, and the connections that existed before it did."""
    identity = key_values.read(db, _IDENTITY)
    if identity is None or not _PATTERN.fullmatch(identity):
        return None
    try:
        inherited = json.loads(key_values.read(db, _INHERITED) or "[]")
    except ValueError:
        inherited = []
    return identity, frozenset(str(name) for name in inherited) if isinstance(inherited, list) else frozenset()


def ensure(db: sqlite3.Connection, *also: str) -> tuple[str, frozenset[str]]:
    """The existing id, or a new one. An older store inherits its connections and the names in `also`."""
    known = find(db)
    if known is not None:
        return known
    names = [row.name for row in connections.list_all(db)]
    is_old = bool(names) or db.execute("SELECT 1 FROM workflows LIMIT 1").fetchone() is not None
    key_values.write(db, _INHERITED, json.dumps(sorted({*names, *also}) if is_old else []))
    key_values.write(db, _IDENTITY, uuid4().hex[:12])
    found = find(db)
    assert found is not None
    return found


def copy_from(store: Path, db: sqlite3.Connection) -> None:
    """Copy the id of the replaced store, if it is readable, into the new one, if that has none.

    The old file is opened as immutable: SQLite would discard the journal of a damaged one.
    """
    if key_values.read(db, _IDENTITY) is not None or not store.is_file():
        return
    uri = f"{store.absolute().as_uri()}?mode=ro&immutable=1"
    with suppress(sqlite3.Error, UnicodeError), closing(sqlite3.connect(uri, uri=True)) as old:
        known = find(old)
        if known is not None:
            key_values.write(db, _INHERITED, json.dumps(sorted(known[1])))
            key_values.write(db, _IDENTITY, known[0])
