"""Occurrences and gaps: each planned time once, with what became of it. A row moves only from where it was."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

from scheduler.store.database import from_ms, to_ms
from scheduler.store.errors import StaleError
from scheduler.timing.catchup import Gap
from scheduler.timing.occurrences import MOVES, Origin, Reason, State
from scheduler.timing.overlap import Underway
from scheduler.timing.policies import Overlap
from scheduler.timing.times import Count


class OccurrenceRow(NamedTuple):
    """One occurrence as stored."""

    key: str
    schedule: str
    planned: datetime
    due: datetime
    created: datetime
    origin: Origin
    state: State = State.QUEUED
    late: bool = False
    reason: Reason | None = None
    detail: str | None = None
    overlap: Overlap | None = None
    """Its own policy, if it does not follow its schedule's."""
    backfill: str | None = None
    attempts: int = 0
    retry_at: datetime | None = None
    began: datetime | None = None
    ended: datetime | None = None


_COLUMNS = OccurrenceRow._fields
_INSTANTS = ("planned", "due", "created", "retry_at", "began", "ended")
_INSTANT_PLACES = tuple(_COLUMNS.index(name) for name in _INSTANTS)
_ENUMS: dict[str, type[StrEnum]] = {"origin": Origin, "state": State, "reason": Reason, "overlap": Overlap}
_ENUM_PLACES = tuple((_COLUMNS.index(name), {one.value: one for one in enum}) for name, enum in _ENUMS.items())
_ALL = f"SELECT {', '.join(_COLUMNS)} FROM occurrences"
_OF_OCCURRENCE = ", ".join(f"o.{name}" for name in _COLUMNS)
_WITH_SCHEDULE = f"SELECT {_OF_OCCURRENCE}, s.policies, s.kind FROM occurrences o JOIN schedules s ON s.id = o.schedule"
_INSERT = (
    f"INSERT INTO occurrences ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) ON CONFLICT DO NOTHING"
)


def insert(db: sqlite3.Connection, row: OccurrenceRow) -> bool:
    """Record it unless its key is known; says whether it was new."""
    values: list[Any] = list(row)
    for place in _INSTANT_PLACES:
        values[place] = to_ms(values[place])
    return db.execute(_INSERT, values).rowcount == 1


def move(db: sqlite3.Connection, key: str, old: State, new: State, **changes: Any) -> None:
    """Move it from `old` to `new`; StaleError if it is elsewhere, so that nothing happens twice."""
    assert new in MOVES[old], f"{old} → {new} is not a legal move"
    changed = _change(db, key, old, state=new, **changes)
    if not changed:
        raise StaleError(f"The occurrence {key[:8]} is no longer {old}.")


def adjust(db: sqlite3.Connection, key: str, state: State, **changes: Any) -> bool:
    """Change facts of an occurrence that stays in `state`; says whether it still was there."""
    return _change(db, key, state, **changes)


def find(db: sqlite3.Connection, key: str) -> OccurrenceRow | None:
    row = db.execute(f"{_ALL} WHERE key = ?", (key,)).fetchone()
    return None if row is None else _from_sql(row)


def known(db: sqlite3.Connection, key: str) -> bool:
    return db.execute("SELECT 1 FROM occurrences WHERE key = ?", (key,)).fetchone() is not None


def has_run(db: sqlite3.Connection, schedule: str, planned: datetime) -> bool:
    """Whether that planned time ran to success, or is about to run, whoever asked for it."""
    states = "state IN ('queued', 'started', 'succeeded')"
    query = f"SELECT 1 FROM occurrences WHERE schedule = ? AND planned = ? AND {states}"
    return db.execute(query, (schedule, to_ms(planned))).fetchone() is not None


def underway(db: sqlite3.Connection, schedule: str) -> list[Underway]:
    """The queued and started ones of a schedule, oldest first."""
    rows = db.execute(
        "SELECT key, origin, state, late FROM occurrences "
        "WHERE schedule = ? AND state IN ('queued', 'started') ORDER BY planned",
        (schedule,),
    )
    return [Underway(row[0], Origin(row[1]), State(row[2]), bool(row[3])) for row in rows]


def queued(db: sqlite3.Connection, schedule: str | None = None) -> list[OccurrenceRow]:
    where = "state = 'queued'" if schedule is None else "state = 'queued' AND schedule = ?"
    return [
        _from_sql(row)
        for row in db.execute(f"{_ALL} WHERE {where} ORDER BY due", () if schedule is None else (schedule,))
    ]


Candidate: TypeAlias = tuple[OccurrenceRow, str, str]
"""An occurrence that may start, with the policies and the kind of its schedule."""


def queue(db: sqlite3.Connection, now: datetime, *, backfill: bool) -> Iterator[Candidate]:
    """Queued and due, oldest first; read as far as needed.

    A schedule that is blocked or set aside starts nothing, a paused one only what a person asked for.
    """
    return _candidates(
        db.execute(
            f"{_WITH_SCHEDULE} WHERE o.state = 'queued' AND o.due <= ?1 AND (o.retry_at IS NULL OR o.retry_at <= ?1) "
            f"AND (o.origin = 'backfill') = ?2 AND s.blocked IS NULL AND s.trouble IS NULL "
            "AND (s.paused = 0 OR o.origin IN ('manual', 'backfill')) ORDER BY o.due, o.planned",
            (to_ms(now), backfill),
        )
    )


