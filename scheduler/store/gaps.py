"""Gaps: planned times in a row that never ran, kept as one row with their number."""

import sqlite3
from datetime import datetime

from scheduler.store.database import to_ms
from scheduler.store.reading import instant, word
from scheduler.timing.catchup import Gap
from scheduler.timing.occurrences import Reason, State
from scheduler.timing.times import Count


def add(db: sqlite3.Connection, schedule: str, gap: Gap, state: State, now: datetime) -> None:
    """Record it, in place of one that begins at the same time: what was decided last holds."""
    db.execute(
        "INSERT OR REPLACE INTO gaps VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (schedule, to_ms(gap.first), to_ms(gap.last), gap.count.number, gap.count.more, state, gap.reason, to_ms(now)),
    )


def of_schedule(db: sqlite3.Connection, schedule: str, most: int = -1) -> list[tuple[State, Gap]]:
    rows = db.execute(
        "SELECT state, first, last, number, more, reason FROM gaps WHERE schedule = ? ORDER BY first DESC LIMIT ?",
        (schedule, most),
    )
    return [(word(State, row[0], State.DROPPED), _gap(row)) for row in rows]


def reaching(db: sqlite3.Connection, instant: datetime, *, written_after: datetime) -> list[tuple[str, Gap]]:
    """Those, with their schedule, that claim planned times after one instant and were recorded after another."""
    query = "SELECT schedule, first, last, number, more, reason FROM gaps WHERE last > ? AND created > ?"
    return [(row[0], _gap(row)) for row in db.execute(query, (to_ms(instant), to_ms(written_after)))]


def remove(db: sqlite3.Connection, schedule: str, gap: Gap) -> None:
    db.execute("DELETE FROM gaps WHERE schedule = ? AND first = ?", (schedule, to_ms(gap.first)))


def _gap(row: sqlite3.Row) -> Gap:
    return Gap(
        instant(row[1]), instant(row[2]), Count(row[3], more=bool(row[4])), word(Reason, row[5], Reason.UNREADABLE)
    )
