"""Counts of the whole store for monitoring, each from one query, all from the same moment."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from scheduler.store.database import to_ms
from scheduler.store.schedules import IS_LIVE

_FROM_ALL_TIMES = (
    "SELECT state, reason, origin = 'automatic', count(*) FROM occurrences GROUP BY 1, 2, 3 "
    "UNION ALL SELECT state, reason, 1, sum(number) FROM gaps GROUP BY 1, 2"
)


class TimeCount(NamedTuple):
    """Occurrences and gaps with one state and reason."""

    state: str
    reason: str | None
    is_planned: bool
    """Whether they are the schedules' own times."""
    number: int


class RunGroup(NamedTuple):
    """Attempts of one handler with one status, and with a duration within the same bound."""

    workflow: str
    handler: str
    status: str
    place: int | None
    """The place of the bound, or after the last; None without a duration."""
    number: int
    milliseconds: int
    last_end: int | None


class DriftGroup(NamedTuple):
    """Automatic runs that began within the same bound of their planned time."""

    place: int
    number: int
    milliseconds: int


@contextmanager
def one_moment(db: sqlite3.Connection) -> Iterator[None]:
    """All queries in the block see the store at the same moment."""
    if db.in_transaction:
        yield
        return
    db.execute("BEGIN")
    try:
        yield
    finally:
        db.execute("ROLLBACK")


def count_times(db: sqlite3.Connection) -> list[TimeCount]:
    return [TimeCount(*row) for row in db.execute(_FROM_ALL_TIMES)]


def count_due_schedules(db: sqlite3.Connection, now: datetime) -> int:
    """Schedules whose next time has come and is not recorded yet."""
    query = f"SELECT count(*) FROM schedules WHERE {IS_LIVE} AND next_due IS NOT NULL AND next_due <= ?"
    return int(db.execute(query, (to_ms(now),)).fetchone()[0])


def group_runs(db: sqlite3.Connection, bounds_ms: Sequence[int]) -> list[RunGroup]:
    place = _place("length", bounds_ms)
    query = (
        f"SELECT workflow, handler, status, {place}, count(*), coalesce(sum(length), 0), max(ended) FROM "
        "(SELECT workflow, handler, status, ended, max(ended - max(began, created), 0) AS length FROM runs) "
        "GROUP BY 1, 2, 3, 4"
    )
    return [RunGroup(*row) for row in db.execute(query)]


def group_drifts(db: sqlite3.Connection, bounds_ms: Sequence[int]) -> list[DriftGroup]:
    query = (
        f"SELECT {_place('drift', bounds_ms)}, count(*), sum(drift) FROM (SELECT abs(began - planned) AS drift "
        "FROM occurrences WHERE began IS NOT NULL AND origin = 'automatic') GROUP BY 1"
    )
    return [DriftGroup(*row) for row in db.execute(query)]


def count_open_requests(db: sqlite3.Connection) -> dict[str, int]:
    return {row[0]: row[1] for row in db.execute("SELECT kind, count(*) FROM requests WHERE answer IS NULL GROUP BY 1")}


def list_failures(db: sqlite3.Connection) -> list[tuple[str, str, int]]:
    """Of every handler, how often it has failed in a row: workflow, handler and number."""
    query = "SELECT workflow, name, failures FROM handlers WHERE removed = 0 ORDER BY failures DESC, workflow, name"
    return [(row[0], row[1], row[2]) for row in db.execute(query)]


def list_starts(db: sqlite3.Connection) -> list[tuple[str, str, int]]:
    """Of every schedule, how often it started a run since it was added: workflow, handler and number."""
    query = "SELECT workflow, handler, runs FROM schedules WHERE removed IS NULL ORDER BY runs DESC, id"
    return [(row[0], row[1], row[2]) for row in db.execute(query)]


def _place(column: str, bounds_ms: Sequence[int]) -> str:
    cases = " ".join(f"WHEN {column} <= {bound} THEN {place}" for place, bound in enumerate(bounds_ms))
    return f"CASE WHEN {column} IS NULL THEN NULL {cases} ELSE {len(bounds_ms)} END"
