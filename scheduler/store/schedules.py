"""Schedules: what the author wrote, what the user changed, and the engine's progress."""

import sqlite3
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

from scheduler.store.database import FAR_AHEAD, from_ms, to_ms
from scheduler.user_text import unpack

_INSTANTS = (
    "paused_until",
    "skip_at",
    "next_at",
    "next_due",
    "late_next",
    "late_until",
    "late_began",
    "last_run",
    "computed",
    "created",
    "removed",
)


class ScheduleRow(NamedTuple):
    """One schedule as stored. `spec` and `policies` are JSON text, parsed when needed."""

    id: str
    workflow: str
    handler: str
    kind: str
    spec: str
    policies: str
    version: int
    next_at: datetime | None
    next_due: datetime | None
    computed: datetime
    """The wall clock when `next_at` was computed."""
    created: datetime
    paused: bool = False
    held: bool = False
    """Its workflow is paused or archived."""
    paused_until: datetime | None = None
    pause_note: str | None = None
    trouble: str | None = None
    """Why it was set aside: its row is invalid."""
    skip_at: datetime | None = None
    late_next: datetime | None = None
    """The catch-up cursor: the next missed time to record, up to `late_until`."""
    late_until: datetime | None = None
    late_began: datetime | None = None
    late_total: int | None = None
    late_made: int | None = None
    runs: int = 0
    """Automatic runs that began; they count towards the limit."""
    last_run: datetime | None = None
    removed: datetime | None = None

    @property
    def is_suspended(self) -> bool:
        """Whether it or its workflow is paused, so that its times pass without running."""
        return bool(self.paused or self.held)


_COLUMNS = ScheduleRow._fields
_INSTANT_PLACES = tuple(_COLUMNS.index(name) for name in _INSTANTS)
_TEXT_PLACES = tuple(_COLUMNS.index(name) for name in ("pause_note", "trouble"))
_ALL = f"SELECT {', '.join(_COLUMNS)} FROM schedules"
_SAVE = f"INSERT OR REPLACE INTO schedules ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_LIMIT = "CASE WHEN json_valid(spec) THEN spec ->> 'limit' END"
IS_QUEUED_REGULAR = "(state = 'queued' AND origin = 'automatic' AND NOT late)"
"""A condition on occurrences."""
IS_LIVE = "paused = 0 AND held = 0 AND trouble IS NULL AND removed IS NULL"
_DUE = f"{IS_LIVE} AND next_due IS NOT NULL AND next_due <= ?1"
_IS_ANY_DUE = f"SELECT 1 FROM schedules WHERE {_DUE} LIMIT 1"
_ALL_DUE = (
    f"SELECT {', '.join(_COLUMNS)}, "
    "EXISTS (SELECT 1 FROM occurrences o INDEXED BY occurrences_underway "
    "WHERE o.state IN ('queued', 'started') AND o.schedule = id) "
    "OR EXISTS (SELECT 1 FROM occurrences o WHERE o.schedule = id AND o.planned >= coalesce(late_next, next_at)) "
    f"FROM schedules WHERE {_DUE} ORDER BY next_due LIMIT ?2"
)
_PLAN = "UPDATE schedules SET next_at = ?, next_due = ?, computed = ? WHERE id = ?"


def save(db: sqlite3.Connection, row: ScheduleRow) -> None:
    """Store it, replacing a removed one of the same name."""
    values: list[Any] = list(row)
    for place in _INSTANT_PLACES:
        values[place] = to_ms(values[place])
    db.execute(_SAVE, values)


def update(db: sqlite3.Connection, schedule: str, **changes: Any) -> None:
    assignments = ", ".join(f"{name} = ?" for name in changes)
    values = [_to_sql(name, value) for name, value in changes.items()]
    db.execute(f"UPDATE schedules SET {assignments} WHERE id = ?", (*values, schedule))


NextTime: TypeAlias = tuple[str, datetime | None, datetime | None]
"""A schedule's id, its next planned time, and when that is due."""


def save_next_times(db: sqlite3.Connection, plans: Iterable[NextTime], now: datetime) -> None:
    db.executemany(_PLAN, [(to_ms(at), to_ms(due), to_ms(now), schedule) for schedule, at, due in plans])


def record_start(
    db: sqlite3.Connection, schedule: str, now: datetime, *, automatic: bool, by_user: bool
) -> tuple[int, int | None] | None:
    """Record the start of a run. Returns the automatic runs so far and their limit; None if it may not begin.

    A run started `by_user` may begin even if the schedule is paused.
    """
    row = db.execute(
        "UPDATE schedules SET last_run = ?1, runs = runs + ?2 WHERE id = ?3 "
        "AND trouble IS NULL AND removed IS NULL AND (paused = 0 OR ?4) "
        f"AND (NOT ?2 OR coalesce(runs < {_LIMIT}, 1)) RETURNING runs, {_LIMIT}",
        (to_ms(now), automatic, schedule, by_user),
    ).fetchone()
    return None if row is None else (row[0], row[1] if automatic else None)


