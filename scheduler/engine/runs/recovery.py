"""After a restart: marks active runs as crashed and lets each continue as its outside action allows."""

import sqlite3
from datetime import datetime

from scheduler.connections import abandoned_calls
from scheduler.engine.runs import start, user_requests
from scheduler.engine.runs.attempt import OutsideCall
from scheduler.engine.runs.finish import mark_job_interrupted, request_outcome, settle_events
from scheduler.engine.runs.tool_calls import ToolCaller, find_endpoint
from scheduler.engine.script_plan import HandlerPlan, ScriptPlans
from scheduler.rules.failures import FailureClass
from scheduler.rules.handler_ids import lane_name
from scheduler.rules.mutations import Continuation, MutationStatus, ResumeMode, decide_continuation
from scheduler.rules.phases import STATUS_MOVES, HandlerKind, RunPhase, RunStatus
from scheduler.rules.requests import Block, RequestKind
from scheduler.store import events, handlers, lanes, mutations, requests, runs
from scheduler.store.lanes import LaneRow
from scheduler.store.requests import RequestAnswer
from scheduler.store.runs import RunRow
from scheduler.user_text import UserText

MAX_CRASHES = 3
_CRASHED_SENTENCE = UserText("Dayhand quit {number} times while {name} was running, each time at the same point.")


def recover(db: sqlite3.Connection, plans: ScriptPlans, tools: ToolCaller, now: datetime) -> set[str]:
    """Give every active run one recovery attempt; returns the occurrences that continue."""
    for row in runs.list_active(db):
        plan, run_plan = plans.current(db, row.workflow), plans.find(db, row.workflow, row.script)
        _recover(db, row, plans, plan.handlers.get(row.handler, run_plan.handlers[row.handler]), tools, now)
    _ask_again_without_account(db, tools, now)
    handlers.request_check(db)
    return runs.unfinished_occurrences(db)


def _ask_again_without_account(db: sqlite3.Connection, tools: ToolCaller, now: datetime) -> None:
    """Approval requests of earlier versions do not name the account or folder: ask before the user answers in vain."""
    for listed in requests.list_open(db):
        request = requests.find(db, listed.id) if listed.kind is RequestKind.APPROVAL else None
        if request is None or request.run is None:
            continue
        call = OutsideCall.from_stored(request.call)
        if call.endpoint is None and find_endpoint(db, tools.registry, call.connection) is not None:
            requests.close(db, now, RequestAnswer.WITHDRAWN, run=request.run)
            runs.schedule_resume(db, request.run, now)


def _recover(
    db: sqlite3.Connection, row: RunRow, plans: ScriptPlans, handler: HandlerPlan, tools: ToolCaller, now: datetime
) -> None:
    mutation = mutations.status_of(db, row.id)
    made_progress = mutation in (MutationStatus.APPLIED, MutationStatus.SKIPPED) and row.phase is not RunPhase.EMITTING
    crashes = 1 if made_progress else row.crashes + 1
    if decide_continuation(mutation) is Continuation.RESTART:
        events.release(db, row.id)
    if decide_continuation(mutation) is Continuation.RECONCILE:
        _reconcile(db, row, plans, handler, tools, now, crashes)
    elif crashes >= MAX_CRASHES:
        _fail(db, row, handler, crashes, now)
    elif row.kind is HandlerKind.JOB and handler.after_crash != "again":
        name = plans.find(db, row.workflow, row.script).name_job(row.handler)
        mark_job_interrupted(db, row, handler, name, crashes, now)
    else:
        runs.move(db, row.id, RunStatus.ACTIVE, RunStatus.CRASHED, now, ended=now, crashes=crashes, resume_at=now)


def _reconcile(
    db: sqlite3.Connection,
    row: RunRow,
    plans: ScriptPlans,
    handler: HandlerPlan,
    tools: ToolCaller,
    now: datetime,
    crashes: int,
) -> None:
    """It crashed during its outside action: the next attempt waits until the outcome is known."""
    sentence = UserText("Dayhand quit during this action and does not know whether it happened.")
    runs.move(db, row.id, RunStatus.ACTIVE, RunStatus.CRASHED, now, ended=now, crashes=crashes)
    mutations.record_outcome(db, row.id, MutationStatus.IN_FLIGHT, MutationStatus.UNSURE, now)
    plan = plans.current(db, row.workflow)
    error = {"class": FailureClass.UNSURE.value, "sentence": sentence}
    next_attempt = start.insert_next_attempt(
        db,
        row._replace(crashes=crashes),
        plan,
        handler,
        ResumeMode.EMIT,
        now,
        status=RunStatus.RECONCILIATION,
        error=error,
    )
    lanes.block(db, LaneRow(row.workflow, handler.lane, Block.UNSURE, sentence, next_attempt.id))
    mutation = mutations.find(db, next_attempt.id)
    assert mutation is not None
    request_outcome(
        db,
        next_attempt,
        sentence,
        now,
        has_checker=tools.find_checker(mutation) is not None or abandoned_calls.is_known(mutation.key),
    )


def _fail(db: sqlite3.Connection, row: RunRow, handler: HandlerPlan, crashes: int, now: datetime) -> None:
    sentence = UserText(_CRASHED_SENTENCE, number=crashes, name=handler.name)
    error = {"class": FailureClass.INTERNAL.value, "sentence": sentence}
    runs.move(db, row.id, RunStatus.ACTIVE, RunStatus.INTERNAL, now, ended=now, crashes=0, error=error)
    _block(db, row, handler, Block.INTERNAL, RequestKind.INTERNAL, sentence, now)


def _block(
    db: sqlite3.Connection,
    row: RunRow,
    handler: HandlerPlan,
    block: Block,
    kind: RequestKind,
    sentence: str,
    now: datetime,
) -> None:
    lanes.block(db, LaneRow(row.workflow, handler.lane, block, sentence, row.id))
    user_requests.ask(db, kind, row, sentence, now)


def cancel_waiting_run(db: sqlite3.Connection, row: RunRow, now: datetime, note: str) -> None:
    """Cancel a run that waits: settle its events, withdraw its requests, open its lane.

    One that has failed keeps its status, error and end; only what would have followed is cancelled.
    """
    if row.status in (RunStatus.COMMITTED, RunStatus.CANCELLED, RunStatus.ACTIVE) or row.followed:
        return
    settle_events(db, row.id)
    user_requests.close(db, row.id, now)
    lanes.unblock(db, row.workflow, lane_name(row.handler, row.kind), run=row.id)
    runs.schedule_resume(db, row.id, None)
    if RunStatus.CANCELLED in STATUS_MOVES[row.status]:
        runs.move(db, row.id, row.status, RunStatus.CANCELLED, now, ended=row.ended or now, summary=note)
    elif row.status is not RunStatus.CRASHED:
        runs.close_failed(db, row.id, note)
