"""What one day holds, read from history and from the times to come: bars for the picture, lines for the words."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QCoreApplication

from app.life.installation import Installation
from app.lookout import read_overview
from app.overview import Overview
from app.requests import say_request
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
    is_cut: bool
    """More happened than is shown."""


def read_day(installation: Installation) -> Day:
    """In any thread."""
    overview = read_overview(installation)
    start, end = day_span(overview.now, overview.zone)
    past = installation.views.history(Found(since=start), None, _MOST_PAST)
    number = max(_FEW, _MOST_COMING // max(len(overview.workflows), 1))
    coming = [time for one in overview.workflows for time in _coming(installation, one.workflow, end, number)]
    lines = tuple(sorted(_tell(past, overview), key=lambda line: line.at, reverse=True))
    return Day(
        overview=overview,
        lanes=tuple(Lane(id=one.workflow, title=one.name) for one in overview.workflows),
        bars=(*_draw_past(past, overview), *_draw_coming(coming, overview, end)),
        lines=lines,
        quiet=sum(_is_quiet(run) for run in past.runs),
        is_cut=past.cursor is not None,
    )


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


def _draw_coming(coming: list[NextTime], overview: Overview, end: datetime) -> Iterator[Bar]:
    times = {(one.workflow, one.at) for one in coming}
    times |= {(one.workflow, one.next) for one in overview.workflows if one.next is not None}
    for workflow, at in sorted(times):
        if overview.now < at < end:
            id_ = f"coming:{workflow}:{at.timestamp():.0f}"
            yield Bar(id=id_, lane=workflow, start=at, end=at, state=RunState.COMING)


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
    asked = (say_request(one) for one in overview.requests if one.run == run.id)
    return run.summary or interpret(run.error or "") or next(asked, "")
