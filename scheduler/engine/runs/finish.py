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
from scheduler.timing.backoff import job_delay, retry_delay
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
        ended = {"summary": attempt.summary, "refusal": attempt.refusal}
        runs.advance(db, attempt.id, attempt.phase, RunPhase.COMMITTED, now, **ended)
        if attempt.handler.goes_on_after_failure:
            user_requests.close_reports(db, attempt.workflow, attempt.handler.name, now)
        if attempt.problem is not None:
            user_requests.report_problem(db, attempt, attempt.problem, now)
        self._end_occurrence(db, attempt, Outcome(Result.SUCCEEDED, attempt.summary), now)

    def publish(self, db: sqlite3.Connection, attempt: Attempt, now: datetime) -> None:
        for one in attempt.published:
            if events.publish_json(db, attempt.workflow, one.topic, one.id, one.title, one.written, now):
                attempt.add_found(one.title)
        attempt.published.clear()

    def wait_for_approval(self, db: sqlite3.Connection, attempt: Attempt, call: OutsideCall, now: datetime) -> None:
        """Wait at this phase until the user answers."""
        user_requests.ask_approval(db, attempt, call, now)
        runs.move(db, attempt.id, RunStatus.ACTIVE, RunStatus.APPROVAL, now)

    def wait_for_answers(self, db: sqlite3.Connection, attempt: Attempt, now: datetime) -> None:
        """Wait before mutate until the user has answered what prepare asks."""
        user_requests.ask_questions(db, attempt, now)
        runs.move(db, attempt.id, RunStatus.ACTIVE, RunStatus.APPROVAL, now)

    def fail(
        self, attempt: Attempt, failure: Failure, subject: str | None, db: sqlite3.Connection, now: datetime
    ) -> None:
        """Schedule a retry or ask the user; events stay reserved only if the run has acted."""
        match decide_continuation(mutations.status_of(db, attempt.id)):
            case Continuation.RECONCILE:  # our own failure in the middle of the outside action
                self.mark_unsure(db, attempt, replace(failure, kind=FailureClass.UNSURE), now, has_checker=True)
                return
            case Continuation.RESTART if not _can_resume(db, attempt, failure):
                events.release(db, attempt.id)
        if failure.kind is FailureClass.TRANSIENT:
            attempt.failure_subject = subject
            self._retry_later(db, attempt, failure, now)
            if subject == user_requests.KEYRING_SUBJECT:
                user_requests.ask(db, RequestKind.KEYRING, attempt.row, failure.sentence, now, subject=subject)
            return
        if failure.kind is FailureClass.LOGIC and attempt.handler.goes_on_after_failure:
            self._fail_run(db, attempt, failure, now)
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
            handlers.count_failure(db, attempt.workflow, attempt.handler.name, now)
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
            handlers.reset_after_stop(db, attempt.workflow, attempt.handler.name, now, was_running=True)
        runs.move(db, attempt.id, RunStatus.ACTIVE, RunStatus.CANCELLED, now, ended=now, summary=sentence)
        self._end_occurrence(db, attempt, Outcome(Result.CANCELLED, sentence), now)

    def prepare_again(self, attempt: Attempt, db: sqlite3.Connection, now: datetime) -> None:
        """An event it wanted to reserve was skipped: prepare again with what is left."""
        note = UserText("An item was skipped in the meantime, so it starts over.")
        runs.move(db, attempt.id, RunStatus.ACTIVE, RunStatus.CANCELLED, now, ended=now, summary=note)
        handlers.update(db, attempt.workflow, attempt.handler.name, look=True)

    def interrupt(self, attempt: Attempt, db: sqlite3.Connection, now: datetime) -> None:
        """Dayhand is closing: restart or resume at the next start, jobs by `after_crash`. Not counted as a crash."""
        if attempt.handler.kind is HandlerKind.JOB and attempt.handler.after_crash != "again":
            name = attempt.plan.name_job(attempt.handler.name)
            mark_job_interrupted(db, attempt.row, attempt.handler, name, attempt.row.crashes, now)
            return
        if decide_continuation(mutations.status_of(db, attempt.id)) is Continuation.RESTART:
            events.release(db, attempt.id)
        runs.move(db, attempt.id, RunStatus.ACTIVE, RunStatus.CRASHED, now, ended=now, resume_at=now)

    def _retry_later(self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, now: datetime) -> None:
        step = min(attempt.row.attempt, _MAX_UNCOUNTED_STEP)
        if failure.counts:
            step = handlers.count_failure(db, attempt.workflow, attempt.handler.name, now)
            if 0 < attempt.handler.max_failures <= step:
                self._fail_finally(db, attempt, failure, step, now)
                return
        delay = retry_delay(step, _hex(attempt.row.chain), failure.retry_after)
        self._retry_at(db, attempt, failure, now + delay, now)

    def _retry_at(
        self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, at: datetime, now: datetime
    ) -> None:
        lane = _lane(attempt, Block.RETRYING, failure.sentence)._replace(until=at)
        self._block_lane(db, attempt, failure, lane, now)

    def _fail_run(self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, now: datetime) -> None:
        """The run failed, not its lane: it is retried as its author wants, and then the schedule goes on."""
        retried = _count_failed_attempts(db, attempt)
        if retried < attempt.handler.retries:
            self._retry_at(db, attempt, failure, now + job_delay(retried + 1), now)
            return
        failures = handlers.count_failure(db, attempt.workflow, attempt.handler.name, now)
        if attempt.handler.pauses_on_failure or 0 < attempt.handler.max_failures <= failures:
            self._fail_finally(db, attempt, failure, failures, now)
            return
        self._end_failed(db, attempt, failure, None, now)
        if attempt.handler.max_failures:  # 0: it keeps all its times, however often it fails
            lane = _lane(attempt, Block.BACKING_OFF, failure.sentence)
            lanes.block(db, lane._replace(until=now + job_delay(failures)))
        self._report_failed(db, attempt, failure, now)

    def _fail_finally(
        self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, failures: int, now: datetime
    ) -> None:
        """Too many failures: block the lane and ask the user, unless `pause_on_failure` pauses the schedule."""
        if attempt.handler.pauses_on_failure:
            self._end_failed(db, attempt, failure, None, now)
            self._report_failed(db, attempt, failure, now)
            return
        sentence = _describe_failures(attempt, failure, failures)
        # before this run ends: closing the earlier reports also closes the failed runs of the handler
        user_requests.close_reports(db, attempt.workflow, attempt.handler.name, now)
        self._block_lane(db, attempt, failure, _lane(attempt, Block.TOO_MANY_FAILURES, sentence), now)
        user_requests.ask(db, RequestKind.TOO_MANY_FAILURES, attempt.row, sentence, now)
        self._end_occurrence(db, attempt, Outcome(Result.FAILED, failure.sentence), now)

    def _report_failed(self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, now: datetime) -> None:
        """Record that the occurrence failed, and tell the user."""
        self._end_occurrence(db, attempt, Outcome(Result.FAILED, failure.sentence), now)
        user_requests.report_run(db, RequestKind.RUN_FAILED, attempt.row, failure.sentence, now)

    def _block_lane(
        self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, lane: LaneRow, now: datetime
    ) -> None:
        """End or suspend the attempt and block its lane."""
        self._end_failed(db, attempt, failure, lane.until, now)
        lanes.block(db, lane)

    def _end_failed(
        self, db: sqlite3.Connection, attempt: Attempt, failure: Failure, resume_at: datetime | None, now: datetime
    ) -> None:
        """End the attempt, or suspend it while it is unknown whether its outside action happened."""
        status = STATUS_AFTER_FAILURE[failure.kind]
        is_over = status is not RunStatus.RECONCILIATION and not _can_resume(db, attempt, failure)
        error = error_to_json(failure, attempt.failure_subject)
        if status is RunStatus.LOGIC and resume_at is not None:
            error["retried"] = True
        runs.move(
            db,
            attempt.id,
            RunStatus.ACTIVE,
            status,
            now,
            error=error,
            resume_at=resume_at,
            ended=now if is_over else None,
        )

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
    db: sqlite3.Connection, row: RunRow, handler: HandlerPlan, name: str, crashes: int, now: datetime
) -> None:
    """Record an interrupted job. As `after_crash` says, tell the user, or ask whether it finished and wait."""
    runs.move(db, row.id, RunStatus.ACTIVE, RunStatus.CRASHED, now, ended=now, crashes=crashes)
    if handler.after_crash == "next":
        sentence = UserText("Dayhand quit while {handler} was running.", handler=name)
        user_requests.report_run(db, RequestKind.RUN_INTERRUPTED, row, sentence, now)
    elif handler.after_crash == "ask":
        sentence = UserText("Dayhand quit while {handler} was running. Did it finish?", handler=name)
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
    for name in ("file", "line", "traceback", "command", "exit_code"):
        if (value := getattr(failure, name)) is not None:
            error[name] = value
    return error


