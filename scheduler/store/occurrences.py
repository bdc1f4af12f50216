"""Occurrences: one row per planned time, with its state. A row moves only from the expected state."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

from scheduler.store.database import from_ms, parse_enum, to_instant, to_ms
from scheduler.store.errors import StaleError
from scheduler.store.schedules import IS_QUEUED_REGULAR
from scheduler.timing.occurrences import OCCURRENCE_MOVES, OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.timing.overlap import UnfinishedOccurrence
from scheduler.timing.policies import Overlap
from scheduler.user_text import UserText, unpack


class OccurrenceRow(NamedTuple):
    """One occurrence as stored."""

    key: str
    schedule: str
    planned: datetime
    due: datetime
    created: datetime
    origin: OccurrenceOrigin
    state: OccurrenceState = OccurrenceState.QUEUED
    late: bool = False
    reason: OccurrenceReason | None = None
    detail: str | None = None
    overlap: Overlap | None = None
    """Its own policy, if different from its schedule's."""
    backfill: str | None = None
    unlaunched: int = 0
    """How often it could not be launched."""
    retry_at: datetime | None = None
    began: datetime | None = None
    ended: datetime | None = None


_COLUMNS = OccurrenceRow._fields
_INSTANTS = ("planned", "due", "created", "retry_at", "began", "ended")
_INSTANT_PLACES = tuple(_COLUMNS.index(name) for name in _INSTANTS)
_DETAIL = _COLUMNS.index("detail")
_ENUMS: dict[str, type[StrEnum]] = {
    "origin": OccurrenceOrigin,
    "state": OccurrenceState,
    "reason": OccurrenceReason,
    "overlap": Overlap,
}
_ENUM_PLACES = tuple((_COLUMNS.index(name), {one.value: one for one in enum}) for name, enum in _ENUMS.items())
_ALL = f"SELECT {', '.join(_COLUMNS)} FROM occurrences"
_OF_OCCURRENCE = ", ".join(f"o.{name}" for name in _COLUMNS)
# The planned time after a producer's own; its own if it replaced an earlier one that waited.
_FOLLOWING = (
    "CASE s.kind WHEN 'producer' THEN coalesce("
    "(SELECT min(n.planned) FROM occurrences n WHERE n.schedule = o.schedule AND n.planned > o.planned "
    "AND n.origin = 'automatic'), "
    "(SELECT iif(p.state = 'coalesced', o.planned, NULL) FROM occurrences p WHERE p.schedule = o.schedule "
    "AND p.planned < o.planned AND p.origin = 'automatic' ORDER BY p.planned DESC LIMIT 1)) END"
)
_WITH_SCHEDULE = (
    f"SELECT {_OF_OCCURRENCE}, s.policies, s.kind, {_FOLLOWING} "
    "FROM occurrences o JOIN schedules s ON s.id = o.schedule"
)
_HAD_ITS_TIME = f"reason IS NOT '{OccurrenceReason.CLOCK}'"
_UNDERWAY = "state IN ('queued', 'started')"
_STARTED = f"{_UNDERWAY} AND state = 'started'"  # the condition must repeat that of the partial index
# SQLite does not know how few are unfinished, and would scan the whole history of a schedule.
_FEW = "occurrences INDEXED BY occurrences_underway"
_USUAL = (
    "coalesce(CASE WHEN json_valid(s.policies) THEN s.policies ->> 'overlap' END, "
    "CASE s.kind WHEN 'job' THEN :job ELSE :producer END)"
)
# Nothing of an invalid schedule, and of a paused one only what the user started.
_MAY_START = "s.trouble IS NULL AND s.removed IS NULL AND (s.paused = 0 OR o.origin IN ('manual', 'backfill'))"
# The missed times of a schedule start before its regular ones.
_MISSED_CAME_FIRST = "(s.late_next IS NULL OR o.late OR o.origin <> 'automatic' OR o.planned < s.late_next)"
# Nothing of a workflow that is paused or being repaired, or in a blocked lane.
_LANE_IS_OPEN = (
    "NOT EXISTS (SELECT 1 FROM workflows w WHERE w.slug = s.workflow AND (w.status <> 'active' OR w.fixing)) "
    "AND NOT EXISTS (SELECT 1 FROM lanes l WHERE l.workflow = s.workflow "
    "AND l.name = CASE s.kind WHEN 'job' THEN s.handler ELSE '' END AND l.blocked IS NOT NULL)"
)
_QUEUE = (
    f"{_WITH_SCHEDULE} WHERE o.state = 'queued' AND o.due <= ?1 AND (o.origin = 'backfill') = ?2 "
    f"AND {_MAY_START} AND {_MISSED_CAME_FIRST} AND {_LANE_IS_OPEN} ORDER BY o.due, o.planned"
)
_BUSY = f"SELECT schedule FROM occurrences WHERE {_STARTED}"
_INSERT = (
    f"INSERT INTO occurrences ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    f"ON CONFLICT DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS)} "
    f"WHERE reason = '{OccurrenceReason.CLOCK}'"
)


