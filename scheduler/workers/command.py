"""Runs a command to its end: in its own session, with a time limit, keeping the last part of its output."""

import os
import shutil
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from scheduler.workers.system import (
    kill_tree,
    kill_with_descendants,
    start_process,
    terminate_tree,
    wait_for_exit_code,
)

MAX_OUTPUT_BYTES = 64_000
_CHUNK_BYTES = 8_192
GRACE_S = 5.0
"""Between asking a command to stop and killing it."""
_LONG_WAIT_S = 3_600.0
_DRAIN_S = 1.0
"""How long output is still read after the command has ended: what it left running may keep the pipe open."""


class CommandNotFoundError(Exception):
    """There is no such program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandExit:
    code: int
    """The exit code; negative if a signal ended it."""
    output: str
    """The last part of what it printed, errors included."""
    is_overdue: bool
    """Whether it was stopped because of its time limit."""


def find_program(command: Sequence[str], environment: Mapping[str, str], folder: Path | None) -> str:
    """The path of the command's program; CommandNotFoundError if it cannot be executed."""
    program = command[0]
    if folder is not None and os.path.dirname(program) and not os.path.isabs(program):  # noqa: PTH117, PTH120  `./run` is not `run`
        program = str(folder / program)
    found = shutil.which(program, path=environment.get("PATH"))
    if found is None:
        raise CommandNotFoundError(command[0])
    return found


class RunningCommand:
    """One command that has been started. `wait` is for one thread; any may stop it."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path | None) -> None:
        """OSError if it cannot be started."""
        self._process = start_process(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=dict(environment),
            is_for_script=False,
        )
        assert self._process.stdout is not None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._output = bytearray()
        self._reader = threading.Thread(
            target=self._read, args=(self._process.stdout,), name="command output", daemon=True
        )
        self._reader.start()

    def wait(self, time_limit_s: float | None) -> CommandExit:
        """Wait for its end; beyond the time limit it is asked to stop, and soon killed."""
        is_overdue = not self._has_exited(time_limit_s)
        if is_overdue:
            self.stop(kill=False)
            self._has_exited(None)
        with self._lock:  # until here the pid belongs to the command, so it can be signalled
            code = self._process.wait()
            self._ended.set()
        self._reader.join(_DRAIN_S)
        output = bytes(self._output).decode("utf-8", "replace").replace("\r\n", "\n")
        return CommandExit(code=code, output=output, is_overdue=is_overdue)

    def stop(self, *, kill: bool) -> None:
        """Ask it to exit and kill it a little later, or kill it now, with everything that it started."""
        with self._lock:
            if self._ended.is_set():
                return
            if kill:
                self._kill()
                return
            self._terminate()
        threading.Thread(target=self._kill_after_grace, name="command stop", daemon=True).start()

    def _has_exited(self, seconds: float | None) -> bool:
        """Wait that long for its exit, without freeing its pid where the system allows that."""
        if not hasattr(os, "pidfd_open"):
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
            return self._process.returncode is not None
        while seconds is None:
            if wait_for_exit_code(self._process, _LONG_WAIT_S) is not None:
                return True
        return wait_for_exit_code(self._process, seconds) is not None

    def _terminate(self) -> None:
        terminate_tree(self._process)

    def _kill_after_grace(self) -> None:
        if not self._ended.wait(GRACE_S):
            with self._lock:
                self._kill()

    def _kill(self) -> None:
        if self._ended.is_set():
            return
        kill_with_descendants(self._process.pid, f"command {self._process.pid}")
        kill_tree(self._process)

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            while chunk := os.read(pipe.fileno(), _CHUNK_BYTES):
                self._output += chunk
                del self._output[:-MAX_OUTPUT_BYTES]
