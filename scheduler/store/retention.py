"""Forgetting what is old and over. What is open, waits, or holds something is never touched."""

import json
import sqlite3
from datetime import datetime
from typing import Any

from scheduler.store import answers
from scheduler.store.database import to_ms
from scheduler.store.history import number_since

# A chain is over when no attempt of it is open or to be followed, nobody is asked about it,
# its outside action is settled, and it holds no event and no lane.
_OPEN = (
    "EXISTS (SELECT 1 FROM runs o WHERE (o.id = r.id OR (o.chain = r.id AND o.attempt > 1)) AND ("
    "(o.status NOT IN ('committed', 'crashed', 'cancelled') AND o.followed = 0) OR o.resume_at IS NOT NULL "
    "OR o.ended IS NULL OR o.ended >= ?1 "
    "OR EXISTS (SELECT 1 FROM requests q WHERE q.run = o.id AND q.answer IS NULL) "
    "OR EXISTS (SELECT 1 FROM mutations m WHERE m.run = o.id AND m.status IN ('in_flight', 'unsure')) "
    "OR EXISTS (SELECT 1 FROM events e WHERE e.run = o.id AND e.state = 'reserved') "
    "OR EXISTS (SELECT 1 FROM lanes l WHERE l.workflow = o.workflow AND l.run = o.id)))"
)
# The newest success of each version says which one to roll back to.
_IS_PROOF = (
    "(r.status = 'committed' AND NOT EXISTS (SELECT 1 FROM runs n WHERE n.workflow = r.workflow "
    "AND n.number > r.number AND n.script = r.script AND n.status = 'committed'))"
)


def prune(db: sqlite3.Connection, before: datetime, now: datetime, most: int) -> int:
    """Forget what ended before that time, at most so many chains of runs and as many planned times that never ran.

    Says how many rows of history are gone. Events keep their ids, so that none comes back; only their data goes.
    """
    limit = to_ms(min(before, now))
    chains = db.execute(
        f"SELECT r.id FROM runs r WHERE r.attempt = 1 AND r.number < ?2 AND NOT {_OPEN} AND NOT {_IS_PROOF} "
        "ORDER BY r.number LIMIT ?3",
        (limit, number_since(db, min(before, now)), most),
    ).fetchall()
    gone = sum(_forget_chain(db, row[0]) for row in chains)
    gone += db.execute(
        "DELETE FROM occurrences WHERE key IN (SELECT key FROM occurrences WHERE began IS NULL "
        "AND state NOT IN ('queued', 'started') AND planned < ?1 AND coalesce(ended, created) < ?1 "
        "AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.occurrence = key) ORDER BY planned LIMIT ?2)",
        (limit, most),
    ).rowcount
    gone += db.execute(
        "DELETE FROM gaps WHERE (schedule, first) IN "
        "(SELECT schedule, first FROM gaps WHERE first < ?1 AND last < ?1 AND created < ?1 ORDER BY first LIMIT ?2)",
        (limit, most),
    ).rowcount
    answers.forget_before(db, min(before, now))
    return gone


def count(db: sqlite3.Connection) -> int:
    """How many runs there are, old and new."""
    return int(db.execute("SELECT count(*) FROM runs").fetchone()[0])


def _forget_chain(db: sqlite3.Connection, first: str) -> int:
    rows = db.execute(
        "SELECT id, workflow, occurrence, prepared FROM runs WHERE id = ?1 OR (chain = ?1 AND attempt > 1)", (first,)
    ).fetchall()
    for run, workflow, occurrence, prepared in rows:
        if prepared is not None:
            _forget_data(db, workflow, json.loads(prepared))
        db.execute("DELETE FROM logs WHERE run = ?", (run,))
        db.execute("DELETE FROM mutations WHERE run = ?", (run,))
        db.execute("DELETE FROM requests WHERE run = ?", (run,))
        db.execute("DELETE FROM runs WHERE id = ?", (run,))
        if occurrence is not None:
            query = "DELETE FROM occurrences WHERE key = ? AND state NOT IN ('queued', 'started')"
            db.execute(query, (occurrence,))
    return len(rows)


def _forget_data(db: sqlite3.Connection, workflow: str, prepared: dict[str, Any]) -> None:
    """Of the events that the run dealt with, only their ids are needed: a consumed one is never revived."""
    query = (
        "UPDATE events SET data = 'null' WHERE workflow = ? AND topic = ? AND id = ? "
        "AND state IN ('consumed', 'skipped')"
    )
    for one in prepared.get("reserve") or []:
        db.execute(query, (workflow, one["topic"], one["id"]))