def insert(db: sqlite3.Connection, row: OccurrenceRow) -> bool:
    """Record it unless its key exists; returns whether it was new.

    One that was dropped because of a wrong clock counts as new when its time comes.
    """
    return insert_all(db, [row]) == 1


def insert_all(db: sqlite3.Connection, rows: Iterable[OccurrenceRow]) -> int:
    """Record those whose keys do not exist; returns how many were new."""
    return int(db.executemany(_INSERT, map(_to_sql, rows)).rowcount)


def move(db: sqlite3.Connection, key: str, old: OccurrenceState, new: OccurrenceState, **changes: Any) -> None:
    """Move it from `old` to `new`; StaleError if it is in another state, so that nothing happens twice.

    It no longer waits for a launch retry: no move leads to the queue.
    """
    assert new in OCCURRENCE_MOVES[old], f"{old} → {new} is not a legal move"
    changed = _change(db, key, old, state=new, retry_at=None, **changes)
    if not changed:
        raise StaleError(f"The occurrence {key[:8]} is no longer {old}.")


def coalesce(db: sqlite3.Connection, keys: Iterable[str], now: datetime, held_up: str | None = None) -> None:
    """Queued ones that a later one replaces; `held_up` says what kept them from starting, if they could not."""
    reason = OccurrenceReason.REPLACED if held_up is None else OccurrenceReason.HELD_UP
    for key in keys:
        move(db, key, OccurrenceState.QUEUED, OccurrenceState.COALESCED, reason=reason, detail=held_up, ended=now)


def update_if(db: sqlite3.Connection, key: str, old: OccurrenceState, /, **changes: Any) -> bool:
    """Change columns of an occurrence that is still in `old`; returns whether it was."""
    return _change(db, key, old, **changes)


def find(db: sqlite3.Connection, key: str) -> OccurrenceRow | None:
    row = db.execute(f"{_ALL} WHERE key = ?", (key,)).fetchone()
    return None if row is None else _from_sql(row)


def is_recorded(db: sqlite3.Connection, key: str) -> bool:
    """Whether the occurrence exists, unless it was dropped because of a wrong clock."""
    query = f"SELECT 1 FROM occurrences WHERE key = ? AND {_HAD_ITS_TIME}"
    return db.execute(query, (key,)).fetchone() is not None


def times_that_ran(db: sqlite3.Connection, schedule: str, first: datetime, last: datetime) -> frozenset[datetime]:
    """The planned times in that range that succeeded or will run, automatically or in a backfill."""
    states = "state IN ('queued', 'started', 'succeeded') AND origin IN ('automatic', 'backfill')"
    query = f"SELECT planned FROM occurrences WHERE schedule = ? AND planned BETWEEN ? AND ? AND {states}"
    found = db.execute(query, (schedule, to_ms(first), to_ms(last))).fetchall()
    return frozenset(to_instant(planned) for (planned,) in found)


