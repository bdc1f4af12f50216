"""Finds work that could start now: waiting runs, outside actions to check, and consumers with new events."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from scheduler.engine.scheduling.launcher import Work
from scheduler.engine.script_plan import ScriptPlans
from scheduler.rules.handler_ids import handler_id, lane_id, lane_name
from scheduler.rules.lanes import Candidate, LanePriority
from scheduler.rules.mutations import Continuation, decide_continuation
from scheduler.rules.phases import HandlerKind, RunStatus
from scheduler.store import handlers, lanes, mutations, occurrences, requests, runs
from scheduler.store.mutations import MutationRow
from scheduler.store.requests import RequestRow
from scheduler.store.runs import RunRow


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkItem:
    """What to do, where the names in `Work` are not enough."""

    run: RunRow | None = None
    """The run to resume."""
    check: MutationRow | None = None
    """The outside action to check."""
    request: str | None = None
    """The request to remind of, or to let expire."""


ReadyWork = tuple[Candidate, Work]


def find_ready_work(db: sqlite3.Connection, plans: ScriptPlans, now: datetime) -> list[ReadyWork]:
    found = [_resume(db, plans, row, now) for row in runs.list_resumable(db, now)]
    found += [_check(db, row) for row in mutations.list_due_checks(db, now)]
    found += [_expiry(db, row, now) for row in requests.list_due(db, now)]
    found += [_consumer(one, now) for one in handlers.list_ready(db, now)]
    return [one for one in found if one is not None]


def _resume(db: sqlite3.Connection, plans: ScriptPlans, row: RunRow, now: datetime) -> ReadyWork | None:
    handler = plans.current(db, row.workflow).handlers.get(row.handler)
    ground = lanes.read_start_conditions(db, row.workflow, lane_name(row.handler, row.kind))
    if handler is not None and (ground is None or not ground.can_start(row.id)):
        return None
    has_acted = decide_continuation(mutations.status_of(db, row.id)) is Continuation.EMIT
    continues = has_acted or row.status in (RunStatus.APPROVAL, RunStatus.RECONCILIATION)
    one = None if row.occurrence is None else occurrences.find(db, row.occurrence)
    turn = LanePriority.CONTINUATION if continues else LanePriority.RETRY
    return Candidate(priority=turn, name=row.id, due_since=row.resume_at or now), Work(
        key=row.occurrence or row.chain,
        lane=lane_id(row.workflow, row.handler, row.kind),
        subject=handler_id(row.workflow, row.handler),
        planned=None if one is None else one.planned,
        needs=() if continues or handler is None else handler.needs,
        payload=WorkItem(run=row),
    )


def _check(db: sqlite3.Connection, row: MutationRow) -> ReadyWork | None:
    run = runs.find(db, row.run)
    if run is None:
        return None
    return Candidate(priority=LanePriority.CONTINUATION, name=run.id, due_since=row.check_at or row.begun), Work(
        key=f"check {run.id}",
        lane=lane_id(run.workflow, run.handler, run.kind),
        subject=handler_id(run.workflow, run.handler),
        payload=WorkItem(check=row),
    )


def _expiry(db: sqlite3.Connection, row: RequestRow, now: datetime) -> ReadyWork | None:
    run = None if row.run is None else runs.find(db, row.run)
    if run is None:
        return None
    return Candidate(priority=LanePriority.CONTINUATION, name=run.id, due_since=row.wake_at or now), Work(
        key=f"expiry {row.id}",
        lane=lane_id(run.workflow, run.handler, run.kind),
        subject=handler_id(run.workflow, run.handler),
        payload=WorkItem(request=row.id),
    )


def _consumer(one: handlers.ReadyRow, now: datetime) -> ReadyWork:
    subject = handler_id(one.workflow, one.name)
    candidate = Candidate(
        priority=LanePriority.CONSUMER, name=subject, due_since=one.wake_at or now, oldest_event=one.oldest_event
    )
    return candidate, Work(key=subject, lane=lane_id(one.workflow, one.name, HandlerKind.CONSUMER), subject=subject)
