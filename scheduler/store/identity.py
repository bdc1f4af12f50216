"""What a data folder is known by outside itself, in the keyring. Made once; it stays where its store stays."""

import json
import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from uuid import uuid4

from scheduler.store import connections, facts

_IDENTITY = "keyring identity"
_INHERITED = "keyring inherited"
_FORM = re.compile("[0-9a-f]{12}")


def find(db: sqlite3.Connection) -> tuple[str, frozenset[str]] | None:
    """The identity, and the connections from before there was one."""
    identity = facts.read(db, _IDENTITY)
    if identity is None or not _FORM.fullmatch(identity):
        return None
    try:
        inherited = json.loads(facts.read(db, _INHERITED) or "[]")
    except ValueError:
        inherited = []
    return identity, frozenset(str(name) for name in inherited) if isinstance(inherited, list) else frozenset()


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
    """The identity of that store, if it can be read, for one that takes its place and has none.

    It is only looked at: SQLite would throw away the journal of a file that is damaged.
    """
    if facts.read(db, _IDENTITY) is not None or not store.is_file():
        return
    uri = f"{store.absolute().as_uri()}?mode=ro&immutable=1"
    with suppress(sqlite3.Error, UnicodeError), closing(sqlite3.connect(uri, uri=True)) as old:
        known = find(old)
        if known is not None:
            facts.write(db, _INHERITED, json.dumps(sorted(known[1])))
            facts.write(db, _IDENTITY, known[0])
