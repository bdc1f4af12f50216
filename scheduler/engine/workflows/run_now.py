"""Run now: what is started, what stands in the way, and the occurrence that a person asks for."""

import sqlite3
from datetime import datetime
from uuid import uuid4

from scheduler.engine.definition import schedule_id
from scheduler.engine.plans import Handler, Plan
from scheduler.engine.refusal import RefusedError
from scheduler.rules.phases import HandlerKind
from scheduler.rules.sentences import finish
from scheduler.store import lanes, mutations, occurrences, runs, schedules
from scheduler.store.lanes import Block
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.workflows import WorkflowRow, WorkflowStatus
from scheduler.timing.occurrences import Origin, occurrence_key

_UNBLOCK = {
    Block.RETRYING: "It tries again by itself; dayhand retry {slug} does so now.",
    Block.RECONNECT: "Reconnect the account first: dayhand attention",
    Block.PERMISSION: "Answer first: dayhand attention",
    Block.UNSURE: "Say first whether it happened: dayhand attention",
    Block.INTERRUPTED: "Say first whether it finished: dayhand attention",
    Block.SCRIPT_ERROR: "Put the script right and deploy it again, or try again: dayhand retry {slug}",
    Block.TOO_MANY_FAILURES: "Try again: dayhand retry {slug}",
    Block.INTERNAL: "Try again: dayhand retry {slug}",
}

CHECKING = "Dayhand is checking whether it happened; wait a few minutes."


def choose(plan: Plan, handler: str | None) -> list[str]:
    """Every producer, the only job, or the one named."""
    if handler is not None:
        found = plan.handlers.get(handler)
        if found is None:
            raise RefusedError("unknown", f"{plan.name} has no {handler}. It has: {', '.join(plan.handlers)}.")
        if found.kind is HandlerKind.CONSUMER:
            raise RefusedError("consumer", f"{handler} runs by itself when there is something for it.")
        return [handler]
    producers = [one.name for one in plan.handlers.values() if one.kind is HandlerKind.PRODUCER]
    jobs = [one.name for one in plan.handlers.values() if one.kind is HandlerKind.JOB]
    if producers or len(jobs) == 1:
        return producers or jobs
    if not jobs:
        sentence = "has nothing to start: it runs by itself when there is something for it."
        raise RefusedError("consumer", f"{plan.name} {sentence}")
    raise RefusedError("which", f"Say which: {', '.join(f'{plan.workflow}/{name}' for name in jobs)}.")


def refuse_if_held_up(db: sqlite3.Connection, row: WorkflowRow, handler: Handler, *, when_finished: bool) -> None:
    """RefusedError with what to do first: resume, put right, answer, or wait until it is finished."""
    if row.status is not WorkflowStatus.ACTIVE:
        raise RefusedError("paused", f"{row.name} is {row.status.value}; first: dayhand resume {row.slug}")
    schedule = schedules.find(db, schedule_id(row.slug, handler.name))
    if schedule is not None and schedule.trouble is not None:
        raise RefusedError("trouble", f"{schedule.id} was set aside: {schedule.trouble} Put that right first.")
    if row.fixing:
        raise RefusedError("fixing", f"A repair of {row.name} is being prepared. Wait until that has ended.")
    lane = lanes.find(db, row.slug, handler.lane)
    if lane is not None and lane.blocked is not None:
        help_line = _UNBLOCK[lane.blocked].format(slug=row.slug)
        if lane.blocked is Block.UNSURE and mutations.is_being_checked(db, row.slug):
            help_line = CHECKING
        raise RefusedError("blocked", f"{row.name} is held up: {finish(lane.sentence or '')} {help_line}")
    is_busy = any(lanes.lane_of(one.handler, one.kind) == handler.lane for one in runs.active(db, row.slug))
    if is_busy and not when_finished:
        raise RefusedError(
            "busy", f"{row.name} is running now; dayhand run {row.slug} --when-finished starts it afterwards."
        )


def queue(db: sqlite3.Connection, schedule: str, now: datetime, origin: Origin, request: str | None = None) -> str:
    """A run beside the regular times waits its turn and is never dropped; the key of its occurrence."""
    key = occurrence_key(schedule, now, origin, request or uuid4().hex)
    planned = now.replace(microsecond=0)
    occurrences.insert(
        db, OccurrenceRow(key=key, schedule=schedule, planned=planned, due=now, origin=origin, created=now)
    )
    return key
