"""Simulated workers for thousands of steps: scripts run in this process, and the test decides which thread moves next.

Everything else is real: the store file, the engine, the runner with its threads, the scripts and what they import.
One thread moves at a time, from one point where it could be interrupted to the next.
"""

import json
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any
from unittest.mock import patch
from uuid import UUID

from dayhand import _protocol as protocol
from dayhand._errors import AttemptEnded, Misuse
from dayhand._script import LoadedScript

from scheduler.engine import runtime as engine_runtime
from scheduler.engine.runs.script_workers import BadScriptError, NoWorkerError, ScriptWorkers, to_failure
from scheduler.engine.scheduling.launcher import Work
from scheduler.engine.script_plan import ScriptPlan
from scheduler.rules.failures import Failure, FailureClass
from scheduler.store.errors import StoreClosedError
from scheduler.workers.environments import Dependencies
from scheduler.workers.outcomes import (
    Cancelled,
    ExitCause,
    Fault,
    Finished,
    Outcome,
    ScriptFailed,
    TimedOut,
    WorkerDied,
)
from scheduler.workers.script import PhaseCall
from scheduler.workers.script_messages import ScriptAnswers, answer_message
from tests.runs.runtime_fixture import RuntimeFixture

_TIMEOUT_S = 60


@dataclass
class WaitingThread:
    """A thread that waits to be released."""

    subject: str
    where: str
    may_go: bool = False


class ThreadStepper:
    """Decides which thread may move. The thread that creates it is the engine's and never waits."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._moving = 0
        self._own = threading.local()
        self._is_over = False
        self._is_free = False
        self.waiting: list[WaitingThread] = []

    def wait_here(self, where: str) -> None:
        """Called from a run's thread: wait until released; StoreClosedError if the process was killed."""
        subject = getattr(self._own, "subject", None)
        if subject is None:
            return
        with self._changed:
            if not self._is_over and not self._is_free:
                one = WaitingThread(subject, where)
                self.waiting.append(one)
                self.waiting.sort(key=lambda waiting: waiting.subject)
                self._moving -= 1
                self._changed.notify_all()
                self._changed.wait_for(lambda: one.may_go)
            if self._is_over:
                raise StoreClosedError

    def release(self, place: int = 0) -> None:
        """Release one thread up to its next stop."""
        with self._changed:
            self._release([self.waiting.pop(place % len(self.waiting))])

    def release_all(self) -> None:
        while self.waiting:
            self.release()

    def end(self) -> None:
        """Simulate a kill: no thread gets any further."""
        with self._changed:
            self._is_over = True
            waiting, self.waiting = self.waiting, []
            self._release(waiting)

    def release_for_good(self) -> None:
        """Release all threads for good."""
        with self._changed:
            self._is_free = True
            waiting, self.waiting = self.waiting, []
            for one in waiting:
                one.may_go = True
            self._moving += len(waiting)
            self._changed.notify_all()

    def wait_until_stopped(self) -> None:
        """Wait until all threads wait."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._moving == 0, _TIMEOUT_S), "a thread never stops"

    def enter(self, subject: str) -> None:
        self._own.subject = subject

    def begin(self) -> None:
        with self._changed:
            self._moving += 1

    def leave(self) -> None:
        """This thread has finished its work."""
        if getattr(self._own, "subject", None) is not None:
            self._own.subject = None
            with self._changed:
                self._moving -= 1
                self._changed.notify_all()

    def _release(self, waiting: list[WaitingThread]) -> None:
        self._moving += len(waiting)
        for one in waiting:
            one.may_go = True
        self._changed.notify_all()
        assert self._changed.wait_for(lambda: self._moving == 0, _TIMEOUT_S), "a thread never stops"


class SteppedQueue:
    """The runner's work queue; threads wait before starting what they take from it."""

    def __init__(self, stage: ThreadStepper) -> None:
        self._stage = stage
        self._line: SimpleQueue[Work | None] = SimpleQueue()

    def put(self, taken: Work | None) -> None:
        if taken is not None:
            self._stage.begin()
        self._line.put(taken)

    def get(self) -> Work | None:
        self._stage.leave()
        taken = self._line.get()
        if taken is not None:
            self._stage.enter(taken.subject)
        return taken


