"""Events: unique by workflow, topic and message id. Consumed and skipped are final."""

import json
import sqlite3
from collections.abc import Generator, Iterable
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from scheduler.store.database import from_ms, to_ms
from scheduler.store.errors import StoreError
from scheduler.user_text import UserText


class EventState(StrEnum):
    PENDING = "pending"
    RESERVED = "reserved"
    """A run is working on it."""
    CONSUMED = "consumed"
    SKIPPED = "skipped"
    """The user rejected it, or its topic is gone."""


EVENT_MOVES: dict[EventState, frozenset[EventState]] = {
    EventState.PENDING: frozenset({EventState.RESERVED, EventState.SKIPPED}),
    EventState.RESERVED: frozenset({EventState.PENDING, EventState.CONSUMED, EventState.SKIPPED}),
    EventState.CONSUMED: frozenset(),
    EventState.SKIPPED: frozenset(),
}


class EventRow(NamedTuple):
    topic: str
    id: str
    title: str
    data_json: str
    """Its data, as the stored JSON."""
    published: datetime
    attempt: int


class NotPendingError(StoreError):
    """A run tried to reserve an event that is not pending; nothing was reserved."""

    def __init__(self, topic: str, identity: str) -> None:
        super().__init__(
            UserText(
                "There is no pending event {identity} in the topic {topic} to reserve.",
                identity=repr(identity),
                topic=repr(topic),
            )
        )
        self.topic = topic
        self.identity = identity


def publish(
    db: sqlite3.Connection, workflow: str, topic: str, identity: str, title: str, data: Any, now: datetime
) -> bool:
    """Insert it, or update a pending one; returns whether consumers have something new."""
    return publish_json(db, workflow, topic, identity, title, encode_data(data), now)


def encode_data(data: Any) -> str:
    """Canonical JSON, so that equal data gives equal text."""
    return json.dumps(data, sort_keys=True)


def publish_json(
    db: sqlite3.Connection, workflow: str, topic: str, identity: str, title: str, data_json: str, now: datetime
) -> bool:
    """Like `publish`, with data from `encode_data`.

    Publishing the same again changes nothing. New data for a reserved event waits until it is released.
    """
    known = db.execute(
        "SELECT born, state, title, data FROM events WHERE workflow = ? AND topic = ? AND id = ?",
        (workflow, topic, identity),
    ).fetchone()
    if known is None:
        sequence = _next_sequence(db, workflow, topic)
        db.execute(
            "INSERT INTO events (workflow, topic, id, sequence, title, data, state, published) "
            "VALUES (?, ?, ?, ?, ?, ?, 'pending', ?)",
            (workflow, topic, identity, sequence, title, data_json, to_ms(now)),
        )
        return True
    born, state, old_title, old_data = known
    if state == EventState.RESERVED:
        same = (title, data_json) == (old_title, old_data)
        later = None if same else f'{{"title": {json.dumps(title)}, "data": {data_json}}}'
        db.execute("UPDATE events SET later = ? WHERE born = ?", (later, born))
        return False
    if state != EventState.PENDING or (title, data_json) == (old_title, old_data):
        return False
    _rewrite(db, born, workflow, topic, title, data_json)
    return True


def peek(db: sqlite3.Connection, workflow: str, topic: str, limit: int) -> list[EventRow]:
    """Pending events, oldest first."""
    return list(iter_pending(db, workflow, topic, limit))


def iter_pending(db: sqlite3.Connection, workflow: str, topic: str, limit: int) -> Generator[EventRow]:
    """Pending events, oldest first, read one at a time."""
    query = (
        "SELECT topic, id, title, data, published, attempt FROM events "
        "WHERE workflow = ? AND topic = ? AND state = 'pending' ORDER BY born LIMIT ?"
    )
    for row in db.execute(query, (workflow, topic, limit)):
        yield _from_sql(row)


def reserve(db: sqlite3.Connection, workflow: str, run: str, events: Iterable[tuple[str, str]]) -> None:
    """Reserve all of them for the run, or raise NotPendingError (the caller's transaction is rolled back)."""
    for topic, identity in events:
        changed = db.execute(
            "UPDATE events SET state = 'reserved', run = ? "
            "WHERE workflow = ? AND topic = ? AND id = ? AND state = 'pending'",
            (run, workflow, topic, identity),
        )
        if changed.rowcount != 1:
            raise NotPendingError(topic, identity)


