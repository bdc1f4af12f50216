"""One worker process and the conversation with it, as straight-line code on the thread of whoever runs a phase."""

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock, Timer
from typing import Any

from dayhand import _protocol as protocol

from scheduler.workers import deaths
from scheduler.workers.channel import Channel, StoppedListeningError
from scheduler.workers.commands import Commands, Wanted
from scheduler.workers.limits import Limits
from scheduler.workers.outcomes import (
    Cancelled,
    CouldNotStartError,
    Death,
    Fault,
    Finished,
    Outcome,
    ScriptFailed,
    TimedOut,
    WorkerDied,
)
from scheduler.workers.output import Output
from scheduler.workers.questions import Answers, ask, read_failure, read_object, read_result
from scheduler.workers.script import Phase, Script
from scheduler.workers.spawning import spawn
from scheduler.workers.system import NEWS, Poll, end_family, exit_code

_BURIAL = 10.0
"""Seconds that a killed process may take to be gone."""
_A_WHILE = 1000
"""Milliseconds without a word from the script, after which others get to know what it said before."""


@dataclass(slots=True)
class _Talk:
    """A phase under way."""

    phase: str
    answers: Answers | None
    seconds: float
    goes_on: bool = False
    deadline: float = 0.0
    ended: Outcome | None = None
    """It could not even be asked for."""


