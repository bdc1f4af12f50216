"""What a person answers and tries again; each in one transaction with what follows from it."""

import sqlite3
from datetime import datetime
from typing import Any

from scheduler.connections import abandoned_calls
from scheduler.connections.registry import Registry
from scheduler.engine.context import Context
from scheduler.engine.dispatch import Dispatch
from scheduler.engine.fixing.seam import NoRepairs, Repairing
from scheduler.engine.once import Act, carry_out
from scheduler.engine.plans import Plans
from scheduler.engine.refusal import RefusedError
from scheduler.engine.runs.attempt import OutsideCall
from scheduler.engine.runs.reconciling import settle
from scheduler.engine.runs.recovery import drop
from scheduler.engine.runs.tools import find_endpoint
from scheduler.engine.workflows.names import find_run, find_workflow
from scheduler.rules.failures import FailureClass
from scheduler.rules.mutations import Mutation
from scheduler.rules.phases import HandlerKind, Phase, Status
from scheduler.store import grants, handlers, lanes, mutations, repairs, requests, runs
from scheduler.store.grants import Grant, GrantKind
from scheduler.store.requests import Answered, Given, RequestKind, RequestRow
from scheduler.store.runs import RunRow
from scheduler.timing.occurrences import Reason

_ANSWERS = {
    RequestKind.RECONNECT: "Reconnect the account: dayhand connect {subject}",
    RequestKind.KEYRING: "Unlock the keyring and it goes on by itself, or try again: dayhand retry {run}",
    RequestKind.UNSURE: "Say whether it happened: dayhand resolve {run} happened, not-happened or skip",
    RequestKind.INTERRUPTED: "Say whether it finished: dayhand resolve {run} happened, not-happened or skip",
    RequestKind.SCRIPT_ERROR: "Put the script right and deploy it, or try again: dayhand retry {run}",
    RequestKind.TOO_MANY_FAILURES: "Try again: dayhand retry {run}",
    RequestKind.INTERNAL: "Try again: dayhand retry {run}",
}
_FAILED = frozenset({Status.TRANSIENT, Status.LOGIC, Status.INTERNAL})
"""What can be tried again; whatever else stands still waits for an answer, or goes on by itself."""


