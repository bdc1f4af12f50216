"""Handlers: their state, what is new in their topics, when they wake. Kept by name, even after removal."""

import json
import sqlite3
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from scheduler.rules.phases import HandlerKind
from scheduler.store.database import from_ms, to_ms


class HandlerRow(NamedTuple):
    workflow: str
    name: str
    kind: HandlerKind
    state: dict[str, Any]
    result: Any
    """The result of its last committed run."""
    seen: int
    """The workflow's sequence at the start of the last successful prepare."""
    latest: int
    """The sequence of the latest event in its topics."""
    look: bool
    """It must check once: after a restart, a deploy, a resume or a release."""
    wake_at: datetime | None
    failures: int
    """In a row."""
    failing_since: datetime | None


_COLUMNS = HandlerRow._fields
_ALL = f"SELECT {', '.join(_COLUMNS)} FROM handlers"
_TO_SQL: dict[str, Callable[[Any], Any]] = {"wake_at": to_ms, "state": json.dumps, "result": json.dumps}


def save(db: sqlite3.Connection, workflow: str, name: str, kind: HandlerKind, topics: Iterable[str] = ()) -> None:
    """Add or update it with its subscriptions. A consumer must check once."""
    db.execute(
        "INSERT INTO handlers (workflow, name, kind, look) VALUES (?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET kind = excluded.kind, look = excluded.look, removed = 0",
        (workflow, name, kind, kind is HandlerKind.CONSUMER),
    )
    db.execute("DELETE FROM subscriptions WHERE workflow = ? AND handler = ?", (workflow, name))
    db.executemany("INSERT INTO subscriptions VALUES (?, ?, ?)", [(workflow, topic, name) for topic in topics])


def remove(db: sqlite3.Connection, workflow: str, name: str) -> None:
    query = "UPDATE handlers SET removed = 1, look = 0, wake_at = NULL WHERE workflow = ? AND name = ?"
    db.execute(query, (workflow, name))
    db.execute("DELETE FROM subscriptions WHERE workflow = ? AND handler = ?", (workflow, name))


def update(db: sqlite3.Connection, workflow: str, name: str, **changes: Any) -> None:
    values = [_TO_SQL[key](value) if key in _TO_SQL else value for key, value in changes.items()]
    assignments = ", ".join(f"{key} = ?" for key in changes)
    db.execute(f"UPDATE handlers SET {assignments} WHERE workflow = ? AND name = ?", (*values, workflow, name))


def request_check(db: sqlite3.Connection, workflow: str | None = None) -> None:
    """Every consumer of the workflow, or of all workflows, must check once."""
    query = "UPDATE handlers SET look = 1 WHERE kind = 'consumer' AND removed = 0 AND (?1 IS NULL OR workflow = ?1)"
    db.execute(query, (workflow,))


def record_prepare(db: sqlite3.Connection, workflow: str, name: str, sequence: int, wake_at: datetime | None) -> None:
    """Store the sequence it has seen and its next wake time."""
    query = "UPDATE handlers SET seen = ?, wake_at = ? WHERE workflow = ? AND name = ?"
    db.execute(query, (sequence, to_ms(wake_at), workflow, name))


def reset_after_stop(
    db: sqlite3.Connection, workflow: str, name: str, now: datetime, *, was_running: bool = False
) -> None:
    """After a stop: events from before its last start, and a past wake time, are no reason to run.

    A check that was requested while it was running, for example by a resume, still is.
    """
    db.execute(
        "UPDATE handlers SET seen = max(seen, began), look = look AND ?4, "
        "wake_at = CASE WHEN wake_at <= ?1 THEN NULL ELSE wake_at END WHERE workflow = ?2 AND name = ?3",
        (to_ms(now), workflow, name, was_running),
    )


def count_failure(db: sqlite3.Connection, workflow: str, name: str, now: datetime) -> int:
    """Count one more failure in a row; returns the new number."""
    query = (
        "UPDATE handlers SET failures = failures + 1, "
        "failing_since = CASE WHEN failures > 0 THEN coalesce(failing_since, ?1) ELSE ?1 END "
        "WHERE workflow = ?2 AND name = ?3 RETURNING failures"
    )
    row = db.execute(query, (to_ms(now), workflow, name)).fetchone()
    return 1 if row is None else int(row[0])


