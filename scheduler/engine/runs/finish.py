"""How attempts end, each in one transaction: what becomes of the run, its events, its lane and its occurrence."""

import sqlite3
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from scheduler.engine.launcher import Outcome, Reports, Result
from scheduler.engine.plans import Handler
from scheduler.engine.runs import asking
from scheduler.engine.runs.attempt import Attempt, OutsideCall
from scheduler.rules.failures import STATUS_AFTER, Failure, FailureClass
from scheduler.rules.mutations import Continuation, Mutation, continue_after
from scheduler.rules.phases import HandlerKind, Phase, Status
from scheduler.store import connections, events, handlers, lanes, mutations, runs
from scheduler.store.events import EventState
from scheduler.store.lanes import Block, LaneRow
from scheduler.store.requests import RequestKind
from scheduler.store.runs import RunRow
from scheduler.timing.backoff import retry_delay

_ASKS: dict[Block, RequestKind] = {
    Block.RECONNECT: RequestKind.RECONNECT,
    Block.PERMISSION: RequestKind.PERMISSION,
    Block.UNSURE: RequestKind.UNSURE,
    Block.SCRIPT_ERROR: RequestKind.SCRIPT_ERROR,
    Block.TOO_MANY_FAILURES: RequestKind.TOO_MANY_FAILURES,
    Block.INTERNAL: RequestKind.INTERNAL,
}
_BLOCKS = {
    FailureClass.AUTH: Block.RECONNECT,
    FailureClass.PERMISSION: Block.PERMISSION,
    FailureClass.LOGIC: Block.SCRIPT_ERROR,
    FailureClass.INTERNAL: Block.INTERNAL,
    FailureClass.UNSURE: Block.UNSURE,
}
_PATIENT = 3
"""What does not count (no network, a full disk) is tried again at least every five minutes, for as long as it takes."""


