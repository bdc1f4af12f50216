"""Handlers: their state, the news in their topics, when they look again. Kept by name, also over a removal."""

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
    """What its last committed run gave."""
    seen: int
    """The workflow's sequence at the start of the last successful prepare."""
    latest: int
    """The sequence of the latest news in its topics."""
    look: bool
    """One look is owed: after a restart, a deploy, a resume or a release."""
    wake_at: datetime | None
    failures: int


_COLUMNS = HandlerRow._fields
_ALL = f"SELECT {', '.join(_COLUMNS)} FROM handlers"
_TO_SQL: dict[str, Callable[[Any], Any]] = {"wake_at": to_ms, "state": json.dumps, "result": json.dumps}


def put(db: sqlite3.Connection, workflow: str, name: str, kind: HandlerKind, topics: Iterable[str] = ()) -> None:
    """Make it known with its subscriptions. A consumer is owed a look."""
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


def look_again(db: sqlite3.Connection, workflow: str | None = None) -> None:
    """Each consumer of the workflow, or of all, is owed one look."""
    query = "UPDATE handlers SET look = 1 WHERE kind = 'consumer' AND removed = 0 AND (?1 IS NULL OR workflow = ?1)"
    db.execute(query, (workflow,))


def prepared(db: sqlite3.Connection, workflow: str, name: str, sequence: int, wake_at: datetime | None) -> None:
    """It has looked at everything up to that sequence, and says when it wants to look again."""
    query = "UPDATE handlers SET seen = ?, wake_at = ? WHERE workflow = ? AND name = ?"
    db.execute(query, (sequence, to_ms(wake_at), workflow, name))


def calm(db: sqlite3.Connection, workflow: str, name: str, now: datetime) -> None:
    """It was stopped: what there was when it last began is no reason to run, nor is a wake time that has come."""
    db.execute(
        "UPDATE handlers SET seen = max(seen, began), look = 0, "
        "wake_at = CASE WHEN wake_at <= ?1 THEN NULL ELSE wake_at END WHERE workflow = ?2 AND name = ?3",
        (to_ms(now), workflow, name),
    )


def count_failure(db: sqlite3.Connection, workflow: str, name: str) -> int:
    """One more in a row; how many there are now."""
    query = "UPDATE handlers SET failures = failures + 1 WHERE workflow = ? AND name = ? RETURNING failures"
    row = db.execute(query, (workflow, name)).fetchone()
    return 1 if row is None else int(row[0])


def forgive(db: sqlite3.Connection, workflow: str, name: str | None = None) -> None:
    """The row of failures is over: of one handler, or of all of a workflow."""
    query = "UPDATE handlers SET failures = 0 WHERE workflow = ?1 AND (?2 IS NULL OR name = ?2) AND failures > 0"
    db.execute(query, (workflow, name))


def of_workflow(db: sqlite3.Connection, workflow: str) -> list[HandlerRow]:
    rows = db.execute(f"{_ALL} WHERE workflow = ? AND removed = 0 ORDER BY name", (workflow,))
    return [_from_sql(row) for row in rows]


def find(db: sqlite3.Connection, workflow: str, name: str) -> HandlerRow | None:
    row = db.execute(f"{_ALL} WHERE workflow = ? AND name = ?", (workflow, name)).fetchone()
    return None if row is None else _from_sql(row)


def begin(db: sqlite3.Connection, workflow: str, name: str) -> tuple[dict[str, Any], Any]:
    """A run of it begins, so no look is owed: its state, and what its last committed run gave."""
    query = (
        "UPDATE handlers SET look = 0, began = (SELECT sequence FROM workflows WHERE slug = workflow) "
        "WHERE workflow = ? AND name = ? RETURNING state, result"
    )
    row = db.execute(query, (workflow, name)).fetchone()
    return ({}, None) if row is None else (json.loads(row[0]), None if row[1] is None else json.loads(row[1]))


def topics(db: sqlite3.Connection, workflow: str) -> set[str]:
    """Those that somebody takes events from."""
    return {row[0] for row in db.execute("SELECT topic FROM subscriptions WHERE workflow = ?", (workflow,))}


class ReadyRow(NamedTuple):
    """A consumer that has a reason to run."""

    workflow: str
    name: str
    wake_at: datetime | None
    place: int | None
    """The place in line of its oldest pending event."""


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


def ready(db: sqlite3.Connection, now: datetime) -> list[ReadyRow]:
    """The consumers of open lanes with news, a look owed, or a wake time that has come."""
    rows = db.execute(f"{_READY} UNION {_WOKEN}", (to_ms(now),))
    return [ReadyRow(row[0], row[1], from_ms(row[2]), row[3]) for row in rows]


def ready_in(db: sqlite3.Connection, workflow: str) -> list[ReadyRow]:
    """Those of one workflow that have news or are owed a look."""
    rows = db.execute(f"{_READY} AND h.workflow = ?", (workflow,))
    return [ReadyRow(row[0], row[1], from_ms(row[2]), row[3]) for row in rows]


def _from_sql(row: sqlite3.Row) -> HandlerRow:
    workflow, name, kind, state, result, seen, latest, look, wake_at, failures = row
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
    )
