"""Gaps: consecutive planned times that never ran, stored as one row with their count."""

import sqlite3
from datetime import datetime

from scheduler.store.database import parse_enum, to_instant, to_ms
from scheduler.timing.catchup import Gap
from scheduler.timing.compiled import Count
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState


def add(db: sqlite3.Connection, schedule: str, gap: Gap, state: OccurrenceState, now: datetime) -> None:
    """Record it, replacing one that begins at the same time: the last decision wins."""
    db.execute(
        "INSERT OR REPLACE INTO gaps VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (schedule, to_ms(gap.first), to_ms(gap.last), gap.count.number, gap.count.more, state, gap.reason, to_ms(now)),
    )


def shorten(db: sqlite3.Connection, schedule: str, gap: Gap, now: datetime) -> None:
    """Let the one that begins at the same time end earlier."""
    db.execute(
        "UPDATE gaps SET last = ?, number = ?, more = ?, created = ? WHERE schedule = ? AND first = ?",
        (to_ms(gap.last), gap.count.number, gap.count.more, to_ms(now), schedule, to_ms(gap.first)),
    )


def of_schedule(db: sqlite3.Connection, schedule: str, most: int = -1) -> list[tuple[OccurrenceState, Gap]]:
    rows = db.execute(
        "SELECT state, first, last, number, more, reason FROM gaps WHERE schedule = ? ORDER BY first DESC LIMIT ?",
        (schedule, most),
    )
    return [(parse_enum(OccurrenceState, row[0], OccurrenceState.DROPPED), _gap(row)) for row in rows]


def list_reaching_past(db: sqlite3.Connection, instant: datetime) -> list[tuple[str, Gap, datetime]]:
    """Gaps that end after `instant`, with their schedule and when they were recorded."""
    query = "SELECT schedule, first, last, number, more, reason, created FROM gaps WHERE last > ?"
    rows = db.execute(query, (to_ms(instant),)).fetchall()
    return [(row[0], _gap(row), to_instant(row[6])) for row in rows]


def remove(db: sqlite3.Connection, schedule: str, gap: Gap) -> None:
    db.execute("DELETE FROM gaps WHERE schedule = ? AND first = ?", (schedule, to_ms(gap.first)))


def _gap(row: sqlite3.Row) -> Gap:
    return Gap(
        to_instant(row[1]),
        to_instant(row[2]),
        Count(row[3], more=bool(row[4])),
        parse_enum(OccurrenceReason, row[5], OccurrenceReason.UNREADABLE),
    )
