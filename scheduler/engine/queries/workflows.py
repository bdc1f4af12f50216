"""Workflows in a list, and one with everything about it."""

from dataclasses import dataclass
from datetime import datetime

from scheduler.engine.plans import Handler
from scheduler.engine.upcoming import upcoming_times
from scheduler.engine.workflows.names import as_people_count, find_workflow
from scheduler.engine.workflows.views.look import Look
from scheduler.engine.workflows.views.runs import RunView, view_run
from scheduler.engine.workflows.views.sentences import say_schedule, say_state
from scheduler.rules.mutations import Mutation
from scheduler.rules.phases import HandlerKind
from scheduler.rules.states import WorkflowFacts, WorkflowState, decide_state
from scheduler.store import backfills, events, grants, handlers, history, lanes, mutations, runs, workflows
from scheduler.store.history import Page, Search
from scheduler.store.lanes import Block
from scheduler.store.requests import RequestKind
from scheduler.store.schedules import ScheduleRow
from scheduler.store.standings import Standing, gather
from scheduler.store.workflows import WorkflowStatus
from scheduler.timing.errors import BadScheduleError

_RECENT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowView:
    name: str
    workflow: str
    """Its slug: how commands and other rows name it."""
    state: WorkflowState
    words: str
    next: datetime | None
    attention: int
    """How many things wait for the person."""
    tags: tuple[str, ...]
    version: int
    """Of its script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerView:
    name: str
    kind: str
    schedule: str | None
    """Its times in words."""
    next: datetime | None
    state: WorkflowState
    last_run: datetime | None
    subscribes: tuple[str, ...]
    publishes: tuple[str, ...]
    failures: int
    """How often it failed in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantView:
    kind: str
    handler: str | None
    connection: str
    tool: str
    created: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillView:
    """Past times that a person asked for and that are still being run."""

    handler: str
    backfill: str
    made: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneView:
    handlers: tuple[str, ...]
    blocked: str | None
    sentence: str | None
    run: str | None
    until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowDetails(WorkflowView):
    description: str
    path: str
    watching: bool
    connections: tuple[str, ...]
    handlers: tuple[HandlerView, ...]
    pending: dict[str, int]
    """By topic: how many events wait."""
    recent: tuple[RunView, ...]
    grants: tuple[GrantView, ...]
    backfills: tuple[BackfillView, ...]
    lanes: tuple[LaneView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A workflow that is deployed again when its file is saved."""

    workflow: str
    path: str
    sha256: str
    """Of the version in use."""


def find_watched(look: Look) -> list[Watched]:
    """Those that are not put away."""
    found = []
    for row in workflows.every_one(look.db):
        if row.watching and row.status is not WorkflowStatus.ARCHIVED:
            script = workflows.find_script(look.db, row.slug, row.script)
            found.append(Watched(workflow=row.slug, path=row.path, sha256="" if script is None else script.sha256))
    return found


def find_all(look: Look, *, state: WorkflowState | None = None, tag: str | None = None) -> list[WorkflowView]:
    found = [_view(look, standing) for standing in gather(look.db, look.now) if tag in (None, *standing.row.tags)]
    found.sort(key=lambda one: (as_people_count(one.name), one.workflow))
    if state is None:
        return [one for one in found if one.state is not WorkflowState.ARCHIVED]
    return [one for one in found if one.state is state]


def name_all(look: Look) -> dict[str, str]:
    return {one.slug: one.name for one in workflows.every_one(look.db)}


def find_underway(look: Look) -> tuple[str, ...]:
    """With an action that has begun and not ended, or a job: cut off, it would have to ask whether it finished."""
    names = name_all(look)
    found = [one.workflow for one in mutations.unsettled(look.db) if one.status is Mutation.IN_FLIGHT]
    for run in runs.active(look.db):
        handler = look.plans.current(look.db, run.workflow).handlers.get(run.handler)
        if run.kind is HandlerKind.JOB and (handler is None or handler.after_crash != "again"):
            found.append(run.workflow)
    return tuple(dict.fromkeys(names.get(slug, slug) for slug in found))


def describe(look: Look, name: str) -> WorkflowDetails:
    row = find_workflow(look.db, name)
    [standing] = gather(look.db, look.now, row.slug)
    view, plan = _view(look, standing), look.plans.current(look.db, row.slug)
    recent = history.find_runs(look.db, Search(workflow=row.slug), Page(), _RECENT)
    script = workflows.find_script(look.db, row.slug, row.script)
    return WorkflowDetails(
        **{name: getattr(view, name) for name in WorkflowView.__dataclass_fields__},
        description="" if script is None else str(script.described.get("docstring", "")),
        path=row.path,
        watching=row.watching,
        connections=plan.connections,
        handlers=tuple(_view_handler(look, standing, one) for one in plan.handlers.values()),
        pending=events.number_pending(look.db, row.slug),
        recent=tuple(view_run(one) for one in recent),
        grants=_view_grants(look, row.slug),
        backfills=tuple(
            BackfillView(handler=schedule.handler, backfill=one.id, made=one.made, total=one.total)
            for schedule in standing.schedules
            for one in backfills.going_on(look.db, schedule.id)
        ),
        lanes=tuple(
            LaneView(
                handlers=tuple(one.name for one in plan.handlers.values() if one.lane == lane.name),
                blocked=None if lane.blocked is None else lane.blocked.value,
                sentence=lane.sentence,
                run=lane.run,
                until=lane.until,
            )
            for lane in lanes.of_workflow(look.db, row.slug)
        ),
    )


def next_time(look: Look, row: ScheduleRow) -> datetime | None:
    """When it runs next if nobody does anything."""
    if row.rests and row.paused_until is None:
        return None
    is_plain = not row.rests and row.skip_at is None and row.trouble is None and '"limit"' not in row.spec
    if is_plain and (row.next_due is None or row.next_due > look.now):
        return row.next_at
    try:
        coming = upcoming_times(look.context, look.db, row, 1, look.now)
    except BadScheduleError:
        return None
    return coming[0] if coming else None


def _view(look: Look, standing: Standing) -> WorkflowView:
    facts = _facts(look, standing)
    state = decide_state(facts, look.now)
    return WorkflowView(
        name=standing.row.name,
        workflow=standing.row.slug,
        state=state,
        words=say_state(look, standing, facts, state),
        next=_next_by_itself(look, standing, facts),
        attention=facts.asks + sum(one.kind is RequestKind.INTERNAL for one in standing.requests),
        tags=standing.row.tags,
        version=standing.row.script,
    )


def _next_by_itself(look: Look, standing: Standing, facts: WorkflowFacts) -> datetime | None:
    """Without the times of lanes that a person must open first: they pass, or wait for that."""
    held = {lane.name for lane in standing.blocked if lane.blocked is not Block.RETRYING}
    if not held or facts.next_at is None:
        return facts.next_at
    free = [one for one in standing.schedules if lanes.lane_of(one.handler, HandlerKind(one.kind)) not in held]
    times = [at for one in free if (at := next_time(look, one)) is not None]
    return min([*times, *([] if "" in held else standing.wakes.values())], default=None)


def _facts(look: Look, standing: Standing) -> WorkflowFacts:
    row, rests = standing.row, standing.row.status is not WorkflowStatus.ACTIVE
    times = [] if rests else [at for one in standing.schedules if (at := next_time(look, one)) is not None]
    again = [lane.until for lane in standing.blocked if lane.blocked is Block.RETRYING and lane.until is not None]
    unasked = [
        lane
        for lane in standing.blocked
        if lane.blocked is not Block.INTERNAL
        and not standing.finds_out_alone(lane)
        and not standing.is_asked_about(lane)
        and not (row.fixing and lane.blocked is Block.SCRIPT_ERROR)
    ]
    return WorkflowFacts(
        is_paused=row.status is WorkflowStatus.PAUSED,
        is_archived=row.status is WorkflowStatus.ARCHIVED,
        is_fixing=row.fixing,
        everything_paused_until=look.everything_paused_until,
        asks=sum(one.kind is not RequestKind.INTERNAL for one in standing.requests)
        + len(unasked)
        + sum(one.trouble is not None for one in standing.schedules),
        has_failed_inside=any(lane.blocked is Block.INTERNAL for lane in standing.blocked),
        is_active=bool(standing.active),
        earliest_waiting=min(standing.waiting.values(), default=None),
        tries_again_at=min([*again, *standing.checks.values()], default=None),
        next_at=min([*times, *standing.wakes.values()], default=None),
        has_schedule=bool(standing.schedules),
        paused_schedules=bool(standing.schedules) and all(one.paused for one in standing.schedules),
    )


def _view_handler(look: Look, standing: Standing, handler: Handler) -> HandlerView:
    row = handlers.find(look.db, standing.row.slug, handler.name)
    schedule = next((one for one in standing.schedules if one.handler == handler.name), None)
    wake = standing.wakes.get(handler.name)
    began = None if schedule is None else schedule.last_run
    if schedule is None:
        last = history.find_runs(look.db, Search(workflow=standing.row.slug, handler=handler.name), Page(), 1)
        began = last[0].began if last else None
    return HandlerView(
        name=handler.name,
        kind=handler.kind.value,
        schedule=None if schedule is None else say_schedule(look, schedule),
        next=wake if schedule is None else next_time(look, schedule),
        state=decide_state(_facts(look, _part(look, standing, handler)), look.now),
        last_run=began,
        subscribes=handler.subscribes,
        publishes=handler.publishes,
        failures=0 if row is None else row.failures,
    )


def _part(look: Look, standing: Standing, handler: Handler) -> Standing:
    """What concerns one handler: what runs, waits and asks of it, and whatever closed its lane."""
    blocked = [one for one in standing.blocked if one.name == handler.lane]
    mine = {run.id for run in standing.active if run.handler == handler.name}
    asking = {lane.run for lane in blocked}
    for one in standing.requests:
        run = None if one.run is None else runs.find(look.db, one.run)
        if run is not None and run.handler == handler.name:
            asking.add(run.id)
    return Standing(
        standing.row,
        schedules=[one for one in standing.schedules if one.handler == handler.name],
        requests=[one for one in standing.requests if one.run in asking],
        blocked=blocked,
        active=[run for run in standing.active if run.id in mine],
        waiting={name: at for name, at in standing.waiting.items() if name == handler.name},
        checks={run: at for run, at in standing.checks.items() if run in {lane.run for lane in blocked}},
        wakes={name: at for name, at in standing.wakes.items() if name == handler.name},
    )


def _view_grants(look: Look, slug: str) -> tuple[GrantView, ...]:
    return tuple(
        GrantView(
            kind=one.kind.value,
            handler=one.handler or None,
            connection=one.connection,
            tool=one.tool,
            created=one.created,
        )
        for one in grants.of_workflow(look.db, slug)
    )
