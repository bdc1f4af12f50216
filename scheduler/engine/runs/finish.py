"""How attempts end, each in one transaction: the run, its events, its lane, its occurrence and any request."""

import sqlite3
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from scheduler.engine.runs import user_requests
from scheduler.engine.runs.attempt import Attempt, OutsideCall
from scheduler.engine.scheduling.in_flight import InFlight
from scheduler.engine.scheduling.launcher import Outcome, Result
from scheduler.engine.script_plan import HandlerPlan
from scheduler.rules.failures import STATUS_AFTER_FAILURE, Failure, FailureClass
from scheduler.rules.mutations import Continuation, MutationStatus, decide_continuation
from scheduler.rules.phases import HandlerKind, RunPhase, RunStatus
from scheduler.rules.requests import REQUESTS, Block, RequestKind, request_for_failure
from scheduler.store import connections, events, handlers, lanes, mutations, runs
from scheduler.store.events import EventState
from scheduler.store.lanes import LaneRow
from scheduler.store.runs import RunRow
from scheduler.timing.backoff import retry_delay
from scheduler.user_text import UserText

_MAX_UNCOUNTED_STEP = 3
"""Failures that do not count (no network, a full disk) are retried at least every five minutes, without limit."""


@dataclass(frozen=True, slots=True)
class AttemptFinisher:
    """Writes inside the caller's transaction."""

    in_flight: InFlight

    def publish_results(
        self, db: sqlite3.Connection, attempt: Attempt, state: dict[str, Any] | None, result: Any, now: datetime
    ) -> None:
        """Publish events and store state and result; `commit` follows in the same transaction."""
        self.publish(db, attempt, now)
        changes: dict[str, Any] = {"failures": 0}
        if state is not None:
            changes["state"] = state
        if result is not None:
            changes["result"] = result
        handlers.update(db, attempt.workflow, attempt.handler.name, **changes)

    def commit(self, db: sqlite3.Connection, attempt: Attempt, now: datetime) -> None:
        """Commit the run and settle its events."""
        if attempt.handler.kind is HandlerKind.CONSUMER:
            rejected = attempt.action_status == MutationStatus.SKIPPED
            events.close_reserved(db, attempt.id, EventState.SKIPPED if rejected else EventState.CONSUMED)
        runs.advance(db, attempt.id, attempt.phase, RunPhase.COMMITTED, now, summary=attempt.summary)
        self._end_occurrence(db, attempt, Outcome(Result.SUCCEEDED, attempt.summary), now)

    def publish(self, db: sqlite3.Connection, attempt: Attempt, now: datetime) -> None:
        for one in attempt.published:
            events.publish_json(db, attempt.workflow, one.topic, one.id, one.title, one.written, now)
        attempt.published.clear()

    def wait_for_approval(self, db: sqlite3.Connection, attempt: Attempt, call: OutsideCall, now: datetime) -> None:
        """Wait at this phase until the user answers."""
        user_requests.ask_approval(db, attempt, call, now)
        runs.move(db, attempt.id, RunStatus.ACTIVE, RunStatus.APPROVAL, now)

    def fail(
        self, attempt: Attempt, failure: Failure, subject: str | None, db: sqlite3.Connection, now: datetime
    ) -> None:
        """Schedule a retry or ask the user; events stay reserved only if the run has acted."""
        match decide_continuation(mutations.status_of(db, attempt.id)):
            case Continuation.RECONCILE:  # our own failure in the middle of the outside action
                self.mark_unsure(db, attempt, replace(failure, kind=FailureClass.UNSURE), now, has_checker=True)
                return
            case Continuation.RESTART:
                events.release(db, attempt.id)
        if failure.kind is FailureClass.TRANSIENT:
            attempt.failure_subject = subject
            self._retry_later(db, attempt, failure, now)
            if subject == user_requests.KEYRING_SUBJECT:
                user_requests.ask(db, RequestKind.KEYRING, attempt.row, failure.sentence, now, subject=subject)
            return
        kind = request_for_failure(failure.kind)
        assert kind is not None
        block = REQUESTS[kind].blocks
        assert block is not None
        is_final = failure.kind in (FailureClass.LOGIC, FailureClass.INTERNAL)
        if failure.kind is FailureClass.AUTH and subject is not None:
            connections.set_trouble(db, subject, failure.sentence)
        attempt.failure_subject = subject
        if is_final:
            handlers.count_failure(db, attempt.workflow, attempt.handler.name)
        self._block_lane(db, attempt, failure, _lane(attempt, block, failure.sentence), now)
        request_subject = subject if failure.kind in (FailureClass.AUTH, FailureClass.PERMISSION) else None
        user_requests.ask(db, kind, attempt.row, failure.sentence, now, subject=request_subject)
        if is_final:
            self._end_occurrence(db, attempt, Outcome(Result.FAILED, failure.sentence), now)

    def mark_unsure(
        self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, now: datetime, *, has_checker: bool
    ) -> None:
        """The outcome is unknown: ask the tool's checker, else the user. Events stay reserved."""
        mutations.record_outcome(db, attempt.id, MutationStatus.IN_FLIGHT, MutationStatus.UNSURE, now)
        self._block_lane(db, attempt, failure, _lane(attempt, Block.UNSURE, failure.sentence), now)
        request_outcome(db, attempt.row, failure.sentence, now, has_checker=has_checker)

    def cancel(self, attempt: Attempt, sentence: str, db: sqlite3.Connection, now: datetime) -> None:
        """Record a stop. A stopped consumer does not restart on its own."""
        settle_events(db, attempt.id)
        if attempt.handler.kind is HandlerKind.CONSUMER:
            handlers.reset_after_stop(db, attempt.workflow, attempt.handler.name, now)
        runs.move(db, attempt.id, RunStatus.ACTIVE, RunStatus.CANCELLED, now, ended=now, summary=sentence)
        self._end_occurrence(db, attempt, Outcome(Result.CANCELLED, sentence), now)

    def prepare_again(self, attempt: Attempt, db: sqlite3.Connection, now: datetime) -> None:
        """An event it wanted to reserve was skipped: prepare again with what is left."""
        note = UserText("An event was skipped during prepare; preparing again.")
        runs.move(db, attempt.id, RunStatus.ACTIVE, RunStatus.CANCELLED, now, ended=now, summary=note)
        handlers.update(db, attempt.workflow, attempt.handler.name, look=True)

    def interrupt(self, attempt: Attempt, db: sqlite3.Connection, now: datetime) -> None:
        """Dayhand is closing: restart or resume at the next start, jobs by `after_crash`. Not counted as a crash."""
        if attempt.handler.kind is HandlerKind.JOB and attempt.handler.after_crash != "again":
            mark_job_interrupted(db, attempt.row, attempt.handler, attempt.row.crashes, now)
            return
        if decide_continuation(mutations.status_of(db, attempt.id)) is Continuation.RESTART:
            events.release(db, attempt.id)
        runs.move(db, attempt.id, RunStatus.ACTIVE, RunStatus.CRASHED, now, ended=now, resume_at=now)

    def _retry_later(self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, now: datetime) -> None:
        step = min(attempt.row.attempt, _MAX_UNCOUNTED_STEP)
        if failure.counts:
            step = handlers.count_failure(db, attempt.workflow, attempt.handler.name)
            if 0 < attempt.handler.max_failures <= step:
                self._fail_for_good(db, attempt, failure, step, now)
                return
        until = now + retry_delay(step, _hex(attempt.row.chain), failure.retry_after)
        lane = _lane(attempt, Block.RETRYING, failure.sentence)._replace(until=until)
        self._block_lane(db, attempt, failure, lane, now)

    def _fail_for_good(
        self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, failures: int, now: datetime
    ) -> None:
        """Too many failures: ask the user, unless `pause_on_failure` pauses the schedule."""
        sentence = failure.sentence
        if failures > 1:
            sentence = UserText(
                "{name} failed {failures} times in a row. {failure}",
                name=attempt.plan.name,
                failures=failures,
                failure=failure.sentence,
            )
        if attempt.handler.policies.get("pause_on_failure"):
            runs.move(
                db,
                attempt.id,
                RunStatus.ACTIVE,
                RunStatus.TRANSIENT,
                now,
                error=error_to_json(failure),
                ended=now,
                followed=True,
            )
        else:
            self._block_lane(db, attempt, failure, _lane(attempt, Block.TOO_MANY_FAILURES, sentence), now)
            user_requests.ask(db, RequestKind.TOO_MANY_FAILURES, attempt.row, sentence, now)
        self._end_occurrence(db, attempt, Outcome(Result.FAILED, failure.sentence), now)

    def _block_lane(
        self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, lane: LaneRow, now: datetime
    ) -> None:
        """End or suspend the attempt and block its lane."""
        status = STATUS_AFTER_FAILURE[failure.kind]
        ended = None if status is RunStatus.RECONCILIATION else now
        runs.move(
            db,
            attempt.id,
            RunStatus.ACTIVE,
            status,
            now,
            error=error_to_json(failure, attempt.failure_subject),
            resume_at=lane.until,
            ended=ended,
        )
        lanes.block(db, lane)

    def _end_occurrence(self, db: sqlite3.Connection, attempt: Attempt, outcome: Outcome, now: datetime) -> None:
        if attempt.row.occurrence is not None:
            self.in_flight.end(db, attempt.work, outcome, now)