class Worker:
    """A process that has loaded one script. One thread at a time runs phases; any thread may stop it."""

    def __init__(self, script: Script, limits: Limits | None = None) -> None:
        self.script = script
        self.description: dict[str, Any] = {}
        self._limits = limits or Limits()
        spawned = spawn(script.python, self._limits, is_fenced=script.is_fenced)
        self.pid = spawned.process.pid
        self.mark = spawned.mark
        self._process: subprocess.Popen[bytes] = spawned.process
        self._channel = Channel(spawned.reading, spawned.writing, self._limits)
        self._log = spawned.output
        self._output = Output(spawned.output)
        self._log_end = spawned.log
        self._commands = Commands(spawned.mark, spawned.log)
        self._ears = Poll()
        self._ears.register(self._channel.reading, NEWS)
        self._ears.register(self._log, NEWS)
        self._lock = Lock()
        self._number = 0
        self._is_busy = False
        self._talk: _Talk | None = None
        self._unread: list[protocol.Message] = []
        """What came after the end of a phase: the beginning of the one that followed by itself."""
        self._asked: Outcome | None = None
        self._is_settled = True
        self._timer: Timer | None = None
        self._is_killed = False
        self._is_closed = False
        self.is_usable = True

    def is_alive(self) -> bool:
        """Whether the process is still there, as far as can be known without asking it: it hangs up when it dies."""
        if self._is_killed or self._unread:
            return False
        waiting = Poll()
        waiting.register(self._channel.reading, NEWS)
        return not waiting.poll(0)

    def load(self, keep: Callable[[str], None] = lambda _: None) -> Outcome:
        """Run the script's top level; Finished holds its description. CouldNotStartError if no Python came up."""
        said: list[str] = []
        message = {"type": "load", "path": self.script.path, "source": self.script.source}

        def both(text: str) -> None:
            said.append(text)
            keep(text)

        self._begin(_Talk("", None, self._limits.start), both, message)
        outcome = self.finish()
        if isinstance(outcome, Finished):
            self.description = outcome.value
        elif isinstance(outcome, WorkerDied) and outcome.how is Death.EXIT and (reason := deaths.failed_start(said)):
            raise CouldNotStartError(reason)
        return outcome

    def run(self, phase: Phase, answers: Answers) -> Outcome:
        """Run one phase to its end. What `answers` raises unwinds the script and is raised again here."""
        self.start(phase, answers)
        return self.finish()

    def start(self, phase: Phase, answers: Answers) -> None:
        """Have the script begin with a phase, and do something else meanwhile; `finish` must follow."""
        self._number += 1
        message = {
            "type": "run",
            "run": self._number,
            "handler": phase.handler,
            "phase": phase.name,
            "inputs": dict(phase.inputs),
            "facts": dict(phase.facts),
            "goes_on": phase.goes_on,
        }
        self._begin(_Talk(phase.name, answers, phase.seconds, phase.goes_on), answers.log, message)

    def follow(self, phase: str, seconds: float, answers: Answers) -> None:
        """Listen to the phase with which the script went on by itself; `finish` must follow."""
        self._number += 1
        self._begin(_Talk(phase, answers, seconds), answers.log)

    def is_ending(self) -> bool:
        """Whether the phase under way was told to end, as it is when its time is over. Its answers may take a while."""
        talk = self._talk
        if talk is not None and self._asked is None and time.monotonic() >= talk.deadline:
            late = TimedOut(f"It took longer than {talk.seconds:g} seconds and was ended.")
            self._ask(late, self._limits.grace)
        return self._asked is not None

    def stop(self, *, kill: bool = False) -> None:
        """Ask the running phase to end, and end the process a little later if it does not; at once with `kill`."""
        self._ask(Cancelled(), 0 if kill else self._limits.grace)

    def end(self) -> None:
        """End the process and everything it started, now. A thread that runs a phase sees the connection close."""
        with self._lock:
            self._kill()
            if not self._is_busy:
                self._close()

    def _begin(self, talk: _Talk, keep: Callable[[str], None], message: protocol.Message | None = None) -> None:
        self._talk = talk
        talk.deadline = time.monotonic() + talk.seconds
        self._is_settled = True
        with self._lock:
            if self._is_closed:
                talk.ended = Cancelled("It was ended before it began.")
                return
            self._is_busy, self._asked = True, None
        self._output.begin(self._limits.output, keep)
        try:
            if message is not None:
                self._channel.send(message, within=talk.seconds)
            self._is_settled = False
        except protocol.TooLargeError as error:
            talk.ended = _refuse(talk.phase, error)
        except StoppedListeningError:
            talk.ended = self._lost(deaths.explain(self._process, self._limits))

    def finish(self) -> Outcome:
        """Wait for the phase that was begun."""
        talk = self._talk
        assert talk is not None
        try:
            return talk.ended or self._exchange(talk)
        except protocol.TooLargeError as error:
            return _refuse(talk.phase, error)
        except protocol.GarbageError as error:
            return self._lost(WorkerDied(Death.GARBAGE, deaths.garbage(error)))
        except StoppedListeningError:
            return self._lost(deaths.explain(self._process, self._limits))
        finally:
            self._talk = None
            self._commands.end(self._limits.grace)
            with self._lock:
                self._is_busy = False
                if self._timer is not None:
                    self._timer.cancel()
                if not self._is_settled:  # somebody raised in between: the script is still at it
                    self._kill()
                if self._is_killed:
                    self._close()

    def _exchange(self, talk: _Talk) -> Outcome:
        raised: BaseException | None = None
        try:
            while True:
                try:
                    messages, self._unread = self._unread or self._receive(talk), []
                except StoppedListeningError:
                    if raised is None:
                        raise
                    raise raised from None
                for place, told in enumerate(messages):
                    if told["type"] not in protocol.ENDINGS:
                        raised = self._answer(told, talk.phase, talk.answers) if raised is None else raised
                        continue
                    self._output.drain()
                    outcome = self._conclude(told, talk.phase)
                    self._unread = messages[place + 1 :]
                    if told["type"] != "result" or not talk.goes_on or (raised is None and self._asked is None):
                        self._is_settled = True  # else it goes on although it was to end, and is ended
                    if raised is not None:
                        raise raised
                    return outcome
                messages, told = [], {}  # they may be large, and the next ones may be hours away
        finally:
            raised = None  # else it and this frame, with all its messages, would keep each other

    def _receive(self, talk: _Talk) -> list[protocol.Message]:
        """Wait for messages, and take what is printed meanwhile; StoppedListeningError if none will come."""
        while True:
            left = None if self.is_ending() else max(0.0, talk.deadline - time.monotonic()) * 1000 + 1
            behind = talk.answers if talk.answers is not None and talk.answers.is_behind else None
            if behind is not None:
                left = min(left or _A_WHILE, _A_WHILE)
            ready = [descriptor for descriptor, _ in self._ears.poll(left)]
            if behind is not None and not ready:
                behind.show()
            if self._log in ready and not self._output.drain():
                self._ears.unregister(self._log)
            if self._channel.reading in ready:
                return self._channel.receive()

    def _answer(self, told: protocol.Message, phase: str, answers: Answers | None) -> BaseException | None:
        """Deal with a question or a note; what the run layer raised, so that it can be raised when all is unwound."""
        kind = told["type"]
        if answers is None or kind not in protocol.ALLOWED.get(phase, ()):
            raise protocol.GarbageError(f"{kind!r} is not allowed in {phase or 'loading'}")
        self._output.drain()
        number = told.get("question")
        try:
            if kind == "run":
                self._run_command(number, Wanted.read(told), answers)
                return None
            value = ask(answers, told)
            if kind in protocol.QUESTIONS:
                self._reply(number, value)
        except (protocol.GarbageError, StoppedListeningError):
            raise
        except BaseException as error:  # noqa: BLE001  raised again as soon as the script is unwound
            was_asked = self._asked is not None
            if not was_asked:
                self._ask(Cancelled(), self._limits.grace, tell=kind not in protocol.QUESTIONS)
            if kind in protocol.QUESTIONS:
                self._channel.send({"type": "end", "question": number}, within=self._limits.grace)
            return None if was_asked else error  # what was to end already ends for that reason
        return None

    def _run_command(self, number: Any, wanted: Wanted, answers: Answers) -> None:
        """The script waits for its end; here everything goes on meanwhile: its output, the time limit, a stop."""

        def reply(how: dict[str, Any]) -> None:
            with suppress(StoppedListeningError):
                self._reply(number, how)

        self._commands.start(wanted, answers.hand_over(wanted.secrets, wanted.line), reply)

    def _reply(self, number: Any, value: Any) -> None:
        self._channel.send({"type": "reply", "question": number, "value": value}, within=self._limits.start)

    def _conclude(self, told: protocol.Message, phase: str) -> Outcome:
        if told.get("run") != self._number:
            raise protocol.GarbageError("it ends another run")
        if told.get("left"):
            self.is_usable = False
        if self._asked is not None:
            return self._asked
        match told["type"]:
            case "loaded":
                return Finished(read_object(told, "description"))
            case "result":
                return Finished(read_result(phase, told))
            case "failed" if told.get("kind") == protocol.MEMORY:
                self.is_usable = False
                return deaths.out_of_memory(self._limits, told.get("line"))
            case "failed":
                return read_failure(told)
        raise protocol.GarbageError("it ended what nobody ended")

    def _ask(self, outcome: Outcome, grace: float, *, tell: bool = True) -> None:
        with self._lock:
            if not self._is_busy or self._is_killed or (self._asked is not None and grace):
                return
            self._asked = self._asked or outcome
            if not grace:
                self._kill()
                return
            number = self._number
            self._timer = Timer(grace, self._end_if_still, (number,))
            self._timer.daemon = True
            self._timer.start()
        self._commands.stop()
        if tell:
            with suppress(StoppedListeningError):
                self._channel.send({"type": "cancel", "run": number}, within=grace)

    def _end_if_still(self, number: int) -> None:
        with self._lock:
            if self._is_busy and self._number == number:
                self._kill()

    def _lost(self, died: WorkerDied) -> Outcome:
        with self._lock:
            self._kill()
        self._output.drain()
        return self._asked or died

    def _kill(self) -> None:
        """End the whole family. Its process id stays ours until it is closed."""
        self.is_usable = False
        if not self._is_killed:
            self._is_killed = True
            self._commands.kill()
            end_family(self.pid, self.mark)

    def _close(self) -> None:
        """Only while no thread reads: a number of a closed descriptor may soon be somebody else's."""
        if not self._is_closed:
            self._is_closed = True
            exit_code(self._process, _BURIAL)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(0)
            self._channel.close()
            os.close(self._log)
            os.close(self._log_end)


def _refuse(phase: str, error: protocol.TooLargeError) -> ScriptFailed:
    return ScriptFailed(fault=Fault.TOO_LARGE, message=f"what {phase or 'the worker'} was to be given is {error}")
