"""Commands that answer a request or retry a run, each in one transaction with its consequences."""

import sqlite3
from datetime import datetime
from typing import Any

from scheduler.connections import abandoned_calls
from scheduler.connections.registry import Registry
from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.idempotency import Act, run_once
from scheduler.engine.lookup import find_run, find_workflow
from scheduler.engine.runs.attempt import OutsideCall
from scheduler.engine.runs.reconciliation import record_outcome
from scheduler.engine.runs.recovery import cancel_waiting_run
from scheduler.engine.runs.repair_service import RepairService
from scheduler.engine.runs.tool_calls import find_endpoint
from scheduler.engine.scheduling.occurrence_lifecycle import OccurrenceLifecycle
from scheduler.engine.script_plan import ScriptPlans
from scheduler.rules.failures import FailureClass
from scheduler.rules.handler_ids import handler_id, handler_of_report, lane_name, split_handler_id, split_target
from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import HandlerKind, RunPhase, RunStatus
from scheduler.rules.requests import REQUESTS, RequestKind
from scheduler.store import grants, handlers, lanes, mutations, repairs, requests, runs
from scheduler.store.grants import Grant, GrantKind
from scheduler.store.requests import AnswerOutcome, RequestAnswer, RequestRow
from scheduler.store.runs import RunRow
from scheduler.timing.occurrences import OccurrenceReason
from scheduler.user_text import UserText

_REPORTS = (RequestKind.RUN_FAILED, RequestKind.RUN_INTERRUPTED)
_FAILED = frozenset({RunStatus.TRANSIENT, RunStatus.LOGIC, RunStatus.INTERNAL})
"""What can be retried; every other waiting run needs an answer or continues without one."""


