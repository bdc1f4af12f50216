"""Backfills: past ranges that a person asked for, and how far they have come."""

import json
import sqlite3
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime

from scheduler.store import occurrences
from scheduler.store.database import from_ms, to_ms
from scheduler.timing.policies import Overlap


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillRow:
    id: str
    schedule: str
    ranges: tuple[tuple[datetime, datetime], ...]
    """Inclusive, in order, apart from each other."""
    overlap: Overlap
    missing: bool
    """Leave out times that already ran."""
    cursor: datetime | None = None
    """The last planned time that was looked at."""
    total: int
    made: int = 0
    created: datetime
    ended: datetime | None = None
    cancelled: bool = False


_COLUMNS = tuple(BackfillRow.__dataclass_fields__)
_ALL = f"SELECT {', '.join(_COLUMNS)} FROM backfills"


def insert(db: sqlite3.Connection, row: BackfillRow) -> None:
    ranges = json.dumps([(to_ms(first), to_ms(last)) for first, last in row.ranges])
    db.execute(
        f"INSERT INTO backfills ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})",
        (
            row.id,
            row.schedule,
            ranges,
            row.overlap,
            row.missing,
            None,
            row.total,
            row.made,
            to_ms(row.created),
            None,
            False,
        ),
    )


def advance(db: sqlite3.Connection, backfill: str, cursor: datetime | None, made: int) -> None:
    db.execute("UPDATE backfills SET cursor = ?, made = made + ? WHERE id = ?", (to_ms(cursor), made, backfill))


def end(db: sqlite3.Connection, backfill: str, now: datetime) -> None:
    """All its rows are made."""
    db.execute("UPDATE backfills SET ended = ? WHERE id = ? AND ended IS NULL", (to_ms(now), backfill))


def cancel(db: sqlite3.Connection, backfill: str, now: datetime) -> None:
    db.execute("UPDATE backfills SET ended = coalesce(ended, ?), cancelled = 1 WHERE id = ?", (to_ms(now), backfill))


def cancel_all(db: sqlite3.Connection, schedule: str, now: datetime) -> None:
    query = "UPDATE backfills SET ended = ?, cancelled = 1 WHERE schedule = ? AND ended IS NULL"
    db.execute(query, (to_ms(now), schedule))


def find(db: sqlite3.Connection, backfill: str) -> BackfillRow | None:
    row = db.execute(f"{_ALL} WHERE id = ?", (backfill,)).fetchone()
    return None if row is None else _from_sql(row)


def still_open(db: sqlite3.Connection) -> list[BackfillRow]:
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE ended IS NULL ORDER BY created")]


def going_on(db: sqlite3.Connection, schedule: str) -> list[BackfillRow]:
    """Those with times still to come, or with some that wait for their turn, which `made` leaves out here."""
    waiting = Counter(one.backfill for one in occurrences.queued(db, schedule))
    known = [row for row in of_schedule(db, schedule) if row.ended is None or waiting[row.id]]
    return [replace(row, made=row.made - waiting[row.id]) for row in known]


def of_schedule(db: sqlite3.Connection, schedule: str) -> list[BackfillRow]:
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE schedule = ? ORDER BY created DESC", (schedule,))]


def _from_sql(row: sqlite3.Row) -> BackfillRow:
    """Always gives a row: one without ranges that can be read has nothing to do, and ends."""
    values = dict(zip(_COLUMNS, row, strict=True))
    try:
        ranges = tuple((from_ms(first), from_ms(last)) for first, last in json.loads(values["ranges"]))
    except (ValueError, TypeError, OverflowError):
        ranges = ()
    for name in ("cursor", "created", "ended"):
        values[name] = from_ms(values[name])
    if values["overlap"] not in set(Overlap):
        values["overlap"] = Overlap.BUFFER_ALL
    values |= {
        "ranges": ranges,
        "overlap": Overlap(values["overlap"]),
        "missing": bool(values["missing"]),
        "cancelled": bool(values["cancelled"]),
    }
    return BackfillRow(**values)
