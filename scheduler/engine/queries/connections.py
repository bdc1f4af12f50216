"""Connections: their settings, trouble and users. Knows no secrets."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scheduler.connections.registry import Registry
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.engine.workflows.lookup import natural_sort_key
from scheduler.store import connections, workflows
from scheduler.store.workflows import WorkflowStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionView:
    connection: str
    settings: dict[str, Any]
    trouble: str | None
    """Why it must be connected again."""
    is_connected: bool
    used_by: tuple[str, ...]
    created: datetime | None
    used: datetime | None = None
    """When a run last called it."""


def find_all(snapshot: Snapshot) -> list[ConnectionView]:
    """All connections, including those that workflows use but that are not connected yet."""
    users: dict[str, list[str]] = {}
    for workflow in workflows.list_all(snapshot.db):
        if workflow.status is not WorkflowStatus.ARCHIVED:
            for name in snapshot.plans.current(snapshot.db, workflow.slug).connections:
                users.setdefault(name, []).append(workflow.slug)
    uses = connections.last_uses(snapshot.db)
    known = {row.name: row for row in connections.list_all(snapshot.db)}
    found = []
    for name in sorted(known.keys() | users.keys(), key=natural_sort_key):
        row = known.get(name)
        found.append(
            ConnectionView(
                connection=name,
                settings={} if row is None else row.settings,
                trouble=None if row is None else row.trouble,
                is_connected=row is not None,
                used_by=tuple(users.get(name, ())),
                created=None if row is None else row.created,
                used=uses.get(name),
            )
        )
    return found


def find_unconnected(db: sqlite3.Connection, registry: Registry, names: Iterable[str]) -> tuple[str, ...]:
    """Those not connected yet; connectors without fields need no connecting."""
    return tuple(name for name in names if connections.find(db, name) is None and registry.connector_of(name).fields)
