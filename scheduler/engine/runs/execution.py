"""Runs one attempt from its current phase to its end, with one linear method per kind of handler.

Each step is one transaction. While it is written the script already runs the next phase, which cannot change anything
outside: only the call that `mutate` asked for does, and it is made here after its row was stored.
"""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dayhand import _protocol as protocol

from scheduler.engine.context import EngineContext
from scheduler.engine.runs import user_requests
from scheduler.engine.runs.attempt import (
    Attempt,
    AttemptFailedError,
    EventsSkippedError,
    OutsideCall,
    StoppedError,
    no_pending_event,
)
from scheduler.engine.runs.finish import AttemptFinisher
from scheduler.engine.runs.outside_action import OutsideAction
from scheduler.engine.runs.script_host import ScriptHost
from scheduler.engine.runs.script_workers import to_failure
from scheduler.engine.runs.summary import summarize
from scheduler.engine.runs.tool_calls import ToolCaller, with_script_line
from scheduler.engine.runs.write_retry import RetryingWriter
from scheduler.rules.phases import HandlerKind, RunPhase
from scheduler.rules.script_limits import truncate_summary
from scheduler.rules.wake_time import parse_wake
from scheduler.store import events, handlers, logs, runs
from scheduler.store.errors import StoreError
from scheduler.store.events import NotPendingError
from scheduler.timing.zones import find_zone
from scheduler.user_text import UserText
from scheduler.workers.outcomes import Cancelled, Finished
from scheduler.workers.script import PhaseCall as ScriptPhase
from scheduler.workers.worker import Worker


@dataclass(frozen=True, slots=True)
class RunnerCallbacks:
    """What an execution asks of the runner."""

    start_next_of_lane: Callable[[sqlite3.Connection, datetime], "Execution | None"]
    """Called in the committing transaction: the next run of the lane if it can start at once."""
    requested_stop: Callable[[], bool | None]
    """None if no stop was requested, else whether to kill."""


