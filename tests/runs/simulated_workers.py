"""Pretended workers, for thousands of steps: scripts run in this process, and each thread waits to be let go on.

Everything else is real: the store file, the engine, the run layer with its threads, the scripts and what they import.
One thread moves at a time, from one place where it could be interrupted to the next, in the order a test chooses.
"""

import json
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any
from unittest.mock import patch
from uuid import UUID

from dayhand import _protocol as protocol
from dayhand._errors import Ended, Misuse
from dayhand._script import Script as LoadedScript

from scheduler.engine import house
from scheduler.engine.launcher import Reports, Work
from scheduler.engine.plans import Plan
from scheduler.engine.runs.workshop import BadScriptError, NoWorkerError, failure_of
from scheduler.rules.failures import Failure, FailureClass
from scheduler.store.errors import StoreClosedError
from scheduler.workers.dependencies import Dependencies
from scheduler.workers.outcomes import Cancelled, Death, Fault, Finished, Outcome, ScriptFailed, TimedOut, WorkerDied
from scheduler.workers.questions import Answers, ask
from scheduler.workers.script import Phase
from tests.runs.shop import Shop

_PATIENCE = 60


@dataclass
class Waiting:
    """A thread that stands still."""

    subject: str
    where: str
    may_go: bool = False


class Stage:
    """Who may move. The thread that made it is the engine's, and never waits here."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._moving = 0
        self._own = threading.local()
        self._is_over = False
        self._is_free = False
        self.waiting: list[Waiting] = []

    def wait_here(self, where: str) -> None:
        """From a thread that tells a run: stand still until let go; StoreClosedError if the process is gone."""
        subject = getattr(self._own, "subject", None)
        if subject is None:
            return
        with self._changed:
            if not self._is_over and not self._is_free:
                one = Waiting(subject, where)
                self.waiting.append(one)
                self.waiting.sort(key=lambda waiting: waiting.subject)
                self._moving -= 1
                self._changed.notify_all()
                self._changed.wait_for(lambda: one.may_go)
            if self._is_over:
                raise StoreClosedError

    def let_go(self, place: int = 0) -> None:
        """One of them moves, up to where it next could be interrupted."""
        with self._changed:
            self._release([self.waiting.pop(place % len(self.waiting))])

    def let_all_go(self) -> None:
        while self.waiting:
            self.let_go()

    def end(self) -> None:
        """The process is gone: nobody gets any further."""
        with self._changed:
            self._is_over = True
            waiting, self.waiting = self.waiting, []
            self._release(waiting)

    def free(self) -> None:
        """From now on nobody waits."""
        with self._changed:
            self._is_free = True
            waiting, self.waiting = self.waiting, []
            for one in waiting:
                one.may_go = True
            self._moving += len(waiting)
            self._changed.notify_all()

    def settle(self) -> None:
        """Until everybody stands still."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._moving == 0, _PATIENCE), "somebody never stands still"

    def enter(self, subject: str) -> None:
        self._own.subject = subject

    def begin(self) -> None:
        with self._changed:
            self._moving += 1

    def leave(self) -> None:
        """This thread has done its work."""
        if getattr(self._own, "subject", None) is not None:
            self._own.subject = None
            with self._changed:
                self._moving -= 1
                self._changed.notify_all()

    def _release(self, waiting: list[Waiting]) -> None:
        self._moving += len(waiting)
        for one in waiting:
            one.may_go = True
        self._changed.notify_all()
        assert self._changed.wait_for(lambda: self._moving == 0, _PATIENCE), "somebody never stands still"


class Line:
    """The run layer's line of work: who takes something from it waits before beginning with it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._line: SimpleQueue[tuple[Work, Reports] | None] = SimpleQueue()

    def put(self, taken: tuple[Work, Reports] | None) -> None:
        if taken is not None:
            self._stage.begin()
        self._line.put(taken)

    def get(self) -> tuple[Work, Reports] | None:
        self._stage.leave()
        taken = self._line.get()
        if taken is not None:
            self._stage.enter(taken[0].subject)
        return taken


class Link:
    """A script's end of the conversation, without a pipe between."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self.is_cancelled = False
        self.has_ended = False
        self.misuse: Misuse | None = None
        self.call: dict[str, Any] | None = None
        self.seen: dict[tuple[str, str], protocol.Message] = {}
        self.raised: BaseException | None = None

    def ask(self, kind: str, **told: Any) -> Any:
        try:
            return ask(self._answers, {"type": kind, "question": 1, **told})
        except BaseException as error:
            self.raised = error
            self.has_ended = True
            raise Ended from error

    tell = ask

    def log(self, text: str) -> None:
        self._answers.log(f"{text}\n")

    def remember(self, misuse: Misuse) -> Misuse:
        self.misuse = self.misuse or misuse
        return misuse


FAULTS: dict[str, Callable[[], Outcome]] = {
    "raises": lambda: ScriptFailed(fault=Fault.SCRIPT_ERROR, message="ValueError: no", file="w.py", line=3),
    "dies": lambda: WorkerDied(Death.SIGNAL, "The script was ended by a signal."),
    "takes too long": lambda: TimedOut("It took longer than 300 seconds and was ended."),
}
"""How a phase may fail without the script being at fault in the test."""


