"""What one day holds, read from history and from the times to come: bars for the picture, lines for the words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

from PySide6.QtCore import QCoreApplication

from app.life.installation import Installation
from app.lookout import read_overview
from app.overview import Overview
from app.requests import say_shortly
from app.widgets.timeline_axis import day_span
from app.widgets.timeline_layout import Bar, Lane
from app.window.states import state_of_run, state_of_time
from app.words.interpreting import interpret
from app.words.states import RunState
from app.words.times import say_number
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.views.history import Found, HistoryPage
from scheduler.engine.workflows.views.runs import RunView
from scheduler.engine.workflows.views.times import NextTime

translate = QCoreApplication.translate
_MOST_PAST = 1_000
_MOST_PAGES = 4
"""So many times that, for days that the person looks at besides this one."""
_LONG_RUN = timedelta(hours=2)
"""What began so long before and went on belongs to the picture."""
_MOST_COMING = 1_000
"""Times that are worked out for all workflows together; of each at least the next few."""
_FEW = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing that happened, in words."""

    at: datetime
    workflow: str
    name: str
    state: RunState
    sentence: str
    run: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    overview: Overview
    lanes: tuple[Lane, ...]
    bars: tuple[Bar, ...]
    lines: tuple[Line, ...]
    """The newest first."""
    quiet: int
    """Runs that went well and had nothing to tell."""
    known: datetime | None
    """More happened before this than is shown."""


def read_day(installation: Installation, span: tuple[datetime, datetime] | None = None) -> Day:
    """In words this day, in the picture also what else is in sight. In any thread."""
    overview = read_overview(installation)
    start, end = day_span(overview.now, overview.zone)
    first, last = (start, end) if span is None else (min(start, span[0]), max(end, span[1]))
    past = _read_past(installation, first, 1 if first == start else _MOST_PAGES)
    number = max(_FEW, _MOST_COMING // max(len(overview.workflows), 1))
    coming = {one.workflow: _coming(installation, one.workflow, last, number) for one in overview.workflows}
    lines = sorted(_tell(past, overview), key=lambda line: line.at, reverse=True)
    return Day(
        overview=overview,
        lanes=tuple(Lane(id=one.workflow, title=one.name) for one in overview.workflows),
        bars=(*_draw_past(past, overview), *_draw_coming(coming, overview, last, number)),
        lines=tuple(line for line in lines if line.at >= start),
        quiet=sum(_is_quiet(run) and (run.ended or start) >= start for run in past.runs),
        known=None if past.cursor is None else _oldest(past),
    )


def _read_past(installation: Installation, since: datetime, pages: int) -> HistoryPage:
    """Since then, and what began before and goes on."""
    found = Found(since=since - _LONG_RUN)
    read = [installation.views.history(found, None, _MOST_PAST)]
    while read[-1].cursor is not None and len(read) < pages:
        read.append(installation.views.history(found, read[-1].cursor, _MOST_PAST))
    active = installation.views.history(Found(status="running"), None, _FEW * _FEW)
    runs = {run.id: run for run in chain(*(page.runs for page in read), active.runs)}
    times = chain.from_iterable(page.occurrences for page in read)
    return HistoryPage(
        runs=tuple(run for run in runs.values() if run.ended is None or run.ended >= since),
        occurrences=tuple(time for time in times if (time.until or time.planned) >= since),
        cursor=read[-1].cursor,
    )


def _oldest(past: HistoryPage) -> datetime | None:
    begun = (run.began for run in past.runs if run.began is not None and run.ended is not None)
    return min(chain(begun, (time.planned for time in past.occurrences)), default=None)


def _coming(installation: Installation, workflow: str, end: datetime, most: int) -> list[NextTime]:
    """A few at first: most workflows have few times in a day, and far ones are costly to work out."""
    number = _FEW
    try:
        found = installation.views.next_times(workflow, number)
        while len(found) == number < most and found[-1].at < end:
            number = min(number * 8, most)
            found = installation.views.next_times(workflow, number)
    except RefusedError:  # removed since
        return []
    return found


def _draw_past(past: HistoryPage, overview: Overview) -> Iterator[Bar]:
    for run in past.runs:
        began = run.began or run.planned
        if began is not None:
            words = _say_run(run, overview)
            state = state_of_run(run.status, is_followed=run.is_followed)
            is_over = run.ended is not None
            # What waits is drawn where it began to, not over all the hours that it waits.
            end = run.ended if is_over or state is RunState.RUNNING else began
            yield Bar(id=run.id, lane=run.workflow, start=began, end=end, state=state, words=words)
    for number, time in enumerate(past.occurrences):
        id_ = f"time:{time.workflow}/{time.handler}:{time.planned.timestamp():.0f}:{number}"
        state = state_of_time(time.state)
        yield Bar(
            id=id_,
            lane=time.workflow,
            start=time.planned,
            end=time.until or time.planned,
            state=state,
            words=interpret(time.sentence),
        )


def _draw_coming(
    coming: Mapping[str, Sequence[NextTime]], overview: Overview, end: datetime, most: int
) -> Iterator[Bar]:
    """Times that were not worked out are one bar up to the end."""
    times = {(workflow, one.at) for workflow, found in coming.items() for one in found}
    times |= {(one.workflow, one.next) for one in overview.workflows if one.next is not None}
    cut = {(workflow, found[-1].at) for workflow, found in coming.items() if len(found) == most}
    for workflow, at in sorted(times):
        if overview.now < at < end:
            id_ = f"coming:{workflow}:{at.timestamp():.0f}"
            is_cut = (workflow, at) in cut
            words = translate("today", "and so on") if is_cut else ""
            until = end if is_cut else at
            yield Bar(id=id_, lane=workflow, start=at, end=until, state=RunState.COMING, words=words)


def _tell(past: HistoryPage, overview: Overview) -> Iterator[Line]:
    """Of several attempts the last one tells how it went."""
    retried = {run.retry_of for run in past.runs}
    for run in past.runs:
        at = run.ended or run.began or run.planned
        if at is not None and not _is_quiet(run) and run.id not in retried:
            yield Line(
                at=at,
                workflow=run.workflow,
                name=overview.name_of(run.workflow),
                state=state_of_run(run.status, is_followed=run.is_followed),
                sentence=_say_run(run, overview),
                run=run.id,
            )
    for time in past.occurrences:
        said = interpret(time.sentence)
        if time.number > 1:
            number = f"{say_number(time.number)}{'+' if time.more else ''}"
            said = translate("today", "{sentence} ({number} times)").format(sentence=said, number=number)
        yield Line(
            at=time.until or time.planned,
            workflow=time.workflow,
            name=overview.name_of(time.workflow),
            state=state_of_time(time.state),
            sentence=said,
        )


def _is_quiet(run: RunView) -> bool:
    return state_of_run(run.status, is_followed=run.is_followed) is RunState.DONE and not run.summary


def _say_run(run: RunView, overview: Overview) -> str:
    """What it did, what went wrong, or what it asks."""
    asked = (say_shortly(one, overview) for one in overview.requests if one.run == run.id)
    return run.summary or interpret(run.error or "") or next(asked, "")
