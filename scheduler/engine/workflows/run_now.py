"""Run now: chooses the handlers, checks what blocks them, and queues their runs."""

import sqlite3
from datetime import datetime
from typing import Any

from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.runs.start import run_id
from scheduler.engine.scheduling.manual_runs import queue_manual_run
from scheduler.engine.script_plan import HandlerPlan, ScriptPlan
from scheduler.rules.handler_ids import handler_id, lane_name
from scheduler.rules.phases import HandlerKind
from scheduler.rules.requests import Block, unblock_hint
from scheduler.store import lanes, mutations, runs, schedules
from scheduler.store.workflows import WorkflowRow, WorkflowStatus
from scheduler.timing.policies import Overlap
from scheduler.user_text import UserText, add_full_stop

CHECKING = UserText("Dayhand is checking whether it happened; wait a few minutes.")


def choose_handlers(plan: ScriptPlan, handler: str | None) -> list[str]:
    """The named handler, else every producer, else the only job."""
    if handler is not None:
        found = plan.handlers.get(handler)
        if found is None:
            raise RefusedError(
                "unknown",
                UserText(
                    "{name} has no {handler}. It has: {handlers}.",
                    name=plan.name,
                    handler=handler,
                    handlers=", ".join(plan.handlers),
                ),
            )
        if found.kind is HandlerKind.CONSUMER:
            raise RefusedError("consumer", UserText("{handler} runs when something arrives.", handler=handler))
        return [handler]
    producers = [one.name for one in plan.handlers.values() if one.kind is HandlerKind.PRODUCER]
    jobs = [one.name for one in plan.handlers.values() if one.kind is HandlerKind.JOB]
    if producers or len(jobs) == 1:
        return producers or jobs
    if not jobs:
        raise RefusedError(
            "consumer", UserText("{name} has nothing to start: it runs when something arrives.", name=plan.name)
        )
    raise RefusedError(
        "which", UserText("Choose one: {jobs}.", jobs=", ".join(handler_id(plan.workflow, name) for name in jobs))
    )


def refuse_if_blocked(db: sqlite3.Connection, row: WorkflowRow, handler: HandlerPlan, *, may_wait: bool) -> None:
    """RefusedError with what to do first: resume, fix, answer or wait."""
    if row.status is not WorkflowStatus.ACTIVE:
        raise RefusedError(
            "paused",
            UserText(
                "{name} is {status}; first: dayhand resume {slug}",
                name=row.name,
                status=row.status.value,
                slug=row.slug,
            ),
        )
    schedule = schedules.find(db, handler_id(row.slug, handler.name))
    if schedule is not None and schedule.trouble is not None:
        raise RefusedError(
            "trouble",
            UserText(
                "{schedule} cannot run: {trouble} Fix that first.", schedule=schedule.id, trouble=schedule.trouble
            ),
        )
    if row.fixing:
        raise RefusedError(
            "fixing", UserText("A repair of {name} is being prepared. Wait until it is done.", name=row.name)
        )
    lane = lanes.find(db, row.slug, handler.lane)
    if lane is not None and lane.blocked is not None and lane.blocked is not Block.BACKING_OFF:
        help_line = UserText(unblock_hint(lane.blocked), slug=row.slug)
        if lane.blocked is Block.UNSURE and mutations.is_being_checked(db, row.slug):
            help_line = CHECKING
        raise RefusedError(
            "blocked",
            UserText(
                "{name} is blocked: {add_full_stop} {help_line}",
                name=row.name,
                add_full_stop=add_full_stop(lane.sentence or ""),
                help_line=help_line,
            ),
        )
    if is_busy(db, row, handler) and not may_wait:
        raise RefusedError(
            "busy",
            UserText(
                "{name} is running now; dayhand run {slug} --when-finished starts it afterwards.",
                name=row.name,
                slug=handler_id(row.slug, handler.name) if handler.kind is HandlerKind.JOB else row.slug,
            ),
        )


def end_backoff(db: sqlite3.Connection, workflow: str, handler: HandlerPlan) -> None:
    """The user does not have to wait until a failed job may run again."""
    lane = lanes.find(db, workflow, handler.lane)
    if lane is not None and lane.blocked is Block.BACKING_OFF:
        lanes.unblock(db, workflow, handler.lane)


def is_busy(db: sqlite3.Connection, row: WorkflowRow, handler: HandlerPlan) -> bool:
    """Whether something runs in its lane now."""
    return any(lane_name(one.handler, one.kind) == handler.lane for one in runs.list_active(db, row.slug))


def queue_runs(
    context: EngineContext,
    db: sqlite3.Connection,
    row: WorkflowRow,
    handlers: list[HandlerPlan],
    overlap: Overlap | None,
    idempotency_key: str | None,
    now: datetime,
) -> dict[str, Any]:
    """Queue a run of each; the answer says whether they have to wait for what runs now."""
    keys = []
    for one in handlers:
        schedule = schedules.find(db, handler_id(row.slug, one.name))
        assert schedule is not None, "every producer and job has one"
        limit = context.settings.buffer_limit
        end_backoff(db, row.slug, one)
        keys.append(
            queue_manual_run(db, schedule, now, overlap=overlap, buffer_limit=limit, idempotency_key=idempotency_key)
        )
    waits = overlap is not Overlap.ALLOW_ALL and any(is_busy(db, row, one) for one in handlers)
    return {"runs": [run_id(key) for key in keys], "waits": waits}
