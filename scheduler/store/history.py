"""What has run, and the planned times that did not: narrowed, searched, a page at a time, the newest first."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from scheduler.rules.phases import HandlerKind, Phase, Status
from scheduler.store.database import from_ms, to_ms
from scheduler.store.reading import instant
from scheduler.store.searching import Wanted, find_numbers, index_some, is_behind, read_words
from scheduler.timing.occurrences import UNDERWAY, Origin, Reason, State

__all__ = [
    "Page",
    "PastRun",
    "RunTally",
    "Search",
    "Unrun",
    "find_event",
    "find_runs",
    "find_runs_after",
    "find_time",
    "find_unrun",
    "index_some",
    "is_behind",
    "last_number",
    "number_since",
    "tally_runs",
]

_UNRUN = "began IS NULL AND state NOT IN ('queued', 'started')"
_RUN = (
    "SELECT r.number, r.id, r.workflow, r.handler, r.kind, r.trigger, o.planned, r.created, r.began, r.ended, r.phase, "
    "r.status, r.retry_of, r.attempt, r.summary, r.error, r.followed FROM runs r "
    "LEFT JOIN occurrences o ON o.key = r.occurrence"
)
_FAR = 2**62
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


class Unrun(NamedTuple):
    """A planned time that did not run, or several of one reason in a row."""

    schedule: str
    planned: datetime
    state: str
    reason: str | None
    detail: str | None
    until: datetime | None = None
    """The last of several."""
    number: int = 1
    more: bool = False
    """There were more than could be counted."""

    @property
    def sentence(self) -> str:
        try:
            said = Reason(self.reason).sentence if self.reason is not None else ""
        except ValueError:
            said = str(self.reason)
        return self.detail or said


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    workflow: str | None = None
    handler: str | None = None
    statuses: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    trigger: str | None = None

    @property
    def wanted(self) -> Wanted:
        return Wanted(self.workflow, self.handler, self.statuses, read_words(self.text), self.trigger)


_UNRUN_STATES = frozenset(state.value for state in State if state not in UNDERWAY)
_MOST_WAYS = 150
"""With more stretches than this it is quicker to go by time, where one that fits is never far."""


class Page(NamedTuple):
    """Where to go on: before that run, and before that planned time of those that did not run."""

    number: int = _FAR
    planned: int = _FAR


def find_runs(db: sqlite3.Connection, search: Search, page: Page, most: int) -> list[PastRun]:
    first = 0 if search.since is None else number_since(db, search.since)
    before = page.number
    if search.until is not None:
        before = min(before, number_since(db, search.until + _MOMENT))
    if search.text and not search.wanted.words:
        return []
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


def find_unrun(db: sqlite3.Connection, search: Search, page: Page, most: int) -> list[Unrun]:
    """The planned times that did not run, each with its reason, and the gaps that sum up many of them."""
    found = [*_unrun(db, search, page, most), *_gaps(db, search, page, most)]
    return sorted(found, key=lambda one: (one.planned, one.schedule), reverse=True)[:most]


def find_time(db: sqlite3.Connection, beginning: str) -> Unrun | None:
    """The planned time whose key begins so: a run of it, if there will be one, has that id."""
    row = db.execute(
        "SELECT schedule, planned, state, reason, detail FROM occurrences WHERE key >= ? AND key < ?",
        (beginning, f"{beginning}g"),
    ).fetchone()
    return None if row is None else Unrun(row[0], instant(row[1]), row[2], row[3], row[4])


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


def _unrun(db: sqlite3.Connection, search: Search, page: Page, most: int) -> list[Unrun]:
    """Along the index that fits: of a few schedules, of a few reasons or states, or of all by time."""
    where, values = _narrow(search, page, "planned")
    if search.trigger is not None:
        where += (
            " AND origin = ?" if search.trigger == Origin.AUTOMATIC else " AND origin = ? AND origin <> 'automatic'"
        )
        values = [*values, search.trigger]
    found: list[Unrun] = []
    for also, given in _ways(db, search):
        rows = db.execute(
            f"SELECT schedule, planned, state, reason, detail FROM occurrences WHERE {_UNRUN} AND {where} {also} "
            "ORDER BY planned DESC LIMIT ?",
            (*values, *given, most),
        )
        found += [Unrun(row[0], instant(row[1]), row[2], row[3], row[4]) for row in rows]
    return list(dict.fromkeys(found))


def _ways(db: sqlite3.Connection, search: Search) -> Sequence[tuple[str, tuple[str, ...]]]:
    """What narrows the times that did not run to stretches of an index; none if no time can fit."""
    words = search.wanted.words
    states = [state for state in search.statuses if state in _UNRUN_STATES]
    if (search.statuses and not states) or (search.text and not words):
        return []
    if not words and search.workflow is None and search.handler is None:
        return [("AND state = ?", (state,)) for state in states] or [("", ())]
    where, values = _of_handler(search, "id")
    names = [row[0] for row in db.execute(f"SELECT id FROM schedules WHERE {where}", values)]
    fitting = [name for name in names if any(word in name.lower() for word in words)] if words else names
    reasons = [reason.value for reason in Reason if all(word in reason.value for word in words)] if words else []
    by_schedule = [
        ("AND schedule = ? AND state = ?", (name, state)) for name in fitting for state in states or _UNRUN_STATES
    ]
    if len(by_schedule) + len(reasons) > _MOST_WAYS:
        return [("", ())]
    return by_schedule + [("AND reason = ?", (reason,)) for reason in reasons]


def _gaps(db: sqlite3.Connection, search: Search, page: Page, most: int) -> list[Unrun]:
    if search.trigger not in (None, Origin.AUTOMATIC):
        return []
    where, values = _narrow(search, page, "first")
    rows = db.execute(
        "SELECT schedule, first, state, reason, last, number, more FROM gaps "
        f"WHERE {where} ORDER BY first DESC LIMIT ?",
        (*values, most),
    )
    return [Unrun(row[0], instant(row[1]), row[2], row[3], None, instant(row[4]), row[5], bool(row[6])) for row in rows]


def _narrow(search: Search, page: Page, column: str) -> tuple[str, list[Any]]:
    where, values = [f"{column} < ?"], [page.planned]
    if search.since is not None:
        where, values = [*where, f"{column} >= ?"], [*values, to_ms(search.since) or 0]
    if search.until is not None:
        where, values = [*where, f"{column} <= ?"], [*values, to_ms(search.until) or 0]
    by_handler, handlers = _of_handler(search, "schedule")
    where, narrowed = [*where, by_handler], [*values, *handlers]
    if search.statuses:
        where.append(f"state IN ({', '.join('?' * len(search.statuses))})")
        narrowed += search.statuses
    for word in search.wanted.words:
        where.append("instr(lower(schedule || ' ' || coalesce(reason, '')), ?)")
        narrowed.append(word)
    if search.text and not search.wanted.words:
        where.append("0")
    return " AND ".join(where), narrowed


def _of_handler(search: Search, column: str) -> tuple[str, list[str]]:
    """What narrows a column of schedules to those of one workflow, of one handler, or of both."""
    if search.workflow is not None and search.handler is not None:
        return f"{column} = ?", [f"{search.workflow}/{search.handler}"]
    if search.workflow is not None:
        return f"{column} > ? AND {column} < ?", [f"{search.workflow}/", f"{search.workflow}0"]  # 0 follows the slash
    if search.handler is not None:
        return f"substr({column}, instr({column}, '/') + 1) = ?", [search.handler]
    return "1", []


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