def set_held(db: sqlite3.Connection, workflow: str, *, held: bool) -> None:
    """Pause or resume the schedules of a workflow: a change by the user, as if each had been paused or resumed."""
    db.execute(
        "UPDATE schedules SET held = ?1, version = version + 1 WHERE workflow = ?2 AND removed IS NULL AND held <> ?1",
        (held, workflow),
    )


def pause_all(db: sqlite3.Connection, note: str) -> None:
    """Pause, with a note, every schedule that is neither paused nor held with its workflow."""
    query = "UPDATE schedules SET paused = 1, pause_note = ?, version = version + 1 WHERE paused = 0 AND held = 0"
    db.execute(query, (note,))


def find(db: sqlite3.Connection, schedule: str) -> ScheduleRow | None:
    row = db.execute(f"{_ALL} WHERE id = ?", (schedule,)).fetchone()
    return None if row is None else _from_sql(row)


def is_any_due(db: sqlite3.Connection, now: datetime) -> bool:
    return db.execute(_IS_ANY_DUE, (to_ms(now),)).fetchone() is not None


def list_due(db: sqlite3.Connection, now: datetime, most: int) -> list[tuple[ScheduleRow, bool]]:
    """Schedules that are due, the longest overdue first.

    With each, whether it has relevant occurrences: unfinished, or planned for its next time or later.
    """
    return [(_from_sql(row[:-1]), bool(row[-1])) for row in db.execute(_ALL_DUE, (to_ms(now), most)).fetchall()]


def list_catching_up(db: sqlite3.Connection, most: int, waiting_at_most: int) -> list[ScheduleRow]:
    """Those with missed times to record and few enough occurrences waiting."""
    where = (
        f"{IS_LIVE} AND late_next IS NOT NULL AND (SELECT count(*) FROM occurrences o WHERE o.schedule = schedules.id "
        f"AND o.state IN ('queued', 'started') AND NOT {IS_QUEUED_REGULAR}) < ? ORDER BY late_next LIMIT ?"
    )
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE {where}", (waiting_at_most, most))]


def list_with_cursor(db: sqlite3.Connection, schedule: str | None) -> list[ScheduleRow]:
    """Those, or that one, with missed times that still have no row."""
    where = "late_next IS NOT NULL AND id = coalesce(?, id)"
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE {where}", (schedule,))]


def list_resuming(db: sqlite3.Connection, now: datetime) -> list[ScheduleRow]:
    """Those whose pause has ended."""
    where = "paused = 1 AND removed IS NULL AND paused_until IS NOT NULL AND paused_until <= ?"
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE {where}", (to_ms(now),))]


def computed_after(db: sqlite3.Connection, instant: datetime) -> list[ScheduleRow]:
    """Those whose next time was computed while the clock was ahead."""
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE computed > ? AND removed IS NULL", (to_ms(instant),))]


def list_never_due(db: sqlite3.Connection) -> list[ScheduleRow]:
    """Those whose next time is out of range, because it was edited by hand."""
    where = f"{IS_LIVE} AND next_due IS NOT NULL AND next_due >= ?"
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE {where}", (to_ms(FAR_AHEAD),))]


def list_set_aside(db: sqlite3.Connection) -> list[ScheduleRow]:
    """Those set aside as invalid."""
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE trouble IS NOT NULL AND removed IS NULL")]


def list_all(
    db: sqlite3.Connection, *, workflow: str | None = None, text: str = "", removed: bool = False
) -> list[ScheduleRow]:
    """All schedules, by name, filtered by workflow and by part of the name."""
    where, values = ["1 = 1" if removed else "removed IS NULL"], []
    if workflow is not None:
        where.append("workflow = ?")
        values.append(workflow)
    if text:
        where.append("instr(lower(id), lower(?))")
        values.append(text)
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE {' AND '.join(where)} ORDER BY id", values)]


def _to_sql(name: str, value: Any) -> Any:
    return to_ms(value) if name in _INSTANTS else value


def _from_sql(row: Iterable[Any]) -> ScheduleRow:
    values = list(row)
    for place in _INSTANT_PLACES:
        if values[place] is not None:
            values[place] = from_ms(values[place])
    for place in _TEXT_PLACES:
        if values[place] is not None:
            values[place] = unpack(values[place])
    return ScheduleRow._make(values)
