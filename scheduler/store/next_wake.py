"""When the engine is needed next, in one look."""

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime

from scheduler.store.database import from_ms, to_ms
from scheduler.store.schedules import ALIVE

_NEVER = datetime.max.replace(tzinfo=UTC)
_QUERY = f"""
SELECT
    (SELECT min(next_due) FROM schedules WHERE {ALIVE} AND next_due IS NOT NULL),
    (SELECT min(paused_until) FROM schedules WHERE paused = 1 AND removed IS NULL AND paused_until IS NOT NULL),
    (SELECT min(due) FROM occurrences WHERE state = 'queued' AND due > ?1),
    (SELECT min(retry_at) FROM occurrences WHERE state = 'queued' AND retry_at > ?1),
    (SELECT min(resume_at) FROM runs WHERE resume_at > ?1),
    (SELECT min(wake_at) FROM handlers WHERE removed = 0 AND wake_at > ?1),
    (SELECT min(check_at) FROM mutations WHERE check_at > ?1),
    EXISTS (SELECT 1 FROM schedules WHERE {ALIVE} AND late_next IS NOT NULL)
        OR EXISTS (SELECT 1 FROM backfills WHERE ended IS NULL),
    EXISTS (SELECT 1 FROM occurrences WHERE state IN ('queued', 'started') AND state = 'started'),
    EXISTS (SELECT 1 FROM backfills)
"""


@dataclass(frozen=True, slots=True)
class Agenda:
    next: datetime
    """The earliest due time, end of a pause, or next attempt. What is due and waits is woken by events."""
    has_chores: bool
    """A pause is over, missed times still run, or a backfill is open."""
    is_anything_begun: bool = False
    """An occurrence has begun, and not ended."""
    has_backfills: bool = False
    """A backfill was asked for, now or earlier."""


def read_agenda(db: sqlite3.Connection, now: datetime) -> Agenda:
    *instants, unfinished, begun, backfill = db.execute(_QUERY, (to_ms(now),)).fetchone()
    earliest = from_ms(min((at for at in instants if at is not None), default=None))
    pause_is_over = instants[1] is not None and instants[1] <= (to_ms(now) or 0)
    return Agenda(earliest or _NEVER, bool(unfinished) or pause_is_over, bool(begun), bool(backfill))
