"""Records every change of runs, events, mutations and state in the store file itself, by triggers.

They are part of the file, so they see what any process writes, up to the moment it is killed.
"""

import json
import sqlite3
from functools import lru_cache
from typing import Any, NamedTuple

_TABLE = """
CREATE TABLE IF NOT EXISTS change_log (
    number INTEGER PRIMARY KEY,
    what TEXT NOT NULL,
    name TEXT NOT NULL,
    old TEXT,
    new TEXT,
    told TEXT NOT NULL
)
"""
_ACTING = "(SELECT id FROM runs WHERE workflow = new.workflow AND handler = new.name AND status = 'active')"
_ACTED = (
    "(SELECT json_group_array(m.status) FROM mutations m JOIN runs r ON r.id = m.run "
    "WHERE r.chain = (SELECT chain FROM runs WHERE id = {run}){but})"
)
_TRIGGERS = {
    "run_begun": (
        "AFTER INSERT ON runs",
        "'run', new.id, NULL, new.phase, json_object('status', new.status, 'at', new.updated)",
    ),
    "run_changed": (
        "AFTER UPDATE OF phase, status ON runs",
        "'run', new.id, old.phase, new.phase, json_object('status', new.status, 'was', old.status, 'at', new.updated)",
    ),
    "event_changed": (
        "AFTER UPDATE ON events",
        (
            "'event', new.born, old.state, new.state, json_object('was', old.run, 'run', new.run, "
            f"'same', old.data = new.data OR new.data = 'null', 'acted', json({_ACTED.format(run='old.run', but='')}))"
        ),
    ),
    "event_forgotten": ("AFTER DELETE ON events", "'event', old.born, old.state, 'gone', json_object()"),
    "mutation_begun": (
        "AFTER INSERT ON mutations",
        (
            "'mutation', new.key, NULL, new.status, json_object('run', new.run, "
            f"'before', json({_ACTED.format(run='new.run', but=' AND m.run <> new.run')}))"
        ),
    ),
    "mutation_settled": (
        "AFTER UPDATE OF status ON mutations",
        "'mutation', new.key, old.status, new.status, json_object('run', new.run)",
    ),
    "state_changed": (
        "AFTER UPDATE OF state ON handlers WHEN old.state <> new.state",
        f"'state', new.workflow || '/' || new.name, NULL, NULL, json_object('run', {_ACTING})",
    ),
    "wake_set": (
        "AFTER UPDATE OF wake_at ON handlers WHEN new.wake_at IS NOT NULL AND new.wake_at IS NOT old.wake_at",
        f"'wake', new.workflow || '/' || new.name, old.wake_at, new.wake_at, json_object('run', {_ACTING})",
    ),
}


class Change(NamedTuple):
    number: int
    what: str
    name: str
    old: str | None
    new: str | None
    details: dict[str, Any]


def record_changes(db: sqlite3.Connection) -> None:
    """Record changes from now on."""
    db.execute(_TABLE)
    for name, (when, values) in _TRIGGERS.items():
        db.execute(
            f"CREATE TRIGGER IF NOT EXISTS change_log_{name} {when} "
            f"BEGIN INSERT INTO change_log (what, name, old, new, told) VALUES ({values}); END"
        )


def changes(db: sqlite3.Connection, what: str) -> list[Change]:
    """The changes of rows of that kind, in order."""
    rows = db.execute(
        "SELECT number, what, name, old, new, told FROM change_log WHERE what = ? ORDER BY number", (what,)
    )
    return [Change(*row[:5], _read(row[5])) for row in rows]


@lru_cache(1 << 16)
def _read(details: str) -> dict[str, Any]:
    """The same rows are read after every step."""
    return json.loads(details)  # type: ignore[no-any-return]
