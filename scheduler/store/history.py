"""The history of runs and of planned times that did not run: filtered, searched, counted, paged, newest first."""

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from scheduler.rules.phases import HandlerKind, RunPhase, RunStatus
from scheduler.store.database import from_ms, to_instant, to_ms
from scheduler.store.history_index import count_numbers, find_numbers
from scheduler.store.history_query import HistoryCursor, HistorySearch, split_words
from scheduler.timing.occurrences import UNFINISHED_STATES, OccurrenceOrigin, OccurrenceReason, OccurrenceState

_RUN = (
    "SELECT r.number, r.id, r.workflow, r.handler, r.kind, r.trigger, o.planned, r.created, r.began, r.ended, r.phase, "
    "r.status, r.retry_of, r.attempt, r.summary, r.error, r.followed FROM runs r "
    "LEFT JOIN occurrences o ON o.key = r.occurrence"
)
_MILLISECOND = timedelta(milliseconds=1)
_UNRUN = "began IS NULL AND state NOT IN ('queued', 'started')"
_UNRUN_STATES = frozenset(state.value for state in OccurrenceState if state not in UNFINISHED_STATES)
_MAX_RANGES = 150
"""With more index ranges than this, a scan by time is faster."""
_BY_TIME = ("WHERE true", ())


class PastRun(NamedTuple):
    """One attempt, without the details shown only on its own page."""

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
    phase: RunPhase
    status: RunStatus
    retry_of: str | None
    attempt: int
    summary: str | None
    error: Any
    followed: bool


def find_runs(db: sqlite3.Connection, search: HistorySearch, page: HistoryCursor, most: int) -> list[PastRun]:
    if search.text and not search.run_filter.words:
        return []
    first, before = _number_range(db, search, page)
    if search.run_filter.needs_index:
        numbers = find_numbers(db, search.run_filter, first, before, most)
        marks = ", ".join("?" * len(numbers))
        rows = db.execute(f"{_RUN} WHERE r.number IN ({marks}) ORDER BY r.number DESC", numbers).fetchall()
    else:
        where, values = "r.number >= ? AND r.number < ?", [first, before]
        if search.workflow is not None:
            where, values = f"r.workflow = ? AND {where}", [search.workflow, *values]  # type: ignore[list-item]
        rows = db.execute(f"{_RUN} WHERE {where} ORDER BY r.number DESC LIMIT ?", (*values, most)).fetchall()
    return [_past_run(row) for row in rows]


def count_runs(db: sqlite3.Connection, search: HistorySearch) -> int:
    """How many `find_runs` would find without a limit; counted in an index, without reading any run."""
    if search.text and not search.run_filter.words:
        return 0
    if search == HistorySearch():
        return int(db.execute("SELECT count(*) FROM runs").fetchone()[0])
    first, before = _number_range(db, search, HistoryCursor())
    if search.run_filter.needs_index:
        return count_numbers(db, search.run_filter, first, before)
    of_workflow = "SELECT count(*) FROM runs WHERE workflow = slug AND number >= ? AND number < ?"
    query = f"SELECT coalesce(sum(({of_workflow})), 0) FROM workflows WHERE slug = coalesce(?, slug)"
    return int(db.execute(query, (first, before, search.workflow)).fetchone()[0])


def _number_range(db: sqlite3.Connection, search: HistorySearch, page: HistoryCursor) -> tuple[int, int]:
    """The range [first, before) of run numbers to search."""
    first = 0 if search.since is None else first_number_since(db, search.since)
    if search.until is None:
        return first, page.number
    return first, min(page.number, first_number_since(db, search.until + _MILLISECOND))


def find_runs_after(db: sqlite3.Connection, number: int, most: int) -> list[PastRun]:
    """Runs with a higher number, oldest first."""
    rows = db.execute(f"{_RUN} WHERE r.number > ? ORDER BY r.number LIMIT ?", (number, most))
    return [_past_run(row) for row in rows]