def reset_failures(db: sqlite3.Connection, workflow: str, name: str | None = None) -> None:
    """Reset the failures of one handler, or of all handlers of a workflow."""
    query = "UPDATE handlers SET failures = 0 WHERE workflow = ?1 AND (?2 IS NULL OR name = ?2) AND failures > 0"
    db.execute(query, (workflow, name))


class FailingRow(NamedTuple):
    """A handler whose last runs failed."""

    workflow: str
    name: str
    failures: int
    since: datetime | None


def list_failing(db: sqlite3.Connection) -> list[FailingRow]:
    query = "SELECT workflow, name, failures, failing_since FROM handlers WHERE failures > 0 AND removed = 0"
    return [FailingRow(row[0], row[1], row[2], from_ms(row[3])) for row in db.execute(query)]


def find(db: sqlite3.Connection, workflow: str, name: str) -> HandlerRow | None:
    row = db.execute(f"{_ALL} WHERE workflow = ? AND name = ?", (workflow, name)).fetchone()
    return None if row is None else _from_sql(row)


def begin_run(db: sqlite3.Connection, workflow: str, name: str) -> tuple[dict[str, Any], Any]:
    """A run begins, so no check is due; returns its state and the result of its last committed run."""
    query = (
        "UPDATE handlers SET look = 0, began = (SELECT sequence FROM workflows WHERE slug = workflow) "
        "WHERE workflow = ? AND name = ? RETURNING state, result"
    )
    row = db.execute(query, (workflow, name)).fetchone()
    return ({}, None) if row is None else (json.loads(row[0]), None if row[1] is None else json.loads(row[1]))


def subscribed_topics(db: sqlite3.Connection, workflow: str) -> set[str]:
    """Topics with at least one subscriber."""
    return {row[0] for row in db.execute("SELECT topic FROM subscriptions WHERE workflow = ?", (workflow,))}


class ReadyRow(NamedTuple):
    """A consumer with a reason to run."""

    workflow: str
    name: str
    wake_at: datetime | None
    oldest_event: int | None
    """The insertion number of its oldest pending event."""


_PLACE = (
    "(SELECT min((SELECT min(born) FROM events e WHERE e.workflow = s.workflow AND e.topic = s.topic "
    "AND e.state = 'pending')) FROM subscriptions s WHERE s.workflow = h.workflow AND s.handler = h.name)"
)
_MAY_RUN = (
    "EXISTS (SELECT 1 FROM workflows w WHERE w.slug = h.workflow AND w.status = 'active' AND w.fixing = 0) "
    "AND EXISTS (SELECT 1 FROM lanes l WHERE l.workflow = h.workflow AND l.name = '' AND l.blocked IS NULL)"
)
_READY = (
    f"SELECT h.workflow, h.name, h.wake_at, {_PLACE} FROM handlers h "
    f"WHERE h.removed = 0 AND (h.look = 1 OR h.latest > h.seen) AND h.kind = 'consumer' AND {_MAY_RUN}"
)
_WOKEN = (
    f"SELECT h.workflow, h.name, h.wake_at, {_PLACE} FROM handlers h "
    f"WHERE h.removed = 0 AND h.wake_at IS NOT NULL AND h.wake_at <= ? AND {_MAY_RUN}"
)


def list_ready(db: sqlite3.Connection, now: datetime) -> list[ReadyRow]:
    """The consumers in open lanes with new events, a check due, or a past wake time."""
    rows = db.execute(f"{_READY} UNION {_WOKEN}", (to_ms(now),))
    return [ReadyRow(row[0], row[1], from_ms(row[2]), row[3]) for row in rows]


def list_ready_in(db: sqlite3.Connection, workflow: str) -> list[ReadyRow]:
    """Those of one workflow with new events or a check due."""
    rows = db.execute(f"{_READY} AND h.workflow = ?", (workflow,))
    return [ReadyRow(row[0], row[1], from_ms(row[2]), row[3]) for row in rows]


def _from_sql(row: sqlite3.Row) -> HandlerRow:
    workflow, name, kind, state, result, seen, latest, look, wake_at, failures, failing_since = row
    return HandlerRow(
        workflow,
        name,
        HandlerKind(kind),
        json.loads(state),
        None if result is None else json.loads(result),
        seen,
        latest,
        bool(look),
        from_ms(wake_at),
        failures,
        from_ms(failing_since) if failures else None,
    )