def recorded_times(db: sqlite3.Connection, schedule: str, first: datetime) -> frozenset[datetime]:
    """The planned times from `first` on that have an automatic row."""
    query = (
        "SELECT planned FROM occurrences "
        f"WHERE schedule = ? AND planned >= ? AND origin = 'automatic' AND {_HAD_ITS_TIME}"
    )
    return frozenset(to_instant(planned) for (planned,) in db.execute(query, (schedule, to_ms(first))).fetchall())


def list_unfinished(db: sqlite3.Connection, schedule: str) -> list[UnfinishedOccurrence]:
    """The queued and started ones, oldest first."""
    query = f"SELECT key, origin, state, late FROM {_FEW} WHERE schedule = ? AND {_UNDERWAY} ORDER BY planned"
    return [_underway(*row) for row in db.execute(query, (schedule,)).fetchall()]


def count_recorded_ahead(db: sqlite3.Connection, schedule: str) -> int:
    """How many unfinished ones a catch-up counts: not the regular ones, which wait until it is done."""
    query = f"SELECT count(*) FROM {_FEW} WHERE schedule = ? AND {_UNDERWAY} AND NOT {IS_QUEUED_REGULAR}"
    return int(db.execute(query, (schedule,)).fetchone()[0])


def has_late_before(db: sqlite3.Connection, schedule: str, planned: datetime) -> bool:
    """Whether a caught-up time before the given one is still to start."""
    query = f"SELECT 1 FROM {_FEW} WHERE schedule = ? AND {_UNDERWAY} AND state = 'queued' AND late AND planned < ?"
    return db.execute(query, (schedule, to_ms(planned))).fetchone() is not None


def count_unfinished(db: sqlite3.Connection, schedule: str) -> int:
    query = f"SELECT count(*) FROM {_FEW} WHERE schedule = ? AND {_UNDERWAY}"
    return int(db.execute(query, (schedule,)).fetchone()[0])


def list_queued(db: sqlite3.Connection, schedule: str | None = None) -> list[OccurrenceRow]:
    if schedule is None:
        rows = db.execute(f"{_ALL} WHERE state = 'queued' ORDER BY due")
    else:
        few = _ALL.replace("FROM occurrences", f"FROM {_FEW}")
        rows = db.execute(f"{few} WHERE {_UNDERWAY} AND state = 'queued' AND schedule = ? ORDER BY due", (schedule,))
    return [_from_sql(row) for row in rows]


def find_queued(db: sqlite3.Connection, beginning: str) -> str | None:
    """The key of the queued occurrence with that prefix; its run will have it as id."""
    bounds = (beginning, f"{beginning}g")
    row = db.execute("SELECT key FROM occurrences WHERE key >= ? AND key < ? AND state = 'queued'", bounds).fetchone()
    return None if row is None else str(row[0])


QueuedRow: TypeAlias = tuple[OccurrenceRow, str, str, datetime | None]
"""An occurrence that may start, the policies and kind of its schedule, and for a producer the next planned time that
came while it, or the one it replaced, waited."""


def iter_startable(db: sqlite3.Connection, now: datetime, *, backfill: bool) -> Iterator[QueuedRow]:
    """Queued, due and allowed to start by their schedules and lanes, oldest first; read lazily."""
    return _candidates(db.execute(_QUEUE, (to_ms(now), backfill)))


def iter_started(db: sqlite3.Connection) -> Iterator[QueuedRow]:
    """Started and not ended: running, or waiting for the next attempt."""
    return _candidates(db.execute(f"{_WITH_SCHEDULE} WHERE o.state IN ('queued', 'started') AND o.state = 'started'"))


def busy_schedules(db: sqlite3.Connection) -> set[str]:
    """Schedules with a started occurrence."""
    return {row[0] for row in db.execute(_BUSY)}


