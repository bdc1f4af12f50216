"""A fixer that is a command of the person's choice: the problem goes in, the new script comes out."""

import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress

from scheduler.engine.fixing.fixer import LARGEST, FixerFailedError, read_script
from scheduler.engine.fixing.problem import Problem


class CommandFixer:
    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)

    def mend(self, problem: Problem, seconds: float) -> str:
        name = self._command[0]
        try:
            process = subprocess.Popen(  # noqa: S603  the person's own command, never a shell
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise FixerFailedError(f"The fixer {name} could not be started: {error.strerror}.") from error
        overtime = threading.Timer(seconds, _end, [process])
        overtime.start()
        try:
            out = self._talk(process, f"{problem.rules}\n\n{problem.prompt()}\n".encode())
        finally:
            is_late = not overtime.is_alive()
            overtime.cancel()
            overtime.join()
            _end(process)
            process.wait()
        if is_late:
            raise FixerFailedError(f"The fixer {name} gave no answer in {seconds:g} seconds.")
        has_ended_badly = process.returncode not in (0, -signal.SIGKILL) and len(out) <= LARGEST
        if has_ended_badly or not out.strip():
            raise FixerFailedError(f"The fixer {name} ended with code {process.returncode} and no script.")
        return read_script(out.decode(errors="replace"))

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
