"""Processes of a test, and waiting for them. All carry a mark in their environment, so that even daemonised ones are
found and ended by their ids."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

TIMEOUT_S = 60.0
_MARK = "DAYHAND_TEST_DESKTOP"


def wait_until(condition: Callable[[], Any], what: str) -> Any:
    """The first truthy result of `condition`; an assertion fails after a minute."""
    end = time.monotonic() + TIMEOUT_S
    while True:
        if result := condition():
            return result
        assert time.monotonic() < end, f"{what}: not within {TIMEOUT_S:.0f} s"
        time.sleep(0.02)


class Processes:
    """Starts programs with their output in `logs`, and ends them and their children."""

    def __init__(self, logs: Path) -> None:
        self.mark = uuid4().hex
        self._logs = logs
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, command: Sequence[str], environment: Mapping[str, str], **more: Any) -> subprocess.Popen[bytes]:
        name = f"{len(self._started):02}-{Path(command[0]).name}.log"
        with (self._logs / name).open("wb") as log:
            process = subprocess.Popen(
                list(command),
                env={**environment, _MARK: self.mark},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                **more,
            )
        self._started.append(process)
        return process

    def output(self) -> str:
        """The output of all programs, for failure messages."""
        return "\n".join(
            f"{path.name}: {path.read_text(errors='replace')}" for path in sorted(self._logs.glob("*.log"))
        )

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """Kill one, as if it had crashed."""
        process.kill()
        process.wait()

    def end_all(self) -> None:
        """Terminate all, newest first, then kill what still carries the mark."""
        for process in reversed(self._started):
            process.terminate()
        end = time.monotonic() + 5
        for process in reversed(self._started):
            try:
                process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                self.end(process)
        wait_until(self._end_rest, "the end of all processes")

    def _end_rest(self) -> bool:
        left = self.marked()
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        return not left

    def marked(self) -> list[int]:
        """The running processes with the mark."""
        mark = f"{_MARK}={self.mark}".encode()
        pids = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                marked = mark in (entry / "environ").read_bytes().split(b"\0")
                gone = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[0] in "ZX"
            except OSError:
                continue
            if marked and not gone:
                pids.append(int(entry.name))
        return pids