class Execution:
    def __init__(
        self,
        context: EngineContext,
        tools: ToolCaller,
        finisher: AttemptFinisher,
        writer: RetryingWriter,
        attempt: Attempt,
        worker: Worker,
        callbacks: RunnerCallbacks,
    ) -> None:
        self._context = context
        self._tools = tools
        self._finisher = finisher
        self._writer = writer
        self._worker = worker
        self._callbacks = callbacks
        self._started_phase: str | None = None
        self.attempt = attempt
        self.script_host = ScriptHost(context, tools, attempt, self._checkpoint, worker.is_ending)
        self.next: Execution | None = None

    def run(self) -> None:
        """Run to the end or until it waits. The caller records AttemptFailedError and StoppedError."""
        try:
            match self.attempt.handler.kind:
                case HandlerKind.PRODUCER:
                    self._produce()
                case HandlerKind.JOB:
                    self._work()
                case HandlerKind.CONSUMER:
                    self._consume()
        except BaseException:
            self._discard_started_phase()
            raise

    def release(self) -> None:
        """Free memory now: the execution and its script host refer to each other."""
        self.attempt.release()
        self.script_host.release()

    def start_prepare(self) -> None:
        """Start prepare while the previous run is still being written."""
        self._start(protocol.PREPARE, self.attempt.prepare_inputs())

    def _discard_started_phase(self) -> None:
        """End a phase that was started ahead and whose result is no longer needed."""
        if self.next is not None:
            self.next._discard_started_phase()  # noqa: SLF001  same class
            self.next = None
        if self._started_phase is not None:
            self._started_phase = None
            self._worker.stop(kill=True)
            with suppress(AttemptFailedError, StoreError):  # its result does not matter any more
                self._worker.finish()

    def _produce(self) -> None:
        value = self._finish_phase(protocol.PRODUCER, {"state": self.attempt.state})
        self._commit(value["state"], None)

    def _work(self) -> None:
        value = self._finish_phase(protocol.JOB, {})
        self._commit(None, value["result"])

    def _consume(self) -> None:
        attempt, handler = self.attempt, self.attempt.handler
        if attempt.phase is RunPhase.PREPARING:
            decision = self._finish_phase(protocol.PREPARE, self.attempt.prepare_inputs())
            if decision["nothing"]:
                self._finish_with_nothing(decision)
                return
            self._store_prepared(decision)
        if attempt.phase is RunPhase.PREPARED and self._waits_for_answers():
            return
        if attempt.phase is RunPhase.PREPARED and handler.has_mutate and attempt.action_status == "none":
            call = self._finish_phase(protocol.MUTATE, {"prepared": attempt.prepared})["call"]
            if call is None:
                attempt.default_summary = attempt.default_summary or UserText("There was nothing to do.")
            else:
                with with_script_line(attempt, call.get("line")):
                    if not self._act(OutsideCall.from_message(call)):
                        return
        if not handler.has_next:
            self._commit(None, attempt.outcome)
            return
        if attempt.phase is not RunPhase.EMITTING:
            self._start(protocol.NEXT, self.attempt.next_inputs())
            with self._context.database.write() as db:
                runs.advance_to_emitting(db, attempt.id, attempt.phase, self._now())
            attempt.phase = RunPhase.EMITTING
        self._commit(self._finish_phase(protocol.NEXT, self.attempt.next_inputs())["state"], attempt.outcome)

    def _finish_with_nothing(self, decision: dict[str, Any]) -> None:
        """Commit a prepare that found nothing to do."""
        attempt, now = self.attempt, self._now()
        with self._context.database.write() as db:
            self._store_wake(db, decision, now)
            runs.advance(db, attempt.id, RunPhase.PREPARING, RunPhase.PREPARED, now)
            attempt.phase = RunPhase.PREPARED
            self._close(db, None, None, now)

    def _store_prepared(self, decision: dict[str, Any]) -> None:
        """Store the result of prepare together with the events it reserves."""
        attempt, now = self.attempt, self._now()
        kept = {name: decision[name] for name in ("reserve", "data", "ui", "wake_at")}
        asks = bool(decision.get("ask"))
        if asks:
            kept["ask"] = decision["ask"]
        if attempt.handler.has_mutate and not asks:
            self._worker.expect_next_phase(protocol.MUTATE, attempt.handler.timeout_s, self.script_host)
            self._mark_started(protocol.MUTATE)
        kept["say"] = truncate_summary(decision["say"])
        to_reserve = {(one["topic"], one["id"]): one for one in kept["reserve"]}
        for topic, identity in to_reserve:
            if topic not in attempt.handler.subscribes:
                raise no_pending_event(attempt, topic, identity)
        attempt.prepared = {
            **kept,
            "reserve": [self.script_host.peeked.get(key, one) for key, one in to_reserve.items()],
        }
        starts_next = attempt.handler.has_next and not attempt.handler.has_mutate and not asks
        if starts_next:
            self._start(protocol.NEXT, self.attempt.next_inputs())
        try:
            with self._context.database.write() as db:
                events.reserve(db, attempt.workflow, attempt.id, to_reserve)
                self._store_wake(db, decision, now)
                runs.advance(db, attempt.id, RunPhase.PREPARING, RunPhase.PREPARED, now, prepared=kept)
                if starts_next:
                    runs.advance_to_emitting(db, attempt.id, RunPhase.PREPARED, now)
        except NotPendingError as error:
            if (error.topic, error.identity) in self.script_host.peeked:
                raise EventsSkippedError from error
            raise no_pending_event(attempt, error.topic, error.identity) from error
        attempt.phase = RunPhase.EMITTING if starts_next else RunPhase.PREPARED

    def _waits_for_answers(self) -> bool:
        """Whether prepare asks something that the user has not answered yet; then it is asked."""
        attempt = self.attempt
        if attempt.prepared is None or not attempt.prepared.get("ask"):
            return False
        with self._context.database.write() as db:
            is_known = user_requests.apply_answers(db, attempt)
            if not is_known:
                self._finisher.wait_for_answers(db, attempt, self._now())
                self._store_log(db)
        return not is_known

    def _act(self, call: OutsideCall) -> bool:
        """Make the outside action; False if it waits."""
        return OutsideAction(
            context=self._context,
            tools=self._tools,
            finisher=self._finisher,
            writer=self._writer,
            attempt=self.attempt,
            raise_if_stopped=self._raise_if_stopped,
            is_stop_requested=self._is_stop_requested,
            store_log=self._store_log,
            start_next=lambda: self._start(protocol.NEXT, self.attempt.next_inputs()),
        ).act(call)

    def _commit(self, state: dict[str, Any] | None, result: Any) -> None:
        with self._context.database.write() as db:
            self._close(db, state, result, self._now())
            self._store_log(db)

    def _checkpoint(self, state: dict[str, Any]) -> None:
        """Commit what a producer has published so far, with its state."""
        attempt, now = self.attempt, self._now()
        with self._context.database.write() as db:
            self._finisher.publish(db, attempt, now)
            handlers.update(db, attempt.workflow, attempt.handler.name, state=state)
            runs.reset_crashes(db, attempt.id)
            self._store_log(db)

    def _store_wake(self, db: sqlite3.Connection, decision: dict[str, Any], now: datetime) -> None:
        wake = parse_wake(decision["wake_at"], now, find_zone(self._context.machine_zone))
        if wake.warning is not None:
            self.script_host.log(f"{wake.warning}\n")
            self.attempt.default_summary = wake.warning
        handlers.record_prepare(db, self.attempt.workflow, self.attempt.handler.name, self.attempt.sequence, wake.at)
        self._store_log(db)

    def _store_log(self, db: sqlite3.Connection) -> None:
        if text := self.script_host.take_log():
            logs.append(db, self.attempt.id, text, self.script_host.log_began)

    def _close(self, db: sqlite3.Connection, state: dict[str, Any] | None, result: Any, now: datetime) -> None:
        """Commit, and let the next run of the lane prepare while this one is stored."""
        self._finisher.publish_results(db, self.attempt, state, result, now)
        self.attempt.summary = summarize(self.attempt)
        self.next = self._callbacks.start_next_of_lane(db, now)
        if self.next is not None:
            self.next.start_prepare()
        self._finisher.commit(db, self.attempt, now)
        if self.next is not None:
            runs.insert(db, self.next.attempt.row)

    def _start(self, phase: str, inputs: dict[str, Any]) -> None:
        attempt = self.attempt
        self._worker.start(
            ScriptPhase(
                handler=attempt.handler.name,
                name=phase,
                inputs=inputs,
                facts=attempt.facts(self._now()),
                seconds=attempt.handler.timeout_s,
                continues=phase == protocol.PREPARE and attempt.handler.has_mutate,
            ),
            self.script_host,
        )
        self._mark_started(phase)

    def _mark_started(self, phase: str) -> None:
        self._started_phase = phase
        if (kill := self._callbacks.requested_stop()) is not None:  # a stop between two phases reached no worker
            self._worker.stop(kill=kill)

    def _is_stop_requested(self) -> bool:
        return self._callbacks.requested_stop() is not None

    def _raise_if_stopped(self) -> None:
        """For moments when no script runs that could be stopped."""
        if self._is_stop_requested():
            raise StoppedError(Cancelled().sentence)

    def _finish_phase(self, phase: str, inputs: dict[str, Any]) -> dict[str, Any]:
        """Start a phase unless it was started ahead, and wait for its result."""
        if self._started_phase != phase:
            self._start(phase, inputs)
        self._started_phase = None
        try:
            outcome = self._worker.finish()
        except AttemptFailedError:
            self._raise_if_stopped()  # a stop wins over any other failure
            raise
        if isinstance(outcome, Finished):
            return outcome.value
        if isinstance(outcome, Cancelled):
            raise StoppedError(outcome.sentence)
        handler = self.attempt.handler
        is_job = handler.kind is HandlerKind.JOB
        raise AttemptFailedError(to_failure(outcome, self.attempt.plan.path, handler.line_of(phase), is_job=is_job))

    def _now(self) -> datetime:
        return self._context.clock.now()
