"""A run, told from where it stands to its end: one straight line per kind of handler.

Each step is one transaction. While it is being written the script already works on the next phase, which cannot
touch anything outside: only the call that `mutate` asked for does, and that is made here, after it was written down.
"""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from dayhand import _protocol as protocol

from scheduler.connections import abandoned_calls
from scheduler.connections.connector import Call, Tool
from scheduler.engine.context import Context
from scheduler.engine.runs import asking
from scheduler.engine.runs.attempt import Attempt, OutsideCall
from scheduler.engine.runs.conversation import Conversation
from scheduler.engine.runs.endings import Endings
from scheduler.engine.runs.insisting import Insistence
from scheduler.engine.runs.tools import FailedError, Tools, placing
from scheduler.engine.runs.workshop import failure_of
from scheduler.rules.consumers import read_wake
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.mutations import Mutation
from scheduler.rules.phases import HandlerKind, Phase
from scheduler.rules.script_limits import cut_sentence
from scheduler.store import events, handlers, logs, mutations, runs
from scheduler.store.errors import StoreError
from scheduler.store.events import NotPendingError
from scheduler.workers.outcomes import Cancelled, Finished
from scheduler.workers.script import Phase as ScriptPhase
from scheduler.workers.worker import Worker


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a run has to know of what goes on around it."""

    next_of_lane: Callable[[sqlite3.Connection, datetime], "Story | None"]
    """In the transaction that commits it: the next run of its lane, if there is one to go on with at once."""
    told_to_end: Callable[[], bool | None]
    """Whether it was told to end, and then whether by force; None if it was not."""


class StoppedError(Exception):
    """The run was asked to end, and its script has."""


class OvertakenError(Exception):
    """What prepare was about to take was left out by the person, or with its topic, while it thought."""


class Story:
    def __init__(
        self,
        context: Context,
        tools: Tools,
        endings: Endings,
        insistence: Insistence,
        attempt: Attempt,
        worker: Worker,
        outlook: Outlook,
    ) -> None:
        self._context = context
        self._tools = tools
        self._endings = endings
        self._insistence = insistence
        self._worker = worker
        self._outlook = outlook
        self._ahead: str | None = None
        self.attempt = attempt
        self.conversation = Conversation(context, tools, attempt, self._checkpoint, worker.is_ending)
        self.next: Story | None = None

    def tell(self) -> None:
        """To its end, or to where it waits. FailedError and StoppedError are for the caller to write down."""
        try:
            match self.attempt.handler.kind:
                case HandlerKind.PRODUCER:
                    self._produce()
                case HandlerKind.JOB:
                    self._work()
                case HandlerKind.CONSUMER:
                    self._consume()
        except BaseException:
            self._leave()
            raise

    def release(self) -> None:
        """Nobody needs it any more. It and its conversation refer to each other, so they would stay for a while."""
        self.attempt.release()
        self.conversation.release()

    def go_ahead(self) -> None:
        """Have the script prepare while what came before is still being written."""
        self._start(protocol.PREPARE, self._for_prepare())

    def _leave(self) -> None:
        """Let go of a phase that nobody will wait for."""
        if self.next is not None:
            self.next._leave()  # noqa: SLF001  one of its own
            self.next = None
        if self._ahead is not None:
            self._ahead = None
            self._worker.stop(kill=True)
            with suppress(FailedError, StoreError):  # what it asked for meanwhile does not matter any more
                self._worker.finish()

    def _produce(self) -> None:
        value = self._ask(protocol.PRODUCER, {"state": self.attempt.state})
        self._commit(value["state"], None)

    def _work(self) -> None:
        value = self._ask(protocol.JOB, {})
        self._commit(None, value["result"])

    def _consume(self) -> None:
        attempt, handler = self.attempt, self.attempt.handler
        if attempt.phase is Phase.PREPARING:
            decision = self._ask(protocol.PREPARE, self._for_prepare())
            if decision["nothing"]:
                self._rest(decision)
                return
            self._prepare(decision)
        if attempt.phase is Phase.PREPARED and handler.has_mutate and attempt.outcome_word == "none":
            call = self._ask(protocol.MUTATE, {"prepared": attempt.prepared})["call"]
            if call is not None:
                with placing(attempt, call.get("line")):
                    if not self._act(OutsideCall.read(call)):
                        return
        state = self._ask(protocol.NEXT, self._for_next())["state"] if handler.has_next else None
        self._commit(state, attempt.outcome)

    def _rest(self, decision: dict[str, Any]) -> None:
        """There was nothing to do."""
        attempt, now = self.attempt, self._now()
        with self._context.database.write() as db:
            self._note_prepare(db, decision, now)
            runs.advance(db, attempt.id, Phase.PREPARING, Phase.PREPARED, now)
            attempt.phase = Phase.PREPARED
            self._close(db, None, None, now)

    def _prepare(self, decision: dict[str, Any]) -> None:
        """What to do is known: store it with the events that it takes."""
        attempt, now = self.attempt, self._now()
        if attempt.handler.has_mutate:
            self._worker.follow(protocol.MUTATE, attempt.handler.seconds, self.conversation)
            self._is_ahead_with(protocol.MUTATE)
        kept = {name: decision[name] for name in ("reserve", "data", "ui", "wake_at")}
        kept["say"] = cut_sentence(decision["say"])
        wanted = {(one["topic"], one["id"]): one for one in kept["reserve"]}
        for topic, identity in wanted:
            if topic not in attempt.handler.subscribes:
                raise self._refuse_reserve(topic, identity)
        attempt.prepared = {
            **kept,
            "reserve": [self.conversation.peeked.get(key, one) for key, one in wanted.items()],
        }
        if attempt.handler.has_next and not attempt.handler.has_mutate:
            self._start(protocol.NEXT, self._for_next())
        try:
            with self._context.database.write() as db:
                events.reserve(db, attempt.workflow, attempt.id, wanted)
                self._note_prepare(db, decision, now)
                runs.advance(db, attempt.id, Phase.PREPARING, Phase.PREPARED, now, prepared=kept)
        except NotPendingError as error:
            if (error.topic, error.identity) in self.conversation.peeked:
                raise OvertakenError from error
            raise self._refuse_reserve(error.topic, error.identity) from error
        attempt.phase = Phase.PREPARED

    def _refuse_reserve(self, topic: str, identity: str) -> FailedError:
        sentence = (
            f"There is no pending event {identity!r} in {topic} that it could reserve. Reserve what ctx.peek gave."
        )
        failure = Failure(kind=FailureClass.LOGIC, sentence=sentence)
        return FailedError(failure.placed(self.attempt.plan.path, self.attempt.handler.line_of(protocol.PREPARE)))

    def _act(self, call: OutsideCall) -> bool:
        """The one outside action: allowed, approved, written down, made, and its outcome written down."""
        attempt = self.attempt
        self._heed_stop()
        tool = self._tools.find(attempt, call)
        if not tool.mutating:
            raise FailedError.because(
                FailureClass.LOGIC,
                f"{call.tool} of {call.connection} only reads; call it in prepare, and let mutate act.",
            )
        with self._context.database.at_hand() as db:
            self._tools.check_grant(db, attempt, call)
        call = self._pin(tool, call)
        with self._context.database.at_hand() as db:
            must_ask = asking.needs_approval(db, attempt, tool, call)
        if must_ask:
            with self._context.database.write() as db:
                self._endings.wait_for_approval(db, attempt, call, self._now())
                self._keep_log(db)
            return False
        ready = self._tools.make_ready(attempt.workflow, call, call.key_for(attempt.row.chain))
        self._heed_stop()
        now = self._now()
        with self._context.database.write(durable=True) as db:
            self._tools.check_grant(db, attempt, call)  # the keyring may have taken long enough to change one's mind
            must_ask = asking.needs_approval(db, attempt, tool, call)
            if must_ask:
                self._endings.wait_for_approval(db, attempt, call, now)
            else:
                runs.advance(db, attempt.id, Phase.PREPARED, Phase.MUTATING, now)
                mutations.begin(db, call.note(attempt.row, ready.key, Mutation.IN_FLIGHT, now))
            self._keep_log(db)
        if must_ask:
            return False
        attempt.phase = Phase.MUTATING
        return self._make(tool, ready)

    def _pin(self, tool: Tool, call: OutsideCall) -> OutsideCall:
        """The same call with the very object that it would change: names may mean another one by the time of a yes."""
        try:
            return self._tools.pin(tool, self.attempt.workflow, call, self._is_told_to_end)
        except FailedError:
            self._heed_stop()
            raise

    def _make(self, tool: Tool, ready: Call) -> bool:
        attempt = self.attempt
        try:
            result = self._tools.act(tool, ready)
        except FailedError as error:
            can_find_out = tool.check is not None or abandoned_calls.is_known(ready.key)
            self._insistence.write(partial(self._note_refusal, error.failure, can_find_out=can_find_out), durable=True)
            if error.failure.kind is FailureClass.UNSURE:
                return False
            raise
        attempt.outcome, attempt.outcome_word = result, Mutation.APPLIED.value
        if attempt.handler.has_next:
            self._start(protocol.NEXT, self._for_next())
        self._insistence.write(self._note_success, durable=True)
        attempt.phase = Phase.MUTATED
        return True

    def _note_success(self, db: sqlite3.Connection) -> None:
        attempt, now = self.attempt, self._now()
        mutations.settle(db, attempt.id, Mutation.IN_FLIGHT, Mutation.APPLIED, now, result=attempt.outcome)
        runs.advance(db, attempt.id, Phase.MUTATING, Phase.MUTATED, now, outcome=attempt.outcome)

    def _note_refusal(self, failure: Failure, db: sqlite3.Connection, *, can_find_out: bool) -> None:
        attempt, now = self.attempt, self._now()
        if failure.kind is FailureClass.UNSURE:
            self._endings.leave_unsure(db, attempt, failure, now, can_find_out=can_find_out)
        else:
            mutations.settle(db, attempt.id, Mutation.IN_FLIGHT, Mutation.FAILED, now)

    def _commit(self, state: dict[str, Any] | None, result: Any) -> None:
        with self._context.database.write() as db:
            self._close(db, state, result, self._now())
            self._keep_log(db)

    def _checkpoint(self, state: dict[str, Any]) -> None:
        """A producer in the middle of its work: what it published so far is visible, and is not published again."""
        attempt, now = self.attempt, self._now()
        with self._context.database.write() as db:
            self._endings.publish(db, attempt, now)
            handlers.update(db, attempt.workflow, attempt.handler.name, state=state)
            runs.note_checkpoint(db, attempt.id)
            self._keep_log(db)

    def _note_prepare(self, db: sqlite3.Connection, decision: dict[str, Any], now: datetime) -> None:
        wake = read_wake(decision["wake_at"], now)
        if wake.warning is not None:
            self.conversation.log(f"{wake.warning}\n")
        handlers.prepared(db, self.attempt.workflow, self.attempt.handler.name, self.attempt.sequence, wake.at)
        self._keep_log(db)

    def _keep_log(self, db: sqlite3.Connection) -> None:
        if text := self.conversation.take_log():
            logs.append(db, self.attempt.id, text)

    def _close(self, db: sqlite3.Connection, state: dict[str, Any] | None, result: Any, now: datetime) -> None:
        """Nothing is left to do but to store it, and the next one of its lane prepares meanwhile."""
        self._endings.hand_on(db, self.attempt, state, result, now)
        self.next = self._outlook.next_of_lane(db, now)
        if self.next is not None:
            self.next.go_ahead()
        self._endings.commit(db, self.attempt, now)
        if self.next is not None:
            runs.insert(db, self.next.attempt.row)

    def _for_prepare(self) -> dict[str, Any]:
        return {"state": self.attempt.state, "waiting": self.attempt.waiting}

    def _for_next(self) -> dict[str, Any]:
        attempt = self.attempt
        return {
            "prepared": attempt.prepared,
            "result": attempt.outcome,
            "outcome": attempt.outcome_word,
            "state": attempt.state,
        }

    def _start(self, phase: str, inputs: dict[str, Any]) -> None:
        attempt = self.attempt
        self._worker.start(
            ScriptPhase(
                handler=attempt.handler.name,
                name=phase,
                inputs=inputs,
                facts=attempt.facts(self._now()),
                seconds=attempt.handler.seconds,
                goes_on=phase == protocol.PREPARE and attempt.handler.has_mutate,
            ),
            self.conversation,
        )
        self._is_ahead_with(phase)

    def _is_ahead_with(self, phase: str) -> None:
        self._ahead = phase
        if (by_force := self._outlook.told_to_end()) is not None:  # between two phases there was nobody to tell
            self._worker.stop(kill=by_force)

    def _is_told_to_end(self) -> bool:
        return self._outlook.told_to_end() is not None

    def _heed_stop(self) -> None:
        """Where no script runs that could be asked to end."""
        if self._is_told_to_end():
            raise StoppedError(Cancelled().sentence)

    def _ask(self, phase: str, inputs: dict[str, Any]) -> dict[str, Any]:
        """Have the script run a phase, unless it is at it already, and wait for what it gives."""
        if self._ahead != phase:
            self._start(phase, inputs)
        self._ahead = None
        try:
            outcome = self._worker.finish()
        except FailedError:
            self._heed_stop()  # then it is over, whatever else went wrong
            raise
        if isinstance(outcome, Finished):
            return outcome.value
        if isinstance(outcome, Cancelled):
            raise StoppedError(outcome.sentence)
        raise FailedError(failure_of(outcome, self.attempt.plan.path, self.attempt.handler.line_of(phase)))

    def _now(self) -> datetime:
        return self._context.clock.now()
