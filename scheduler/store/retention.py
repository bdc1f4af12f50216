"""Deletes old history. Nothing that is open, waiting or still needed is touched."""

import json
import sqlite3
from datetime import datetime
from typing import Any

from scheduler.store import idempotency
from scheduler.store.database import to_ms
from scheduler.store.history import first_number_since

# A chain is over when no attempt is open or will be continued, it has no open request,
# its outside action is resolved, and it holds no event and no lane.
_OPEN = (
    "EXISTS (SELECT 1 FROM runs o WHERE (o.id = r.id OR (o.chain = r.id AND o.attempt > 1)) AND ("
    "(o.status NOT IN ('committed', 'crashed', 'cancelled') AND o.followed = 0) OR o.resume_at IS NOT NULL "
    "OR o.ended IS NULL OR o.ended >= ?1 "
    "OR EXISTS (SELECT 1 FROM requests q WHERE q.run = o.id AND q.answer IS NULL) "
    "OR EXISTS (SELECT 1 FROM mutations m WHERE m.run = o.id AND m.status IN ('in_flight', 'unsure')) "
    "OR EXISTS (SELECT 1 FROM events e WHERE e.run = o.id AND e.state = 'reserved') "
    "OR EXISTS (SELECT 1 FROM lanes l WHERE l.workflow = o.workflow AND l.run = o.id)))"
)
# The newest success of each version decides which one to roll back to.
_IS_LAST_SUCCESS = (
    "(r.status = 'committed' AND NOT EXISTS (SELECT 1 FROM runs n WHERE n.workflow = r.workflow "
    "AND n.number > r.number AND n.script = r.script AND n.status = 'committed'))"
)

_WITHOUT_WORKFLOW = (
    "SELECT id FROM schedules WHERE NOT EXISTS (SELECT 1 FROM workflows w WHERE w.slug = schedules.workflow)"
)


def prune(db: sqlite3.Connection, before: datetime, now: datetime, most: int) -> int:
    """Delete what ended before that time: at most `most` chains of runs and `most` planned times without one.

    Returns the number of rows deleted. Events keep their ids, so that none is revived; only their data is deleted.
    """
    limit = to_ms(min(before, now))
    chains = db.execute(
        f"SELECT r.id FROM runs r WHERE r.attempt = 1 AND r.number < ?2 AND NOT {_OPEN} AND NOT {_IS_LAST_SUCCESS} "
        "ORDER BY r.number LIMIT ?3",
        (limit, first_number_since(db, min(before, now)), most),
    ).fetchall()
    deleted = sum(_delete_chain(db, row[0]) for row in chains)
    deleted += db.execute(
        "DELETE FROM occurrences WHERE key IN (SELECT key FROM occurrences WHERE began IS NULL "
        "AND state NOT IN ('queued', 'started') AND planned < ?1 AND coalesce(ended, created) < ?1 "
        "AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.occurrence = key) ORDER BY planned LIMIT ?2)",
        (limit, most),
    ).rowcount
    deleted += _delete_without_runs(db, limit, most)
    deleted += db.execute(
        "DELETE FROM gaps WHERE (schedule, first) IN "
        "(SELECT schedule, first FROM gaps WHERE first < ?1 AND last < ?1 AND created < ?1 ORDER BY first LIMIT ?2)",
        (limit, most),
    ).rowcount
    idempotency.delete_before(db, min(before, now))
    return deleted


def count_runs(db: sqlite3.Connection) -> int:
    """Including those of the library, which are occurrences only."""
    runs = db.execute("SELECT count(*) FROM runs").fetchone()[0]
    others = f"SELECT count(*) FROM occurrences WHERE schedule IN ({_WITHOUT_WORKFLOW})"
    return int(runs + db.execute(others).fetchone()[0])


def _delete_without_runs(db: sqlite3.Connection, limit: int | None, most: int) -> int:
    """Occurrences of the library: they have no row in `runs`, and their log has their own key."""
    keys = [
        row[0]
        for row in db.execute(
            f"SELECT o.key FROM ({_WITHOUT_WORKFLOW}) s CROSS JOIN occurrences o ON o.schedule = s.id "
            "WHERE o.began IS NOT NULL AND o.state NOT IN ('queued', 'started') AND o.planned < ?1 AND o.ended < ?1 "
            "LIMIT ?2",
            (limit, most),
        )
    ]
    for key in keys:
        db.execute("DELETE FROM logs WHERE run = ?", (key,))
        db.execute("DELETE FROM occurrences WHERE key = ?", (key,))
    return len(keys)


def _delete_chain(db: sqlite3.Connection, first: str) -> int:
    rows = db.execute(
        "SELECT id, workflow, occurrence, prepared FROM runs WHERE id = ?1 OR (chain = ?1 AND attempt > 1)", (first,)
    ).fetchall()
    for run, workflow, occurrence, prepared in rows:
        if prepared is not None:
            _delete_event_data(db, workflow, json.loads(prepared))
        db.execute("DELETE FROM logs WHERE run = ?", (run,))
        db.execute("DELETE FROM mutations WHERE run = ?", (run,))
        db.execute("DELETE FROM requests WHERE run = ?", (run,))
        db.execute("DELETE FROM runs WHERE id = ?", (run,))
        if occurrence is not None:
            query = "DELETE FROM occurrences WHERE key = ? AND state NOT IN ('queued', 'started')"
            db.execute(query, (occurrence,))
    return len(rows)


def _delete_event_data(db: sqlite3.Connection, workflow: str, prepared: dict[str, Any]) -> None:
    """Keep only the ids of the run's events, so that a consumed one is never revived."""
    query = (
        "UPDATE events SET data = 'null' WHERE workflow = ? AND topic = ? AND id = ? "
        "AND state IN ('consumed', 'skipped')"
    )
    for one in prepared.get("reserve") or []:
        db.execute(query, (workflow, one["topic"], one["id"]))