class Answering:
    """Belongs to the engine's thread. The first answer counts; the same again changes nothing, another is refused."""

    def __init__(self, context: Context, plans: Plans, dispatch: Dispatch, registry: Registry) -> None:
        self._context = context
        self._registry = registry
        self._plans = plans
        self._dispatch = dispatch
        self.repairs: Repairing = NoRepairs()

    def approve(self, request: str, *, always: bool = False, request_id: str | None = None) -> dict[str, Any]:
        """Yes: to an outside action, exactly as it was shown, or to the use of a tool."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = self._find(db, request)
            if row.kind not in _YES_OR_NO:
                raise _other_way(row)
            if self._is_new(db, row, Given.YES, now):
                self._allow(db, row, now, always=always)
            return {"request": row.id, "answer": Given.YES.value}

        return self._do("approve", request, request_id, act)

    def reject(self, request: str, *, request_id: str | None = None) -> dict[str, Any]:
        """No: the action is left out, and its run goes on knowing that."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = self._find(db, request)
            if row.kind not in _YES_OR_NO:
                raise _other_way(row)
            if self._is_new(db, row, Given.NO, now):
                self._decline(db, row, now)
            return {"request": row.id, "answer": Given.NO.value}

        return self._do("reject", request, request_id, act)

    def resolve(self, run: str, answer: str, *, request_id: str | None = None) -> dict[str, Any]:
        """What the person found out about an outside action, or about a job that was interrupted."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            if answer not in (Given.HAPPENED, Given.NOT_HAPPENED, Given.SKIP):
                raise RefusedError("answer", f"{answer!r} is no answer; say happened, not-happened or skip.")
            given = Given(answer)
            row = find_run(db, run)
            if row.status is Status.CRASHED:  # it is the attempt right after it that waits for the answer
                row = next((one for one in runs.chain(db, row.chain) if one.retry_of == row.id), row)
            asked = [one for one in requests.of_run(db, row.id) if one.kind in _RESOLVED]
            if not asked:
                raise RefusedError("nothing to resolve", f"Nobody asks whether {row.handler} happened.")
            if self._is_new(db, asked[-1], given, now):
                self._settle(db, row, asked[-1], given, now)
            return {"run": row.id, "answer": given.value}

        return self._do("resolve", run, request_id, act)

    def retry(self, target: str, *, request_id: str | None = None) -> dict[str, Any]:
        """Try again now what failed: of a run, or of all that holds up a workflow."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            held_up = self._held_up(db, target)
            failed = [one for one in held_up if one.status in _FAILED]
            if held_up and not failed:
                raise RefusedError("answer first", f"{target} waits for your answer. Answer first: dayhand attention")
            if not failed:
                raise RefusedError("nothing to retry", f"Nothing of {target} waits to be tried again.")
            repairs.end(db, failed[0].workflow)  # the person takes over
            for one in failed:
                requests.close(db, now, Given.SOLVED, run=one.id)
                runs.resume(db, one.id, now)
            handlers.forgive(db, failed[0].workflow)
            return {"runs": [one.id for one in failed]}

        return self._do("retry", target, request_id, act)

    def _do(self, verb: str, subject: str, request: str | None, act: Act) -> dict[str, Any]:
        return carry_out(self._context, verb, subject, request, act)

    def _find(self, db: sqlite3.Connection, request: str) -> RequestRow:
        row = requests.find(db, request)
        if row is None:
            raise RefusedError("unknown", f"There is no request {request}; dayhand attention lists them.")
        return row

    def _is_new(self, db: sqlite3.Connection, row: RequestRow, given: Given, now: datetime) -> bool:
        answered = requests.answer(db, row.id, given, now)
        if answered is Answered.TOO_LATE:
            found = requests.find(db, row.id)
            before = "withdrawn" if found is None else found.answer
            raise RefusedError("too late", f"That was already answered ({before}); nothing was changed.")
        return answered is Answered.TAKEN

    def _allow(self, db: sqlite3.Connection, row: RequestRow, now: datetime, *, always: bool) -> None:
        if row.kind in _REPAIRS:
            self.repairs.accept(db, row, now)
            return
        if row.kind is RequestKind.PERMISSION:
            workflow, _, asked = row.subject.partition(" ")
            if asked:  # else the account itself refused, and a grant of ours changes nothing about that
                connection, tool = asked.split(" ")
                grants.give(db, Grant(workflow, "", connection, tool, GrantKind.PERMISSION, now))
            for one in runs.waiting_for(db, FailureClass.PERMISSION, row.subject):
                runs.resume(db, one.id, now)
            return
        assert row.run is not None
        run = runs.find(db, row.run)
        assert run is not None
        call = OutsideCall.load(row.call)
        handler = self._plans.current(db, row.workflow).handlers.get(run.handler)
        stands = always or (handler is not None and handler.approve == "first")
        is_there_still = call.endpoint == find_endpoint(db, self._registry, call.connection)
        if stands and is_there_still:  # else the yes was for another account, and the run asks again
            scope = Grant(row.workflow, run.handler, call.connection, call.tool, GrantKind.APPROVAL, now)
            grants.give(db, scope)
        runs.resume(db, run.id, now)

    def _decline(self, db: sqlite3.Connection, row: RequestRow, now: datetime) -> None:
        if row.kind in _REPAIRS:
            self.repairs.decline(db, row, now)
            return
        if row.kind is RequestKind.PERMISSION:
            for one in runs.waiting_for(db, FailureClass.PERMISSION, row.subject):
                drop(db, one, now, "You did not allow it.")
                self._end_occurrence(db, one, now)
                if one.kind is HandlerKind.CONSUMER:
                    handlers.calm(db, one.workflow, one.handler, now)
            return
        assert row.run is not None
        run = runs.find(db, row.run)
        assert run is not None
        call = OutsideCall.load(row.call)
        mutations.begin(db, call.note(run, call.key_for(run.chain), Mutation.SKIPPED, now))
        runs.settle_phase(db, run.id, Phase.PREPARED, Phase.MUTATED, now)
        runs.resume(db, run.id, now)

    def _settle(self, db: sqlite3.Connection, row: RunRow, asked: RequestRow, given: Given, now: datetime) -> None:
        if asked.kind is RequestKind.UNSURE:
            happened = {Given.HAPPENED: True, Given.NOT_HAPPENED: False, Given.SKIP: None}[given]
            mutation = mutations.find(db, row.id)
            assert mutation is not None
            if happened is False and abandoned_calls.is_known(mutation.key):
                raise RefusedError(
                    "still running",
                    f"{mutation.connection} was still working on it, so it may yet happen. Wait until Dayhand has seen "
                    "how it ended, or quit Dayhand and start it again, which ends it.",
                )
            abandoned_calls.forget(mutation.key)
            settle(db, row.id, happened=happened, result=None, now=now)
        elif given is Given.NOT_HAPPENED:
            runs.resume(db, row.id, now)
        else:
            lanes.open_up(db, row.workflow, lanes.lane_of(row.handler, row.kind), run=row.id)
            if row.occurrence is not None:
                self._dispatch.settle(db, row.occurrence, now, happened=given is Given.HAPPENED)

    def _held_up(self, db: sqlite3.Connection, target: str) -> list[RunRow]:
        """The attempts that failed or wait for an answer: of the workflow, or of the chain of one run."""
        try:
            workflow, chain = find_workflow(db, target).slug, None
        except RefusedError:
            run = find_run(db, target)
            workflow, chain = run.workflow, run.chain
        asked = [runs.find(db, one.run) for one in requests.list_open(db) if one.workflow == workflow and one.run]
        found = {row.id: row for row in [*asked, *runs.unfinished(db, workflow)] if row is not None}
        return [row for row in found.values() if row.status is not Status.ACTIVE and chain in (None, row.chain)]

    def _end_occurrence(self, db: sqlite3.Connection, run: RunRow, now: datetime) -> None:
        if run.occurrence is not None:
            self._dispatch.give_up(db, run.occurrence, now, Reason.BY_PERSON)


_REPAIRS = (RequestKind.FIX, RequestKind.REPAIRED)
_YES_OR_NO = (RequestKind.APPROVAL, RequestKind.PERMISSION, *_REPAIRS)
_RESOLVED = (RequestKind.UNSURE, RequestKind.INTERRUPTED)


def _other_way(row: RequestRow) -> RefusedError:
    help_line = _ANSWERS[row.kind].format(subject=row.subject, run=row.run)
    return RefusedError("other answer", f"That cannot be answered with yes or no. {help_line}")
