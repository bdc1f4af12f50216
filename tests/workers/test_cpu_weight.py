"""Workers get less CPU while the window is in use, even though Linux schedules sessions, not processes."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler.workers import cpu_weight
from scheduler.workers.cpu_weight import CpuWeights

GROUP = Path("/proc/self/autogroup")
pytestmark = pytest.mark.skipif(not GROUP.exists() or not GROUP.read_text(), reason="no autogroups on this system")

Process = subprocess.Popen[bytes]
LIMIT = 30.0


@pytest.fixture
def started() -> Iterator[list[Process]]:
    """Two processes in their own sessions."""
    command = [sys.executable, "-c", "input()"]
    made = [subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) for _ in range(2)]
    yield made
    for process in made:
        process.kill()
        process.communicate()


def read_weights(processes: list[Process]) -> list[str]:
    return [Path(f"/proc/{process.pid}/autogroup").read_text().split()[-1] for process in processes]


def wait_for(processes: list[Process], expected: list[str]) -> None:
    end = time.monotonic() + LIMIT
    while read_weights(processes) != expected:
        assert time.monotonic() < end, read_weights(processes)
        time.sleep(0.01)


@pytest.mark.posix("Linux schedules sessions")
def test_workers_weigh_less_only_while_asked_to(started: list[Process]) -> None:
    weights = CpuWeights()
    weights.add(started[0])
    assert read_weights(started) == ["0", "0"]
    weights.set_low(on=True)
    wait_for(started, ["10", "0"])
    weights.add(started[1])
    wait_for(started, ["10", "10"])
    weights.set_low(on=False)
    wait_for(started, ["0", "0"])


@pytest.mark.posix("Linux schedules sessions")
def test_a_write_rejected_by_linux_is_reattempts(started: list[Process], monkeypatch: pytest.MonkeyPatch) -> None:
    """It accepts ten writes a second from users other than root."""
    attempts: list[str] = []

    class Busy:
        def __init__(self, path: str) -> None:
            self._path = Path(path)

        def write_text(self, text: str, **_: Any) -> None:
            attempts.append(text)
            if len(attempts) < 3:
                raise BlockingIOError
            self._path.write_text(text)

    monkeypatch.setattr(cpu_weight, "Path", Busy)
    weights = CpuWeights()
    weights.set_low(on=True)
    weights.add(started[0])
    assert read_weights(started) == ["0", "0"]
    wait_for(started, ["10", "0"])


def test_a_process_that_has_exited_is_not_touched(started: list[Process], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its pid may belong to another process by now."""
    weights = CpuWeights()
    weights.add(started[0])
    started[0].kill()
    started[0].wait()
    monkeypatch.setattr(cpu_weight, "Path", pytest.fail)
    weights.set_low(on=True)