def last_run_number(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT coalesce(max(number), 0) FROM runs").fetchone()[0])


def first_number_since(db: sqlite3.Connection, since: datetime) -> int:
    """The number of the first run created at or after that instant; a binary search, since numbers grow with time."""
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
    """The parts of an event shown to the user."""
    row = db.execute(
        "SELECT title, state, published FROM events WHERE workflow = ? AND topic = ? AND id = ?",
        (workflow, topic, identity),
    ).fetchone()
    known = {"topic": topic, "id": identity}
    return known if row is None else known | {"title": row[0], "state": row[1], "published": to_instant(row[2])}


class RunCount(NamedTuple):
    workflow: str
    status: RunStatus
    number: int
    timed: int
    """How many of them began and ended."""
    milliseconds: int
    """How long those took in total."""


def count_runs_by_status(db: sqlite3.Connection, workflow: str | None, since: datetime) -> list[RunCount]:
    """The number of runs since then, by workflow and status."""
    of_workflow = "" if workflow is None else "workflow = ?2 AND "
    rows = db.execute(
        "SELECT workflow, status, count(*), sum(ended IS NOT NULL AND began IS NOT NULL), "
        "coalesce(sum(max(ended - began, 0)), 0) "
        f"FROM runs WHERE {of_workflow}number >= ?1 GROUP BY workflow, status",
        (first_number_since(db, since),) if workflow is None else (first_number_since(db, since), workflow),
    )
    return [RunCount(row[0], RunStatus(row[1]), row[2], row[3], row[4]) for row in rows]


def _past_run(row: sqlite3.Row) -> PastRun:
    run = PastRun(*row)
    return run._replace(
        kind=HandlerKind(run.kind),
        planned=from_ms(row["planned"]),
        created=to_instant(row["created"]),
        began=from_ms(row["began"]),
        ended=from_ms(row["ended"]),
        phase=RunPhase(run.phase),
        status=RunStatus(run.status),
        error=None if run.error is None else json.loads(run.error),
        followed=bool(run.followed),
    )


class NotRunRow(NamedTuple):
    """A planned time that did not run, or several in a row with the same reason."""

    schedule: str
    planned: datetime
    state: str
    reason: str | None
    detail: str | None
    until: datetime | None = None
    """The last of several."""
    number: int = 1
    more: bool = False
    """There were more than were counted."""

    @property
    def sentence(self) -> str:
        try:
            sentence = OccurrenceReason(self.reason).sentence if self.reason is not None else ""
        except ValueError:
            sentence = str(self.reason)
        return self.detail or sentence


def find_not_run(db: sqlite3.Connection, search: HistorySearch, page: HistoryCursor, most: int) -> list[NotRunRow]:
    """Planned times that did not run, each with its reason, and gaps, which stand for many of them."""
    found = [*_times(db, search, page, most), *_gaps(db, search, page, most)]
    return sorted(found, key=lambda one: (one.planned, one.schedule), reverse=True)[:most]


def count_not_run(db: sqlite3.Connection, search: HistorySearch) -> int:
    """How many rows `find_not_run` would return without a limit."""
    times = gaps = 0
    if _can_be_times(search):
        where, values = _time_filter(search, HistoryCursor())
        query = f"SELECT count(*) FROM occurrences INDEXED BY occurrences_unrun WHERE {_UNRUN} AND {where}"
        (times,) = db.execute(query, values).fetchone()
    if _can_be_gaps(search):
        where, values = _filter(search, HistoryCursor(), "first")
        (gaps,) = db.execute(f"SELECT count(*) FROM gaps WHERE {where}", values).fetchone()
    return int(times + gaps)


def find_planned_time(db: sqlite3.Connection, beginning: str) -> NotRunRow | None:
    """The planned time whose key has that prefix; its run, if any, has it as id."""
    row = db.execute(
        "SELECT schedule, planned, state, reason, detail FROM occurrences WHERE key >= ? AND key < ?",
        (beginning, f"{beginning}g"),
    ).fetchone()
    return None if row is None else NotRunRow(row[0], to_instant(row[1]), row[2], row[3], row[4])


def _times(db: sqlite3.Connection, search: HistorySearch, page: HistoryCursor, most: int) -> list[NotRunRow]:
    """Read along the best index: by schedule, by reason, state or origin, or by time."""
    where, values = _time_filter(search, page)
    found: list[NotRunRow] = []
    for among, given in _index_ranges(db, search):
        rows = db.execute(
            f"SELECT schedule, planned, state, reason, detail FROM occurrences {among} AND {_UNRUN} AND {where} "
            "ORDER BY planned DESC, schedule DESC LIMIT ?",
            (*given, *values, most),
        )
        found += [NotRunRow(row[0], to_instant(row[1]), row[2], row[3], row[4]) for row in rows]
    return list(dict.fromkeys(found))


def _index_ranges(db: sqlite3.Connection, search: HistorySearch) -> Sequence[tuple[str, tuple[str, ...]]]:
    """Conditions that limit the search to ranges of an index; empty if nothing can match."""
    words = search.run_filter.words
    states = [state for state in search.statuses if state in _UNRUN_STATES]
    if not _can_be_times(search):
        return []
    if search.trigger not in (None, OccurrenceOrigin.AUTOMATIC):
        return [("INDEXED BY occurrences_unrun_by WHERE origin <> 'automatic'", ())]
    if not words and search.workflow is None and search.handler is None:
        return [("WHERE state = ?", (state,)) for state in states] or [_BY_TIME]
    where, values = _of_handler(search, "id")
    names = [row[0] for row in db.execute(f"SELECT id FROM schedules WHERE {where}", values)]
    matching = [name for name in names if any(word in name.lower() for word in words)] if words else names
    each = [_reasons_with(word, search.translated_reasons) for word in words]
    reasons = [reason.value for reason in OccurrenceReason if all(reason in found for found in each)] if words else []
    by_schedule = [
        ("WHERE schedule = ? AND state = ?", (name, state)) for name in matching for state in states or _UNRUN_STATES
    ]
    if len(by_schedule) + len(reasons) > _MAX_RANGES:
        return [_BY_TIME]
    return by_schedule + [("WHERE reason = ?", (reason,)) for reason in reasons]


def _gaps(db: sqlite3.Connection, search: HistorySearch, page: HistoryCursor, most: int) -> list[NotRunRow]:
    if not _can_be_gaps(search):
        return []
    where, values = _filter(search, page, "first")
    rows = db.execute(
        "SELECT schedule, first, state, reason, last, number, more FROM gaps "
        f"WHERE {where} ORDER BY first DESC, schedule DESC LIMIT ?",
        (*values, most),
    )
    return [
        NotRunRow(row[0], to_instant(row[1]), row[2], row[3], None, to_instant(row[4]), row[5], bool(row[6]))
        for row in rows
    ]


def _can_be_times(search: HistorySearch) -> bool:
    return (
        (not search.statuses or not _UNRUN_STATES.isdisjoint(search.statuses))
        and (not search.text or bool(search.run_filter.words))
        and (search.trigger is None or search.trigger in list(OccurrenceOrigin))
    )


def _can_be_gaps(search: HistorySearch) -> bool:
    return _can_be_times(search) and search.trigger in (None, OccurrenceOrigin.AUTOMATIC)


def _time_filter(search: HistorySearch, page: HistoryCursor) -> tuple[str, list[Any]]:
    where, values = _filter(search, page, "planned")
    if search.trigger is not None:
        where, values = f"{where} AND origin = ?", [*values, search.trigger]
    return where, values


def _filter(search: HistorySearch, page: HistoryCursor, column: str) -> tuple[str, list[Any]]:
    where = [f"{column} <= ?", f"({column} < ? OR schedule < ?)"]
    values: list[Any] = [page.planned, page.planned, page.schedule]
    if search.since is not None:
        where, values = [*where, f"{column} >= ?"], [*values, to_ms(search.since) or 0]
    if search.until is not None:
        where, values = [*where, f"{column} <= ?"], [*values, to_ms(search.until) or 0]
    by_handler, handlers = _of_handler(search, "schedule")
    where, values = [*where, by_handler], [*values, *handlers]
    if search.statuses:
        where.append(f"state IN ({', '.join('?' * len(search.statuses))})")
        values += search.statuses
    for word in search.run_filter.words:
        reasons = _reasons_with(word, search.translated_reasons)
        where.append(f"(instr(lower(schedule), ?) OR reason IN ({', '.join('?' * len(reasons))}))")
        values += [word, *reasons]
    return " AND ".join(where), values


def _reasons_with(word: str, said: tuple[tuple[str, str], ...]) -> list[str]:
    """The reasons whose value or sentence contains the word."""
    sentences = dict(said)
    written = {one: f"{one.value} {one.sentence} {sentences.get(one.value, '')}" for one in OccurrenceReason}
    return [one.value for one, text in written.items() if any(word in known for known in split_words(text))]


def _of_handler(search: HistorySearch, column: str) -> tuple[str, list[str]]:
    """A condition on a schedule id column for one workflow, one handler, or both."""
    if search.workflow is not None and search.handler is not None:
        return f"{column} = ?", [f"{search.workflow}/{search.handler}"]
    if search.workflow is not None:
        return f"{column} > ? AND {column} < ?", [f"{search.workflow}/", f"{search.workflow}0"]  # 0 follows the slash
    if search.handler is not None:
        return f"substr({column}, instr({column}, '/') + 1) = ?", [search.handler]
    return "1", []
