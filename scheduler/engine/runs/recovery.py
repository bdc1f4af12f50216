"""After a restart: what was running has crashed, and each goes on as its outside action says."""

import sqlite3
from datetime import datetime

from scheduler.connections import abandoned_calls
from scheduler.engine.plans import Handler, Plans
from scheduler.engine.runs import asking, beginning
from scheduler.engine.runs.endings import ask_whether_it_happened, give_back_or_keep, leave_job
from scheduler.engine.runs.tools import Tools
from scheduler.rules.failures import FailureClass
from scheduler.rules.mutations import Continuation, Mutation, Way, continue_after
from scheduler.rules.phases import HandlerKind, Phase, Status
from scheduler.store import events, handlers, lanes, mutations, runs
from scheduler.store.lanes import Block, LaneRow
from scheduler.store.requests import RequestKind
from scheduler.store.runs import RunRow

TOO_MANY_CRASHES = 3
_CRASHED = "Dayhand ended {number} times while {name} was running, each time at the same point."


def recover(db: sqlite3.Connection, plans: Plans, tools: Tools, now: datetime) -> set[str]:
    """Every run that was active gets one attempt to go on. The occurrences whose attempts do."""
    for row in runs.active(db):
        plan, its_own = plans.current(db, row.workflow), plans.find(db, row.workflow, row.script)
        _recover(db, row, plans, plan.handlers.get(row.handler, its_own.handlers[row.handler]), tools, now)
    handlers.look_again(db)
    return runs.occurrences_going_on(db)


def _recover(db: sqlite3.Connection, row: RunRow, plans: Plans, handler: Handler, tools: Tools, now: datetime) -> None:
    mutation = mutations.status_of(db, row.id)
    got_further = mutation in (Mutation.APPLIED, Mutation.SKIPPED) and row.phase is not Phase.EMITTING
    crashes = 1 if got_further else row.crashes + 1
    if continue_after(mutation) is Continuation.AFRESH:
        events.release(db, row.id)
    if continue_after(mutation) is Continuation.RECONCILE:
        _find_out(db, row, plans, handler, tools, now, crashes)
    elif crashes >= TOO_MANY_CRASHES:
        _give_up(db, row, handler, crashes, now)
    elif row.kind is HandlerKind.JOB and handler.after_crash != "again":
        leave_job(db, row, handler, crashes, now)
    else:
        runs.move(db, row.id, Status.ACTIVE, Status.CRASHED, now, ended=now, crashes=crashes, resume_at=now)


def _find_out(
    db: sqlite3.Connection, row: RunRow, plans: Plans, handler: Handler, tools: Tools, now: datetime, crashes: int
) -> None:
    """It was in the middle of its outside action: the attempt that follows waits until it is known."""
    sentence = "Dayhand ended while it acted, and does not know whether that happened."
    runs.move(db, row.id, Status.ACTIVE, Status.CRASHED, now, ended=now, crashes=crashes)
    mutations.settle(db, row.id, Mutation.IN_FLIGHT, Mutation.UNSURE, now)
    plan = plans.current(db, row.workflow)
    error = {"class": FailureClass.UNSURE.value, "sentence": sentence}
    next_one = beginning.follow(
        db, row._replace(crashes=crashes), plan, handler, Way.EMIT, now, status=Status.RECONCILIATION, error=error
    )
    lanes.block(db, LaneRow(row.workflow, handler.lane, Block.UNSURE, sentence, next_one.id))
    mutation = mutations.find(db, next_one.id)
    assert mutation is not None
    ask_whether_it_happened(
        db,
        next_one,
        sentence,
        now,
        can_find_out=tools.checker(mutation) is not None or abandoned_calls.is_known(mutation.key),
    )


def _give_up(db: sqlite3.Connection, row: RunRow, handler: Handler, crashes: int, now: datetime) -> None:
    sentence = _CRASHED.format(number=crashes, name=handler.name)
    error = {"class": FailureClass.INTERNAL.value, "sentence": sentence}
    runs.move(db, row.id, Status.ACTIVE, Status.INTERNAL, now, ended=now, crashes=0, error=error)
    _block(db, row, handler, Block.INTERNAL, RequestKind.INTERNAL, sentence, now)


def _block(
    db: sqlite3.Connection, row: RunRow, handler: Handler, block: Block, kind: RequestKind, sentence: str, now: datetime
) -> None:
    lanes.block(db, LaneRow(row.workflow, handler.lane, block, sentence, row.id))
    asking.ask(db, kind, row, sentence, now)


def drop(db: sqlite3.Connection, row: RunRow, now: datetime, note: str) -> None:
    """One that waits, or failed and was not dealt with, will not go on: nobody needs to answer about it any more."""
    if row.status in (Status.COMMITTED, Status.CANCELLED, Status.ACTIVE) or row.followed:
        return
    give_back_or_keep(db, row.id)
    asking.close(db, row.id, now)
    lanes.open_up(db, row.workflow, lanes.lane_of(row.handler, row.kind), run=row.id)
    runs.resume(db, row.id, None)
    if row.status is not Status.CRASHED:
        runs.move(db, row.id, row.status, Status.CANCELLED, now, ended=now, summary=note)
