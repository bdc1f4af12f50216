"""Workflows, and the numbered versions of their scripts."""

import json
import sqlite3
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from scheduler.store import schedules
from scheduler.store.database import from_ms, to_ms


class WorkflowStatus(StrEnum):
    """Set by the user; the system never changes it."""

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
    watching: bool
    """Deploy again when the file changes."""
    script: int
    """The number of the script version that new runs use."""
    sequence: int
    """Grows with each new or updated event."""
    version: int
    created: datetime
    paused_until: datetime | None = None
    """When the user's pause ends; None if it has no end, or there is none."""
    pause_note: str | None = None


class ScriptRow(NamedTuple):
    workflow: str
    number: int
    sha256: str
    source: str
    origin: ScriptOrigin
    described: dict[str, Any]
    """What the script declares: its handlers, topics, schedules and connections."""
    created: datetime


def add_script(db: sqlite3.Connection, script: ScriptRow) -> None:
    values = (*script[:5], json.dumps(script.described), to_ms(script.created))
    db.execute("INSERT INTO scripts VALUES (?, ?, ?, ?, ?, ?, ?)", values)


def list_scripts(db: sqlite3.Connection, workflow: str) -> list[ScriptRow]:
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


def set_status(
    db: sqlite3.Connection,
    workflow: str,
    status: WorkflowStatus,
    *,
    until: datetime | None = None,
    note: str | None = None,
) -> None:
    """Also for its schedules, which only an active workflow starts; `until` and `note` belong to a pause."""
    db.execute(
        "UPDATE workflows SET status = ?, paused_until = ?, pause_note = ?, version = version + 1 WHERE slug = ?",
        (status, to_ms(until), note, workflow),
    )
    schedules.set_held(db, workflow, held=status is not WorkflowStatus.ACTIVE)


def pause_active(db: sqlite3.Connection) -> None:
    """Pause all active workflows: neither their schedules nor their consumers start."""
    for row in list_all(db):
        if row.status is WorkflowStatus.ACTIVE:
            set_status(db, row.slug, WorkflowStatus.PAUSED)


def set_watching(db: sqlite3.Connection, workflow: str, *, watching: bool) -> None:
    db.execute("UPDATE workflows SET watching = ?, version = version + 1 WHERE slug = ?", (watching, workflow))


def find(db: sqlite3.Connection, workflow: str) -> WorkflowRow | None:
    row = db.execute("SELECT * FROM workflows WHERE slug = ?", (workflow,)).fetchone()
    return None if row is None else _workflow(row)


def list_all(db: sqlite3.Connection) -> list[WorkflowRow]:
    return [_workflow(row) for row in db.execute("SELECT * FROM workflows ORDER BY slug")]


def list_resuming(db: sqlite3.Connection, now: datetime) -> list[WorkflowRow]:
    """Those whose pause has ended."""
    query = "SELECT * FROM workflows WHERE paused_until IS NOT NULL AND paused_until <= ? AND status = 'paused'"
    return [_workflow(row) for row in db.execute(query, (to_ms(now),))]


def current_script(db: sqlite3.Connection, workflow: str) -> int:
    """The number of the version that new runs use."""
    return int(db.execute("SELECT script FROM workflows WHERE slug = ?", (workflow,)).fetchone()[0])


def remove(db: sqlite3.Connection, workflow: str) -> None:
    """Delete it with its history; only the names of its schedules are kept."""
    for table in ("subscriptions", "handlers", "lanes", "grants", "events", "requests", "scripts", "mutations"):
        db.execute(f"DELETE FROM {table} WHERE workflow = ?", (workflow,))
    db.execute("DELETE FROM logs WHERE run IN (SELECT id FROM runs WHERE workflow = ?)", (workflow,))
    db.execute("DELETE FROM runs WHERE workflow = ?", (workflow,))
    for table in ("occurrences", "gaps", "backfills"):
        db.execute(f"DELETE FROM {table} WHERE schedule IN (SELECT id FROM schedules WHERE workflow = ?)", (workflow,))
    db.execute("DELETE FROM workflows WHERE slug = ?", (workflow,))


def _workflow(row: sqlite3.Row) -> WorkflowRow:
    slug, name, path, tags, status, fixing, watching, script, sequence, version, created, paused_until, note = row
    created_at = from_ms(created)
    assert created_at is not None
    return WorkflowRow(
        slug,
        name,
        path,
        tuple(json.loads(tags)),
        WorkflowStatus(status),
        bool(fixing),
        bool(watching),
        script,
        sequence,
        version,
        created_at,
        from_ms(paused_until),
        note,
    )


def _script(row: sqlite3.Row) -> ScriptRow:
    created = from_ms(row[6])
    assert created is not None
    return ScriptRow(row[0], row[1], row[2], row[3], ScriptOrigin(row[4]), json.loads(row[5]), created)
