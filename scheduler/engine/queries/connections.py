"""Connections: how they are set, what is wrong with them, and who uses them. What is secret is not known here."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scheduler.connections.registry import Registry, parse_name
from scheduler.engine.workflows.names import as_people_count
from scheduler.engine.workflows.views.look import Look
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
    """When a run last called something of it."""


def find_all(look: Look) -> list[ConnectionView]:
    """Those that are connected, and those that workflows use and nobody has connected."""
    users: dict[str, list[str]] = {}
    for workflow in workflows.every_one(look.db):
        if workflow.status is not WorkflowStatus.ARCHIVED:
            for name in look.plans.current(look.db, workflow.slug).connections:
                users.setdefault(name, []).append(workflow.slug)
    uses = connections.last_uses(look.db)
    known = {row.name: row for row in connections.every_one(look.db)}
    found = []
    for name in sorted(known.keys() | users.keys(), key=as_people_count):
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
    """Those of them that nobody has connected; what has nothing to fill in needs no connecting."""
    return tuple(
        name for name in names if connections.find(db, name) is None and registry.connector(parse_name(name)[0]).fields
    )