def list_overtaken(db: sqlite3.Connection, now: datetime, defaults: Mapping[str, Overlap]) -> list[tuple[str, Overlap]]:
    """Started ones that must end for a newer one that waits, with the policy.

    `defaults` by kind of handler, for schedules without their own policy.
    Manual runs are left alone, and backfills and regular times do not affect each other. A caught-up one that began
    while the newer one already waited goes first.
    """
    rows = db.execute(
        f"SELECT DISTINCT p.key, CASE o.origin WHEN 'automatic' THEN coalesce(o.overlap, {_USUAL}) "
        "ELSE o.overlap END AS policy FROM occurrences p "
        # Join from the few that run to what waits behind them, not through the whole queue.
        "CROSS JOIN occurrences o ON o.schedule = p.schedule AND o.state IN ('queued', 'started') "
        "AND (o.origin = 'backfill') = (p.origin = 'backfill') JOIN schedules s ON s.id = o.schedule "
        "WHERE p.state IN ('queued', 'started') AND p.state = 'started' AND p.origin IN ('automatic', 'backfill') "
        f"AND o.state = 'queued' AND o.due <= :now AND NOT o.late AND {_MAY_START} "
        "AND NOT (p.late AND p.began >= o.due) "
        "AND policy IN ('cancel_other', 'terminate_other')",
        {"now": to_ms(now), **defaults},
    )
    return [(row[0], Overlap(row[1])) for row in rows]


def bring_retries_forward(db: sqlite3.Connection, *, latest: datetime, to: datetime) -> None:
    """Move launch retries after `latest` to `to`."""
    query = "UPDATE occurrences SET retry_at = ? WHERE state = 'queued' AND retry_at > ?"
    db.execute(query, (to_ms(to), to_ms(latest)))


def list_queued_since(db: sqlite3.Connection, instant: datetime) -> list[OccurrenceRow]:
    """Queued ones recorded after the given instant."""
    rows = db.execute(f"{_ALL} WHERE state = 'queued' AND created > ?", (to_ms(instant),))
    return [_from_sql(row) for row in rows]


def recent(db: sqlite3.Connection, schedule: str, most: int) -> list[OccurrenceRow]:
    rows = db.execute(f"{_ALL} WHERE schedule = ? ORDER BY planned DESC LIMIT ?", (schedule, most))
    return [_from_sql(row) for row in rows]


def _change(db: sqlite3.Connection, key: str, old: OccurrenceState, /, **changes: Any) -> bool:
    assignments = ", ".join(f"{name} = ?" for name in changes)
    values = [to_ms(value) if name in _INSTANTS else value for name, value in changes.items()]
    return (
        db.execute(f"UPDATE occurrences SET {assignments} WHERE key = ? AND state = ?", (*values, key, old)).rowcount
        == 1
    )


def _candidates(rows: Iterable[sqlite3.Row]) -> Iterator[QueuedRow]:
    return ((_from_sql(row[:-3]), row[-3], row[-2], from_ms(row[-1])) for row in rows)


def _underway(key: str, origin: str, state: str, late: int) -> UnfinishedOccurrence:
    return UnfinishedOccurrence(
        key, parse_enum(OccurrenceOrigin, origin, OccurrenceOrigin.AUTOMATIC), OccurrenceState(state), bool(late)
    )


def _to_sql(row: OccurrenceRow) -> list[Any]:
    values: list[Any] = list(row)
    for place in _INSTANT_PLACES:
        values[place] = to_ms(values[place])
    return values


def _from_sql(row: Sequence[Any]) -> OccurrenceRow:
    values = list(row)
    for place in _INSTANT_PLACES:
        if values[place] is not None:
            values[place] = from_ms(values[place])
    if values[_DETAIL] is not None:
        values[_DETAIL] = unpack(values[_DETAIL])
    unknown = None
    for place, members in _ENUM_PLACES:
        if values[place] is not None:
            values[place] = members.get(values[place])
            if values[place] is None:
                unknown = place
    found = OccurrenceRow._make(values)
    return found if unknown is None else _unreadable(found, _COLUMNS[unknown], row[unknown])


def _unreadable(row: OccurrenceRow, name: str, value: str) -> OccurrenceRow:
    """A row with an unknown enum value: it ended, or will end, for that reason."""
    return row._replace(
        origin=row.origin or OccurrenceOrigin.AUTOMATIC,
        state=row.state or OccurrenceState.DROPPED,
        reason=OccurrenceReason.UNREADABLE,
        detail=UserText("{name}: {value} is not known.", name=name, value=repr(value)),
    )
