"""Workers weigh less while the window is in sight, also where Linux weighs sessions and not processes."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler.workers import weighing
from scheduler.workers.weighing import Weights

GROUP = Path("/proc/self/autogroup")
pytestmark = pytest.mark.skipif(not GROUP.exists() or not GROUP.read_text(), reason="sessions are not weighed here")

Process = subprocess.Popen[bytes]
LIMIT = 30.0


@pytest.fixture
def started() -> Iterator[list[Process]]:
    """Two in sessions of their own."""
    command = [sys.executable, "-c", "input()"]
    made = [subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) for _ in range(2)]
    yield made
    for process in made:
        process.kill()
        process.communicate()


def weigh(processes: list[Process]) -> list[str]:
    return [Path(f"/proc/{process.pid}/autogroup").read_text().split()[-1] for process in processes]


def wait_for(processes: list[Process], wanted: list[str]) -> None:
    end = time.monotonic() + LIMIT
    while weigh(processes) != wanted:
        assert time.monotonic() < end, weigh(processes)
        time.sleep(0.01)


def test_they_weigh_less_only_while_they_shall(started: list[Process]) -> None:
    weights = Weights()
    weights.add(started[0])
    assert weigh(started) == ["0", "0"]
    weights.step_back(on=True)
    wait_for(started, ["10", "0"])
    weights.add(started[1])
    wait_for(started, ["10", "10"])
    weights.step_back(on=False)
    wait_for(started, ["0", "0"])


def test_what_linux_has_no_time_for_is_tried_again(started: list[Process], monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes ten a second of those who are not root."""
    tried: list[str] = []

    class Busy:
        def __init__(self, path: str) -> None:
            self._path = Path(path)

        def write_text(self, text: str, **_: Any) -> None:
            tried.append(text)
            if len(tried) < 3:
                raise BlockingIOError
            self._path.write_text(text)

    monkeypatch.setattr(weighing, "Path", Busy)
    weights = Weights()
    weights.step_back(on=True)
    weights.add(started[0])
    assert weigh(started) == ["0", "0"]
    wait_for(started, ["10", "0"])


def test_one_that_has_ended_is_left_alone(started: list[Process], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number may be somebody else's by now."""
    weights = Weights()
    weights.add(started[0])
    started[0].kill()
    started[0].wait()
    monkeypatch.setattr(weighing, "Path", pytest.fail)
    weights.step_back(on=True)
