"""What has run: narrowed, searched, counted, a page at a time, the newest first. What did not run is in unrun.py."""

import json
import sqlite3
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from scheduler.rules.phases import HandlerKind, Phase, Status
from scheduler.store.database import from_ms, to_ms
from scheduler.store.reading import instant
from scheduler.store.searching import count_numbers, find_numbers, index_some, lag
from scheduler.store.unrun import Unrun, count_unrun, find_time, find_unrun
from scheduler.store.wanted import Page, Search

__all__ = [
    "Page",
    "PastRun",
    "RunTally",
    "Search",
    "Unrun",
    "count_runs",
    "count_unrun",
    "find_event",
    "find_runs",
    "find_runs_after",
    "find_time",
    "find_unrun",
    "index_some",
    "lag",
    "last_number",
    "number_since",
    "tally_runs",
]

_RUN = (
    "SELECT r.number, r.id, r.workflow, r.handler, r.kind, r.trigger, o.planned, r.created, r.began, r.ended, r.phase, "
    "r.status, r.retry_of, r.attempt, r.summary, r.error, r.followed FROM runs r "
    "LEFT JOIN occurrences o ON o.key = r.occurrence"
)
_MOMENT = timedelta(milliseconds=1)


class PastRun(NamedTuple):
    """One attempt, without what only its own page shows."""

    number: int
    id: str
    workflow: str
    handler: str
    kind: HandlerKind
    trigger: str
    planned: datetime | None
    created: datetime
    began: datetime | None
    ended: datetime | None
    phase: Phase
    status: Status
    retry_of: str | None
    attempt: int
    summary: str | None
    error: Any
    followed: bool


def find_runs(db: sqlite3.Connection, search: Search, page: Page, most: int) -> list[PastRun]:
    if search.text and not search.wanted.words:
        return []
    first, before = _reach(db, search, page)
    if search.wanted.needs_index:
        numbers = find_numbers(db, search.wanted, first, before, most)
        marks = ", ".join("?" * len(numbers))
        rows = db.execute(f"{_RUN} WHERE r.number IN ({marks}) ORDER BY r.number DESC", numbers).fetchall()
    else:
        where, values = "r.number >= ? AND r.number < ?", [first, before]
        if search.workflow is not None:
            where, values = f"r.workflow = ? AND {where}", [search.workflow, *values]  # type: ignore[list-item]
        rows = db.execute(f"{_RUN} WHERE {where} ORDER BY r.number DESC LIMIT ?", (*values, most)).fetchall()
    return [_past_run(row) for row in rows]


def count_runs(db: sqlite3.Connection, search: Search) -> int:
    """How many that would be without a limit: counted in an index, without a look at any run."""
    if search.text and not search.wanted.words:
        return 0
    if search == Search():
        return int(db.execute("SELECT count(*) FROM runs").fetchone()[0])
    first, before = _reach(db, search, Page())
    if search.wanted.needs_index:
        return count_numbers(db, search.wanted, first, before)
    of_one = "SELECT count(*) FROM runs WHERE workflow = slug AND number >= ? AND number < ?"
    query = f"SELECT coalesce(sum(({of_one})), 0) FROM workflows WHERE slug = coalesce(?, slug)"
    return int(db.execute(query, (first, before, search.workflow)).fetchone()[0])


def _reach(db: sqlite3.Connection, search: Search, page: Page) -> tuple[int, int]:
    """The first number that may be found, and the one before which all must be."""
    first = 0 if search.since is None else number_since(db, search.since)
    if search.until is None:
        return first, page.number
    return first, min(page.number, number_since(db, search.until + _MOMENT))


def find_runs_after(db: sqlite3.Connection, number: int, most: int) -> list[PastRun]:
    """Those made after the one of that number, the oldest first."""
    rows = db.execute(f"{_RUN} WHERE r.number > ? ORDER BY r.number LIMIT ?", (number, most))
    return [_past_run(row) for row in rows]


def last_number(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT coalesce(max(number), 0) FROM runs").fetchone()[0])


def number_since(db: sqlite3.Connection, since: datetime) -> int:
    """The number of the first run made at or after that instant: numbers grow with time, so a few looks find it."""
    wanted = to_ms(since) or 0
    ends = db.execute("SELECT (SELECT min(number) FROM runs), (SELECT max(number) FROM runs)").fetchone()
    if ends[0] is None:
        return 0
    low, high = int(ends[0]), int(ends[1]) + 1
    query = "SELECT number, created FROM runs WHERE number >= ? ORDER BY number LIMIT 1"
    while low < high:
        middle = (low + high) // 2
        number, created = db.execute(query, (middle,)).fetchone()
        if created < wanted:
            low = number + 1
        else:
            high = middle
    return low


def find_event(db: sqlite3.Connection, workflow: str, topic: str, identity: str) -> dict[str, Any]:
    """What people see of an event."""
    row = db.execute(
        "SELECT title, state, published FROM events WHERE workflow = ? AND topic = ? AND id = ?",
        (workflow, topic, identity),
    ).fetchone()
    known = {"topic": topic, "id": identity}
    return known if row is None else known | {"title": row[0], "state": row[1], "published": instant(row[2])}


class RunTally(NamedTuple):
    workflow: str
    status: Status
    number: int
    timed: int
    """Those that began and ended, which took so long together:"""
    milliseconds: int


def tally_runs(db: sqlite3.Connection, workflow: str | None, since: datetime) -> list[RunTally]:
    """How many runs since then are how."""
    narrowed = "" if workflow is None else "workflow = ?2 AND "
    rows = db.execute(
        "SELECT workflow, status, count(*), sum(ended IS NOT NULL AND began IS NOT NULL), "
        "coalesce(sum(max(ended - began, 0)), 0) "
        f"FROM runs WHERE {narrowed}number >= ?1 GROUP BY workflow, status",
        (number_since(db, since),) if workflow is None else (number_since(db, since), workflow),
    )
    return [RunTally(row[0], Status(row[1]), row[2], row[3], row[4]) for row in rows]


def _past_run(row: sqlite3.Row) -> PastRun:
    run = PastRun(*row)
    return run._replace(
        kind=HandlerKind(run.kind),
        planned=from_ms(row["planned"]),
        created=instant(row["created"]),
        began=from_ms(row["began"]),
        ended=from_ms(row["ended"]),
        phase=Phase(run.phase),
        status=Status(run.status),
        error=None if run.error is None else json.loads(run.error),
        followed=bool(run.followed),
    )
