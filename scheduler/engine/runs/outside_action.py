"""The one outside action of a run: permission and approval, its row, the call, and what became of it."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from scheduler.connections import abandoned_calls
from scheduler.connections.connector import Call, Tool
from scheduler.engine.context import EngineContext
from scheduler.engine.runs import user_requests
from scheduler.engine.runs.attempt import Attempt, AttemptFailedError, OutsideCall
from scheduler.engine.runs.finish import AttemptFinisher
from scheduler.engine.runs.tool_calls import ToolCaller, only_reads
from scheduler.engine.runs.write_retry import RetryingWriter
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import RunPhase
from scheduler.store import mutations, runs


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideAction:
    """Runs on the thread of the run."""

    context: EngineContext
    tools: ToolCaller
    finisher: AttemptFinisher
    writer: RetryingWriter
    attempt: Attempt
    raise_if_stopped: Callable[[], None]
    is_stop_requested: Callable[[], bool]
    store_log: Callable[[sqlite3.Connection], None]
    start_next: Callable[[], None]
    """Starts `next` while the outcome is being stored."""

    def act(self, asked: OutsideCall) -> bool:
        """Check permission and approval, store the action, make it, store its result. False if it waits.

        The approval is for the call that the script asks for; what is made is the call that the user approved.
        """
        attempt = self.attempt
        self.raise_if_stopped()
        tool = self.tools.find(attempt, asked)
        if not tool.mutating:
            raise only_reads(asked)
        with self.context.database.quick_read() as db:
            self.tools.require_grant(db, attempt, asked)
        asked = self._pin(tool, asked)
        call = self._find_allowed_call(tool, asked)
        if call is None:
            with self.context.database.write() as db:
                self.finisher.wait_for_approval(db, attempt, asked, self._now())
                self.store_log(db)
            return False
        ready = self.tools.prepare_call(attempt.workflow, call, call.make_idempotency_key(attempt.row.chain))
        self.raise_if_stopped()
        now = self._now()
        with self.context.database.write(durable=True) as db:
            self.tools.require_grant(db, attempt, asked)  # it may have been revoked while the keyring answered
            allowed = user_requests.find_allowed_call(db, attempt, tool, asked)
            must_ask = allowed is None or allowed.hash != call.hash
            if must_ask:
                self.finisher.wait_for_approval(db, attempt, asked, now)
            else:
                runs.advance(db, attempt.id, RunPhase.PREPARED, RunPhase.MUTATING, now)
                row = call.to_mutation_row(attempt.row, ready.key, MutationStatus.IN_FLIGHT, now, asked=asked)
                mutations.begin(db, row)
            self.store_log(db)
        if must_ask:
            return False
        attempt.phase = RunPhase.MUTATING
        return self._make_call(tool, call, ready)

    def _find_allowed_call(self, tool: Tool, asked: OutsideCall) -> OutsideCall | None:
        """The call to make; None if the user must approve it first."""
        with self.context.database.quick_read() as db:
            call = user_requests.find_allowed_call(db, self.attempt, tool, asked)
        if call is None or call.hash == asked.hash or tool.identify_target is None:
            return call
        # What the user changed must not change what it is done to.
        return call if self._pin(tool, call).hash == call.hash else None

    def _pin(self, tool: Tool, call: OutsideCall) -> OutsideCall:
        """The call bound to the object it would change: by the time of approval its name may mean another one."""
        try:
            return self.tools.pin_target(tool, self.attempt.workflow, call, self.is_stop_requested)
        except AttemptFailedError:
            self.raise_if_stopped()
            raise

    def _make_call(self, tool: Tool, call: OutsideCall, ready: Call) -> bool:
        attempt = self.attempt
        try:
            result = self.tools.call_mutating(tool, ready)
        except AttemptFailedError as error:
            has_checker = tool.check is not None or abandoned_calls.is_known(ready.key)
            self.writer.write(partial(self._store_refusal, error.failure, has_checker=has_checker), durable=True)
            if error.failure.kind is FailureClass.UNSURE:
                return False
            raise
        attempt.outcome, attempt.action_status = result, MutationStatus.APPLIED.value
        attempt.call_made = call.to_script()
        if attempt.handler.has_next:
            self.start_next()
        self.writer.write(self._store_success, durable=True)
        attempt.phase = RunPhase.EMITTING if attempt.handler.has_next else RunPhase.MUTATED
        return True

    def _store_success(self, db: sqlite3.Connection) -> None:
        attempt, now = self.attempt, self._now()
        mutations.record_outcome(
            db, attempt.id, MutationStatus.IN_FLIGHT, MutationStatus.APPLIED, now, result=attempt.outcome
        )
        runs.advance(db, attempt.id, RunPhase.MUTATING, RunPhase.MUTATED, now, outcome=attempt.outcome)
        if attempt.handler.has_next:
            runs.advance_to_emitting(db, attempt.id, RunPhase.MUTATED, now)

    def _store_refusal(self, failure: Failure, db: sqlite3.Connection, *, has_checker: bool) -> None:
        attempt, now = self.attempt, self._now()
        if failure.kind is FailureClass.UNSURE:
            self.finisher.mark_unsure(db, attempt, failure, now, has_checker=has_checker)
        else:
            mutations.record_outcome(db, attempt.id, MutationStatus.IN_FLIGHT, MutationStatus.FAILED, now)

    def _now(self) -> datetime:
        return self.context.clock.now()
