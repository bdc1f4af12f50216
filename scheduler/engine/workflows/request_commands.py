"""Commands that answer a request or retry a run, each in one transaction with its consequences."""

import sqlite3
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from scheduler.connections import abandoned_calls
from scheduler.connections.registry import Registry
from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.idempotency import Act, run_once
from scheduler.engine.lookup import find_run, find_workflow
from scheduler.engine.runs import user_requests
from scheduler.engine.runs.attempt import OutsideCall
from scheduler.engine.runs.reconciliation import record_outcome
from scheduler.engine.runs.recovery import cancel_waiting_run
from scheduler.engine.runs.run_services import RepairService
from scheduler.engine.runs.tool_calls import find_endpoint
from scheduler.engine.scheduling.occurrence_lifecycle import OccurrenceLifecycle
from scheduler.engine.script_plan import ScriptPlans
from scheduler.engine.workflows.answer_checks import check_call, check_names, parse_reason, refuse_yes_or_no
from scheduler.engine.workflows.answer_text import describe_answer
from scheduler.engine.workflows.call_edits import edit_asked_call
from scheduler.rules.failures import FailureClass
from scheduler.rules.handler_ids import handler_of_report, lane_name, split_handler_id, split_target
from scheduler.rules.phases import HandlerKind, RunStatus
from scheduler.rules.questions import QuestionError, parse_answers, parse_questions
from scheduler.rules.requests import REQUESTS, RequestKind
from scheduler.store import grants, handlers, lanes, mutations, repairs, requests, runs
from scheduler.store.grants import Grant, GrantKind
from scheduler.store.requests import AnswerOutcome, GivenAnswer, RequestAnswer, RequestRow
from scheduler.store.runs import RunRow
from scheduler.timing.occurrences import OccurrenceReason
from scheduler.user_text import UserText, add_full_stop

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

    def approve(
        self,
        request: str,
        *,
        always: bool = False,
        edits: Mapping[str, Any] | None = None,
        call_hash: str | None = None,
        answered_from: str | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Yes: to an outside action, exactly as it was shown or with these parameters changed, or to using a tool.

        With `call_hash`, only to the call that has it. `always` also approves what waits in the scope of its grant.
        `answered_from` is the channel that the user answered through, if they were not at this computer.
        """

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = self._find(db, request)
            if not REQUESTS[row.kind].takes_yes_or_no:
                raise refuse_yes_or_no(db, row)
            check_call(row, call_hash)
            edited = edit_asked_call(self._registry, row, edits or {}, always=always)
            given = GivenAnswer(RequestAnswer.YES, answered_from=answered_from)
            answer: dict[str, Any] = {"request": row.id, "answer": RequestAnswer.YES.value}
            if edited is not None:
                given = given._replace(edited=edited.to_json(), edited_hash=edited.hash)
                answer["edited"] = sorted(edits or {})
            if self._record_answer(db, row, given, now):
                scope = self._accept(db, row, given, now, always=always)
                if always:
                    answer["also_approved"] = [] if scope is None else self._approve_waiting(db, scope, now)
            return answer

        return self._do("approve", request, idempotency_key, act)

    def reject(
        self,
        request: str,
        *,
        reason: str | None = None,
        call_hash: str | None = None,
        answered_from: str | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """No: the action is skipped, and its run continues knowing that, and why if there is a reason."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = self._find(db, request)
            if not REQUESTS[row.kind].can_be_rejected:
                raise refuse_yes_or_no(db, row)
            check_call(row, call_hash)
            given = GivenAnswer(RequestAnswer.NO, reason=parse_reason(reason), answered_from=answered_from)
            if self._record_answer(db, row, given, now):
                self._decline(db, row, given.reason, now)
            return {"request": row.id, "answer": RequestAnswer.NO.value, "reason": given.reason}

        return self._do("reject", request, idempotency_key, act)

    def answer(self, request: str, answers: Mapping[str, Any], *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Answer the questions of a script, by their names; its run continues with the answers."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = self._find(db, request)
            if row.kind is not RequestKind.QUESTION:
                sentence = UserText("That asks no question; see: dayhand attention {id}", id=row.id)
                raise RefusedError("other answer", sentence)
            try:
                questions = parse_questions(row.questions)
                check_names(row, [one.name for one in questions], answers)
                parsed = parse_answers(questions, answers)
            except QuestionError as error:
                raise RefusedError("answer", error.sentence) from error
            if self._record_answer(db, row, GivenAnswer(RequestAnswer.ANSWERED, answers=parsed), now):
                assert row.run is not None
                runs.schedule_resume(db, row.run, now)
            return {"request": row.id, "answer": RequestAnswer.ANSWERED.value, "answers": parsed}

        return self._do("answer", request, idempotency_key, act)

    def resolve(
        self, run: str, answer: str, *, answered_from: str | None = None, idempotency_key: str | None = None
    ) -> dict[str, Any]:
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
            if self._record_answer(db, asked[-1], GivenAnswer(given, answered_from=answered_from), now):
                self._resolve(db, row, asked[-1], given, now)
            return {"run": row.id, "answer": given.value}

        return self._do("resolve", run, idempotency_key, act)

    def retry(
        self, target: str, *, answered_from: str | None = None, idempotency_key: str | None = None
    ) -> dict[str, Any]:
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
                requests.close(db, now, RequestAnswer.SOLVED, run=one.id, answered_from=answered_from)
                runs.schedule_resume(db, one.id, now)
                handlers.reset_failures(db, one.workflow, one.handler)
            return {"runs": [one.id for one in failed]}

        return self._do("retry", target, idempotency_key, act)

    def dismiss(
        self, request: str, *, answered_from: str | None = None, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        """Stop showing what went wrong. If that stopped the workflow, it stays stopped until it is tried again."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = self._find(db, request)
            if not REQUESTS[row.kind].can_be_dismissed:
                raise RefusedError(
                    "needs an answer",
                    UserText("That waits for your answer: dayhand attention {id}", id=row.id),
                )
            given = GivenAnswer(RequestAnswer.DISMISSED, answered_from=answered_from)
            if self._record_answer(db, row, given, now) and REQUESTS[row.kind].is_report:
                identity = handler_of_report(row.subject)
                shown = [one.run for kind in _REPORTS for one in requests.list_reports(db, kind, identity) if one.run]
                runs.close_earlier_failed(db, *split_handler_id(identity), but=shown)
            stopped = REQUESTS[row.kind].blocks is not None
            return {"request": row.id, "answer": RequestAnswer.DISMISSED.value, "stopped": stopped}

        return self._do("dismiss", request, idempotency_key, act)

    def describe_answer(self, request: str) -> str:
        """How it was answered, by whom and when; empty while it is open."""
        row = requests.find(self._context.database.read(), request)
        return "" if row is None else describe_answer(row, self._context, self._context.clock.now())

    def _do(self, verb: str, subject: str, idempotency_key: str | None, act: Act) -> dict[str, Any]:
        return run_once(self._context, verb, subject, idempotency_key, act)

    def _find(self, db: sqlite3.Connection, request: str) -> RequestRow:
        row = requests.find(db, request)
        if row is None:
            raise RefusedError(
                "unknown", UserText("There is no request {request}; dayhand attention lists them.", request=request)
            )
        return row

    def _record_answer(
        self, db: sqlite3.Connection, row: RequestRow, given: GivenAnswer | RequestAnswer, now: datetime
    ) -> bool:
        answered = requests.answer(db, row.id, given, now)
        if answered is AnswerOutcome.TOO_LATE:
            found = requests.find(db, row.id)
            said = describe_answer(found or row, self._context, now) or UserText("This is not open any more.")
            raise RefusedError("too late", UserText("{answered} Nothing was changed.", answered=add_full_stop(said)))
        return answered is AnswerOutcome.ACCEPTED

    def _accept(
        self, db: sqlite3.Connection, row: RequestRow, given: GivenAnswer, now: datetime, *, always: bool
    ) -> Grant | None:
        """Let its run continue; returns the grant under which the next calls need no approval."""
        if REQUESTS[row.kind].concerns_repair:
            self._repairs.accept(db, row, now)
            return None
        if row.kind is RequestKind.PERMISSION:
            workflow, _, asked = row.subject.partition(" ")
            if asked:  # else the account itself refused, which no grant of ours can change
                connection, tool = asked.split(" ")
                grants.add(db, Grant(workflow, "", connection, tool, GrantKind.PERMISSION, now))
            for one in runs.list_waiting_for(db, FailureClass.PERMISSION, row.subject):
                runs.schedule_resume(db, one.id, now)
            return None
        assert row.run is not None
        run = runs.find(db, row.run)
        assert run is not None
        call = OutsideCall.from_stored(row.call)
        handler = self._plans.current(db, row.workflow).handlers.get(run.handler)
        # Neither what the user had to change, nor what they saw only on a phone, is done unasked the next time.
        is_reason = given.edited is None and given.answered_from is None
        stands = is_reason and (always or (handler is not None and handler.approve == "first"))
        is_there_still = call.endpoint == find_endpoint(db, self._registry, call.connection)
        scope = Grant(row.workflow, run.handler, call.connection, call.tool, GrantKind.APPROVAL, now)
        is_granted = stands and is_there_still  # else the approval was for another account, and the run asks again
        if is_granted:
            grants.add(db, scope)
        runs.schedule_resume(db, run.id, now)
        return scope if is_granted else None

    def _approve_waiting(self, db: sqlite3.Connection, scope: Grant, now: datetime) -> list[str]:
        """Approve what waits for exactly what was granted, on the account that is connected now; returns the ids."""
        endpoint = find_endpoint(db, self._registry, scope.connection)
        approved = []
        for one in requests.list_open(db):
            if one.kind is not RequestKind.APPROVAL or one.workflow != scope.workflow or one.run is None:
                continue
            row = requests.find(db, one.id)
            if row is None or runs.find_handler(db, one.run) != scope.handler:
                continue
            call = OutsideCall.from_stored(row.call)
            if (call.connection, call.tool, call.endpoint) == (scope.connection, scope.tool, endpoint):
                self._record_answer(db, row, GivenAnswer(RequestAnswer.YES), now)
                runs.schedule_resume(db, one.run, now)
                approved.append(one.id)
        return approved

    def _decline(self, db: sqlite3.Connection, row: RequestRow, reason: str | None, now: datetime) -> None:
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
        user_requests.skip(db, row, reason, now)

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
