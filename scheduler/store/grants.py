"""Grants: what a person allowed a workflow to use, and to do without being asked again."""

import sqlite3
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from scheduler.store.database import from_ms, to_ms


class GrantKind(StrEnum):
    PERMISSION = "permission"
    """The workflow may use this tool at all; its handler is empty, all of them may."""
    APPROVAL = "approval"
    """This consumer's call of this tool needs no further yes."""


class Grant(NamedTuple):
    workflow: str
    handler: str
    connection: str
    tool: str
    kind: GrantKind
    created: datetime


def give(db: sqlite3.Connection, grant: Grant) -> bool:
    """Allow it; says whether that is new."""
    query = "INSERT INTO grants VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
    return db.execute(query, (*grant[:5], to_ms(grant.created))).rowcount == 1


def has(db: sqlite3.Connection, workflow: str, handler: str, connection: str, tool: str, kind: GrantKind) -> bool:
    query = "SELECT 1 FROM grants WHERE workflow = ? AND handler = ? AND connection = ? AND tool = ? AND kind = ?"
    return db.execute(query, (workflow, handler, connection, tool, kind)).fetchone() is not None


def take_back(
    db: sqlite3.Connection,
    workflow: str,
    *,
    connection: str | None = None,
    tool: str | None = None,
    handler: str | None = None,
    kind: GrantKind | None = None,
) -> int:
    """Forbid again what matches; says how much that was."""
    query = (
        "DELETE FROM grants WHERE workflow = ?1 AND (?2 IS NULL OR connection = ?2) AND (?3 IS NULL OR tool = ?3) "
        "AND (?4 IS NULL OR handler = ?4) AND (?5 IS NULL OR kind = ?5)"
    )
    return db.execute(query, (workflow, connection, tool, handler, kind)).rowcount


def take_back_approvals(db: sqlite3.Connection, connection: str | None = None) -> int:
    """Every workflow asks again before it acts, there or anywhere; says how many consumers and tools that concerns."""
    query = "DELETE FROM grants WHERE kind = ?1 AND (?2 IS NULL OR connection = ?2)"
    return db.execute(query, (GrantKind.APPROVAL, connection)).rowcount


def of_workflow(db: sqlite3.Connection, workflow: str) -> list[Grant]:
    rows = db.execute("SELECT * FROM grants WHERE workflow = ? ORDER BY connection, tool, kind, handler", (workflow,))
    return [_from_sql(row) for row in rows]


def _from_sql(row: sqlite3.Row) -> Grant:
    created = from_ms(row[5])
    assert created is not None
    return Grant(row[0], row[1], row[2], row[3], GrantKind(row[4]), created)