class PretendedWorker:
    """Has loaded one script; runs a phase when it is waited for."""

    def __init__(self, workshop: "PretendedWorkshop", script: LoadedScript) -> None:
        self._workshop = workshop
        self._script = script
        self._talk: tuple[protocol.Message, Answers] | None = None
        self.following: protocol.Message | None = None
        """The phase with which the script goes on by itself."""
        self._asked: Outcome | None = None
        self.is_usable = True

    def start(self, phase: Phase, answers: Answers) -> None:
        message = {
            "run": 1,
            "handler": phase.handler,
            "phase": phase.name,
            "inputs": phase.inputs,
            "facts": phase.facts,
            "goes_on": phase.goes_on,
        }
        self._begin({**json.loads(json.dumps(message)), "heard": time.monotonic()}, answers)

    def follow(self, phase: str, seconds: float, answers: Answers) -> None:
        following, self.following = self.following, None
        assert following is not None and following["phase"] == phase, "it has not gone on with that"
        self._begin(following, answers)

    def _begin(self, message: protocol.Message, answers: Answers) -> None:
        assert self._talk is None and self.following is None, "it runs one phase at a time"
        self._talk, self._asked = (message, answers), None

    def finish(self) -> Outcome:
        assert self._talk is not None
        message, answers = self._talk
        try:
            self._workshop.stage.wait_here(message["phase"])
            fault = self._workshop.faults.pop(0) if self._workshop.faults else None
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

    def _run(self, message: protocol.Message, answers: Answers) -> Outcome:
        link: Any = Link(answers)
        told = self._script.run(link, message)
        if link.raised is not None:
            raise link.raised
        if self._asked is not None:
            return self._asked
        self.following = self._script.following(link, message, told)
        return _outcome(told)


@dataclass
class PretendedWorkshop:
    """In the place of the Workshop."""

    stage: Stage
    faults: list[str | None] = field(default_factory=list)
    """What the next phases do instead of running; None lets one run."""
    unstartable: list[str] = field(default_factory=list)
    """Why the next workers cannot be had: "no worker" or "bad script"."""
    out: int = 0
    """How many workers are taken and not given back."""

    def end_orphans(self) -> int:
        return 0

    def acquire(self, plan: Plan, keep: Callable[[str], None] = lambda _: None) -> PretendedWorker:
        self.stage.wait_here("worker")
        why = self.unstartable.pop(0) if self.unstartable else None
        if why == "no worker":
            raise NoWorkerError("No worker came to life.")
        if why == "bad script":
            raise BadScriptError(Failure(kind=FailureClass.LOGIC, sentence="w.py, line 1: it cannot be loaded."))
        script, _ = _load(plan.path, plan.source)
        self.out += 1
        return PretendedWorker(self, script)

    def describe(
        self, path: str, source: str, needs: Dependencies, keep: Callable[[str], None] = lambda _: None
    ) -> dict[str, Any]:
        _, outcome = _load(path, source)
        if not isinstance(outcome, Finished):
            raise BadScriptError(failure_of(outcome))
        return outcome.value

    def release(self, worker: PretendedWorker) -> None:
        assert worker.following is None, "it goes on with something that nobody waits for"
        self.out -= 1

    def forget(self, workflow: str) -> None:
        pass

    def close(self) -> None:
        assert self.out == 0, "a worker was never given back"


class PretendedShop(Shop):
    """An installation in which time and threads stand still between two moves of the test."""

    def open(self) -> None:
        self.stage = Stage()
        self.workshop = PretendedWorkshop(self.stage)
        with patch.object(house, "Workshop", lambda *_, **__: self.workshop):
            super().open()
        self.house.layer._line = Line(self.stage)  # type: ignore[assignment]
        write = self.database.write

        def wait_and_write(*, durable: bool = False) -> Any:
            self.stage.wait_here("write")
            return write(durable=durable)

        self.database.write = wait_and_write  # type: ignore[method-assign]

    def look(self) -> None:
        """Tick until the engine has nothing more to do at this instant; what it starts stands still."""
        for _ in range(10_000):
            wake = self.engine.tick(self.clock.wall)
            self.stage.settle()
            if wake > self.clock.wall:
                return
        raise AssertionError("the engine never comes to rest")

    def come_to_rest(self) -> None:
        """Let everything go until nothing more is to be done at this instant."""
        for _ in range(1_000):
            self.look()
            if not self.stage.waiting:
                return
            self.stage.let_all_go()
        raise AssertionError("it goes round in circles")

    def die(self) -> None:
        """As if killed, between any two commits: what waits gets no further, and nothing more is written."""
        self.database.close()
        self.stage.end()
        self.house.layer.close()

    def quit(self) -> None:
        """As a person quits it: what runs is asked to end."""
        self.stage.free()
        self.close()


class Names:
    """Identifiers in a fixed order, so that a life can be lived again."""

    def __init__(self) -> None:
        self._number = 0

    def __call__(self) -> UUID:
        self._number += 1
        # The first letters tell them apart, as those of random ones do.
        return UUID(int=(self._number * 0x9E3779B97F4A7C15 << 64 | self._number) % (1 << 128))

    def use(self) -> ExitStack:
        """In every part of the engine, until what it gives is closed."""
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


def _outcome(told: protocol.Message) -> Outcome:
    match told["type"]:
        case "loaded":
            return Finished(told["description"])
        case "result":
            return Finished(told["value"])
        case "failed":
            return ScriptFailed(
                fault=Fault(told["kind"]),
                message=told["message"],
                file=told["file"],
                line=told["line"],
                traceback=told["traceback"],
            )
    return Cancelled()
