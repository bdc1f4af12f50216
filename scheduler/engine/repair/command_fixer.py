"""A fixer that is a command of the person's choice: the problem goes in, the new script comes out."""

import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress

from scheduler.engine.fixing.fixer import LARGEST, FixerFailedError, GivenUpError, NotAskedError, read_script
from scheduler.engine.fixing.problem import Problem
from scheduler.workers.origin import MARK_AS_SCRIPT


class CommandFixer:
    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._has_given_up = False

    def mend(self, problem: Problem, seconds: float) -> str:
        name = self._command[0]
        process = self._start(name)
        overtime = threading.Timer(seconds, _end, [process])
        overtime.start()
        try:
            out = self._talk(process, f"{problem.whole}\n".encode())
        finally:
            is_late = not overtime.is_alive()
            overtime.cancel()
            overtime.join()
            with self._lock:  # nobody ends another process that was given its number
                _end(process)
                process.wait()
                self._process = None
        if self._has_given_up:
            raise GivenUpError("Nobody waits for the fixer any longer.")
        if is_late:
            raise FixerFailedError(f"The fixer {name} gave no answer in {seconds:g} seconds.")
        has_ended_badly = process.returncode not in (0, -signal.SIGKILL) and len(out) <= LARGEST
        if has_ended_badly or not out.strip():
            raise FixerFailedError(f"The fixer {name} ended with code {process.returncode} and no script.")
        return read_script(out.decode(errors="replace"))

    def give_up(self) -> None:
        with self._lock:
            self._has_given_up = True
            if self._process is not None:
                _end(self._process)

    def _start(self, name: str) -> "subprocess.Popen[bytes]":
        with self._lock:
            if self._has_given_up:
                raise GivenUpError("Nobody waits for the fixer any longer.")
            try:
                self._process = subprocess.Popen(  # noqa: S603  the person's own command, never a shell
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                    preexec_fn=MARK_AS_SCRIPT,  # noqa: PLW1509  it repairs, and answers nothing for the user
                )
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) else str(error)
                raise NotAskedError(f"The fixer {name} could not be started: {why}.") from error
            return self._process

    def _talk(self, process: "subprocess.Popen[bytes]", told: bytes) -> bytes:
        assert process.stdin is not None and process.stdout is not None

        def write() -> None:
            assert process.stdin is not None
            with suppress(OSError), process.stdin:  # it need not read all of it
                process.stdin.write(told)

        writer = threading.Thread(target=write, name="fixer")
        writer.start()
        with process.stdout:
            out = process.stdout.read(LARGEST + 1)
            if len(out) <= LARGEST:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(1)  # its exit code counts, if it ends by itself
        _end(process)
        writer.join()
        return out


def _end(process: "subprocess.Popen[bytes]") -> None:
    """With everything that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