class _ReceivedNow:
    """When a message was received: no real time passes for the script, so that the same story stores the same times."""

    def __rsub__(self, _: float) -> float:
        return 0.0


class DirectLink:
    """The script's end of the protocol, without a pipe."""

    def __init__(self, answers: ScriptAnswers) -> None:
        self._answers = answers
        self.is_cancelled = False
        self.has_ended = False
        self.stopped_command = ""
        self.misuse: Misuse | None = None
        self.call: dict[str, Any] | None = None
        self.seen: dict[tuple[str, str], protocol.Message] = {}
        self.raised: BaseException | None = None

    def ask(self, kind: str, **fields: Any) -> Any:
        try:
            return answer_message(self._answers, {"type": kind, "question": 1, **fields})
        except BaseException as error:
            self.raised = error
            self.has_ended = True
            raise AttemptEnded from error

    tell = ask

    def log(self, text: str) -> None:
        self._answers.log(f"{text}\n")

    def remember(self, misuse: Misuse) -> Misuse:
        self.misuse = self.misuse or misuse
        return misuse


FAULTS: dict[str, Callable[[], Outcome]] = {
    "raises": lambda: ScriptFailed(fault=Fault.SCRIPT_ERROR, message="ValueError: no", file="w.py", line=3),
    "dies": lambda: WorkerDied(ExitCause.SIGNAL, "The script was ended by a signal."),
    "takes too long": lambda: TimedOut("It took longer than 5 minutes and was stopped."),
}
"""Injected ways for a phase to fail."""


class SimulatedWorker:
    """A worker with one loaded script; runs a phase when its result is awaited."""

    def __init__(self, workers: "SimulatedWorkers", script: LoadedScript) -> None:
        self._workers = workers
        self._script = script
        self._talk: tuple[protocol.Message, ScriptAnswers] | None = None
        self.following: protocol.Message | None = None
        """The phase that the script continues with on its own."""
        self._asked: Outcome | None = None
        self.is_usable = True

    def start(self, phase: PhaseCall, answers: ScriptAnswers) -> None:
        message = {
            "run": 1,
            "handler": phase.handler,
            "phase": phase.name,
            "inputs": phase.inputs,
            "facts": phase.facts,
            "continues": phase.continues,
        }
        self._begin({**json.loads(json.dumps(message)), "received_at": _ReceivedNow()}, answers)

    def expect_next_phase(self, phase: str, seconds: float, answers: ScriptAnswers) -> None:
        following, self.following = self.following, None
        assert following is not None and following["phase"] == phase, "it did not continue with that phase"
        self._begin(following, answers)

    def _begin(self, message: protocol.Message, answers: ScriptAnswers) -> None:
        assert self._talk is None and self.following is None, "it runs one phase at a time"
        self._talk, self._asked = (message, answers), None

    def finish(self) -> Outcome:
        assert self._talk is not None
        message, answers = self._talk
        try:
            self._workers.stage.wait_here(message["phase"])
            fault = self._workers.faults.pop(0) if self._workers.faults else None
            if self._asked is not None:
                return self._asked
            if fault is not None:
                self.is_usable = fault == "raises"
                return FAULTS[fault]()
            return self._run(message, answers)
        finally:
            self._talk = None

    def is_ending(self) -> bool:
        return self._asked is not None

    def stop(self, *, kill: bool = False) -> None:
        if self._talk is not None:
            self._asked = Cancelled()
            self.is_usable = self.is_usable and not kill

    def _run(self, message: protocol.Message, answers: ScriptAnswers) -> Outcome:
        link: Any = DirectLink(answers)
        reply = self._script.run(link, message)
        if link.raised is not None:
            raise link.raised
        if self._asked is not None:
            return self._asked
        self.following = self._script.next_phase(link, message, reply)
        return _outcome(reply)


