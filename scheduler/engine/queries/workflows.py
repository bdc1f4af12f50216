"""Workflows: list entries and full details."""

from dataclasses import dataclass
from datetime import datetime

from scheduler.engine.lookup import find_workflow, natural_sort_key
from scheduler.engine.queries.job_names import find_command, find_job
from scheduler.engine.queries.next_times import next_time
from scheduler.engine.queries.runs import RunView, view_run
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.engine.queries.status_text import describe_schedule, describe_state, find_missed
from scheduler.engine.script_plan import HandlerPlan
from scheduler.rules.handler_ids import lane_name
from scheduler.rules.history_query import HistoryCursor, HistoryQuery
from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import HandlerKind
from scheduler.rules.requests import WAITS_FOR_TIME, Block, RequestKind
from scheduler.rules.workflow_state import WorkflowState, WorkflowStateFacts, decide_state
from scheduler.store import backfills, events, grants, handlers, history, lanes, mutations, runs, workflows
from scheduler.store.workflow_status import StoredWorkflow, load
from scheduler.store.workflows import WorkflowStatus

_RECENT_RUNS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowView:
    name: str
    workflow: str
    """The slug, which commands and other rows use."""
    state: WorkflowState
    words: str
    next: datetime | None
    attention: int
    """How many things need the user."""
    tags: tuple[str, ...]
    version: int
    """The script version."""
    is_failing: bool = False
    """Whether the last run of a part of it failed."""
    next_job: str = ""
    """The job that runs next, if the workflow has more than that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerView:
    name: str
    kind: str
    schedule: str | None
    """In words."""
    next: datetime | None
    state: WorkflowState
    last_run: datetime | None
    subscribes: tuple[str, ...]
    publishes: tuple[str, ...]
    failures: int
    """Failures in a row."""
    failing_since: datetime | None
    command: str = ""
    """The command line of a job, if it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantView:
    kind: str
    handler: str | None
    connection: str
    tool: str
    created: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillView:
    """A backfill that is still running."""

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
    """Number of pending events by topic."""
    recent: tuple[RunView, ...]
    grants: tuple[GrantView, ...]
    backfills: tuple[BackfillView, ...]
    lanes: tuple[LaneView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedWorkflow:
    """A workflow that is deployed again when its file is saved."""

    workflow: str
    path: str
    sha256: str
    """Hash of the current version."""


def find_watched(snapshot: Snapshot) -> list[WatchedWorkflow]:
    """Without archived ones."""
    found = []
    for row in workflows.list_all(snapshot.db):
        if row.watching and row.status is not WorkflowStatus.ARCHIVED:
            script = workflows.find_script(snapshot.db, row.slug, row.script)
            found.append(
                WatchedWorkflow(workflow=row.slug, path=row.path, sha256="" if script is None else script.sha256)
            )
    return found


def find_all(snapshot: Snapshot, *, state: WorkflowState | None = None, tag: str | None = None) -> list[WorkflowView]:
    found = [
        _view(snapshot, standing) for standing in load(snapshot.db, snapshot.now) if tag in (None, *standing.row.tags)
    ]
    found.sort(key=lambda one: (natural_sort_key(one.name), one.workflow))
    if state is None:
        return [one for one in found if one.state is not WorkflowState.ARCHIVED]
    return [one for one in found if one.state is state]


def list_names(snapshot: Snapshot) -> dict[str, str]:
    return {one.slug: one.name for one in workflows.list_all(snapshot.db)}


def find_uninterruptible(snapshot: Snapshot) -> tuple[str, ...]:
    """Workflows in an outside action, or in a job that could not simply be restarted after an interruption."""
    names = list_names(snapshot)
    found = [one.workflow for one in mutations.list_unresolved(snapshot.db) if one.status is MutationStatus.IN_FLIGHT]
    for run in runs.list_active(snapshot.db):
        handler = snapshot.plans.current(snapshot.db, run.workflow).handlers.get(run.handler)
        if run.kind is HandlerKind.JOB and (handler is None or handler.after_crash != "again"):
            found.append(run.workflow)
    return tuple(dict.fromkeys(names.get(slug, slug) for slug in found))


def describe(snapshot: Snapshot, name: str) -> WorkflowDetails:
    row = find_workflow(snapshot.db, name)
    [standing] = load(snapshot.db, snapshot.now, row.slug)
    view, plan = _view(snapshot, standing), snapshot.plans.current(snapshot.db, row.slug)
    recent = history.find_runs(snapshot.db, HistoryQuery(workflow=row.slug), HistoryCursor(), _RECENT_RUNS)
    script = workflows.find_script(snapshot.db, row.slug, row.script)
    return WorkflowDetails(
        **{name: getattr(view, name) for name in WorkflowView.__dataclass_fields__},
        description="" if script is None else str(script.described.get("docstring", "")),
        path=row.path,
        watching=row.watching,
        connections=plan.connections,
        handlers=tuple(_view_handler(snapshot, standing, one) for one in plan.handlers.values()),
        pending=events.count_pending(snapshot.db, row.slug),
        recent=tuple(view_run(snapshot, one) for one in recent),
        grants=_view_grants(snapshot, row.slug),
        backfills=tuple(
            BackfillView(handler=schedule.handler, backfill=one.id, made=one.made, total=one.total)
            for schedule in standing.schedules
            for one in backfills.list_unfinished(snapshot.db, schedule.id)
        ),
        lanes=tuple(
            LaneView(
                handlers=tuple(one.name for one in plan.handlers.values() if one.lane == lane.name),
                blocked=None if lane.blocked is None else lane.blocked.value,
                sentence=lane.sentence,
                run=lane.run,
                until=lane.until,
            )
            for lane in lanes.of_workflow(snapshot.db, row.slug)
        ),
    )


def _view(snapshot: Snapshot, standing: StoredWorkflow) -> WorkflowView:
    facts = _facts(snapshot, standing)
    state = decide_state(facts, snapshot.now)
    next_at = _next_unblocked(snapshot, standing, facts)
    return WorkflowView(
        name=standing.row.name,
        workflow=standing.row.slug,
        state=state,
        words=describe_state(snapshot, standing, facts, state),
        next=next_at,
        attention=facts.asks + sum(one.kind is RequestKind.INTERNAL for one in standing.requests),
        tags=standing.row.tags,
        version=standing.row.script,
        is_failing=bool(standing.failing),
        next_job=_find_next_job(snapshot, standing, next_at),
    )


def _find_next_job(snapshot: Snapshot, standing: StoredWorkflow, next_at: datetime | None) -> str:
    if next_at is None or len(standing.schedules) < 2:
        return ""
    row = next((one for one in standing.schedules if next_time(snapshot, one) == next_at), None)
    return "" if row is None else find_job(snapshot, row.workflow, row.handler)


def _next_unblocked(snapshot: Snapshot, standing: StoredWorkflow, facts: WorkflowStateFacts) -> datetime | None:
    """The next time, ignoring lanes that are blocked until the user acts."""
    blocked = _lanes_waiting_for_user(standing)
    if not blocked or facts.next_at is None:
        return facts.next_at
    free = [one for one in standing.schedules if lane_name(one.handler, one.kind) not in blocked]
    times = [at for one in free if (at := next_time(snapshot, one)) is not None]
    return min([*times, *([] if "" in blocked else standing.wakes.values())], default=None)


def _lanes_waiting_for_user(standing: StoredWorkflow) -> set[str]:
    return {lane.name for lane in standing.blocked if lane.blocked not in WAITS_FOR_TIME}


def _facts(snapshot: Snapshot, standing: StoredWorkflow) -> WorkflowStateFacts:
    row, is_inactive = standing.row, standing.row.status is not WorkflowStatus.ACTIVE
    times = [] if is_inactive else [at for one in standing.schedules if (at := next_time(snapshot, one)) is not None]
    retries = [lane.until for lane in standing.blocked if lane.blocked is Block.RETRYING and lane.until is not None]
    without_request = [
        lane
        for lane in standing.blocked
        if lane.blocked is not Block.INTERNAL
        and lane.name not in standing.dismissed
        and not standing.resolves_itself(lane)
        and not standing.has_request_for(lane)
        and not (row.fixing and lane.blocked is Block.SCRIPT_ERROR)
    ]
    return WorkflowStateFacts(
        is_paused=row.status is WorkflowStatus.PAUSED,
        is_archived=row.status is WorkflowStatus.ARCHIVED,
        is_fixing=row.fixing,
        everything_paused_until=snapshot.everything_paused_until,
        asks=sum(one.kind is not RequestKind.INTERNAL for one in standing.requests)
        + len(without_request)
        + sum(one.trouble is not None for one in standing.schedules),
        has_failed_inside=any(
            lane.blocked is Block.INTERNAL and lane.name not in standing.dismissed for lane in standing.blocked
        ),
        has_dismissed_block=bool(standing.dismissed),
        is_active=bool(standing.active),
        earliest_waiting=min(standing.waiting.values(), default=None),
        tries_again_at=min([*retries, *standing.checks.values()], default=None),
        next_at=min([*times, *standing.wakes.values()], default=None),
        has_schedule=bool(standing.schedules),
        paused_schedules=bool(standing.schedules) and all(one.paused for one in standing.schedules),
        has_missed=find_missed(snapshot, standing) is not None,
    )


def _view_handler(snapshot: Snapshot, standing: StoredWorkflow, handler: HandlerPlan) -> HandlerView:
    row = handlers.find(snapshot.db, standing.row.slug, handler.name)
    schedule = next((one for one in standing.schedules if one.handler == handler.name), None)
    wake = standing.wakes.get(handler.name)
    began = None if schedule is None else schedule.last_run
    if schedule is None:
        last = history.find_runs(
            snapshot.db, HistoryQuery(workflow=standing.row.slug, handler=handler.name), HistoryCursor(), 1
        )
        began = last[0].began if last else None
    is_blocked = handler.lane in _lanes_waiting_for_user(standing)
    return HandlerView(
        name=handler.name,
        kind=handler.kind.value,
        schedule=None if schedule is None else describe_schedule(snapshot, schedule),
        next=None if is_blocked else wake if schedule is None else next_time(snapshot, schedule),
        state=decide_state(_facts(snapshot, _only_handler(snapshot, standing, handler)), snapshot.now),
        last_run=began,
        subscribes=handler.subscribes,
        publishes=handler.publishes,
        failures=0 if row is None else row.failures,
        failing_since=None if row is None else row.failing_since,
        command=find_command(snapshot, standing.row.slug, handler.name),
    )


def _only_handler(snapshot: Snapshot, standing: StoredWorkflow, handler: HandlerPlan) -> StoredWorkflow:
    """The part of the status that concerns one handler and its lane."""
    blocked = [one for one in standing.blocked if one.name == handler.lane]
    own_runs = {run.id for run in standing.active if run.handler == handler.name}
    asking_runs = {lane.run for lane in blocked}
    for one in standing.requests:
        run = None if one.run is None else runs.find(snapshot.db, one.run)
        if run is not None and run.handler == handler.name:
            asking_runs.add(run.id)
    return StoredWorkflow(
        standing.row,
        schedules=[one for one in standing.schedules if one.handler == handler.name],
        requests=[one for one in standing.requests if one.run in asking_runs],
        blocked=blocked,
        dismissed=standing.dismissed & {one.name for one in blocked},
        active=[run for run in standing.active if run.id in own_runs],
        waiting={name: at for name, at in standing.waiting.items() if name == handler.name},
        checks={run: at for run, at in standing.checks.items() if run in {lane.run for lane in blocked}},
        wakes={name: at for name, at in standing.wakes.items() if name == handler.name},
        failing=[one for one in standing.failing if one.name == handler.name],
        missed=[one for one in standing.missed if one.handler == handler.name],
    )


def _view_grants(snapshot: Snapshot, slug: str) -> tuple[GrantView, ...]:
    return tuple(
        GrantView(
            kind=one.kind.value,
            handler=one.handler or None,
            connection=one.connection,
            tool=one.tool,
            created=one.created,
        )
        for one in grants.of_workflow(snapshot.db, slug)
    )
