"""Grants: what the user allowed a workflow to use, and to do without asking again."""

import sqlite3
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from scheduler.store.database import from_ms, to_ms


class GrantKind(StrEnum):
    PERMISSION = "permission"
    """The workflow may use this tool; the handler is empty, because all of them may."""
    APPROVAL = "approval"
    """This consumer's calls of this tool need no further approval."""


class Grant(NamedTuple):
    workflow: str
    handler: str
    connection: str
    tool: str
    kind: GrantKind
    created: datetime


def add(db: sqlite3.Connection, grant: Grant) -> bool:
    """Add it; returns whether it is new."""
    query = "INSERT INTO grants VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
    return db.execute(query, (*grant[:5], to_ms(grant.created))).rowcount == 1


def has(db: sqlite3.Connection, workflow: str, handler: str, connection: str, tool: str, kind: GrantKind) -> bool:
    query = "SELECT 1 FROM grants WHERE workflow = ? AND handler = ? AND connection = ? AND tool = ? AND kind = ?"
    return db.execute(query, (workflow, handler, connection, tool, kind)).fetchone() is not None


def revoke(
    db: sqlite3.Connection,
    workflow: str,
    *,
    connection: str | None = None,
    tool: str | None = None,
    handler: str | None = None,
    kind: GrantKind | None = None,
) -> int:
    """Revoke the matching grants; returns their number."""
    query = (
        "DELETE FROM grants WHERE workflow = ?1 AND (?2 IS NULL OR connection = ?2) AND (?3 IS NULL OR tool = ?3) "
        "AND (?4 IS NULL OR handler = ?4) AND (?5 IS NULL OR kind = ?5)"
    )
    return db.execute(query, (workflow, connection, tool, handler, kind)).rowcount


def revoke_approvals(db: sqlite3.Connection, connection: str | None = None) -> int:
    """Every workflow asks again before it acts, on one connection or all; returns the number of grants revoked."""
    query = "DELETE FROM grants WHERE kind = ?1 AND (?2 IS NULL OR connection = ?2)"
    return db.execute(query, (GrantKind.APPROVAL, connection)).rowcount


def of_workflow(db: sqlite3.Connection, workflow: str) -> list[Grant]:
    rows = db.execute("SELECT * FROM grants WHERE workflow = ? ORDER BY connection, tool, kind, handler", (workflow,))
    return [_from_sql(row) for row in rows]


def _from_sql(row: sqlite3.Row) -> Grant:
    created = from_ms(row[5])
    assert created is not None
    return Grant(row[0], row[1], row[2], row[3], GrantKind(row[4]), created)
