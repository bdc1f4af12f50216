"""History of runs and of times that did not run: filtered, searched and paged, newest first."""

from dataclasses import dataclass
from datetime import datetime
from heapq import merge

from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.runs import RunView, view_run
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.engine.workflows.lookup import find_workflow
from scheduler.rules.history_query import FOLLOWED, HistoryCursor, HistorySearch
from scheduler.rules.phases import RunStatus
from scheduler.store import history
from scheduler.store.database import to_ms
from scheduler.store.history import NotRunRow, PastRun
from scheduler.timing.occurrences import OccurrenceState

MAX_PAGE_ROWS = 1_000
_MAX_INT = 2**62
_STATUS_WORDS = {
    "done": (RunStatus.COMMITTED,),
    "failed": (RunStatus.LOGIC, RunStatus.INTERNAL, RunStatus.CRASHED, FOLLOWED, OccurrenceState.FAILED),
    "waiting": (RunStatus.APPROVAL, RunStatus.RECONCILIATION),
    "retrying": (RunStatus.TRANSIENT,),
    "running": (RunStatus.ACTIVE,),
    "replaced": (OccurrenceState.COALESCED,),
}
"""Words for statuses, in addition to the stored ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryFilter:
    """Filters; empty means everything."""

    workflow: str | None = None
    handler: str | None = None
    status: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    trigger: str | None = None
    """What started it: an occurrence's origin, or "event"."""
    reason_texts: tuple[tuple[str, str], ...] = ()
    """Reasons and their texts in the user's language, so that the search finds them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRunView:
    """A planned time that did not run, or several in a row."""

    workflow: str
    handler: str
    planned: datetime
    until: datetime | None
    number: int
    more: bool
    state: str
    reason: str | None
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryResult:
    runs: tuple[RunView, ...]
    occurrences: tuple[NotRunView, ...]
    cursor: str | None
    """Where the next page starts; None on the last page."""


def find(snapshot: Snapshot, filters: HistoryFilter, cursor: str | None, limit: int) -> HistoryResult:
    """At most `limit` rows, runs and times together."""
    limit = min(max(limit, 1), MAX_PAGE_ROWS)
    search = _make_search(snapshot, filters)
    page = _read_cursor(cursor)
    ran = history.find_runs(snapshot.db, search, page, limit + 1)
    unrun = history.find_not_run(snapshot.db, search, page, limit + 1)
    both: tuple[list[PastRun | NotRunRow], ...] = ([*ran], [*unrun])
    # Merged, not sorted: the next page continues where each list ended, even if the clock was set back between them.
    shown = list(merge(*both, key=_time_of, reverse=True))[:limit]
    runs = [one for one in shown if isinstance(one, PastRun)]
    times = [one for one in shown if isinstance(one, NotRunRow)]
    times = _keep_same_instant(times, unrun)
    is_all = len(runs) == len(ran) and len(times) == len(unrun)
    return HistoryResult(
        runs=tuple(view_run(one) for one in runs),
        occurrences=tuple(_view(one) for one in times),
        cursor=None if is_all else _write_cursor(page, runs, times),
    )


def count(snapshot: Snapshot, filters: HistoryFilter) -> int:
    """The number of rows on all pages."""
    search = _make_search(snapshot, filters)
    return history.count_runs(snapshot.db, search) + history.count_not_run(snapshot.db, search)


def _make_search(snapshot: Snapshot, filters: HistoryFilter) -> HistorySearch:
    return HistorySearch(
        workflow=None if filters.workflow is None else find_workflow(snapshot.db, filters.workflow).slug,
        handler=filters.handler,
        statuses=_read_status(filters.status),
        since=filters.since,
        until=filters.until,
        text=filters.text,
        trigger=filters.trigger,
        translated_reasons=filters.reason_texts,
    )


def _time_of(one: PastRun | NotRunRow) -> datetime:
    return one.created if isinstance(one, PastRun) else one.planned


def _keep_same_instant(shown: list[NotRunRow], found: list[NotRunRow]) -> list[NotRunRow]:
    """Rows of one schedule at one instant stay on one page, since the cursor cannot split them."""
    if not shown:
        return shown
    last = (shown[-1].planned, shown[-1].schedule)
    return [one for one in found if (one.planned, one.schedule) >= last]


def _read_status(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    found = tuple(map(str, _STATUS_WORDS.get(text, ())))
    known = {word.value for word in (*RunStatus, *OccurrenceState)}
    if text in known and text not in found:
        found = (*found, text)
    if not found:
        listed = ", ".join(sorted({*_STATUS_WORDS, *(word.value for word in OccurrenceState)}))
        raise RefusedError("status", f"There is no status {text}. Choose one of: {listed}.")
    return found


def _read_cursor(text: str | None) -> HistoryCursor:
    if not text:
        return HistoryCursor()
    try:
        number, planned, schedule = text.split("-", 2)
        return HistoryCursor(min(int(number), _MAX_INT), min(int(planned), _MAX_INT), schedule)
    except ValueError as error:
        raise RefusedError("cursor", f"{text!r} is not a valid history cursor.") from error


def _write_cursor(page: HistoryCursor, runs: list[PastRun], times: list[NotRunRow]) -> str:
    number = runs[-1].number if runs else page.number
    planned, schedule = (to_ms(times[-1].planned), times[-1].schedule) if times else (page.planned, page.schedule)
    return f"{number}-{planned}-{schedule}"


def _view(one: NotRunRow) -> NotRunView:
    workflow, _, handler = one.schedule.partition("/")
    return NotRunView(
        workflow=workflow,
        handler=handler,
        planned=one.planned,
        until=one.until,
        number=one.number,
        more=one.more,
        state=one.state,
        reason=one.reason,
        sentence=one.sentence,
    )
