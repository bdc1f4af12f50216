"""What a data folder is known by outside itself, in the keyring. Made once; it stays where its store stays."""

import json
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from uuid import uuid4

from scheduler.store import connections, facts
from scheduler.store.connection import connect
from scheduler.store.errors import StoreError

_IDENTITY = "keyring identity"
_INHERITED = "keyring inherited"


def find(db: sqlite3.Connection) -> tuple[str, frozenset[str]] | None:
    """The identity, and the connections from before there was one."""
    identity = facts.read(db, _IDENTITY)
    if identity is None:
        return None
    inherited = json.loads(facts.read(db, _INHERITED) or "[]")
    return identity, frozenset(str(name) for name in inherited)


def ensure(db: sqlite3.Connection, *also: str) -> tuple[str, frozenset[str]]:
    """As it is, or a new one. A store from before inherits its connections, and what is kept `also`."""
    known = find(db)
    if known is not None:
        return known
    names = [row.name for row in connections.every_one(db)]
    is_old = bool(names) or db.execute("SELECT 1 FROM workflows LIMIT 1").fetchone() is not None
    facts.write(db, _INHERITED, json.dumps(sorted({*names, *also}) if is_old else []))
    facts.write(db, _IDENTITY, uuid4().hex[:12])
    found = find(db)
    assert found is not None
    return found


def carry_over(store: Path, db: sqlite3.Connection) -> None:
    """The identity of that store, if it can be read, for one that takes its place and has none."""
    if facts.read(db, _IDENTITY) is not None or not store.is_file():
        return
    with suppress(StoreError, sqlite3.Error), closing(connect(store, read_only=True)) as old:
        for name in (_INHERITED, _IDENTITY):
            value = facts.read(old, name)
            if value is not None:
                facts.write(db, name, value)
