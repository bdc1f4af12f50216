"""One worker process and the exchange of messages with it, on the thread that runs a phase."""

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock, Timer
from typing import Any

from dayhand import _protocol as protocol

from scheduler.user_text import UserText
from scheduler.workers import exit_reasons, script_messages
from scheduler.workers.channel import Channel, ChannelClosedError, OutputReader
from scheduler.workers.outcomes import (
    Cancelled,
    ExitCause,
    Finished,
    Outcome,
    TimedOut,
    WorkerDied,
    WorkerStartError,
    describe_timeout,
    refuse_input,
)
from scheduler.workers.script import Limits, PhaseCall, Script
from scheduler.workers.script_messages import ScriptAnswers, answer_message, read_failure, read_object, read_result
from scheduler.workers.secret_commands import SecretCommand, SecretCommands
from scheduler.workers.spawn import spawn
from scheduler.workers.system import READABLE, Poll, kill_with_descendants, lower_priority, wait_for_exit_code

_KILL_TIMEOUT_S = 10.0
"""How long a killed process may take to be gone."""
_SILENCE_MS = 1000
"""After this long without a message, the latest progress is shown."""


@dataclass(slots=True)
class _RunningPhase:
    """A running phase."""

    phase: str
    answers: ScriptAnswers | None
    seconds: float
    continues: bool = False
    deadline: float = 0.0
    ended: Outcome | None = None
    """Set if the phase could not be started."""


