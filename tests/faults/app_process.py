"""A process of the kill campaign in which the app runs: forked where systems can do that, otherwise started anew."""

import json
import os
import signal
import subprocess
import sys
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

from tests.faults.kill_target import KillPoint, run_app


class AppProcess(Protocol):
    pid: int

    def poll(self) -> int | None:
        """The exit code; None if it is still running."""

    def kill(self) -> None:
        """And wait for its end."""


def start_app(folder: Path, doom: KillPoint) -> AppProcess:
    """It has imported everything, so it starts at once."""
    return ForkedApp(folder, doom) if hasattr(os, "fork") else SpawnedApp(folder, doom)


class ForkedApp:
    def __init__(self, folder: Path, doom: KillPoint) -> None:
        self.pid = os.fork()
        if self.pid:
            return
        try:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            run_app(folder, doom)
            os._exit(0)
        except BaseException:  # noqa: BLE001  the outermost frame of that process
            traceback.print_exc()
            os._exit(1)

    def poll(self) -> int | None:
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if pid else None

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


class SpawnedApp:
    def __init__(self, folder: Path, doom: KillPoint) -> None:
        given = {**asdict(doom), "seen": [], "places_file": str(doom.places_file)}
        command = [sys.executable, "-m", "tests.faults.app_process", str(folder), json.dumps(given)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.pid = self._process.pid
        assert self._process.stdout is not None
        self._process.stdout.readline()  # everything is imported

    def poll(self) -> int | None:
        return self._process.poll()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


def main(folder: str, given: str) -> None:
    doom = KillPoint(**json.loads(given))
    doom.seen, doom.places_file = set(), Path(str(doom.places_file))
    os.write(1, b"ready\n")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    run_app(Path(folder), doom)


if __name__ == "__main__":
    main(*sys.argv[1:])
