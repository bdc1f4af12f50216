"""A process is killed with all its descendants; unrelated processes are not touched, and older ones not even read."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from scheduler.workers import processes
from scheduler.workers.processes import MARK_VARIABLE, find_process, kill_with_descendants

# A grandchild in its own session whose parent is gone: only the mark shows where it belongs.
_RUNAWAY = """
import os, time
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(writing, str(os.getpid()).encode())
        time.sleep(600)
    os._exit(0)
os.wait()
print(os.read(reading, 20).decode(), flush=True)
time.sleep(600)
"""


@pytest.fixture
def bystander() -> Iterator[int]:
    """An older process in the same session as this one."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield process.pid
    process.kill()
    process.wait()


@pytest.mark.posix("runs sleep")
def test_older_processes_are_neither_killed_nor_inspected(bystander: int, monkeypatch: pytest.MonkeyPatch) -> None:
    inspected: list[int] = []
    real = processes.has_mark
    monkeypatch.setattr(processes, "has_mark", lambda pid, mark: inspected.append(pid) or real(pid, mark))
    while (older := find_process(bystander)) is not None and older.started == _now():
        os.sched_yield()  # until the clock of process start times has moved
    root = subprocess.Popen(
        [sys.executable, "-c", _RUNAWAY],
        env={**os.environ, MARK_VARIABLE: "this"},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert root.stdout is not None
    runaway = int(root.stdout.readline())
    kill_with_descendants(root.pid, "this")
    root.stdout.close()
    assert root.wait() < 0
    left = find_process(runaway)
    assert left is None or not left.is_alive
    still = find_process(bystander)
    assert still is not None
    assert still.is_alive
    assert runaway in inspected
    assert not {bystander, os.getppid()} & set(inspected)


def _now() -> int:
    """The start time of a process started now."""
    short = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    started = find_process(short.pid)
    short.wait()
    assert started is not None
    return started.started
