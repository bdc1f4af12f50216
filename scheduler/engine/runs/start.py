"""Starts attempts: for an occurrence, for a consumer with new events, or to continue a waiting run."""

import sqlite3
from datetime import datetime
from typing import Any
from uuid import uuid4

from scheduler.engine.runs import user_requests
from scheduler.engine.runs.attempt import Attempt, OutsideCall, event_for_script
from scheduler.engine.scheduling.in_flight import InFlight
from scheduler.engine.scheduling.launcher import Work
from scheduler.engine.script_plan import HandlerPlan, ScriptPlan
from scheduler.rules.failures import FailureClass
from scheduler.rules.handler_ids import split_handler_id
from scheduler.rules.mutations import MutationStatus, ResumeMode, decide_resume_mode
from scheduler.rules.phases import HandlerKind, RunPhase, RunStatus, first_phase
from scheduler.store import events, handlers, lanes, logs, mutations, runs
from scheduler.store.lanes import StartConditions
from scheduler.store.requests import RequestAnswer
from scheduler.store.runs import RunRow
from scheduler.user_text import UserText

ID_LENGTH = 16
_MAX_FIRST_EVENTS = 10
_MAX_FIRST_EVENTS_SIZE = 100_000


class NewVersionError(Exception):
    """A new version was deployed in between: start again with it."""


def run_id(occurrence: str) -> str:
    """The run of an occurrence is named after it, so its id is known before it starts."""
    return occurrence[:ID_LENGTH]


def start_occurrence(
    db: sqlite3.Connection, work: Work, plan: ScriptPlan, in_flight: InFlight, now: datetime
) -> Attempt | None:
    """Runs in the transaction that marks the occurrence as started; None if it may no longer start."""
    handler = plan.handlers.get(split_handler_id(work.subject)[1])
    if handler is None or _check_lane(db, plan, handler, None) is None or not in_flight.begin(db, work, now):
        return None
    assert work.origin is not None
    row = _row(run_id(work.key), plan, handler, str(work.origin), now, occurrence=work.key)
    runs.insert(db, row)
    return _attempt(db, row, plan, handler, work, 0)


def start_consumer(db: sqlite3.Connection, work: Work, plan: ScriptPlan, now: datetime) -> Attempt | None:
    """None if it may no longer start. The caller stores the row."""
    handler = plan.handlers.get(split_handler_id(work.subject)[1])
    ground = None if handler is None else _check_lane(db, plan, handler, None)
    if handler is None or ground is None:
        return None
    row = _row(uuid4().hex[:ID_LENGTH], plan, handler, "event", now)
    return _attempt(db, row, plan, handler, work, ground.sequence)


def resume_run(db: sqlite3.Connection, work: Work, plan: ScriptPlan, old: RunRow, now: datetime) -> Attempt | None:
    """Continue a waiting run: the same attempt where it waited, or a new one in its place."""
    handler = plan.handlers.get(old.handler)
    found = runs.find(db, old.id)
    if handler is None or found is None or found.resume_at is None or found.resume_at > now:
        return None
    ground = _check_lane(db, plan, handler, old.id)
    mutation = mutations.status_of(db, old.id)
    waited = found.status is RunStatus.RECONCILIATION or (found.status is RunStatus.APPROVAL and found.ended is None)
    way = decide_resume_mode(waited=waited, mutation=mutation)
    if ground is None or way is None:
        return None
    lanes.unblock(db, old.workflow, handler.lane, run=old.id)
    if way is ResumeMode.RESUME:
        runs.move(
            db, old.id, found.status, RunStatus.ACTIVE, now, resume_at=None, script=plan.version, error=None, ended=None
        )
        row = found._replace(status=RunStatus.ACTIVE, resume_at=None, script=plan.version, error=None)
    else:
        row = insert_next_attempt(db, found, plan, handler, way, now)
    if (note := _describe_resume(found, way)) is not None:
        logs.append(db, row.id, f"{note}\n", now)
    attempt = _attempt(db, row, plan, handler, work, ground.sequence)
    if attempt.phase not in (RunPhase.PREPARING, RunPhase.EXECUTING):
        _restore(db, attempt, mutation)
    return attempt


def _describe_resume(old: RunRow, way: ResumeMode) -> str | None:
    """For the log of a run that waited for a reconnect or a permission: why it continues, and why from the start."""
    error = old.error or {}
    if old.status is not RunStatus.APPROVAL or not error:
        return None
    reason = (
        UserText("a job cannot continue in the middle")
        if old.kind is HandlerKind.JOB
        else UserText("its action had been refused")
    )
    is_reconnected = error.get("class") == FailureClass.AUTH
    if way is ResumeMode.RESUME:
        note = UserText("Resumed after reconnecting.") if is_reconnected else UserText("Allowed by you; resumed.")
    elif is_reconnected:
        note = UserText("Started again after reconnecting because {reason}.", reason=reason)
    else:
        note = UserText("Allowed by you; started again because {reason}.", reason=reason)
    return UserText("{failure} {note}", failure=error.get("sentence", ""), note=note)


