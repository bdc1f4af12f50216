"""Events: unique by workflow, topic and message id. What is consumed or skipped stays so."""

import json
import sqlite3
from collections.abc import Generator, Iterable
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from scheduler.store.database import from_ms, to_ms
from scheduler.store.errors import StoreError


class EventState(StrEnum):
    PENDING = "pending"
    RESERVED = "reserved"
    """A run is working on it."""
    CONSUMED = "consumed"
    SKIPPED = "skipped"
    """The person said no, or its topic is gone."""


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
    written: str
    """Its data, as the JSON that is stored."""
    published: datetime
    attempt: int


class NotPendingError(StoreError):
    """A run tried to reserve what is not there to be reserved; nothing was reserved."""

    def __init__(self, topic: str, identity: str) -> None:
        super().__init__(f"There is no pending event {identity!r} in the topic {topic!r} to reserve.")
        self.topic = topic
        self.identity = identity


def publish(
    db: sqlite3.Connection, workflow: str, topic: str, identity: str, title: str, data: Any, now: datetime
) -> bool:
    """Insert it, or bring a pending one up to date; says whether that is news for a consumer."""
    return publish_written(db, workflow, topic, identity, title, write_data(data), now)


def write_data(data: Any) -> str:
    """The same text for the same data, so that it can be compared."""
    return json.dumps(data, sort_keys=True)


def publish_written(
    db: sqlite3.Connection, workflow: str, topic: str, identity: str, title: str, written: str, now: datetime
) -> bool:
    """`publish`, with the data as `write_data` gives it.

    The same again changes nothing. For a reserved one the new data waits until it is released.
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
            (workflow, topic, identity, sequence, title, written, to_ms(now)),
        )
        return True
    born, state, old_title, old_data = known
    if state == EventState.RESERVED:
        same = (title, written) == (old_title, old_data)
        later = None if same else f'{{"title": {json.dumps(title)}, "data": {written}}}'
        db.execute("UPDATE events SET later = ? WHERE born = ?", (later, born))
        return False
    if state != EventState.PENDING or (title, written) == (old_title, old_data):
        return False
    _rewrite(db, born, workflow, topic, title, written)
    return True


def peek(db: sqlite3.Connection, workflow: str, topic: str, limit: int) -> list[EventRow]:
    """Pending events, oldest first."""
    return list(look_at(db, workflow, topic, limit))


def look_at(db: sqlite3.Connection, workflow: str, topic: str, limit: int) -> Generator[EventRow]:
    """Pending events, oldest first, one after the other."""
    query = (
        "SELECT topic, id, title, data, published, attempt FROM events "
        "WHERE workflow = ? AND topic = ? AND state = 'pending' ORDER BY born LIMIT ?"
    )
    for row in db.execute(query, (workflow, topic, limit)):
        yield _from_sql(row)


def reserve(db: sqlite3.Connection, workflow: str, run: str, events: Iterable[tuple[str, str]]) -> None:
    """Take all of them for the run, or NotPendingError and none (the caller's transaction is rolled back)."""
    for topic, identity in events:
        taken = db.execute(
            "UPDATE events SET state = 'reserved', run = ? "
            "WHERE workflow = ? AND topic = ? AND id = ? AND state = 'pending'",
            (run, workflow, topic, identity),
        )
        if taken.rowcount != 1:
            raise NotPendingError(topic, identity)


def reserved_by(db: sqlite3.Connection, run: str) -> list[EventRow]:
    rows = db.execute(
        "SELECT topic, id, title, data, published, attempt FROM events "
        "WHERE run = ? AND state = 'reserved' ORDER BY born",
        (run,),
    )
    return [_from_sql(row) for row in rows]


def hand_over(db: sqlite3.Connection, run: str, successor: str) -> None:
    """A retry goes on with what the attempt before it had reserved."""
    db.execute("UPDATE events SET run = ? WHERE run = ? AND state = 'reserved'", (successor, run))


def release(db: sqlite3.Connection, run: str) -> int:
    """Give them back; data that arrived meanwhile applies now. Says how many there were.

    What nobody takes events from any more has no place to go back to.
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


def settle(db: sqlite3.Connection, run: str, state: EventState) -> int:
    """Consume or skip, for good, what the run had reserved; says how many."""
    assert state in EVENT_MOVES[EventState.RESERVED] - {EventState.PENDING}
    query = "UPDATE events SET state = ?, later = NULL WHERE run = ? AND state = 'reserved'"
    return db.execute(query, (state, run)).rowcount


def skip_pending(db: sqlite3.Connection, workflow: str, topic: str, identity: str | None = None) -> int:
    """Skip one pending event, or all of a topic that is gone; says how many."""
    query = "UPDATE events SET state = 'skipped' WHERE workflow = ? AND topic = ? AND state = 'pending'"
    if identity is None:
        return db.execute(query, (workflow, topic)).rowcount
    return db.execute(f"{query} AND id = ?", (workflow, topic, identity)).rowcount


def number_pending(db: sqlite3.Connection, workflow: str, most: int = 10_000) -> dict[str, int]:
    """How many wait in each topic, counted up to a limit."""
    topics = [row[0] for row in db.execute("SELECT DISTINCT topic FROM subscriptions WHERE workflow = ?", (workflow,))]
    query = "SELECT count(*) FROM (SELECT 1 FROM events WHERE workflow = ? AND topic = ? AND state = 'pending' LIMIT ?)"
    return {topic: int(db.execute(query, (workflow, topic, most)).fetchone()[0]) for topic in topics}


def topics_in_use(db: sqlite3.Connection, workflow: str) -> set[str]:
    """Those with events that wait: from one to the next, however many wait in each."""
    first = "SELECT min(topic) FROM events WHERE workflow = ?1 AND state = 'pending'"
    query = (
        f"WITH RECURSIVE used(topic) AS (SELECT ({first}) UNION ALL "
        f"SELECT ({first} AND topic > used.topic) FROM used WHERE used.topic IS NOT NULL) "
        "SELECT topic FROM used WHERE topic IS NOT NULL"
    )
    return {row[0] for row in db.execute(query, (workflow,))}


def _next_sequence(db: sqlite3.Connection, workflow: str, topic: str) -> int:
    """One more piece of news for whoever takes events from the topic."""
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
