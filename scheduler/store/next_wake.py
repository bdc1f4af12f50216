"""When the engine must wake next, in one query; shortens waits after the clock was set back."""

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from scheduler.store.database import from_ms, to_ms
from scheduler.store.schedules import IS_LIVE

_NEVER = datetime.max.replace(tzinfo=UTC)
_QUERY = f"""
SELECT
    (SELECT min(next_due) FROM schedules WHERE {IS_LIVE} AND next_due IS NOT NULL),
    (SELECT min(at) FROM (SELECT min(paused_until) AS at FROM schedules
        WHERE paused = 1 AND removed IS NULL AND paused_until IS NOT NULL
        UNION ALL SELECT min(paused_until) FROM workflows WHERE paused_until IS NOT NULL AND status = 'paused')),
    (SELECT min(due) FROM occurrences WHERE state = 'queued' AND due > ?1),
    (SELECT min(retry_at) FROM occurrences WHERE state = 'queued' AND retry_at > ?1),
    (SELECT min(resume_at) FROM runs WHERE resume_at > ?1),
    (SELECT min(wake_at) FROM handlers WHERE removed = 0 AND wake_at > ?1),
    (SELECT min(check_at) FROM mutations WHERE check_at > ?1),
    (SELECT min(wake_at) FROM requests WHERE answer IS NULL AND wake_at > ?1),
    (SELECT min(until) FROM lanes WHERE blocked = 'backing off'),
    EXISTS (SELECT 1 FROM schedules WHERE {IS_LIVE} AND late_next IS NOT NULL)
        OR EXISTS (SELECT 1 FROM backfills WHERE ended IS NULL),
    EXISTS (SELECT 1 FROM occurrences WHERE state IN ('queued', 'started') AND state = 'started'),
    EXISTS (SELECT 1 FROM backfills)
"""


@dataclass(frozen=True, slots=True)
class NextWake:
    at: datetime
    """The earliest due time, end of a pause, or retry. What is already due is started by events."""
    has_pending_work: bool
    """A pause or the wait after a failed job has ended, missed times remain to be caught up, or a backfill is open."""
    has_started: bool = False
    """An occurrence has started and not ended."""
    has_backfills: bool = False
    """There is a backfill, open or ended."""


def read_next_wake(db: sqlite3.Connection, now: datetime) -> NextWake:
    *instants, unfinished, begun, backfill = db.execute(_QUERY, (to_ms(now),)).fetchone()
    earliest = from_ms(min((at for at in instants if at is not None), default=None))
    waits_are_over = any(at is not None and at <= (to_ms(now) or 0) for at in (instants[1], instants[-1]))
    return NextWake(earliest or _NEVER, bool(unfinished) or waits_are_over, bool(begun), bool(backfill))


def shorten_waits(
    db: sqlite3.Connection, now: datetime, *, retry: timedelta, wake: timedelta, check: timedelta, to: timedelta
) -> None:
    """Shorten waits that exceed their maximum (retries, wakes, checks) to `to` from now.

    Only transient failures have to wait; every other attempt may resume now. A server may have asked for a longer
    delay, so retries are changed only if they were written while the clock was ahead.
    """
    soon = to_ms(now + to)
    db.execute("UPDATE runs SET resume_at = ?1 WHERE resume_at > ?1 AND status <> 'paused:transient'", (to_ms(now),))
    db.execute(
        "UPDATE runs SET resume_at = ? WHERE resume_at > ? AND updated > ?", (soon, to_ms(now + retry), to_ms(now))
    )
    shown = "(SELECT resume_at FROM runs WHERE runs.id = lanes.run)"
    db.execute(f"UPDATE lanes SET until = {shown} WHERE until > {shown}")
    db.execute("UPDATE lanes SET until = ? WHERE blocked = 'backing off' AND until > ?", (soon, to_ms(now + retry)))
    db.execute("UPDATE handlers SET wake_at = ? WHERE wake_at > ?", (soon, to_ms(now + wake)))
    db.execute("UPDATE mutations SET check_at = ? WHERE check_at > ?", (soon, to_ms(now + check)))
    _correct_expiries(db, to_ms(now))


def _correct_expiries(db: sqlite3.Connection, now: int | None) -> None:
    """Requests that were asked while the clock was ahead get their full time; reminders of then do not count."""
    expiring = "answer IS NULL AND expires IS NOT NULL"
    db.execute(
        f"UPDATE requests SET expires = expires - (created - ?1), created = ?1 WHERE {expiring} AND created > ?1",
        (now,),
    )
    db.execute(f"UPDATE requests SET reminded = NULL WHERE {expiring} AND reminded > ?", (now,))
    db.execute(
        "UPDATE requests SET wake_at = CASE WHEN reminded IS NULL THEN expires - (expires - created) / 4 "
        f"WHEN on_expiry = 'reject' THEN expires END WHERE {expiring}"
    )