class Worker:
    """A process that has loaded one script. One thread at a time runs phases; any thread may stop it."""

    def __init__(self, script: Script, limits: Limits | None = None) -> None:
        self.script = script
        self.description: dict[str, Any] = {}
        self._limits = limits or Limits()
        spawned = spawn(script.python, self._limits, is_sandboxed=script.is_sandboxed)
        if not script.is_awaited:
            lower_priority(spawned.process)
        self.pid, self.mark = spawned.process.pid, spawned.mark
        self._process: subprocess.Popen[bytes] = spawned.process
        self._channel = Channel(spawned.reading, spawned.writing, self._limits)
        self._log, self._log_end = spawned.output, spawned.log
        self._output = OutputReader(spawned.output)
        self._commands = SecretCommands(spawned.mark, spawned.log)
        self._poll = Poll()
        self._poll.register(self._channel.reading, READABLE)
        self._poll.register(self._log, READABLE)
        self._lock = Lock()
        self._number = 0
        self._is_busy = False
        self._current: _RunningPhase | None = None
        self._unread: list[protocol.Message] = []
        """Messages after the end of a phase: the first ones of the phase that follows it."""
        self._stopped: Outcome | None = None
        self._is_finished = True
        self._timer: Timer | None = None
        self._is_killed = False
        self._is_closed = False
        self.is_usable = True

    def is_alive(self) -> bool:
        """Whether the process seems to be running: its pipe is closed when it dies."""
        if self._is_killed or self._unread:
            return False
        waiting = Poll()
        waiting.register(self._channel.reading, READABLE)
        return not waiting.poll(0)

    def load(self, on_output: Callable[[str], None] = lambda _: None) -> Outcome:
        """Run the script's top level; Finished holds its description. WorkerStartError if Python did not start."""
        output: list[str] = []
        message = {"type": "load", "path": self.script.path, "source": self.script.source}

        def keep_both(text: str) -> None:
            output.append(text)
            on_output(text)

        self._begin(_RunningPhase("", None, self._limits.start), keep_both, message)
        outcome = self.finish()
        if isinstance(outcome, Finished):
            self.description = outcome.value
        has_exited = isinstance(outcome, WorkerDied) and outcome.cause is ExitCause.EXIT
        if has_exited and (reason := exit_reasons.find_start_error(output)):
            raise WorkerStartError(reason)
        return outcome

    def run(self, phase: PhaseCall, answers: ScriptAnswers) -> Outcome:
        """Run one phase to its end. If `answers` raises, the script is unwound and the error is raised again here."""
        self.start(phase, answers)
        return self.finish()

    def start(self, phase: PhaseCall, answers: ScriptAnswers) -> None:
        """Start a phase without waiting for it; `finish` must follow."""
        self._number += 1
        message = {
            "type": "run",
            "run": self._number,
            "handler": phase.handler,
            "phase": phase.name,
            "inputs": dict(phase.inputs),
            "facts": dict(phase.facts),
            "continues": phase.continues,
        }
        self._begin(_RunningPhase(phase.name, answers, phase.seconds, phase.continues), answers.log, message)

    def expect_next_phase(self, phase: str, seconds: float, answers: ScriptAnswers) -> None:
        """Expect the phase that the worker continued with; `finish` must follow."""
        self._number += 1
        self._begin(_RunningPhase(phase, answers, seconds), answers.log)

    def is_ending(self) -> bool:
        """Whether the running phase was asked to end; asks it if its time is up. Call it while an answer takes long."""
        current = self._current
        if current is not None and self._stopped is None and time.monotonic() >= current.deadline:
            self._ask(describe_timeout(current.phase, current.seconds), self._limits.grace)
        return self._stopped is not None

    def stop(self, *, kill: bool = False) -> None:
        """Ask the running phase to end and kill the process if it does not; with `kill`, kill it at once."""
        self._ask(Cancelled(), 0 if kill else self._limits.grace)

    def end(self) -> None:
        """Kill the process and everything it started. A thread that runs a phase sees the connection close."""
        with self._lock:
            self._kill()
            if not self._is_busy:
                self._close()

    def _begin(
        self, current: _RunningPhase, keep: Callable[[str], None], message: protocol.Message | None = None
    ) -> None:
        self._current = current
        current.deadline = time.monotonic() + current.seconds
        self._is_finished = True
        with self._lock:
            if self._is_closed:
                current.ended = Cancelled(UserText("It was stopped before it started."))
                return
            self._is_busy, self._stopped = True, None
        self._output.start_phase(self._limits.output, keep)
        try:
            if message is not None:
                self._channel.send(message, within=current.seconds)
            self._is_finished = False
        except protocol.TooLargeError as error:
            current.ended = refuse_input(current.phase, error)
        except ChannelClosedError:
            current.ended = self._lost(exit_reasons.explain_exit(self._process, self._limits))

    def finish(self) -> Outcome:
        """Wait for the started phase to end."""
        current = self._current
        assert current is not None
        try:
            return current.ended or self._exchange(current)
        except protocol.TooLargeError as error:
            return refuse_input(current.phase, error)
        except protocol.GarbageError as error:
            return self._lost(WorkerDied(ExitCause.GARBAGE, exit_reasons.describe_garbage(error)))
        except ChannelClosedError:
            return self._lost(exit_reasons.explain_exit(self._process, self._limits))
        finally:
            self._current = None
            self._commands.end(self._limits.grace)
            self._output.end_phase()
            with self._lock:
                self._is_busy = False
                if self._timer is not None:
                    self._timer.cancel()
                if not self._is_finished:  # an error was raised in between: the script is still running
                    self._kill()
                if self._is_killed:
                    self._close()

    def _exchange(self, current: _RunningPhase) -> Outcome:
        raised: BaseException | None = None
        try:
            while True:
                try:
                    messages, self._unread = self._unread or self._receive(current), []
                except ChannelClosedError:
                    if raised is None:
                        raise
                    raise raised from None
                for index, message in enumerate(messages):
                    if message["type"] not in protocol.ENDINGS:
                        raised = self._answer(message, current.phase, current.answers) if raised is None else raised
                        continue
                    self._output.drain()
                    outcome = self._conclude(message, current.phase)
                    self._unread = messages[index + 1 :]
                    is_stopped = raised is not None or self._stopped is not None
                    may_run_on = current.continues if message["type"] == "result" else not current.phase
                    if not (may_run_on and is_stopped):
                        self._is_finished = True  # otherwise it may run although it was stopped, and is killed
                    if raised is not None:
                        raise raised
                    return outcome
                messages, message = [], {}  # they may be large, and the next ones may be hours away
        finally:
            raised = None  # breaks the reference cycle of the error and this frame with its messages

    def _receive(self, current: _RunningPhase) -> list[protocol.Message]:
        """Wait for messages and read the output; ChannelClosedError if the connection is closed."""
        while True:
            left = None if self.is_ending() else max(0.0, current.deadline - time.monotonic()) * 1000 + 1
            behind = current.answers if current.answers is not None and current.answers.is_behind else None
            if behind is not None:
                left = min(left or _SILENCE_MS, _SILENCE_MS)
            ready = [descriptor for descriptor, _ in self._poll.poll(left)]
            if behind is not None and not ready:
                behind.show()
            if self._log in ready and not self._output.drain():
                self._poll.unregister(self._log)
            if self._channel.reading in ready:
                return self._channel.receive()

    def _answer(self, message: protocol.Message, phase: str, answers: ScriptAnswers | None) -> BaseException | None:
        """Handle a question or a note; returns what `answers` raised, to be raised once the script is unwound."""
        kind = message["type"]
        if answers is None or kind not in protocol.ALLOWED.get(phase, ()):
            raise protocol.GarbageError(
                UserText("{kind} is not allowed in {phase}", kind=repr(kind), phase=phase or "loading")
            )
        self._output.drain()
        number = message.get("question")
        try:
            if kind == "run":
                self._run_command(number, SecretCommand.from_message(message), answers)
                return None
            value = answer_message(answers, message)
            if kind in protocol.QUESTIONS:
                self._reply(number, value)
        except (protocol.GarbageError, ChannelClosedError):
            raise
        except BaseException as error:  # noqa: BLE001  raised again once the script is unwound
            was_asked = self._stopped is not None
            if not was_asked:
                self._ask(Cancelled(), self._limits.grace, tell=kind not in protocol.QUESTIONS)
            if kind in protocol.QUESTIONS:
                self._channel.send({"type": "end", "question": number}, within=self._limits.grace)
            return None if was_asked else error  # it was already being stopped, which stays the reason
        return None

    def _run_command(self, number: Any, command: SecretCommand, answers: ScriptAnswers) -> None:
        """The script waits for the command; its output, the time limit and a stop are still handled here."""

        def reply(how: dict[str, Any]) -> None:
            with suppress(ChannelClosedError):
                self._reply(number, how)

        self._commands.start(command, answers.hand_over(command.secrets, command.line), reply)

    def _reply(self, number: Any, value: Any) -> None:
        self._channel.send({"type": "reply", "question": number, "value": value}, within=self._limits.start)

    def _conclude(self, message: protocol.Message, phase: str) -> Outcome:
        if message.get("run") != self._number:
            raise protocol.GarbageError(UserText("it ends a different run"))
        if message.get("left"):
            self.is_usable = False
        if isinstance(self._stopped, TimedOut):
            return script_messages.complete_timeout(self._stopped, message, is_loading=not phase)
        if self._stopped is not None:
            return self._stopped
        match message["type"]:
            case "loaded":
                return Finished(read_object(message, "description"))
            case "result":
                return Finished(read_result(phase, message))
            case "failed" if message.get("kind") == protocol.MEMORY:
                self.is_usable = False
                return exit_reasons.describe_out_of_memory(self._limits, script_messages.read_line(message))
            case "failed":
                return read_failure(message)
        raise protocol.GarbageError(UserText("it ended a run that was not stopped"))

    def _ask(self, outcome: Outcome, grace: float, *, tell: bool = True) -> None:
        with self._lock:
            if not self._is_busy or self._is_killed or (self._stopped is not None and grace):
                return
            self._stopped = self._stopped or outcome
            if not grace:
                self._kill()
                return
            number = self._number
            self._timer = Timer(grace, self._kill_if_running, (number,))
            self._timer.daemon = True
            self._timer.start()
        self._commands.stop()
        if tell:
            with suppress(ChannelClosedError):
                is_late = isinstance(outcome, TimedOut)
                self._channel.send({"type": "cancel", "run": number, "is_late": is_late}, within=grace)

    def _kill_if_running(self, number: int) -> None:
        with self._lock:
            if self._is_busy and self._number == number:
                self._kill()

    def _lost(self, died: WorkerDied) -> Outcome:
        with self._lock:
            self._kill()
        self._output.drain()
        return self._stopped or died

    def _kill(self) -> None:
        """Kill it with all its descendants. Its pid stays reserved until `_close`."""
        self.is_usable = False
        if not self._is_killed:
            self._is_killed = True
            self._commands.kill()
            kill_with_descendants(self.pid, self.mark)

    def _close(self) -> None:
        """Only while no thread reads: the number of a closed descriptor may be reused."""
        if not self._is_closed:
            self._is_closed = True
            wait_for_exit_code(self._process, _KILL_TIMEOUT_S)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(0)
            self._channel.close()
            os.close(self._log)
            os.close(self._log_end)