def reserved_by(db: sqlite3.Connection, run: str) -> list[EventRow]:
    rows = db.execute(
        "SELECT topic, id, title, data, published, attempt FROM events "
        "WHERE run = ? AND state = 'reserved' ORDER BY born",
        (run,),
    )
    return [_from_sql(row) for row in rows]


def reassign(db: sqlite3.Connection, run: str, successor: str) -> None:
    """A retry takes over what the previous attempt reserved."""
    db.execute("UPDATE events SET run = ? WHERE run = ? AND state = 'reserved'", (successor, run))


def release(db: sqlite3.Connection, run: str) -> int:
    """Make its reserved events pending again and apply newer data; returns their number.

    Events of a topic without consumers are skipped instead.
    """
    rows = db.execute(
        "SELECT born, workflow, topic, later FROM events WHERE run = ? AND state = 'reserved'", (run,)
    ).fetchall()
    for born, workflow, topic, later in rows:
        if later is not None:
            newer = json.loads(later)
            _rewrite(db, born, workflow, topic, newer["title"], json.dumps(newer["data"], sort_keys=True))
        db.execute(
            "UPDATE events SET state = iif(EXISTS (SELECT 1 FROM subscriptions s WHERE s.workflow = events.workflow "
            "AND s.topic = events.topic), 'pending', 'skipped'), run = NULL, later = NULL, attempt = attempt + 1 "
            "WHERE born = ?",
            (born,),
        )
    return len(rows)


def close_reserved(db: sqlite3.Connection, run: str, state: EventState) -> int:
    """Consume or skip what the run has reserved; returns their number."""
    assert state in EVENT_MOVES[EventState.RESERVED] - {EventState.PENDING}
    query = "UPDATE events SET state = ?, later = NULL WHERE run = ? AND state = 'reserved'"
    return db.execute(query, (state, run)).rowcount


def skip_pending(db: sqlite3.Connection, workflow: str, topic: str, identity: str | None = None) -> int:
    """Skip one pending event, or all of a removed topic; returns their number."""
    query = "UPDATE events SET state = 'skipped' WHERE workflow = ? AND topic = ? AND state = 'pending'"
    if identity is None:
        return db.execute(query, (workflow, topic)).rowcount
    return db.execute(f"{query} AND id = ?", (workflow, topic, identity)).rowcount


def count_pending(db: sqlite3.Connection, workflow: str, most: int = 10_000) -> dict[str, int]:
    """The number of pending events in each topic, up to a limit."""
    topics = [row[0] for row in db.execute("SELECT DISTINCT topic FROM subscriptions WHERE workflow = ?", (workflow,))]
    query = "SELECT count(*) FROM (SELECT 1 FROM events WHERE workflow = ? AND topic = ? AND state = 'pending' LIMIT ?)"
    return {topic: int(db.execute(query, (workflow, topic, most)).fetchone()[0]) for topic in topics}


def topics_with_pending(db: sqlite3.Connection, workflow: str) -> set[str]:
    """Topics with pending events. The query jumps from topic to topic, however many events each has."""
    first = "SELECT min(topic) FROM events WHERE workflow = ?1 AND state = 'pending'"
    query = (
        f"WITH RECURSIVE used(topic) AS (SELECT ({first}) UNION ALL "
        f"SELECT ({first} AND topic > used.topic) FROM used WHERE used.topic IS NOT NULL) "
        "SELECT topic FROM used WHERE topic IS NOT NULL"
    )
    return {row[0] for row in db.execute(query, (workflow,))}


def _next_sequence(db: sqlite3.Connection, workflow: str, topic: str) -> int:
    """Increase the workflow's sequence and mark the topic's consumers as having something new."""
    row = db.execute(
        "UPDATE workflows SET sequence = sequence + 1 WHERE slug = ? RETURNING sequence", (workflow,)
    ).fetchone()
    db.execute(
        "UPDATE handlers SET latest = ?1 WHERE workflow = ?2 AND name IN "
        "(SELECT handler FROM subscriptions WHERE workflow = ?2 AND topic = ?3)",
        (row[0], workflow, topic),
    )
    return int(row[0])


def _rewrite(db: sqlite3.Connection, born: int, workflow: str, topic: str, title: str, written: str) -> None:
    sequence = _next_sequence(db, workflow, topic)
    db.execute("UPDATE events SET title = ?, data = ?, sequence = ? WHERE born = ?", (title, written, sequence, born))


def _from_sql(row: sqlite3.Row) -> EventRow:
    published = from_ms(row[4])
    assert published is not None
    return EventRow(row[0], row[1], row[2], row[3], published, row[5])