def is_waiting(db: sqlite3.Connection, now: datetime) -> bool:
    """Whether anything that is due has not begun."""
    row = db.execute("SELECT 1 FROM occurrences WHERE state = 'queued' AND due <= ? LIMIT 1", (to_ms(now),)).fetchone()
    return row is not None


def started(db: sqlite3.Connection) -> Iterator[Candidate]:
    """Begun and not ended: running, or waiting for the next attempt."""
    return _candidates(db.execute(f"{_WITH_SCHEDULE} WHERE o.state = 'started'"))


def recent(db: sqlite3.Connection, schedule: str, most: int) -> list[OccurrenceRow]:
    rows = db.execute(f"{_ALL} WHERE schedule = ? ORDER BY planned DESC LIMIT ?", (schedule, most))
    return [_from_sql(row) for row in rows]


def add_gap(db: sqlite3.Connection, schedule: str, gap: Gap, state: State, now: datetime) -> None:
    db.execute(
        "INSERT INTO gaps VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (schedule, to_ms(gap.first), to_ms(gap.last), gap.count.number, gap.count.more, state, gap.reason, to_ms(now)),
    )


def gaps(db: sqlite3.Connection, schedule: str, most: int = -1) -> list[tuple[State, Gap]]:
    rows = db.execute(
        "SELECT state, first, last, number, more, reason FROM gaps WHERE schedule = ? ORDER BY first DESC LIMIT ?",
        (schedule, most),
    )
    return [(State(row[0]), _gap(row)) for row in rows]


def gaps_reaching(db: sqlite3.Connection, schedule: str, instant: datetime) -> list[tuple[State, Gap]]:
    """Those that claim planned times after the given instant."""
    rows = db.execute(
        "SELECT state, first, last, number, more, reason FROM gaps WHERE schedule = ? AND last > ?",
        (schedule, to_ms(instant)),
    )
    return [(State(row[0]), _gap(row)) for row in rows]


def remove_gap(db: sqlite3.Connection, schedule: str, gap: Gap) -> None:
    db.execute("DELETE FROM gaps WHERE schedule = ? AND first = ?", (schedule, to_ms(gap.first)))


def tallies(
    db: sqlite3.Connection, schedule: str | None, since: datetime | None
) -> Iterable[tuple[str, str | None, int, int]]:
    """(state, reason, number, more) over occurrences and gaps, of one schedule or all, planned since."""
    where, values = "planned >= ?", [to_ms(since) or 0]
    reach = "last >= ?"
    if schedule is not None:
        where, reach = f"schedule = ? AND {where}", f"schedule = ? AND {reach}"
        values.insert(0, schedule)  # type: ignore[arg-type]
    query = (
        f"SELECT state, reason, count(*), 0 FROM occurrences WHERE {where} GROUP BY state, reason UNION ALL "
        f"SELECT state, reason, sum(number), max(more) FROM gaps WHERE {reach} GROUP BY state, reason"
    )
    return [(row[0], row[1], row[2], row[3]) for row in db.execute(query, values * 2)]


def drifts(db: sqlite3.Connection, schedule: str | None, since: datetime | None, bounds: tuple[int, ...]) -> list[int]:
    """How many automatic runs began within each bound (milliseconds) of their planned time; the last is beyond all."""
    cases = " ".join(f"WHEN abs(began - planned) <= {bound} THEN {place}" for place, bound in enumerate(bounds))
    where, values = "began IS NOT NULL AND origin = 'automatic' AND planned >= ?", [to_ms(since) or 0]
    if schedule is not None:
        where = f"schedule = ? AND {where}"
        values.insert(0, schedule)  # type: ignore[arg-type]
    counts = [0] * (len(bounds) + 1)
    query = f"SELECT CASE {cases} ELSE {len(bounds)} END, count(*) FROM occurrences WHERE {where} GROUP BY 1"
    for place, number in db.execute(query, values):
        counts[place] = number
    return counts


def _change(db: sqlite3.Connection, key: str, old: State, **changes: Any) -> bool:
    assignments = ", ".join(f"{name} = ?" for name in changes)
    values = [to_ms(value) if name in _INSTANTS else value for name, value in changes.items()]
    return (
        db.execute(f"UPDATE occurrences SET {assignments} WHERE key = ? AND state = ?", (*values, key, old)).rowcount
        == 1
    )


def _candidates(rows: Iterable[sqlite3.Row]) -> Iterator[Candidate]:
    return ((_from_sql(row[:-2]), row[-2], row[-1]) for row in rows)


def _gap(row: sqlite3.Row) -> Gap:
    first, last = from_ms(row[1]), from_ms(row[2])
    assert first is not None and last is not None
    return Gap(first, last, Count(row[3], more=bool(row[4])), Reason(row[5]))


def _from_sql(row: Sequence[Any]) -> OccurrenceRow:
    values = list(row)
    for place in _INSTANT_PLACES:
        if values[place] is not None:
            values[place] = from_ms(values[place])
    for place, members in _ENUM_PLACES:
        if values[place] is not None:
            values[place] = members[values[place]]
    return OccurrenceRow._make(values)