class RequestCommands:
    """Belongs to the engine's thread. The first answer counts; the same again changes nothing, another is refused."""

    def __init__(
        self,
        context: EngineContext,
        plans: ScriptPlans,
        lifecycle: OccurrenceLifecycle,
        registry: Registry,
        repairs: RepairService,
    ) -> None:
        self._context = context
        self._registry = registry
        self._plans = plans
        self._lifecycle = lifecycle
        self._repairs = repairs

    def approve(self, request: str, *, always: bool = False, idempotency_key: str | None = None) -> dict[str, Any]:
        """Yes: to an outside action, exactly as it was shown, or to the use of a tool."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = self._find(db, request)
            if not REQUESTS[row.kind].takes_yes_or_no:
                raise _refuse_yes_or_no(db, row)
            if self._record_answer(db, row, RequestAnswer.YES, now):
                self._accept(db, row, now, always=always)
            return {"request": row.id, "answer": RequestAnswer.YES.value}

        return self._do("approve", request, idempotency_key, act)

    def reject(self, request: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """No: the action is skipped, and its run continues knowing that."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = self._find(db, request)
            if not REQUESTS[row.kind].takes_yes_or_no:
                raise _refuse_yes_or_no(db, row)
            if self._record_answer(db, row, RequestAnswer.NO, now):
                self._decline(db, row, now)
            return {"request": row.id, "answer": RequestAnswer.NO.value}

        return self._do("reject", request, idempotency_key, act)

    def resolve(self, run: str, answer: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Record what the user found out about an outside action or an interrupted job."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            if answer not in (RequestAnswer.HAPPENED, RequestAnswer.NOT_HAPPENED, RequestAnswer.SKIP):
                raise RefusedError(
                    "answer",
                    UserText("{answer} is not an answer; use happened, not-happened or skip.", answer=repr(answer)),
                )
            given = RequestAnswer(answer)
            row = find_run(db, run)
            if row.status is RunStatus.CRASHED:  # the attempt that follows it waits for the answer
                row = next((one for one in runs.list_chain(db, row.chain) if one.retry_of == row.id), row)
            asked = [one for one in requests.of_run(db, row.id) if REQUESTS[one.kind].asks_what_happened]
            if not asked:
                raise RefusedError(
                    "nothing to resolve", UserText("There is no open question about {handler}.", handler=row.handler)
                )
            if self._record_answer(db, asked[-1], given, now):
                self._resolve(db, row, asked[-1], given, now)
            return {"run": row.id, "answer": given.value}

        return self._do("resolve", run, idempotency_key, act)

    def retry(self, target: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Retry now what failed: one run, or everything that blocks a workflow or one of its handlers."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            held_up = self._find_blocking_runs(db, target)
            interrupted = {one.run for one in requests.list_open(db) if one.kind is RequestKind.RUN_INTERRUPTED}
            failed = [one for one in held_up if one.status in _FAILED or one.id in interrupted]
            if held_up and not failed:
                raise RefusedError(
                    "answer first",
                    UserText("{target} waits for your answer. Answer first: dayhand attention", target=target),
                )
            if not failed:
                raise RefusedError("nothing to retry", UserText("{target} has nothing to retry.", target=target))
            repairs.end(db, failed[0].workflow)  # the user takes over
            for one in failed:
                requests.close(db, now, RequestAnswer.SOLVED, run=one.id)
                runs.schedule_resume(db, one.id, now)
                handlers.reset_failures(db, one.workflow, one.handler)
            return {"runs": [one.id for one in failed]}

        return self._do("retry", target, idempotency_key, act)

    def dismiss(self, request: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Stop showing a failed or interrupted run that nothing waits for."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = self._find(db, request)
            if not REQUESTS[row.kind].can_be_dismissed:
                raise RefusedError(
                    "needs an answer",
                    UserText("That waits for your answer: dayhand attention {id}", id=row.id),
                )
            if self._record_answer(db, row, RequestAnswer.DISMISSED, now):
                identity = handler_of_report(row.subject)
                shown = [one.run for kind in _REPORTS for one in requests.list_reports(db, kind, identity) if one.run]
                runs.close_earlier_failed(db, *split_handler_id(identity), but=shown)
            return {"request": row.id, "answer": RequestAnswer.DISMISSED.value}

        return self._do("dismiss", request, idempotency_key, act)

    def _do(self, verb: str, subject: str, idempotency_key: str | None, act: Act) -> dict[str, Any]:
        return run_once(self._context, verb, subject, idempotency_key, act)

    def _find(self, db: sqlite3.Connection, request: str) -> RequestRow:
        row = requests.find(db, request)
        if row is None:
            raise RefusedError(
                "unknown", UserText("There is no request {request}; dayhand attention lists them.", request=request)
            )
        return row

    def _record_answer(self, db: sqlite3.Connection, row: RequestRow, given: RequestAnswer, now: datetime) -> bool:
        answered = requests.answer(db, row.id, given, now)
        if answered is AnswerOutcome.TOO_LATE:
            found = requests.find(db, row.id)
            before = "withdrawn" if found is None else found.answer
            raise RefusedError(
                "too late", UserText("That was already answered ({before}); nothing was changed.", before=before)
            )
        return answered is AnswerOutcome.ACCEPTED

    def _accept(self, db: sqlite3.Connection, row: RequestRow, now: datetime, *, always: bool) -> None:
        if REQUESTS[row.kind].concerns_repair:
            self._repairs.accept(db, row, now)
            return
        if row.kind is RequestKind.PERMISSION:
            workflow, _, asked = row.subject.partition(" ")
            if asked:  # else the account itself refused, which no grant of ours can change
                connection, tool = asked.split(" ")
                grants.add(db, Grant(workflow, "", connection, tool, GrantKind.PERMISSION, now))
            for one in runs.list_waiting_for(db, FailureClass.PERMISSION, row.subject):
                runs.schedule_resume(db, one.id, now)
            return
        assert row.run is not None
        run = runs.find(db, row.run)
        assert run is not None
        call = OutsideCall.from_stored(row.call)
        handler = self._plans.current(db, row.workflow).handlers.get(run.handler)
        stands = always or (handler is not None and handler.approve == "first")
        is_there_still = call.endpoint == find_endpoint(db, self._registry, call.connection)
        if stands and is_there_still:  # else the approval was for another account, and the run asks again
            scope = Grant(row.workflow, run.handler, call.connection, call.tool, GrantKind.APPROVAL, now)
            grants.add(db, scope)
        runs.schedule_resume(db, run.id, now)

    def _decline(self, db: sqlite3.Connection, row: RequestRow, now: datetime) -> None:
        if REQUESTS[row.kind].concerns_repair:
            self._repairs.decline(db, row, now)
            return
        if row.kind is RequestKind.PERMISSION:
            for one in runs.list_waiting_for(db, FailureClass.PERMISSION, row.subject):
                cancel_waiting_run(db, one, now, UserText("You did not allow it."))
                self._end_occurrence(db, one, now)
                if one.kind is HandlerKind.CONSUMER:
                    handlers.reset_after_stop(db, one.workflow, one.handler, now)
            return
        assert row.run is not None
        run = runs.find(db, row.run)
        assert run is not None
        call = OutsideCall.from_stored(row.call)
        mutations.begin(
            db, call.to_mutation_row(run, call.make_idempotency_key(run.chain), MutationStatus.SKIPPED, now)
        )
        runs.advance_waiting(db, run.id, RunPhase.PREPARED, RunPhase.MUTATED, now)
        runs.schedule_resume(db, run.id, now)

    def _resolve(
        self, db: sqlite3.Connection, row: RunRow, asked: RequestRow, given: RequestAnswer, now: datetime
    ) -> None:
        if asked.kind is RequestKind.UNSURE:
            happened = {RequestAnswer.HAPPENED: True, RequestAnswer.NOT_HAPPENED: False, RequestAnswer.SKIP: None}[
                given
            ]
            mutation = mutations.find(db, row.id)
            assert mutation is not None
            if happened is False and abandoned_calls.is_known(mutation.key):
                raise RefusedError(
                    "still running",
                    UserText(
                        "{connection} was still working on it, so it may yet happen. Wait until Dayhand has seen "
                        "how it ended, or quit Dayhand and start it again, which ends it.",
                        connection=mutation.connection,
                    ),
                )
            abandoned_calls.forget(mutation.key)
            record_outcome(db, row.id, happened=happened, result=None, now=now)
        elif given is RequestAnswer.NOT_HAPPENED:
            runs.schedule_resume(db, row.id, now)
        else:
            lanes.unblock(db, row.workflow, lane_name(row.handler, row.kind), run=row.id)
            if row.occurrence is not None:
                self._lifecycle.resolve_interrupted(db, row.occurrence, now, happened=given is RequestAnswer.HAPPENED)

    def _find_blocking_runs(self, db: sqlite3.Connection, target: str) -> list[RunRow]:
        """The attempts that failed or wait for an answer, of a workflow, one of its handlers, or one run's chain."""
        name, handler = split_target(target)
        try:
            workflow, chain = find_workflow(db, name).slug, None
        except RefusedError:
            run = find_run(db, target)
            workflow, chain = run.workflow, run.chain
        asked = [runs.find(db, one.run) for one in requests.list_open(db) if one.workflow == workflow and one.run]
        found = {row.id: row for row in [*asked, *runs.list_unfinished(db, workflow)] if row is not None}
        return [
            row
            for row in found.values()
            if row.status is not RunStatus.ACTIVE and chain in (None, row.chain) and handler in (None, row.handler)
        ]

    def _end_occurrence(self, db: sqlite3.Connection, run: RunRow, now: datetime) -> None:
        if run.occurrence is not None:
            self._lifecycle.cancel(db, run.occurrence, OccurrenceReason.BY_USER, now)


def _refuse_yes_or_no(db: sqlite3.Connection, row: RequestRow) -> RefusedError:
    run = None if row.run is None else runs.find(db, row.run)
    is_job = run is not None and run.kind is HandlerKind.JOB
    target = handler_id(row.workflow, run.handler) if run is not None and is_job else row.workflow
    help_line = UserText(REQUESTS[row.kind].hint, subject=row.subject, run=row.run, id=row.id, target=target)
    return RefusedError(
        "other answer", UserText("That cannot be answered with yes or no. {help_line}", help_line=help_line)
    )
