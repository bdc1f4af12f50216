"""History of runs and of times that did not run: filtered, searched and paged, newest first."""

from dataclasses import dataclass, replace
from datetime import datetime
from heapq import merge

from scheduler.engine.errors import RefusedError
from scheduler.engine.lookup import find_workflow
from scheduler.engine.queries.job_names import find_job
from scheduler.engine.queries.runs import RunView, view_run
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.rules.history_query import STATUS_WORDS, HistoryCursor, HistoryQuery, NotRunTime
from scheduler.rules.phases import Refusal, RunStatus
from scheduler.store import history
from scheduler.store.database import to_ms
from scheduler.store.history import PastRun
from scheduler.timing.occurrences import OccurrenceState
from scheduler.user_text import UserText

MAX_PAGE_ROWS = 1_000
_MAX_INT = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryResult:
    runs: tuple[RunView, ...]
    occurrences: tuple[NotRunTime, ...]
    cursor: str | None
    """Where the next page starts; None on the last page."""


def find(snapshot: Snapshot, query: HistoryQuery, cursor: str | None, limit: int) -> HistoryResult:
    """At most `limit` rows, runs and times together."""
    limit = min(max(limit, 1), MAX_PAGE_ROWS)
    query = resolve_query(snapshot, query)
    page = read_cursor(cursor)
    ran = history.find_runs(snapshot.db, query, page, limit + 1)
    unrun = history.find_not_run(snapshot.db, query, page, limit + 1)
    both: tuple[list[PastRun | NotRunTime], ...] = ([*ran], [*unrun])
    # Merged, not sorted: the next page continues where each list ended, even if the clock was set back between them.
    shown = list(merge(*both, key=_time_of, reverse=True))[:limit]
    runs = [one for one in shown if isinstance(one, PastRun)]
    times = [one for one in shown if isinstance(one, NotRunTime)]
    times = _keep_same_instant(times, unrun)
    is_all = len(runs) == len(ran) and len(times) == len(unrun)
    return HistoryResult(
        runs=tuple(view_run(snapshot, one) for one in runs),
        occurrences=tuple(view_time(snapshot, one) for one in times),
        cursor=None if is_all else write_cursor(page, runs[-1].number if runs else None, times[-1] if times else None),
    )


def view_time(snapshot: Snapshot, time: NotRunTime) -> NotRunTime:
    """With the instants in its sentence as they are shown now, and the name of its job."""
    job = find_job(snapshot, time.workflow, time.handler)
    return replace(time, sentence=snapshot.format_instants(time.sentence), job=job)


def count(snapshot: Snapshot, query: HistoryQuery) -> int:
    """The number of rows on all pages."""
    query = resolve_query(snapshot, query)
    return history.count_runs(snapshot.db, query) + history.count_not_run(snapshot.db, query)


def resolve_query(snapshot: Snapshot, query: HistoryQuery) -> HistoryQuery:
    """The query with the slug of its workflow; refused if it names something that does not exist."""
    if query.workflow is not None:
        query = replace(query, workflow=find_workflow(snapshot.db, query.workflow).slug)
    for status in query.statuses:
        if status not in (*STATUS_WORDS, *RunStatus, *Refusal, *OccurrenceState):
            listed = ", ".join(sorted({*STATUS_WORDS, *Refusal, *(word.value for word in OccurrenceState)}))
            raise RefusedError(
                "status",
                UserText("There is no status {status}. Choose one of: {listed}.", status=status, listed=listed),
            )
    return query


def _time_of(one: PastRun | NotRunTime) -> datetime:
    return one.created if isinstance(one, PastRun) else one.planned


def _keep_same_instant(shown: list[NotRunTime], found: list[NotRunTime]) -> list[NotRunTime]:
    """Rows of one schedule at one instant stay on one page, since the cursor cannot split them."""
    if not shown:
        return shown
    last = (shown[-1].planned, shown[-1].schedule)
    return [one for one in found if (one.planned, one.schedule) >= last]


def read_cursor(text: str | None) -> HistoryCursor:
    if not text:
        return HistoryCursor()
    try:
        number, planned, schedule = text.split("-", 2)
        return HistoryCursor(min(int(number), _MAX_INT), min(int(planned), _MAX_INT), schedule)
    except ValueError as error:
        raise RefusedError("cursor", UserText("{text} is not a valid history cursor.", text=repr(text))) from error


def write_cursor(page: HistoryCursor, number: int | None, time: NotRunTime | None) -> str:
    """The page after the last run and the last time of this one."""
    planned, schedule = (page.planned, page.schedule) if time is None else (to_ms(time.planned), time.schedule)
    return f"{page.number if number is None else number}-{planned}-{schedule}"
