"""Workflows, the numbered versions of their scripts, and the state of their handlers."""

import json
import sqlite3
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from scheduler.rules.phases import HandlerKind
from scheduler.store.database import from_ms, to_ms


class WorkflowStatus(StrEnum):
    """What the person wants of it; the system never changes it."""

    ACTIVE = "active"
    PAUSED = "paused"
    ARCHIVED = "archived"


class ScriptOrigin(StrEnum):
    AUTHOR = "author"
    FIX = "fix"
    ROLLBACK = "rollback"


class WorkflowRow(NamedTuple):
    slug: str
    name: str
    path: str
    tags: tuple[str, ...]
    status: WorkflowStatus
    fixing: bool
    script: int
    """The number of the script version that new runs use."""
    sequence: int
    """Grows with each event that is new or newer."""
    version: int
    created: datetime


class ScriptRow(NamedTuple):
    workflow: str
    number: int
    sha256: str
    source: str
    origin: ScriptOrigin
    described: dict[str, Any]
    """What the script says of itself: its handlers, topics, schedules and connections."""
    created: datetime


class HandlerRow(NamedTuple):
    workflow: str
    name: str
    kind: HandlerKind
    state: dict[str, Any]
    seen: int
    """The workflow's sequence at the start of the last successful prepare."""
    look: bool
    """One look is owed: after a restart, a deploy, a resume or a release."""
    wake_at: datetime | None
    failures: int


def add_script(db: sqlite3.Connection, script: ScriptRow) -> None:
    values = (*script[:5], json.dumps(script.described), to_ms(script.created))
    db.execute("INSERT INTO scripts VALUES (?, ?, ?, ?, ?, ?, ?)", values)


def scripts(db: sqlite3.Connection, workflow: str) -> list[ScriptRow]:
    """All versions, the newest first."""
    rows = db.execute("SELECT * FROM scripts WHERE workflow = ? ORDER BY number DESC", (workflow,))
    return [_script(row) for row in rows]


def find_script(db: sqlite3.Connection, workflow: str, number: int) -> ScriptRow | None:
    row = db.execute("SELECT * FROM scripts WHERE workflow = ? AND number = ?", (workflow, number)).fetchone()
    return None if row is None else _script(row)


def save(db: sqlite3.Connection, row: WorkflowRow) -> None:
    """Store a new workflow, or what a deploy changes of a known one: name, path, tags and script."""
    values = (
        row.slug,
        row.name,
        row.path,
        json.dumps(row.tags),
        row.status,
        row.script,
        row.version,
        to_ms(row.created),
    )
    db.execute(
        "INSERT INTO workflows (slug, name, path, tags, status, script, version, created) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET name = excluded.name, path = excluded.path, "
        "tags = excluded.tags, script = excluded.script, version = version + 1",
        values,
    )


def set_status(db: sqlite3.Connection, workflow: str, status: WorkflowStatus) -> None:
    db.execute("UPDATE workflows SET status = ?, version = version + 1 WHERE slug = ?", (status, workflow))


def find(db: sqlite3.Connection, workflow: str) -> WorkflowRow | None:
    row = db.execute("SELECT * FROM workflows WHERE slug = ?", (workflow,)).fetchone()
    return None if row is None else _workflow(row)


def every_one(db: sqlite3.Connection) -> list[WorkflowRow]:
    return [_workflow(row) for row in db.execute("SELECT * FROM workflows ORDER BY slug")]


def put_handler(db: sqlite3.Connection, workflow: str, name: str, kind: HandlerKind) -> None:
    """Make it known; its state is kept by its name, also over a removal. A consumer is owed a look."""
    db.execute(
        "INSERT INTO handlers (workflow, name, kind, look) VALUES (?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET kind = excluded.kind, look = excluded.look, removed = 0",
        (workflow, name, kind, kind is HandlerKind.CONSUMER),
    )


def remove_handler(db: sqlite3.Connection, workflow: str, name: str) -> None:
    query = "UPDATE handlers SET removed = 1, look = 0, wake_at = NULL WHERE workflow = ? AND name = ?"
    db.execute(query, (workflow, name))


def update_handler(db: sqlite3.Connection, workflow: str, name: str, **changes: Any) -> None:
    convert: dict[str, Callable[[Any], Any]] = {"wake_at": to_ms, "state": json.dumps}
    values = [convert[key](value) if key in convert else value for key, value in changes.items()]
    assignments = ", ".join(f"{key} = ?" for key in changes)
    db.execute(f"UPDATE handlers SET {assignments} WHERE workflow = ? AND name = ?", (*values, workflow, name))


def handlers(db: sqlite3.Connection, workflow: str) -> list[HandlerRow]:
    rows = db.execute(f"{_HANDLERS} WHERE workflow = ? AND removed = 0 ORDER BY name", (workflow,))
    return [_handler(row) for row in rows]


def find_handler(db: sqlite3.Connection, workflow: str, name: str) -> HandlerRow | None:
    row = db.execute(f"{_HANDLERS} WHERE workflow = ? AND name = ?", (workflow, name)).fetchone()
    return None if row is None else _handler(row)


_HANDLERS = f"SELECT {', '.join(HandlerRow._fields)} FROM handlers"


def _workflow(row: sqlite3.Row) -> WorkflowRow:
    slug, name, path, tags, status, fixing, script, sequence, version, created = row
    made = from_ms(created)
    assert made is not None
    tags, status = tuple(json.loads(tags)), WorkflowStatus(status)
    return WorkflowRow(slug, name, path, tags, status, bool(fixing), script, sequence, version, made)


def _script(row: sqlite3.Row) -> ScriptRow:
    created = from_ms(row[6])
    assert created is not None
    return ScriptRow(row[0], row[1], row[2], row[3], ScriptOrigin(row[4]), json.loads(row[5]), created)


def _handler(row: sqlite3.Row) -> HandlerRow:
    workflow, name, kind, state, seen, look, wake_at, failures = row
    kind, state = HandlerKind(kind), json.loads(state)
    return HandlerRow(workflow, name, kind, state, seen, bool(look), from_ms(wake_at), failures)