@dataclass
class SimulatedWorkers:
    """Replaces the real script workers."""

    stage: ThreadStepper
    faults: list[str | None] = field(default_factory=list)
    """Faults of the next phases; None runs one normally."""
    unstartable: list[str] = field(default_factory=list)
    """Why the next workers cannot start: "no worker" or "bad script"."""
    out: int = 0
    """Workers acquired and not released."""

    def end_orphans(self) -> int:
        return 0

    def acquire(self, plan: ScriptPlan, on_output: Callable[[str], None] = lambda _: None) -> SimulatedWorker:
        self.stage.wait_here("worker")
        why = self.unstartable.pop(0) if self.unstartable else None
        if why == "no worker":
            raise NoWorkerError("No worker could be started.")
        if why == "bad script":
            raise BadScriptError(Failure(kind=FailureClass.LOGIC, sentence="w.py, line 1: it cannot be loaded."))
        script, _ = _load(plan.path, plan.source)
        self.out += 1
        return SimulatedWorker(self, script)

    def describe(
        self, path: str, source: str, needs: Dependencies, on_output: Callable[[str], None] = lambda _: None
    ) -> dict[str, Any]:
        _, outcome = _load(path, source)
        if not isinstance(outcome, Finished):
            raise BadScriptError(to_failure(outcome))
        return outcome.value

    def release(self, worker: SimulatedWorker) -> None:
        assert worker.following is None, "it continues with a phase whose result is not awaited"
        self.out -= 1

    def forget(self, workflow: str) -> None:
        pass

    def close(self) -> None:
        assert self.out == 0, "a worker was never released"


class SimulatedRuntime(RuntimeFixture):
    """A runtime in which time and threads stop between two steps of the test."""

    def open(self) -> None:
        self.stepper = ThreadStepper()
        self.workers = SimulatedWorkers(self.stepper)
        with patch.object(engine_runtime, ScriptWorkers.__name__, lambda *_, **__: self.workers):
            super().open()
        self.services.runner._queue = SteppedQueue(self.stepper)  # type: ignore[assignment]
        write = self.database.write

        def wait_and_write(*, durable: bool = False) -> Any:
            self.stepper.wait_here("write")
            return write(durable=durable)

        self.database.write = wait_and_write  # type: ignore[method-assign]

    def tick_until_idle(self) -> None:
        """Tick until the engine has nothing more to do at this instant; started threads wait."""
        for _ in range(10_000):
            wake = self._tick_once()
            self.stepper.wait_until_stopped()
            if wake > self.clock.wall:
                return
        raise AssertionError("the engine never becomes idle")

    def run_until_idle(self) -> None:
        """Release all threads until nothing more is to be done at this instant."""
        for _ in range(1_000):
            self.tick_until_idle()
            if not self.stepper.waiting:
                return
            self.stepper.release_all()
        raise AssertionError("it loops forever")

    def kill(self) -> None:
        """Simulate a kill between any two commits: nothing more is written."""
        self.database.close()
        self.stepper.end()
        self.services.runner.close()

    def quit(self) -> None:
        """Quit normally: running scripts are asked to end."""
        self.stepper.release_for_good()
        self.close()


class SequentialUuids:
    """UUIDs in a fixed order, so that a test can be repeated."""

    def __init__(self) -> None:
        self._number = 0

    def __call__(self) -> UUID:
        self._number += 1
        # They differ in their first letters, like random ones.
        return UUID(int=(self._number * 0x9E3779B97F4A7C15 << 64 | self._number) % (1 << 128))

    def use(self) -> ExitStack:
        """Use them in every engine module until the returned stack is closed."""
        stack = ExitStack()
        for name, module in list(sys.modules.items()):
            if name.startswith("scheduler.engine.") and hasattr(module, "uuid4"):
                stack.enter_context(patch.object(module, "uuid4", self))
        return stack


_LOADED: dict[str, tuple[LoadedScript, Outcome]] = {}


def _load(path: str, source: str) -> tuple[LoadedScript, Outcome]:
    if source not in _LOADED:
        script, arguments = LoadedScript(path), sys.argv
        _LOADED[source] = (script, _outcome(script.load(source)))
        sys.argv = arguments
    return _LOADED[source]


def _outcome(reply: protocol.Message) -> Outcome:
    match reply["type"]:
        case "loaded":
            return Finished(reply["description"])
        case "result":
            return Finished(reply["value"])
        case "failed":
            return ScriptFailed(
                fault=Fault(reply["kind"]),
                message=reply["message"],
                file=reply["file"],
                line=reply["line"],
                traceback=reply["traceback"],
            )
    return Cancelled()
