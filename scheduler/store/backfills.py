"""Backfills: past ranges that the user asked to run, and their progress."""

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
    """Inclusive, sorted, not overlapping."""
    overlap: Overlap
    missing: bool
    """Skip times that already ran."""
    cursor: datetime | None = None
    """The last planned time processed."""
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


def finish(db: sqlite3.Connection, backfill: str, now: datetime) -> None:
    """All its occurrences are recorded."""
    db.execute("UPDATE backfills SET ended = ? WHERE id = ? AND ended IS NULL", (to_ms(now), backfill))


def cancel(db: sqlite3.Connection, backfill: str, now: datetime) -> None:
    db.execute("UPDATE backfills SET ended = coalesce(ended, ?), cancelled = 1 WHERE id = ?", (to_ms(now), backfill))


def cancel_all(db: sqlite3.Connection, schedule: str, now: datetime) -> None:
    query = "UPDATE backfills SET ended = ?, cancelled = 1 WHERE schedule = ? AND ended IS NULL"
    db.execute(query, (to_ms(now), schedule))


def find(db: sqlite3.Connection, backfill: str) -> BackfillRow | None:
    row = db.execute(f"{_ALL} WHERE id = ?", (backfill,)).fetchone()
    return None if row is None else _from_sql(row)


def list_open(db: sqlite3.Connection) -> list[BackfillRow]:
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE ended IS NULL ORDER BY created")]


def list_unfinished(db: sqlite3.Connection, schedule: str) -> list[BackfillRow]:
    """Those with times to record or occurrences still queued; queued ones are not counted in `made` here."""
    waiting = Counter(one.backfill for one in occurrences.list_queued(db, schedule))
    rows = [row for row in of_schedule(db, schedule) if row.ended is None or waiting[row.id]]
    return [replace(row, made=row.made - waiting[row.id]) for row in rows]


def of_schedule(db: sqlite3.Connection, schedule: str) -> list[BackfillRow]:
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE schedule = ? ORDER BY created DESC", (schedule,))]


def _from_sql(row: sqlite3.Row) -> BackfillRow:
    """Never fails: a row with unreadable ranges gets none, so it has nothing to do and ends."""
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