def _can_resume(db: sqlite3.Connection, attempt: Attempt, failure: Failure) -> bool:
    """Whether the same attempt can continue once the user has reconnected or allowed it.

    Not if its action was refused, which is recorded with this attempt, nor a job: it may have done half its work.
    """
    if failure.kind not in (FailureClass.AUTH, FailureClass.PERMISSION) or attempt.handler.kind is HandlerKind.JOB:
        return False
    return mutations.status_of(db, attempt.id) is None


def _lane(attempt: Attempt, block: Block, sentence: str) -> LaneRow:
    return LaneRow(attempt.workflow, attempt.handler.lane, block, sentence, attempt.id)


def _count_failed_attempts(db: sqlite3.Connection, attempt: Attempt) -> int:
    """How many earlier attempts of the same run failed."""
    if not attempt.handler.retries:
        return 0
    return sum(one.status is RunStatus.LOGIC for one in runs.list_chain(db, attempt.row.chain))


def _describe_failures(attempt: Attempt, failure: Failure, failures: int) -> str:
    name = attempt.plan.name_job(attempt.handler.name) if attempt.handler.kind is HandlerKind.JOB else attempt.plan.name
    if failures > 1:
        return UserText(
            "{name} failed {failures} times in a row. {failure}",
            name=name,
            failures=failures,
            failure=failure.sentence,
        )
    return failure.sentence


def _hex(chain: str) -> str:
    """A hex string to derive the jitter from."""
    return chain if all(letter in "0123456789abcdef" for letter in chain[:8]) else "0" * 8
