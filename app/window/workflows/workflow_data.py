"""Everything the pane of one workflow shows, read at once. Never in the GUI thread."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from app.i18n.translate import interpret
from app.session import Session
from app.window.history.history_data import HistoryRow, make_rows, read_questions
from app.window.new_workflow.deploy_check import UsedTool
from scheduler.engine.queries.statistics import Statistics
from scheduler.engine.queries.versions import VersionView
from scheduler.engine.queries.workflows import WorkflowDetails
from scheduler.engine.scheduling.backfill import count_missing
from scheduler.engine.scheduling.upcoming import upcoming_times
from scheduler.engine.workflows.permissions import capitalize_first, list_permissions
from scheduler.rules.history_query import HistoryQuery
from scheduler.store import backfills, grants, schedules, workflows
from scheduler.store.backfills import BackfillRow
from scheduler.store.grants import GrantKind
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.description import describe_schedule
from scheduler.timing.errors import BadScheduleError
from scheduler.workers.tool_scan import find_tool_uses

SHOWN_TIMES = 5
_MAX_RECENT = 30
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleData:
    id: str
    handler: str
    version: int
    description: str
    zone: str
    spec: dict[str, Any]
    run_count: int
    """Runs that count towards its limit."""
    next_times: tuple[datetime, ...]
    is_paused: bool
    skipped_time: datetime | None
    backfills: tuple[BackfillRow, ...]
    """Those still running."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowData:
    details: WorkflowDetails
    schedules: tuple[ScheduleData, ...]
    recent: tuple[HistoryRow, ...]
    week: Statistics
    versions: tuple[VersionView, ...]
    uses: tuple[UsedTool, ...]
    always_allowed: tuple[str, ...]
    """What it does without asking, because the user chose to always allow it."""
    missing: tuple[str, ...]
    request: str
    """Its oldest open request, or empty."""
    machine_zone: str
    now: datetime


def read_workflow(session: Session, slug: str) -> WorkflowData:
    """RefusedError if there is no such workflow."""
    views, context = session.queries, session.runtime.engine.context
    registry, db = session.runtime.registry, session.database.read()
    details = views.workflow(slug)
    row = workflows.find(db, details.workflow)
    script = None if row is None else workflows.find_script(db, row.slug, row.script)
    uses = find_tool_uses("" if script is None else script.source)
    plan = session.runtime.plans.current(db, details.workflow)
    granted = grants.of_workflow(db, slug)
    allowed = {(one.connection, one.tool) for one in granted if one.kind is GrantKind.PERMISSION}
    unasked = {(one.connection, one.tool) for one in granted if one.kind is GrantKind.APPROVAL}
    said = {(one.connection, one.tool): one.sentence for one in list_permissions(registry, plan, uses, unasked)}
    page = views.history(HistoryQuery(workflow=slug), None, _MAX_RECENT)
    rows = make_rows(page, {slug: details.name}, read_questions(session, page))[:_MAX_RECENT]
    return WorkflowData(
        details=details,
        schedules=tuple(read_schedule(session, one) for one in schedules.list_all(db, workflow=details.workflow)),
        recent=rows,
        week=views.statistics(slug),
        versions=tuple(views.versions(slug)),
        uses=tuple(
            UsedTool(
                connection=name,
                tool=tool,
                words=capitalize_first(
                    interpret(said.get((name, tool), f"may {registry.describe_ability(name, tool)}"))
                ),
                is_allowed=(name, tool) in allowed,
            )
            for name, tool in sorted(said.keys() | allowed)
        ),
        always_allowed=tuple(interpret(registry.describe_ability(name, tool)) for name, tool in sorted(unasked)),
        missing=views.unconnected(details.connections),
        request=next((one.id for one in views.attention() if details.workflow in one.workflows), ""),
        machine_zone=context.machine_zone,
        now=context.clock.now(),
    )


def find_schedule(session: Session, identity: str) -> ScheduleData | None:
    """The current state; None if it was removed."""
    row = schedules.find(session.database.read(), identity)
    return None if row is None or row.removed is not None else read_schedule(session, row)


def read_schedule(session: Session, row: ScheduleRow) -> ScheduleData:
    context, db = session.runtime.engine.context, session.database.read()
    now = context.clock.now()
    try:
        spec, _ = context.compile(row.id, row.spec)
        words, zone = describe_schedule(spec, viewer_zone=context.machine_zone), spec.timezone
        coming = tuple(upcoming_times(context, db, row, SHOWN_TIMES, now))
    except BadScheduleError as error:
        words, zone, coming = error.sentence, context.machine_zone, ()
    try:
        written = json.loads(row.spec)
    except ValueError:
        written = {}
    return ScheduleData(
        id=row.id,
        handler=row.handler,
        version=row.version,
        description=row.trouble or words,
        zone=zone,
        spec=written if isinstance(written, dict) else {},
        run_count=row.runs,
        next_times=coming,
        is_paused=row.is_suspended,
        skipped_time=row.skip_at,
        backfills=tuple(backfills.list_unfinished(db, row.id)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeCount:
    number: int
    """In the range, counted up to the given maximum."""
    missing: int
    """Those that have not run."""


def count_times(session: Session, identity: str, start: datetime, end: datetime, most: int) -> RangeCount:
    """Count the planned times in a past range."""
    context, db = session.runtime.engine.context, session.database.read()
    row, last = schedules.find(db, identity), min(end, context.clock.now())
    if row is None or last < start:
        return RangeCount(number=0, missing=0)
    _, times = context.compile(row.id, row.spec)
    number = times.count(start - _TICK, last, most).number
    return RangeCount(number=number, missing=count_missing(db, row.id, times, start, last) if number < most else number)


def read_sources(session: Session, slug: str, old: int | None, new: int) -> tuple[str, str]:
    """The source of two versions; empty for a missing one."""
    db = session.database.read()
    texts = []
    for number in (old, new):
        script = None if number is None else workflows.find_script(db, slug, number)
        texts.append("" if script is None else script.source)
    return texts[0], texts[1]
