"""Everything that the page of one workflow shows, read in one go. Never in the GUI thread."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from app.life.installation import Installation
from app.window.deploy_offer import Use
from app.window.history_rows import Row, make_rows, read_asked
from app.words.interpreting import interpret
from scheduler.engine.backfilling import count_missing
from scheduler.engine.upcoming import upcoming_times
from scheduler.engine.workflows.permissions import begin_line, list_permissions
from scheduler.engine.workflows.views.history import Found
from scheduler.engine.workflows.views.statistics import Statistics
from scheduler.engine.workflows.views.versions import VersionView
from scheduler.engine.workflows.views.workflows import WorkflowDetails
from scheduler.store import backfills, grants, schedules, workflows
from scheduler.store.backfills import BackfillRow
from scheduler.store.grants import GrantKind
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.words import say
from scheduler.workers.discovery import find_tools

SHOWN_TIMES = 5
_RECENT = 30
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleFacts:
    id: str
    handler: str
    version: int
    words: str
    zone: str
    spec: dict[str, Any]
    ran: int
    """Runs that count against its limit."""
    coming: tuple[datetime, ...]
    is_paused: bool
    skips: datetime | None
    backfills: tuple[BackfillRow, ...]
    """Those that have not ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowFacts:
    details: WorkflowDetails
    schedules: tuple[ScheduleFacts, ...]
    recent: tuple[Row, ...]
    week: Statistics
    versions: tuple[VersionView, ...]
    uses: tuple[Use, ...]
    unasked: tuple[str, ...]
    """What it does without asking, because the person once said always."""
    missing: tuple[str, ...]
    request: str
    """The oldest thing that it asks; empty if it asks nothing."""
    machine_zone: str
    now: datetime


def read_workflow(installation: Installation, slug: str) -> WorkflowFacts:
    """RefusedError if there is none."""
    views, context = installation.views, installation.house.engine.context
    registry, db = installation.house.registry, installation.database.read()
    details = views.workflow(slug)
    row = workflows.find(db, details.workflow)
    script = None if row is None else workflows.find_script(db, row.slug, row.script)
    uses = find_tools("" if script is None else script.source)
    plan = installation.house.plans.current(db, details.workflow)
    granted = grants.of_workflow(db, slug)
    allowed = {(one.connection, one.tool) for one in granted if one.kind is GrantKind.PERMISSION}
    unasked = {(one.connection, one.tool) for one in granted if one.kind is GrantKind.APPROVAL}
    said = {(one.connection, one.tool): one.sentence for one in list_permissions(registry, plan, uses, unasked)}
    page = views.history(Found(workflow=slug), None, _RECENT)
    rows = make_rows(page, {slug: details.name}, read_asked(installation, page))[:_RECENT]
    return WorkflowFacts(
        details=details,
        schedules=tuple(read_schedule(installation, one) for one in schedules.every_one(db, workflow=details.workflow)),
        recent=rows,
        week=views.statistics(slug),
        versions=tuple(views.versions(slug)),
        uses=tuple(
            Use(
                connection=name,
                tool=tool,
                words=begin_line(interpret(said.get((name, tool), f"may {registry.say_ability(name, tool)}"))),
                is_allowed=(name, tool) in allowed,
            )
            for name, tool in sorted(said.keys() | allowed)
        ),
        unasked=tuple(interpret(registry.say_ability(name, tool)) for name, tool in sorted(unasked)),
        missing=views.unconnected(details.connections),
        request=next((one.id for one in views.attention() if details.workflow in one.workflows), ""),
        machine_zone=context.machine_zone,
        now=context.clock.now(),
    )


def find_schedule(installation: Installation, identity: str) -> ScheduleFacts | None:
    """As it is now."""
    row = schedules.find(installation.database.read(), identity)
    return None if row is None or row.removed is not None else read_schedule(installation, row)


def read_schedule(installation: Installation, row: ScheduleRow) -> ScheduleFacts:
    context, db = installation.house.engine.context, installation.database.read()
    now = context.clock.now()
    try:
        spec, _ = context.compile(row.id, row.spec)
        words, zone = say(spec, viewer_zone=context.machine_zone), spec.timezone
        coming = tuple(upcoming_times(context, db, row, SHOWN_TIMES, now))
    except BadScheduleError as error:
        words, zone, coming = error.sentence, context.machine_zone, ()
    try:
        written = json.loads(row.spec)
    except ValueError:
        written = {}
    return ScheduleFacts(
        id=row.id,
        handler=row.handler,
        version=row.version,
        words=row.trouble or words,
        zone=zone,
        spec=written if isinstance(written, dict) else {},
        ran=row.runs,
        coming=coming,
        is_paused=row.rests,
        skips=row.skip_at,
        backfills=tuple(backfills.going_on(db, row.id)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PastTimes:
    number: int
    """In that range, counted up to so many."""
    missing: int
    """Those of them that have not run."""


def count_times(installation: Installation, identity: str, start: datetime, end: datetime, most: int) -> PastTimes:
    """The planned times of a past range."""
    context, db = installation.house.engine.context, installation.database.read()
    row, last = schedules.find(db, identity), min(end, context.clock.now())
    if row is None or last < start:
        return PastTimes(number=0, missing=0)
    _, times = context.compile(row.id, row.spec)
    number = times.count(start - _TICK, last, most).number
    return PastTimes(number=number, missing=count_missing(db, row.id, times, start, last) if number < most else number)


def read_sources(installation: Installation, slug: str, old: int | None, new: int) -> tuple[str, str]:
    """The texts of two versions; without an old one, nothing."""
    db = installation.database.read()
    texts = []
    for number in (old, new):
        script = None if number is None else workflows.find_script(db, slug, number)
        texts.append("" if script is None else script.source)
    return texts[0], texts[1]
