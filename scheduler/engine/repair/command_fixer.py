"""A fixer that is a command chosen by the user: it reads the problem and writes the new script."""

import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress

from scheduler.engine.repair.failure_report import FailureReport
from scheduler.engine.repair.fixer import (
    MAX_ANSWER_LETTERS,
    FixerFailedError,
    FixerUnreachableError,
    RepairCancelledError,
    read_script,
)
from scheduler.user_text import UserText
from scheduler.workers.system import KILLED_CODE, kill_tree, start_process


class CommandFixer:
    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._has_given_up = False

    def repair(self, problem: FailureReport, seconds: float) -> str:
        name = self._command[0]
        process = self._start(name)
        timeout = threading.Timer(seconds, kill_tree, [process])
        timeout.start()
        try:
            out = self._communicate(process, f"{problem.full_text}\n".encode())
        finally:
            is_late = not timeout.is_alive()
            timeout.cancel()
            timeout.join()
            with self._lock:  # so that nothing kills another process that was given its number
                kill_tree(process)
                process.wait()
                self._process = None
        if self._has_given_up:
            raise RepairCancelledError(UserText("The repair was cancelled."))
        if is_late:
            raise FixerFailedError(
                UserText("The fixer {name} did not answer within {seconds} seconds.", name=name, seconds=f"{seconds:g}")
            )
        has_failed = process.returncode not in (0, KILLED_CODE) and len(out) <= MAX_ANSWER_LETTERS
        if has_failed or not out.strip():
            raise FixerFailedError(
                UserText(
                    "The fixer {name} exited with code {returncode} and no script.",
                    name=name,
                    returncode=process.returncode,
                )
            )
        return read_script(out.decode(errors="replace").replace("\r\n", "\n"))

    def cancel(self) -> None:
        with self._lock:
            self._has_given_up = True
            if self._process is not None:
                kill_tree(self._process)

    def _start(self, name: str) -> "subprocess.Popen[bytes]":
        with self._lock:
            if self._has_given_up:
                raise RepairCancelledError(UserText("The repair was cancelled."))
            try:
                self._process = start_process(  # marked: it must not answer requests for the user
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) else str(error)
                raise FixerUnreachableError(
                    UserText("The fixer {name} could not be started: {why}.", name=name, why=why)
                ) from error
            return self._process

    def _communicate(self, process: "subprocess.Popen[bytes]", problem: bytes) -> bytes:
        assert process.stdin is not None and process.stdout is not None

        def write() -> None:
            assert process.stdin is not None
            with suppress(OSError), process.stdin:  # it may not read all of it
                process.stdin.write(problem)

        writer = threading.Thread(target=write, name="fixer")
        writer.start()
        with process.stdout:
            out = process.stdout.read(MAX_ANSWER_LETTERS + 1)
            if len(out) <= MAX_ANSWER_LETTERS:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(1)  # to get its own exit code
        kill_tree(process)
        writer.join()
        return out
