"""The report of a span of time: what ran, what was approved, what did not run and why, what is paused or waits."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

from scheduler.engine.lookup import natural_sort_key
from scheduler.engine.queries.job_names import find_job
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.rules.handler_ids import split_handler_id
from scheduler.rules.requests import REQUESTS, RequestKind
from scheduler.store import handlers, report_rows, requests, schedules, workflows
from scheduler.store.report_rows import EndingCounts
from scheduler.store.workflows import WorkflowStatus
from scheduler.timing.occurrences import OccurrenceReason
from scheduler.timing.zones import find_zone

_MAX_DAILY = timedelta(days=45)
"""A longer span has a bar for each week."""
_HOURLY = timedelta(hours=36)
_HOURS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportBar:
    """One bar of the chart."""

    start: datetime
    until: datetime
    succeeded: int
    failed: int
    not_run: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedWorkflow:
    """What became of the runs of a workflow, and of its planned times."""

    workflow: str
    name: str
    succeeded: int
    failed: int
    refused: int
    """Rejected, or not answered in time."""
    cancelled: int
    not_run: int
    last: str
    """What its last successful run said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedAnswer:
    workflow: str
    name: str
    kind: RequestKind
    sentence: str
    answer: str
    at: datetime
    reason: str
    """Why it was rejected."""
    channel: str
    """From where it was answered; empty for this computer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedGap:
    """Times that did not run, for one reason."""

    workflow: str
    name: str
    job: str
    state: str
    sentence: str
    number: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedFailure:
    """Something that keeps failing now."""

    workflow: str
    name: str
    job: str
    failures: int
    since: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedPause:
    """Something that is paused now."""

    workflow: str
    name: str
    job: str
    until: datetime | None
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedRequest:
    """Something that waits for the user now."""

    workflow: str
    name: str
    kind: RequestKind
    sentence: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    since: datetime
    until: datetime
    made: datetime
    zone: str
    bars: tuple[ReportBar, ...]
    workflows: tuple[ReportedWorkflow, ...]
    answers: tuple[ReportedAnswer, ...]
    gaps: tuple[ReportedGap, ...]
    failing: tuple[ReportedFailure, ...]
    paused: tuple[ReportedPause, ...]
    everything_paused_until: datetime | None
    waiting: tuple[ReportedRequest, ...]

    @property
    def succeeded(self) -> int:
        return sum(one.succeeded for one in self.workflows)

    @property
    def failed(self) -> int:
        return sum(one.failed for one in self.workflows)

    @property
    def not_run(self) -> int:
        return sum(one.not_run for one in self.workflows)


def make_report(snapshot: Snapshot, since: datetime, until: datetime) -> Report:
    """Of runs that began, answers that came and times that were planned in [since, until); the rest is as of now."""
    names = {row.slug: row.name for row in workflows.list_all(snapshot.db)}
    gaps = tuple(_list_gaps(snapshot, names, since, until))
    endings = report_rows.count_endings(snapshot.db, since, until)
    return Report(
        since=since,
        until=until,
        made=snapshot.now,
        zone=snapshot.context.machine_zone,
        bars=tuple(_list_bars(snapshot, since, until)),
        workflows=tuple(_list_workflows(snapshot, names, endings, gaps, (since, until))),
        answers=tuple(
            ReportedAnswer(
                workflow=one.workflow,
                name=names.get(one.workflow, one.workflow),
                kind=RequestKind(one.kind),
                sentence=one.sentence,
                answer=one.answer,
                at=one.answered,
                reason=one.reason or "",
                channel=one.answered_from or "",
            )
            for one in report_rows.iter_answered(snapshot.db, since, until)
        ),
        gaps=gaps,
        failing=tuple(_list_failing(snapshot, names)),
        paused=tuple(_list_paused(snapshot, names)),
        everything_paused_until=snapshot.everything_paused_until,
        waiting=tuple(
            ReportedRequest(
                workflow=one.workflow,
                name=names.get(one.workflow, one.workflow),
                kind=one.kind,
                sentence=one.sentence,
                since=one.created,
            )
            for one in requests.list_open(snapshot.db)
            if not REQUESTS[one.kind].is_report
        ),
    )


def _list_workflows(
    snapshot: Snapshot,
    names: dict[str, str],
    endings: list[EndingCounts],
    gaps: tuple[ReportedGap, ...],
    span: tuple[datetime, datetime],
) -> Iterator[ReportedWorkflow]:
    unrun: Counter[str] = Counter()
    for gap in gaps:
        unrun[gap.workflow] += gap.number
    slugs = {one.workflow for one in endings} | unrun.keys()
    for slug in sorted(slugs, key=lambda slug: natural_sort_key(str(names.get(slug, slug)))):
        own = [one for one in endings if one.workflow == slug]
        yield ReportedWorkflow(
            workflow=slug,
            name=names.get(slug, slug),
            succeeded=sum(one.succeeded for one in own),
            failed=sum(one.failed for one in own),
            refused=sum(one.refused for one in own),
            cancelled=sum(one.cancelled for one in own),
            not_run=unrun[slug],
            last=snapshot.format_instants(report_rows.find_last_summary(snapshot.db, slug, *span)),
        )


def _list_gaps(snapshot: Snapshot, names: dict[str, str], since: datetime, until: datetime) -> Iterator[ReportedGap]:
    for one in report_rows.count_not_run(snapshot.db, since, until):
        workflow, handler = split_handler_id(one.schedule)
        yield ReportedGap(
            workflow=workflow,
            name=names.get(workflow, workflow),
            job=find_job(snapshot, workflow, handler),
            state=one.state,
            sentence=_explain(one.reason),
            number=one.number,
            first=one.first,
            last=one.last,
        )


def _explain(reason: str | None) -> str:
    try:
        return "" if reason is None else OccurrenceReason(reason).sentence
    except ValueError:
        return str(reason)


def _list_failing(snapshot: Snapshot, names: dict[str, str]) -> Iterator[ReportedFailure]:
    for one in handlers.list_failing(snapshot.db):
        yield ReportedFailure(
            workflow=one.workflow,
            name=names.get(one.workflow, one.workflow),
            job=find_job(snapshot, one.workflow, one.name),
            failures=one.failures,
            since=one.since,
        )


def _list_paused(snapshot: Snapshot, names: dict[str, str]) -> Iterator[ReportedPause]:
    """Workflows first; a schedule that is held with its workflow is not listed again."""
    for flow in workflows.list_all(snapshot.db):
        if flow.status is WorkflowStatus.PAUSED:
            yield ReportedPause(
                workflow=flow.slug, name=flow.name, job="", until=flow.paused_until, note=flow.pause_note or ""
            )
    for row in schedules.list_all(snapshot.db):
        if row.paused and not row.held:
            yield ReportedPause(
                workflow=row.workflow,
                name=names.get(row.workflow, row.workflow),
                job=find_job(snapshot, row.workflow, row.handler),
                until=row.paused_until,
                note=row.pause_note or "",
            )


def _list_bars(snapshot: Snapshot, since: datetime, until: datetime) -> Iterator[ReportBar]:
    for start, end in split_span(since, until, find_zone(snapshot.context.machine_zone)):
        endings = report_rows.count_endings(snapshot.db, start, end)
        yield ReportBar(
            start=start,
            until=end,
            succeeded=sum(one.succeeded for one in endings),
            failed=sum(one.failed for one in endings),
            not_run=sum(one.number for one in report_rows.count_not_run(snapshot.db, start, end)),
        )


def split_span(since: datetime, until: datetime, zone: ZoneInfo) -> list[tuple[datetime, datetime]]:
    """Into days, weeks or a few hours, by the clock on the wall."""
    if until - since <= _HOURLY:
        bounds, step = [since], timedelta(hours=_HOURS)
        while bounds[-1] + step < until:
            bounds.append(bounds[-1] + step)
    else:
        days = 1 if until - since <= _MAX_DAILY else 7
        first = since.astimezone(zone).date()
        bounds = [since]
        while (at := _midnight(first + timedelta(days=days * len(bounds)), zone)) < until:
            bounds.append(at)
    return list(zip(bounds, [*bounds[1:], until], strict=True))


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)


def read_report(data: Mapping[str, Any]) -> Report:
    """From its JSON, as commands get it."""
    found: Report = _read(Report, data)
    return found


def _read(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if is_dataclass(kind):
        types = get_type_hints(kind)
        return kind(**{one.name: _read(types[one.name], value[one.name]) for one in fields(kind)})  # type: ignore[operator]
    if get_origin(kind) is tuple:
        return tuple(_read(get_args(kind)[0], one) for one in value)
    if kind is RequestKind:
        return RequestKind(value.replace("-", " "))
    return datetime.fromisoformat(value) if kind is datetime or datetime in get_args(kind) else value
