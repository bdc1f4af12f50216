"""Run now: chooses the handlers, checks what blocks them, and queues manual occurrences."""

import sqlite3
from datetime import datetime
from uuid import uuid4

from scheduler.engine.errors import RefusedError
from scheduler.engine.script_plan import HandlerPlan, ScriptPlan
from scheduler.rules.handler_ids import handler_id, lane_name
from scheduler.rules.phases import HandlerKind
from scheduler.rules.requests import Block, unblock_hint
from scheduler.rules.text import add_full_stop
from scheduler.store import lanes, mutations, occurrences, runs, schedules
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.workflows import WorkflowRow, WorkflowStatus
from scheduler.timing.occurrences import OccurrenceOrigin, occurrence_key

CHECKING = "Dayhand is checking whether it happened; wait a few minutes."


def choose_handlers(plan: ScriptPlan, handler: str | None) -> list[str]:
    """The named handler, else every producer, else the only job."""
    if handler is not None:
        found = plan.handlers.get(handler)
        if found is None:
            raise RefusedError("unknown", f"{plan.name} has no {handler}. It has: {', '.join(plan.handlers)}.")
        if found.kind is HandlerKind.CONSUMER:
            raise RefusedError("consumer", f"{handler} runs when something arrives.")
        return [handler]
    producers = [one.name for one in plan.handlers.values() if one.kind is HandlerKind.PRODUCER]
    jobs = [one.name for one in plan.handlers.values() if one.kind is HandlerKind.JOB]
    if producers or len(jobs) == 1:
        return producers or jobs
    if not jobs:
        sentence = "has nothing to start: it runs when something arrives."
        raise RefusedError("consumer", f"{plan.name} {sentence}")
    raise RefusedError("which", f"Choose one: {', '.join(handler_id(plan.workflow, name) for name in jobs)}.")


def refuse_if_blocked(db: sqlite3.Connection, row: WorkflowRow, handler: HandlerPlan, *, when_finished: bool) -> None:
    """RefusedError with what to do first: resume, fix, answer or wait."""
    if row.status is not WorkflowStatus.ACTIVE:
        raise RefusedError("paused", f"{row.name} is {row.status.value}; first: dayhand resume {row.slug}")
    schedule = schedules.find(db, handler_id(row.slug, handler.name))
    if schedule is not None and schedule.trouble is not None:
        raise RefusedError("trouble", f"{schedule.id} cannot run: {schedule.trouble} Fix that first.")
    if row.fixing:
        raise RefusedError("fixing", f"A repair of {row.name} is being prepared. Wait until it is done.")
    lane = lanes.find(db, row.slug, handler.lane)
    if lane is not None and lane.blocked is not None:
        help_line = unblock_hint(lane.blocked).format(slug=row.slug)
        if lane.blocked is Block.UNSURE and mutations.is_being_checked(db, row.slug):
            help_line = CHECKING
        raise RefusedError("blocked", f"{row.name} is blocked: {add_full_stop(lane.sentence or '')} {help_line}")
    is_busy = any(lane_name(one.handler, one.kind) == handler.lane for one in runs.list_active(db, row.slug))
    if is_busy and not when_finished:
        raise RefusedError(
            "busy", f"{row.name} is running now; dayhand run {row.slug} --when-finished starts it afterwards."
        )


def queue_occurrence(
    db: sqlite3.Connection, schedule: str, now: datetime, origin: OccurrenceOrigin, idempotency_key: str | None = None
) -> str:
    """Queue a run outside the regular times; returns the key of its occurrence."""
    key = occurrence_key(schedule, now, origin, idempotency_key or uuid4().hex)
    planned = now.replace(microsecond=0)
    occurrences.insert(
        db, OccurrenceRow(key=key, schedule=schedule, planned=planned, due=now, origin=origin, created=now)
    )
    return key
