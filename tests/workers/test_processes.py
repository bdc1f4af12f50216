"""A family of processes is ended as a whole, and strangers are left alone, unread where they cannot belong to it."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from scheduler.workers import processes
from scheduler.workers.processes import MARK, end_family, look_up

# A grandchild in a session of its own, whose parent is gone: only the mark tells whose it is.
_RUNAWAY = """
import os, time
told, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(tell, str(os.getpid()).encode())
        time.sleep(600)
    os._exit(0)
os.wait()
print(os.read(told, 20).decode(), flush=True)
time.sleep(600)
"""


@pytest.fixture
def stranger() -> Iterator[int]:
    """A process that ran before, in the same session as this one."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield process.pid
    process.kill()
    process.wait()


def test_what_ran_before_is_neither_ended_nor_looked_into(stranger: int, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_into: list[int] = []
    real = processes.carries
    monkeypatch.setattr(processes, "carries", lambda pid, mark: looked_into.append(pid) or real(pid, mark))
    while (older := look_up(stranger)) is not None and older.started == _now():
        os.sched_yield()  # until the clock that tells the ages of processes has moved
    root = subprocess.Popen(
        [sys.executable, "-c", _RUNAWAY],
        env={**os.environ, MARK: "this"},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert root.stdout is not None
    runaway = int(root.stdout.readline())
    end_family(root.pid, "this")
    root.stdout.close()
    assert root.wait() < 0
    left = look_up(runaway)
    assert left is None or not left.is_alive
    still = look_up(stranger)
    assert still is not None
    assert still.is_alive
    assert runaway in looked_into
    assert not {stranger, os.getppid()} & set(looked_into)


def _now() -> int:
    """When a process that starts now would have started."""
    short = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    started = look_up(short.pid)
    short.wait()
    assert started is not None
    return started.started