@dataclass(frozen=True, slots=True)
class Endings:
    """Writes inside a transaction of the caller's."""

    reports: Reports

    def hand_on(
        self, db: sqlite3.Connection, attempt: Attempt, state: dict[str, Any] | None, result: Any, now: datetime
    ) -> None:
        """All is done: what it leaves to others becomes visible; `commit` follows in the same transaction."""
        self.publish(db, attempt, now)
        changes: dict[str, Any] = {"failures": 0}
        if state is not None:
            changes["state"] = state
        if result is not None:
            changes["result"] = result
        handlers.update(db, attempt.workflow, attempt.handler.name, **changes)

    def commit(self, db: sqlite3.Connection, attempt: Attempt, now: datetime) -> None:
        """The run and what it took are dealt with, for good."""
        if attempt.handler.kind is HandlerKind.CONSUMER:
            rejected = attempt.outcome_word == Mutation.SKIPPED
            events.settle(db, attempt.id, EventState.SKIPPED if rejected else EventState.CONSUMED)
        runs.advance(db, attempt.id, attempt.phase, Phase.COMMITTED, now, summary=attempt.summary)
        self._end_occurrence(db, attempt, Outcome(Result.SUCCEEDED, attempt.summary), now)

    def publish(self, db: sqlite3.Connection, attempt: Attempt, now: datetime) -> None:
        for one in attempt.published:
            events.publish_written(db, attempt.workflow, one.topic, one.id, one.title, one.written, now)
        attempt.published.clear()

    def wait_for_approval(self, db: sqlite3.Connection, attempt: Attempt, call: OutsideCall, now: datetime) -> None:
        """It stays where it is until the person answers, and holds up nobody."""
        asking.ask_approval(db, attempt, call, now)
        runs.move(db, attempt.id, Status.ACTIVE, Status.APPROVAL, now)

    def fail(
        self, attempt: Attempt, failure: Failure, subject: str | None, db: sqlite3.Connection, now: datetime
    ) -> None:
        """It cannot go on: wait and try again, or ask the person; its events are kept only if it has acted."""
        match continue_after(mutations.status_of(db, attempt.id)):
            case Continuation.RECONCILE:  # something went wrong with us in the middle of its outside action
                self.leave_unsure(db, attempt, replace(failure, kind=FailureClass.UNSURE), now, can_find_out=True)
                return
            case Continuation.AFRESH:
                events.release(db, attempt.id)
        if failure.kind is FailureClass.TRANSIENT:
            attempt.blames = subject
            self._fail_for_now(db, attempt, failure, now)
            if subject == asking.KEYRING:
                asking.ask(db, RequestKind.KEYRING, attempt.row, failure.sentence, now, subject=subject)
            return
        block = _BLOCKS[failure.kind]
        is_final = failure.kind in (FailureClass.LOGIC, FailureClass.INTERNAL)
        if failure.kind is FailureClass.AUTH and subject is not None:
            connections.set_trouble(db, subject, failure.sentence)
        attempt.blames = subject
        if is_final:
            handlers.count_failure(db, attempt.workflow, attempt.handler.name)
        self._stand_still(db, attempt, failure, _lane(attempt, block, failure.sentence), now)
        asks_about = subject if failure.kind in (FailureClass.AUTH, FailureClass.PERMISSION) else None
        asking.ask(db, _ASKS[block], attempt.row, failure.sentence, now, subject=asks_about)
        if is_final:
            self._end_occurrence(db, attempt, Outcome(Result.FAILED, failure.sentence), now)

    def leave_unsure(
        self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, now: datetime, *, can_find_out: bool
    ) -> None:
        """Nobody knows whether it happened: ask the tool's checker, else the person. Its events stay reserved."""
        mutations.settle(db, attempt.id, Mutation.IN_FLIGHT, Mutation.UNSURE, now)
        self._stand_still(db, attempt, failure, _lane(attempt, Block.UNSURE, failure.sentence), now)
        ask_whether_it_happened(db, attempt.row, failure.sentence, now, can_find_out=can_find_out)

    def cancel(self, attempt: Attempt, sentence: str, db: sqlite3.Connection, now: datetime) -> None:
        """Stopped. A stopped consumer does not start again by itself."""
        give_back_or_keep(db, attempt.id)
        if attempt.handler.kind is HandlerKind.CONSUMER:
            handlers.calm(db, attempt.workflow, attempt.handler.name, now)
        runs.move(db, attempt.id, Status.ACTIVE, Status.CANCELLED, now, ended=now, summary=sentence)
        self._end_occurrence(db, attempt, Outcome(Result.CANCELLED, sentence), now)

    def begin_again(self, attempt: Attempt, db: sqlite3.Connection, now: datetime) -> None:
        """An event that it was to take is gone, which is nobody's mistake: it looks at what is left."""
        note = "Something was left out while it looked; it looks again."
        runs.move(db, attempt.id, Status.ACTIVE, Status.CANCELLED, now, ended=now, summary=note)
        handlers.update(db, attempt.workflow, attempt.handler.name, look=True)

    def interrupt(self, attempt: Attempt, db: sqlite3.Connection, now: datetime) -> None:
        """Dayhand is closing: what was running begins again, or goes on, at the next start, a job as its author says.

        This is no crash.
        """
        if attempt.handler.kind is HandlerKind.JOB and attempt.handler.after_crash != "again":
            leave_job(db, attempt.row, attempt.handler, attempt.row.crashes, now)
            return
        if continue_after(mutations.status_of(db, attempt.id)) is Continuation.AFRESH:
            events.release(db, attempt.id)
        runs.move(db, attempt.id, Status.ACTIVE, Status.CRASHED, now, ended=now, resume_at=now)

    def _fail_for_now(self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, now: datetime) -> None:
        step = min(attempt.row.attempt, _PATIENT)
        if failure.counts:
            step = handlers.count_failure(db, attempt.workflow, attempt.handler.name)
            if 0 < attempt.handler.most_failures <= step:
                self._give_up(db, attempt, failure, step, now)
                return
        until = now + retry_delay(step, _hex(attempt.row.chain), failure.retry_after)
        lane = _lane(attempt, Block.RETRYING, failure.sentence)._replace(until=until)
        self._stand_still(db, attempt, failure, lane, now)

    def _give_up(
        self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, failures: int, now: datetime
    ) -> None:
        """One failure too many: the person is asked, unless the schedule pauses itself for that."""
        sentence = failure.sentence
        if failures > 1:
            sentence = f"{attempt.plan.name} failed {failures} times in a row. {failure.sentence}"
        if attempt.handler.policies.get("pause_on_failure"):
            runs.move(
                db,
                attempt.id,
                Status.ACTIVE,
                Status.TRANSIENT,
                now,
                error=write_error(failure),
                ended=now,
                followed=True,
            )
        else:
            self._stand_still(db, attempt, failure, _lane(attempt, Block.TOO_MANY_FAILURES, sentence), now)
            asking.ask(db, RequestKind.TOO_MANY_FAILURES, attempt.row, sentence, now)
        self._end_occurrence(db, attempt, Outcome(Result.FAILED, failure.sentence), now)

    def _stand_still(
        self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, lane: LaneRow, now: datetime
    ) -> None:
        """The attempt is over or waits, and its lane is closed for that reason."""
        status = STATUS_AFTER[failure.kind]
        ended = None if status is Status.RECONCILIATION else now
        runs.move(
            db,
            attempt.id,
            Status.ACTIVE,
            status,
            now,
            error=write_error(failure, attempt.blames),
            resume_at=lane.until,
            ended=ended,
        )
        lanes.block(db, lane)

    def _end_occurrence(self, db: sqlite3.Connection, attempt: Attempt, outcome: Outcome, now: datetime) -> None:
        if attempt.row.occurrence is not None:
            self.reports.end(db, attempt.work, outcome, now)


