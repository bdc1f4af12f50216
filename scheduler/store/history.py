"""The history of runs and of planned times that did not run: filtered, searched, counted, paged, newest first."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from scheduler.rules.handler_ids import handler_id, handler_id_bounds, split_handler_id
from scheduler.rules.history_query import HistoryCursor, HistoryQuery, NotRunTime, split_words
from scheduler.rules.phases import HandlerKind, Refusal, RunPhase, RunStatus
from scheduler.store.database import from_ms, to_instant, to_ms
from scheduler.store.history_index import count_numbers, find_numbers, needs_index
from scheduler.store.runs import read_error
from scheduler.timing.occurrences import UNFINISHED_STATES, OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.user_text import unpack

_RUN = (
    "SELECT r.number, r.id, r.workflow, r.handler, r.kind, r.trigger, o.planned, r.created, r.began, r.ended, r.phase, "
    "r.status, r.retry_of, r.attempt, r.summary, r.error, r.followed, r.mutating_at, r.refusal FROM runs r "
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
    mutating_at: datetime | None
    refusal: Refusal | None


def find_runs(db: sqlite3.Connection, query: HistoryQuery, page: HistoryCursor, most: int) -> list[PastRun]:
    if query.matches_nothing:
        return []
    first, before = number_range(db, query, page)
    if needs_index(query):
        return read_runs(db, find_numbers(db, query, first, before, most))
    where, values = "r.number >= ? AND r.number < ?", [first, before]
    if query.workflow is not None:
        where, values = f"r.workflow = ? AND {where}", [query.workflow, *values]  # type: ignore[list-item]
    rows = db.execute(f"{_RUN} WHERE {where} ORDER BY r.number DESC LIMIT ?", (*values, most)).fetchall()
    return [_past_run(row) for row in rows]


def read_runs(db: sqlite3.Connection, numbers: Sequence[int]) -> list[PastRun]:
    """The runs with these numbers, newest first."""
    marks = ", ".join("?" * len(numbers))
    rows = db.execute(f"{_RUN} WHERE r.number IN ({marks}) ORDER BY r.number DESC", numbers)
    return [_past_run(row) for row in rows]


def count_runs(db: sqlite3.Connection, query: HistoryQuery) -> int:
    """How many `find_runs` would find without a limit; counted in an index, without reading any run."""
    if query.matches_nothing:
        return 0
    if query == HistoryQuery():
        return int(db.execute("SELECT count(*) FROM runs").fetchone()[0])
    first, before = number_range(db, query, HistoryCursor())
    if needs_index(query):
        return count_numbers(db, query, first, before)
    of_workflow = "SELECT count(*) FROM runs WHERE workflow = slug AND number >= ? AND number < ?"
    total = f"SELECT coalesce(sum(({of_workflow})), 0) FROM workflows WHERE slug = coalesce(?, slug)"
    return int(db.execute(total, (first, before, query.workflow)).fetchone()[0])


def number_range(db: sqlite3.Connection, query: HistoryQuery, page: HistoryCursor) -> tuple[int, int]:
    """The range [first, before) of run numbers to search."""
    first = 0 if query.since is None else first_number_since(db, query.since)
    if query.until is None:
        return first, page.number
    return first, min(page.number, first_number_since(db, query.until + _MILLISECOND))


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
        summary=unpack(run.summary),
        error=read_error(run.error),
        followed=bool(run.followed),
        mutating_at=from_ms(row["mutating_at"]),
        refusal=None if run.refusal is None else Refusal(run.refusal),
    )


def _not_run(row: sqlite3.Row) -> NotRunTime:
    schedule, planned, state, reason, detail = row[:5]
    workflow, handler = split_handler_id(schedule)
    return NotRunTime(
        workflow=workflow,
        handler=handler,
        planned=to_instant(planned),
        state=state,
        reason=reason,
        sentence=unpack(detail) or _reason_sentence(reason),
    )


def _reason_sentence(reason: str | None) -> str:
    try:
        return "" if reason is None else OccurrenceReason(reason).sentence
    except ValueError:
        return str(reason)


def find_not_run(db: sqlite3.Connection, query: HistoryQuery, page: HistoryCursor, most: int) -> list[NotRunTime]:
    """Planned times that did not run, each with its reason, and gaps, which stand for many of them."""
    found = [*_times(db, query, page, most), *_gaps(db, query, page, most), *_queued(db, query, page, most)]
    return sorted(found, key=lambda one: (one.planned, one.schedule), reverse=True)[:most]


def count_not_run(db: sqlite3.Connection, query: HistoryQuery) -> int:
    """How many rows `find_not_run` would return without a limit."""
    times = gaps = 0
    if _can_be_times(query):
        where, values = _time_filter(query, HistoryCursor())
        counted = f"SELECT count(*) FROM occurrences INDEXED BY occurrences_unrun WHERE {_UNRUN} AND {where}"
        (times,) = db.execute(counted, values).fetchone()
    if _can_be_gaps(query):
        where, values = _filter(query, HistoryCursor(), "first")
        (gaps,) = db.execute(f"SELECT count(*) FROM gaps WHERE {where}", values).fetchone()
    return int(times + gaps) + len(_queued(db, query, HistoryCursor(), -1))


def find_planned_time(db: sqlite3.Connection, beginning: str) -> NotRunTime | None:
    """The planned time whose key has that prefix; its run, if any, has it as id."""
    row = db.execute(
        "SELECT schedule, planned, state, reason, detail FROM occurrences WHERE key >= ? AND key < ?",
        (beginning, f"{beginning}g"),
    ).fetchone()
    return None if row is None else _not_run(row)


def _times(db: sqlite3.Connection, query: HistoryQuery, page: HistoryCursor, most: int) -> list[NotRunTime]:
    """Read along the best index: by schedule, by reason, state or origin, or by time."""
    where, values = _time_filter(query, page)
    found: list[NotRunTime] = []
    for among, given in _index_ranges(db, query):
        rows = db.execute(
            f"SELECT schedule, planned, state, reason, detail FROM occurrences {among} AND {_UNRUN} AND {where} "
            "ORDER BY planned DESC, schedule DESC LIMIT ?",
            (*given, *values, most),
        )
        found += [_not_run(row) for row in rows]
    return list(dict.fromkeys(found))


def _index_ranges(db: sqlite3.Connection, query: HistoryQuery) -> Sequence[tuple[str, tuple[str, ...]]]:
    """Conditions that limit the search to ranges of an index; empty if nothing can match."""
    words = query.words
    states = [state for state in query.stored_statuses if state in _UNRUN_STATES]
    if not _can_be_times(query):
        return []
    if query.trigger not in (None, OccurrenceOrigin.AUTOMATIC):
        return [("INDEXED BY occurrences_unrun_by WHERE origin <> 'automatic'", ())]
    if not words and query.workflow is None and query.handler is None:
        return [("WHERE state = ?", (state,)) for state in states] or [_BY_TIME]
    where, values = _of_handler(query, "id")
    names = [row[0] for row in db.execute(f"SELECT id FROM schedules WHERE {where}", values)]
    matching = [name for name in names if any(word in name.lower() for word in words)] if words else names
    each = [_reasons_with(word, query.reason_texts) for word in words]
    reasons = [reason.value for reason in OccurrenceReason if all(reason in found for found in each)] if words else []
    by_schedule = [
        ("WHERE schedule = ? AND state = ?", (name, state)) for name in matching for state in states or _UNRUN_STATES
    ]
    if len(by_schedule) + len(reasons) > _MAX_RANGES:
        return [_BY_TIME]
    return by_schedule + [("WHERE reason = ?", (reason,)) for reason in reasons]


def _gaps(db: sqlite3.Connection, query: HistoryQuery, page: HistoryCursor, most: int) -> list[NotRunTime]:
    if not _can_be_gaps(query):
        return []
    where, values = _filter(query, page, "first")
    rows = db.execute(
        "SELECT schedule, first, state, reason, NULL, last, number, more FROM gaps "
        f"WHERE {where} ORDER BY first DESC, schedule DESC LIMIT ?",
        (*values, most),
    )
    return [
        replace(_not_run(row), until=to_instant(row["last"]), number=row["number"], more=bool(row["more"]))
        for row in rows
    ]


def _queued(db: sqlite3.Connection, query: HistoryQuery, page: HistoryCursor, most: int) -> list[NotRunTime]:
    """Those that wait to start; only a query for their state finds them, since they are not history yet."""
    if OccurrenceState.QUEUED not in query.stored_statuses or query.matches_nothing:
        return []
    where, values = _time_filter(query, page)
    rows = db.execute(
        f"SELECT schedule, planned, state, reason, detail FROM occurrences WHERE state = 'queued' AND {where} "
        "ORDER BY planned DESC, schedule DESC LIMIT ?",
        (*values, most),
    )
    return [_not_run(row) for row in rows]


def _can_be_times(query: HistoryQuery) -> bool:
    return (
        (not query.stored_statuses or not _UNRUN_STATES.isdisjoint(query.stored_statuses))
        and not query.matches_nothing
        and (query.trigger is None or query.trigger in list(OccurrenceOrigin))
    )


def _can_be_gaps(query: HistoryQuery) -> bool:
    return _can_be_times(query) and query.trigger in (None, OccurrenceOrigin.AUTOMATIC)


def _time_filter(query: HistoryQuery, page: HistoryCursor) -> tuple[str, list[Any]]:
    where, values = _filter(query, page, "planned")
    if query.trigger is not None:
        where, values = f"{where} AND origin = ?", [*values, query.trigger]
    return where, values


def _filter(query: HistoryQuery, page: HistoryCursor, column: str) -> tuple[str, list[Any]]:
    where = [f"{column} <= ?", f"({column} < ? OR schedule < ?)"]
    values: list[Any] = [page.planned, page.planned, page.schedule]
    if query.since is not None:
        where, values = [*where, f"{column} >= ?"], [*values, to_ms(query.since) or 0]
    if query.until is not None:
        where, values = [*where, f"{column} <= ?"], [*values, to_ms(query.until) or 0]
    by_handler, handlers = _of_handler(query, "schedule")
    where, values = [*where, by_handler], [*values, *handlers]
    if query.stored_statuses:
        where.append(f"state IN ({', '.join('?' * len(query.stored_statuses))})")
        values += query.stored_statuses
    for word in query.words:
        reasons = _reasons_with(word, query.reason_texts)
        where.append(f"(instr(lower(schedule), ?) OR reason IN ({', '.join('?' * len(reasons))}))")
        values += [word, *reasons]
    return " AND ".join(where), values


def _reasons_with(word: str, said: tuple[tuple[str, str], ...]) -> list[str]:
    """The reasons whose value or sentence contains the word."""
    sentences = dict(said)
    written = {one: f"{one.value} {one.sentence} {sentences.get(one.value, '')}" for one in OccurrenceReason}
    return [one.value for one, text in written.items() if any(word in known for known in split_words(text))]


def _of_handler(query: HistoryQuery, column: str) -> tuple[str, list[str]]:
    """A condition on a schedule id column for one workflow, one handler, or both."""
    if query.workflow is not None and query.handler is not None:
        return f"{column} = ?", [handler_id(query.workflow, query.handler)]
    if query.workflow is not None:
        return f"{column} > ? AND {column} < ?", [*handler_id_bounds(query.workflow)]
    if query.handler is not None:
        return f"substr({column}, instr({column}, '/') + 1) = ?", [query.handler]
    return "1", []