def insert_next_attempt(
    db: sqlite3.Connection,
    old: RunRow,
    plan: ScriptPlan,
    handler: HandlerPlan,
    way: ResumeMode,
    now: datetime,
    **facts: Any,
) -> RunRow:
    """Insert the next attempt after one that failed or crashed."""
    row = _row(f"{old.chain}-{old.attempt + 1}", plan, handler, old.trigger, now, occurrence=old.occurrence)
    row = row._replace(chain=old.chain, attempt=old.attempt + 1, retry_of=old.id, crashes=old.crashes, **facts)
    if way is ResumeMode.EMIT:
        row = row._replace(
            phase=RunPhase.MUTATING if old.phase is RunPhase.MUTATING else RunPhase.EMITTING,
            prepared=old.prepared,
            outcome=old.outcome,
            prepared_at=old.prepared_at,
            mutating_at=old.mutating_at,
            mutated_at=old.mutated_at,
        )
    user_requests.hand_over_keyring_request(db, old.id, row)
    user_requests.close(db, old.id, now, RequestAnswer.SOLVED)
    runs.supersede(db, old.id, row)
    if way is ResumeMode.EMIT:
        events.reassign(db, old.id, row.id)
        mutations.reassign(db, old.id, row.id)
    else:
        events.release(db, old.id)
    return row


def _check_lane(
    db: sqlite3.Connection, plan: ScriptPlan, handler: HandlerPlan, run: str | None
) -> StartConditions | None:
    ground = lanes.read_start_conditions(db, plan.workflow, handler.lane)
    if ground is None or not ground.can_start(run):
        return None
    if ground.script != plan.version:
        raise NewVersionError
    return ground


def _row(
    identity: str, plan: ScriptPlan, handler: HandlerPlan, trigger: str, now: datetime, *, occurrence: str | None = None
) -> RunRow:
    return RunRow(
        id=identity,
        workflow=plan.workflow,
        handler=handler.name,
        kind=handler.kind,
        trigger=trigger,
        script=plan.version,
        chain=identity,
        phase=first_phase(handler.kind),
        status=RunStatus.ACTIVE,
        created=now,
        updated=now,
        began=now,
        occurrence=occurrence,
    )


def _attempt(
    db: sqlite3.Connection, row: RunRow, plan: ScriptPlan, handler: HandlerPlan, work: Work, sequence: int
) -> Attempt:
    state, last = handlers.begin_run(db, row.workflow, row.handler)
    return Attempt(
        row=row,
        plan=plan,
        handler=handler,
        work=work,
        state=state,
        last=last,
        sequence=sequence,
        phase=row.phase,
        prepared=row.prepared,
        outcome=row.outcome,
        first_events=_first_events(db, plan.workflow, handler) if row.phase is RunPhase.PREPARING else {},
    )


def _restore(db: sqlite3.Connection, attempt: Attempt, mutation: MutationStatus | None) -> None:
    """Restore the previous attempt's events and the outcome of its outside action."""
    if mutation in (MutationStatus.APPLIED, MutationStatus.SKIPPED):
        row = mutations.find(db, attempt.id)
        assert row is not None
        attempt.action_status = mutation.value
        if mutation is MutationStatus.APPLIED:
            attempt.call_made = OutsideCall.from_stored(row._asdict()).to_script()
        elif attempt.row.mutating_at is not None:
            attempt.default_summary = UserText("It is not known whether it happened; you skipped it.")
        else:
            user_requests.apply_rejection(attempt, row.reason)
    if attempt.handler.kind is HandlerKind.CONSUMER and attempt.prepared is not None:
        attempt.prepared = {
            **attempt.prepared,
            "reserve": [event_for_script(event) for event in events.reserved_by(db, attempt.id)],
        }
        user_requests.apply_answers(db, attempt)


def _first_events(db: sqlite3.Connection, workflow: str, handler: HandlerPlan) -> dict[str, Any]:
    """The first events of each topic, so that most scripts need not ask for them."""
    waiting: dict[str, Any] = {}
    for topic in handler.subscribes:
        found = events.peek(db, workflow, topic, _MAX_FIRST_EVENTS + 1)
        if sum(len(event.data_json) for event in found) <= _MAX_FIRST_EVENTS_SIZE:
            shown = [event_for_script(event) for event in found[:_MAX_FIRST_EVENTS]]
            waiting[topic] = {"events": shown, "all": len(found) <= _MAX_FIRST_EVENTS}
    return waiting