def ask_whether_it_happened(
    db: sqlite3.Connection, run: RunRow, sentence: str, now: datetime, *, can_find_out: bool
) -> None:
    """Of the tool, if it can find out by itself, else of the user."""
    if can_find_out:
        mutations.check_again(db, run.id, now, counts=False)
        return
    mutation = mutations.find(db, run.id)
    assert mutation is not None
    call = OutsideCall.load(mutation._asdict())
    mutations.check_again(db, run.id, None, counts=False)
    asking.ask(db, RequestKind.UNSURE, run, f"{sentence} Did it happen?", now, call=call)


def leave_job(db: sqlite3.Connection, row: RunRow, handler: Handler, crashes: int, now: datetime) -> None:
    """It was cut off in the middle: ask the person whether it finished, unless its author wants it left at that."""
    runs.move(db, row.id, Status.ACTIVE, Status.CRASHED, now, ended=now, crashes=crashes)
    if handler.after_crash == "ask":
        sentence = f"Dayhand ended while {handler.name} was running. Did it finish?"
        lanes.block(db, LaneRow(row.workflow, handler.lane, Block.INTERRUPTED, sentence, row.id))
        asking.ask(db, RequestKind.INTERRUPTED, row, sentence, now)


def give_back_or_keep(db: sqlite3.Connection, run: str) -> None:
    """The events of a run that will not go on: what was acted on counts as dealt with."""
    mutation = mutations.status_of(db, run)
    if mutation in (Mutation.APPLIED, Mutation.SKIPPED):
        events.settle(db, run, EventState.SKIPPED if mutation is Mutation.SKIPPED else EventState.CONSUMED)
    else:
        events.release(db, run)


def write_error(failure: Failure, subject: str | None = None) -> dict[str, Any]:
    """What is kept of a failure."""
    told = {"class": failure.kind.value, "sentence": failure.sentence, "subject": subject}
    for name in ("file", "line", "traceback"):
        if (value := getattr(failure, name)) is not None:
            told[name] = value
    return told


def _lane(attempt: Attempt, block: Block, sentence: str) -> LaneRow:
    return LaneRow(attempt.workflow, attempt.handler.lane, block, sentence, attempt.id)


def _hex(chain: str) -> str:
    """Something to draw the jitter from."""
    return chain if all(letter in "0123456789abcdef" for letter in chain[:8]) else "0" * 8