def request_outcome(db: sqlite3.Connection, run: RunRow, sentence: str, now: datetime, *, has_checker: bool) -> None:
    """Schedule the tool's checker if it can find out, else ask the user."""
    if has_checker:
        mutations.schedule_check(db, run.id, now, counts=False)
        return
    mutation = mutations.find(db, run.id)
    assert mutation is not None
    call = OutsideCall.from_stored(mutation._asdict())
    mutations.schedule_check(db, run.id, None, counts=False)
    user_requests.ask(
        db, RequestKind.UNSURE, run, UserText("{sentence} Did it happen?", sentence=sentence), now, call=call
    )


def mark_job_interrupted(
    db: sqlite3.Connection, row: RunRow, handler: HandlerPlan, crashes: int, now: datetime
) -> None:
    """Record an interrupted job, and ask the user whether it finished if `after_crash` says so."""
    runs.move(db, row.id, RunStatus.ACTIVE, RunStatus.CRASHED, now, ended=now, crashes=crashes)
    if handler.after_crash == "ask":
        sentence = UserText("Dayhand quit while {handler} was running. Did it finish?", handler=handler.name)
        lanes.block(db, LaneRow(row.workflow, handler.lane, Block.INTERRUPTED, sentence, row.id))
        user_requests.ask(db, RequestKind.INTERRUPTED, row, sentence, now)


def settle_events(db: sqlite3.Connection, run: str) -> None:
    """Settle the events of a run that ends here: consumed or skipped if it acted, else released."""
    mutation = mutations.status_of(db, run)
    if mutation in (MutationStatus.APPLIED, MutationStatus.SKIPPED):
        events.close_reserved(
            db, run, EventState.SKIPPED if mutation is MutationStatus.SKIPPED else EventState.CONSUMED
        )
    else:
        events.release(db, run)


def error_to_json(failure: Failure, subject: str | None = None) -> dict[str, Any]:
    """A failure as stored with the run."""
    error = {"class": failure.kind.value, "sentence": failure.sentence, "subject": subject}
    for name in ("file", "line", "traceback"):
        if (value := getattr(failure, name)) is not None:
            error[name] = value
    return error


def _lane(attempt: Attempt, block: Block, sentence: str) -> LaneRow:
    return LaneRow(attempt.workflow, attempt.handler.lane, block, sentence, attempt.id)


def _hex(chain: str) -> str:
    """A hex string to derive the jitter from."""
    return chain if all(letter in "0123456789abcdef" for letter in chain[:8]) else "0" * 8
