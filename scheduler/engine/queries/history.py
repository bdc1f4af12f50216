"""What has run and what did not, narrowed and searched, a page at a time, the newest first."""

from dataclasses import dataclass
from datetime import datetime
from heapq import merge

from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.names import find_workflow
from scheduler.engine.workflows.views.look import Look
from scheduler.engine.workflows.views.runs import RunView, view_run
from scheduler.rules.phases import Status
from scheduler.store import history
from scheduler.store.database import to_ms
from scheduler.store.history import Page, PastRun, Search, Unrun
from scheduler.store.wanted import FOLLOWED
from scheduler.timing.occurrences import State

MOST = 1_000
_FAR = 2**62
_WORDS = {
    "done": (Status.COMMITTED,),
    "failed": (Status.LOGIC, Status.INTERNAL, Status.CRASHED, FOLLOWED, State.FAILED),
    "waiting": (Status.APPROVAL, Status.RECONCILIATION),
    "retrying": (Status.TRANSIENT,),
    "running": (Status.ACTIVE,),
    "replaced": (State.COALESCED,),
}
"""What people say for a status, besides the stored words themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What is looked for; empty means everything."""

    workflow: str | None = None
    handler: str | None = None
    status: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""
    trigger: str | None = None
    """What made it start: an origin of times, or event."""
    said: tuple[tuple[str, str], ...] = ()
    """By reason: how it is said to the person who looks, where that is not as it is said here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrunView:
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
class HistoryPage:
    runs: tuple[RunView, ...]
    occurrences: tuple[UnrunView, ...]
    cursor: str | None
    """Where to go on; None if this was all."""


def find(look: Look, wanted: Found, cursor: str | None, most: int) -> HistoryPage:
    """At most so many of both together."""
    most = min(max(most, 1), MOST)
    search = _read(look, wanted)
    page = _read_cursor(cursor)
    ran = history.find_runs(look.db, search, page, most + 1)
    unrun = history.find_unrun(look.db, search, page, most + 1)
    both: tuple[list[PastRun | Unrun], ...] = ([*ran], [*unrun])
    # Merged, not sorted: the next page goes on where each of both ended, also if the clock was set back between them.
    shown = list(merge(*both, key=_when, reverse=True))[:most]
    runs = [one for one in shown if isinstance(one, PastRun)]
    times = [one for one in shown if isinstance(one, Unrun)]
    times = _without_halves(times, unrun)
    is_all = len(runs) == len(ran) and len(times) == len(unrun)
    return HistoryPage(
        runs=tuple(view_run(one) for one in runs),
        occurrences=tuple(_view(one) for one in times),
        cursor=None if is_all else _write_cursor(page, runs, times),
    )


def count(look: Look, wanted: Found) -> int:
    """How many rows all pages together have."""
    search = _read(look, wanted)
    return history.count_runs(look.db, search) + history.count_unrun(look.db, search)


def _read(look: Look, wanted: Found) -> Search:
    return Search(
        workflow=None if wanted.workflow is None else find_workflow(look.db, wanted.workflow).slug,
        handler=wanted.handler,
        statuses=_read_status(wanted.status),
        since=wanted.since,
        until=wanted.until,
        text=wanted.text,
        trigger=wanted.trigger,
        said=wanted.said,
    )


def _when(one: PastRun | Unrun) -> datetime:
    return one.created if isinstance(one, PastRun) else one.planned


def _without_halves(shown: list[Unrun], found: list[Unrun]) -> list[Unrun]:
    """What one schedule had at one instant comes on one page, since the next one begins before it."""
    if not shown:
        return shown
    last = (shown[-1].planned, shown[-1].schedule)
    return [one for one in found if (one.planned, one.schedule) >= last]


def _read_status(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    found = tuple(map(str, _WORDS.get(text, ())))
    known = {word.value for word in (*Status, *State)}
    if text in known and text not in found:
        found = (*found, text)
    if not found:
        listed = ", ".join(sorted({*_WORDS, *(word.value for word in State)}))
        raise RefusedError("status", f"There is no status {text}. Choose one of: {listed}.")
    return found


def _read_cursor(text: str | None) -> Page:
    if not text:
        return Page()
    try:
        number, planned, schedule = text.split("-", 2)
        return Page(min(int(number), _FAR), min(int(planned), _FAR), schedule)
    except ValueError as error:
        raise RefusedError("cursor", f"{text!r} is not where a page of history ended.") from error


def _write_cursor(page: Page, runs: list[PastRun], times: list[Unrun]) -> str:
    number = runs[-1].number if runs else page.number
    planned, schedule = (to_ms(times[-1].planned), times[-1].schedule) if times else (page.planned, page.schedule)
    return f"{number}-{planned}-{schedule}"


def _view(one: Unrun) -> UnrunView:
    workflow, _, handler = one.schedule.partition("/")
    return UnrunView(
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
