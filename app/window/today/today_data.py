"""The data of one day: bars for the timeline and lines for the activity list. Never read in the GUI thread."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

from PySide6.QtCore import QCoreApplication

from app.i18n.state_labels import RunState
from app.i18n.time_text import format_number
from app.i18n.translate import translate_text
from app.overview import Overview
from app.overview_watcher import load_overview
from app.requests.presentation import summarize_request
from app.session import Session
from app.widgets.timeline_layout import TimelineBar, TimelineLane, local_day
from app.window.history.history_data import asked_at, happened_at, state_of_run, state_of_time
from app.window.today.running_now import RunningRun
from scheduler.engine.queries.history import HistoryResult
from scheduler.engine.queries.runs import RunView
from scheduler.engine.queries.workflows import WorkflowView
from scheduler.rules.handler_ids import name_in_words
from scheduler.rules.history_query import HistoryQuery
from scheduler.rules.phases import RunStatus
from scheduler.rules.workflow_state import WorkflowState

translate = QCoreApplication.translate
_PAGE_SIZE = 1_000
_MAX_PAGES = 4
"""When the timeline shows more than this day."""
_LONG_RUN = timedelta(hours=2)
"""Runs that started up to this long before the span may reach into it."""
_MAX_COMING = 1_000
"""Upcoming times computed for all workflows together, but at least _MIN_COMING for each."""
_MIN_COMING = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityLine:
    """One entry of the activity list."""

    at: datetime
    workflow: str
    name: str
    state: RunState
    sentence: str
    run: str = ""
    asked: datetime | None = None
    """If it continued much later than it asked."""
    ended: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    overview: Overview
    lanes: tuple[TimelineLane, ...]
    bars: tuple[TimelineBar, ...]
    lines: tuple[ActivityLine, ...]
    """Newest first."""
    quiet_runs: int
    """Successful runs with nothing to report."""
    running: tuple[RunningRun, ...]
    """The oldest first."""
    known_since: datetime | None
    """Set if earlier history was left out: the oldest time that was read."""


def read_day(session: Session, span: tuple[datetime, datetime] | None = None) -> Day:
    """Lines for today, bars for today and the visible span. Works in any thread."""
    overview = load_overview(session)
    start, end = local_day(overview.now, overview.zone)
    first, last = (start, end) if span is None else (min(start, span[0]), max(end, span[1]))
    past = _read_past(session, first, 1 if first == start else _MAX_PAGES)
    number = max(_MIN_COMING, _MAX_COMING // max(len(overview.workflows), 1))
    coming = session.queries.times_until(last, number)
    lines = sorted(_make_lines(past, overview), key=lambda line: line.at, reverse=True)
    return Day(
        overview=overview,
        lanes=tuple(TimelineLane(id=one.workflow, title=one.name) for one in overview.workflows),
        bars=(*_make_past_bars(past, overview), *_make_coming_bars(coming, overview, last, number)),
        lines=tuple(line for line in lines if (line.ended or line.at) >= start),
        quiet_runs=sum(_is_quiet(run) and (run.ended or start) >= start for run in past.runs),
        running=tuple(_list_running(past, overview)),
        known_since=None if past.cursor is None else _find_oldest(past),
    )


def _read_past(session: Session, since: datetime, pages: int) -> HistoryResult:
    """What happened since then, and runs that started earlier and are still active."""
    found = HistoryQuery(since=since - _LONG_RUN)
    read = [session.queries.history(found, None, _PAGE_SIZE)]
    while read[-1].cursor is not None and len(read) < pages:
        read.append(session.queries.history(found, read[-1].cursor, _PAGE_SIZE))
    active = session.queries.history(HistoryQuery(statuses=("running",)), None, _MIN_COMING * _MIN_COMING)
    runs = {run.id: run for run in chain(*(page.runs for page in read), active.runs)}
    times = chain.from_iterable(page.occurrences for page in read)
    return HistoryResult(
        runs=tuple(run for run in runs.values() if run.ended is None or run.ended >= since),
        occurrences=tuple(time for time in times if (time.until or time.planned) >= since),
        cursor=read[-1].cursor,
    )


def _find_oldest(past: HistoryResult) -> datetime | None:
    begun = (at for run in past.runs if run.ended is not None and (at := happened_at(run)) is not None)
    return min(chain(begun, (time.planned for time in past.occurrences)), default=None)


def _make_past_bars(past: HistoryResult, overview: Overview) -> Iterator[TimelineBar]:
    for run in past.runs:
        began = happened_at(run)
        if began is not None:
            words = _add_job(run.job, _describe_run(run, overview) or run.command)
            state = state_of_run(run)
            is_over = run.ended is not None
            # A waiting run is drawn where it started, not over all the hours that it waits.
            end = run.ended if is_over or state is RunState.RUNNING else began
            yield TimelineBar(id=run.id, lane=run.workflow, start=began, end=end, state=state, text=words)
    for number, time in enumerate(past.occurrences):
        id_ = f"time:{time.schedule}:{time.planned.timestamp():.0f}:{number}"
        state = state_of_time(time.state)
        yield TimelineBar(
            id=id_,
            lane=time.workflow,
            start=time.planned,
            end=time.until or time.planned,
            state=state,
            text=_add_job(time.job, translate_text(time.sentence)),
        )


def _add_job(job: str, text: str) -> str:
    """A lane of the timeline is a workflow; this says which of its jobs a bar is."""
    return "\n".join(part for part in (name_in_words(job) if job else "", text) if part)


def _make_coming_bars(
    coming: Mapping[str, Sequence[datetime]], overview: Overview, end: datetime, most: int
) -> Iterator[TimelineBar]:
    """Beyond the last computed time, one bar up to the end."""
    times = {(workflow, at) for workflow, found in coming.items() for at in found}
    times |= {
        (one.workflow, one.next) for one in overview.workflows if one.next is not None and _will_run(one, overview)
    }
    cut = {(workflow, found[-1]) for workflow, found in coming.items() if len(found) == most}
    for workflow, at in sorted(times):
        if overview.now < at < end:
            id_ = f"coming:{workflow}:{at.timestamp():.0f}"
            is_cut = (workflow, at) in cut
            words = translate("today", "repeats") if is_cut else ""
            until = end if is_cut else at
            yield TimelineBar(id=id_, lane=workflow, start=at, end=until, state=RunState.COMING, text=words)


def _will_run(view: WorkflowView, overview: Overview) -> bool:
    """Whether its next time is outside of any pause."""
    if view.state is WorkflowState.PAUSED or view.next is None:
        return False
    return overview.paused_until is None or view.next > overview.paused_until


def _make_lines(past: HistoryResult, overview: Overview) -> Iterator[ActivityLine]:
    """One line for each run; of several attempts, only the last."""
    retried = {run.retry_of for run in past.runs}
    for run in past.runs:
        at = happened_at(run)
        if at is not None and not _is_quiet(run) and run.id not in retried:
            yield ActivityLine(
                at=at,
                workflow=run.workflow,
                name=overview.name_of(run.workflow, run.job),
                state=state_of_run(run),
                sentence=_describe_run(run, overview),
                run=run.id,
                asked=asked_at(run),
                ended=run.ended,
            )
    for time in past.occurrences:
        said = translate_text(time.sentence)
        if time.number > 1:
            number = f"{format_number(time.number)}{'+' if time.more else ''}"
            said = translate("today", "{sentence} ({number} times)").format(sentence=said, number=number)
        yield ActivityLine(
            at=time.until or time.planned,
            workflow=time.workflow,
            name=overview.name_of(time.workflow, time.job),
            state=state_of_time(time.state),
            sentence=said,
        )


def _list_running(past: HistoryResult, overview: Overview) -> list[RunningRun]:
    found = [
        RunningRun(run=run.id, name=overview.name_of(run.workflow, run.job), since=run.resumed or run.began)
        for run in past.runs
        if run.status is RunStatus.ACTIVE and run.began is not None
    ]
    return sorted(found, key=lambda one: (one.since, one.run))


def _is_quiet(run: RunView) -> bool:
    return state_of_run(run) is RunState.DONE and not run.summary


def _describe_run(run: RunView, overview: Overview) -> str:
    """What it did, what failed, or what it asks."""
    asked = (summarize_request(one, overview) for one in overview.requests if one.run == run.id)
    return translate_text(run.summary or run.error or "") or next(asked, "")
