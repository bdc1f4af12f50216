"""Runs, and times that did not run, as one list of rows, newest first. Never read in the GUI thread."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication

from app.i18n.state_labels import RunState
from app.i18n.time_text import format_clock_time, format_day_and_time, format_number
from app.i18n.translate import translate_text
from app.requests.presentation import describe_request
from app.session import Session
from scheduler.engine.queries.folded_history import FoldedHistory
from scheduler.engine.queries.history import HistoryResult
from scheduler.engine.queries.runs import RunView
from scheduler.rules.handler_ids import name_in_words
from scheduler.rules.history_query import HistoryQuery, NotRunTime, QuietRuns, RunRange
from scheduler.rules.phases import HandlerKind, Refusal, RunStatus
from scheduler.timing.occurrences import OccurrenceState

_RUN_STATES = {
    RunStatus.ACTIVE: RunState.RUNNING,
    RunStatus.TRANSIENT: RunState.RETRYING,
    RunStatus.APPROVAL: RunState.WAITING,
    RunStatus.RECONCILIATION: RunState.WAITING,
    RunStatus.LOGIC: RunState.FAILED,
    RunStatus.INTERNAL: RunState.FAILED,
    RunStatus.COMMITTED: RunState.DONE,
    RunStatus.CRASHED: RunState.FAILED,
    RunStatus.CANCELLED: RunState.CANCELLED,
}
_REFUSAL_STATES = {Refusal.REJECTED: RunState.REJECTED, Refusal.EXPIRED: RunState.EXPIRED}
_TIME_STATES = {
    OccurrenceState.QUEUED: RunState.QUEUED,
    OccurrenceState.STARTED: RunState.RUNNING,
    OccurrenceState.SUCCEEDED: RunState.DONE,
    OccurrenceState.FAILED: RunState.FAILED,
    OccurrenceState.CANCELLED: RunState.CANCELLED,
    OccurrenceState.SKIPPED: RunState.SKIPPED,
    OccurrenceState.COALESCED: RunState.REPLACED,
    OccurrenceState.MISSED: RunState.MISSED,
    OccurrenceState.DROPPED: RunState.DROPPED,
}


def state_of_run(one: RunView) -> RunState:
    """A waiting attempt counts as failed once another one follows it."""
    if one.refusal is not None:
        return _REFUSAL_STATES[one.refusal]
    return RunState.FAILED if one.is_followed and one.status.is_waiting else state_of_status(one.status)


def happened_at(one: RunView) -> datetime | None:
    """When it last did something: it started, or continued after an answer. The history is in this order."""
    return one.resumed or one.began or one.planned or one.ended


def asked_at(one: RunView) -> datetime | None:
    """When it began to wait for the user, if it continued much later."""
    if one.resumed is None or one.began is None or one.resumed - one.began < _ON_TIME:
        return None
    return one.began


def took(one: RunView) -> timedelta | None:
    """How long it ran, without the wait for the user."""
    began = one.resumed or one.began
    if one.ended is None or began is None or (one.status is RunStatus.CANCELLED and one.resumed is not None):
        return None
    return max(one.ended - began, timedelta(0))


def state_of_status(status: RunStatus) -> RunState:
    return _RUN_STATES[status]


def state_of_time(state: str) -> RunState:
    """The state of a planned time."""
    return _TIME_STATES[OccurrenceState(state)]


translate = QCoreApplication.translate

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ON_TIME = timedelta(minutes=1)
"""A run that starts within this time of its planned one counts as on time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """One attempt, one or more planned times that did not run, or several runs with nothing to report."""

    key: str
    run: str | None
    """None if it did not run, or if there are several."""
    at: datetime
    until: datetime | None
    """The last of several planned times."""
    workflow: str
    name: str
    state: RunState
    what: str
    duration: timedelta | None
    retry_of: str | None = None
    job: str = ""
    planned: datetime | None = None
    """If it did not start at its planned time."""
    asked: datetime | None = None
    """If it continued much later than it asked."""
    quiet: QuietRuns | None = None
    """The runs with nothing to report that this row stands for."""
    is_unfolded: bool = False
    """One of the runs that a row above it stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRows:
    rows: tuple[HistoryRow, ...]
    cursor: str | None


def read_page(session: Session, query: HistoryQuery, cursor: str | None, most: int) -> HistoryRows:
    page = session.queries.history(query, cursor, most)
    names = session.queries.names()
    return HistoryRows(rows=make_rows(page, names, read_questions(session, page.runs)), cursor=page.cursor)


def read_folded_page(
    session: Session, query: HistoryQuery, cursor: str | None, most: int, unfolded: Collection[RunRange] = ()
) -> HistoryRows:
    """Runs with nothing to report as one row, except those that the user has unfolded."""
    return _make_folded_rows(session, session.queries.folded_history(query, cursor, most, unfolded))


def read_quiet_runs(session: Session, query: HistoryQuery, quiet: QuietRuns) -> HistoryRows:
    """The rows that replace a folded one."""
    return _make_folded_rows(session, session.queries.quiet_runs(query, quiet.runs))


def _make_folded_rows(session: Session, page: FoldedHistory) -> HistoryRows:
    names = session.queries.names()
    asked = read_questions(session, [one for one in page.rows if isinstance(one, RunView)])
    rows: list[HistoryRow] = []
    unfolded = 0
    for one in page.rows:
        if isinstance(one, QuietRuns):
            rows.append(_make_quiet_row(one, names))
            unfolded = one.number if one.is_unfolded else 0
        elif isinstance(one, RunView):
            row = _make_run_row(one, names, asked.get(one.id, ""))
            rows.append(replace(row, is_unfolded=unfolded > 0))
            unfolded -= 1
        else:
            rows.append(_make_time_row(one, names))
            unfolded = 0
    return HistoryRows(rows=tuple(rows), cursor=page.cursor)


def read_questions(session: Session, runs: Iterable[RunView]) -> dict[str, str]:
    """By run: the question of each run that waits for approval."""
    if not any(one.status is RunStatus.APPROVAL for one in runs):
        return {}
    return {one.run: describe_request(one) for one in session.queries.attention() if one.run is not None}


def make_rows(
    page: HistoryResult, names: Mapping[str, str], asked: Mapping[str, str] | None = None
) -> tuple[HistoryRow, ...]:
    ran = [_make_run_row(one, names, (asked or {}).get(one.id, "")) for one in page.runs]
    unrun = [_make_time_row(one, names) for one in page.occurrences]
    return tuple(sorted([*ran, *unrun], key=lambda row: row.at, reverse=True))


def read_outcomes(session: Session, slugs: Iterable[str], most: int = 30) -> dict[str, tuple[RunState, ...]]:
    """The last outcomes of each workflow, oldest first; several attempts count as one."""
    found = {}
    for slug in slugs:
        rows = make_rows(session.queries.history(HistoryQuery(workflow=slug), None, most), {})[:most]
        retried = {row.retry_of for row in rows}
        found[slug] = tuple(row.state for row in reversed(rows) if row.run is None or row.run not in retried)
    return found


def _make_run_row(one: RunView, names: Mapping[str, str], asked: str) -> HistoryRow:
    at = happened_at(one) or _EPOCH
    return HistoryRow(
        key=one.id,
        run=one.id,
        at=at,
        until=None,
        workflow=one.workflow,
        name=names.get(one.workflow, one.workflow),
        state=state_of_run(one),
        what=describe_outcome(one) or asked or describe_status(one),
        duration=took(one),
        retry_of=one.retry_of,
        job=_name_job(one.job),
        planned=None if one.planned is None or abs(at - one.planned) < _ON_TIME else one.planned,
        asked=asked_at(one),
    )


def describe_asked(asked: datetime, at: datetime, zone: ZoneInfo, now: datetime) -> str:
    """`asked 09:00`; with the day if that was not the day on which it ran."""
    is_same_day = asked.astimezone(zone).date() == at.astimezone(zone).date()
    asked = asked.replace(second=0, microsecond=0)
    when = format_clock_time(asked, zone) if is_same_day else format_day_and_time(asked, zone, now)
    return translate("history", "asked {time}").format(time=when)


def _name_job(job: str) -> str:
    return name_in_words(job) if job else ""


def _make_quiet_row(one: QuietRuns, names: Mapping[str, str]) -> HistoryRow:
    if len(one.workflows) == 1:
        name = names.get(one.workflows[0], one.workflows[0])
    else:
        name = translate("history", "{number} workflows").format(number=format_number(len(one.workflows)))
    said = translate("history", "{number} runs with nothing to report")
    if one.number == 1:
        said = translate("history", "1 run with nothing to report")
    return HistoryRow(
        key=f"quiet {one.runs.low}",
        run=None,
        at=one.last,
        until=None,
        workflow=one.workflows[0] if len(one.workflows) == 1 else "",
        name=name,
        state=RunState.DONE,
        what=said.format(number=format_number(one.number)),
        duration=None,
        quiet=one,
    )


def _make_time_row(one: NotRunTime, names: Mapping[str, str]) -> HistoryRow:
    said = translate_text(one.sentence)
    if one.number > 1:
        count = translate("history", "more than {number}") if one.more else "{number}"
        times = translate("history", "{count} times: {sentence}")
        said = times.format(count=count.format(number=format_number(one.number)), sentence=said)
    return HistoryRow(
        key=f"{one.schedule} {one.planned.isoformat()} {one.state}",
        run=None,
        at=one.planned,
        until=one.until if one.number > 1 else None,
        workflow=one.workflow,
        name=names.get(one.workflow, one.workflow),
        state=state_of_time(one.state),
        what=said,
        duration=None,
        job=_name_job(one.job),
    )


def describe_outcome(one: RunView) -> str:
    """What it did or why it failed; if it was stopped, why, which says more than an earlier failure."""
    if one.status is RunStatus.CANCELLED and one.summary:
        return translate_text(one.summary)
    return translate_text(one.error or one.summary or "")


def describe_status(one: RunView) -> str:
    match one.status:
        case RunStatus.ACTIVE:
            return translate("history", "Running now.")
        case RunStatus.APPROVAL:
            return translate("history", "Waiting for your answer.")
        case RunStatus.RECONCILIATION:
            return translate("history", "Checking whether it happened.")
        case RunStatus.CRASHED:
            return translate("history", "Dayhand quit during this run.")
        case RunStatus.COMMITTED if one.refusal is not None:
            return translate("history", "You rejected it.")
        case RunStatus.COMMITTED if one.has_acted:
            return translate("history", "Done.")
        case RunStatus.COMMITTED if one.kind is HandlerKind.PRODUCER:
            return translate("history", "Checked; nothing new.")
        case RunStatus.COMMITTED if one.kind is HandlerKind.CONSUMER:
            return translate("history", "Nothing to do.")
        case RunStatus.COMMITTED:
            return one.command
        case _:
            return ""
