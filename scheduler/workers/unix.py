"""Workers on Unix: descriptors that are inherited by number, pipes that can be polled, and a session for the family."""

import os
import select
import subprocess
import time
from contextlib import suppress
from typing import Any

from scheduler.workers.processes import end_family
from scheduler.workers.weighing import weights

__all__ = [
    "NEWS",
    "PASSED_ON",
    "Poll",
    "end_family",
    "exit_code",
    "hand_over",
    "number_of",
    "read",
    "take_in",
    "unblock",
    "widen",
    "write_all",
]

PASSED_ON = ("PATH", "HOME", "LANG", "TZ", "TMPDIR", "USER")
"""The variables that scripts may see."""

_LATER = 5
"""How much nicer a worker is than the app."""

Poll = select.poll
NEWS = select.POLLIN
read = os.read


def unblock(descriptor: int) -> None:
    """From now on `read` raises BlockingIOError where nothing is there, and `write_all` waits no longer than told."""
    os.set_blocking(descriptor, False)


def write_all(descriptor: int, data: bytes, deadline: float) -> None:
    """OSError if nobody reads any longer, or not until then."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            _wait_for_room(descriptor, deadline)


def _wait_for_room(descriptor: int, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    waiting = select.poll()
    waiting.register(descriptor, select.POLLOUT)
    with suppress(InterruptedError):
        waiting.poll(left * 1000)


def number_of(descriptor: int) -> int:
    """By which the worker knows it."""
    return descriptor


def hand_over(*descriptors: int) -> dict[str, Any]:
    """How a process is started that gets these and no others, and can be ended with all that it starts."""
    return {"pass_fds": descriptors, "start_new_session": True}


def take_in(process: "subprocess.Popen[bytes]", _mark: str, _memory: int | None = None) -> None:
    """Chores, and what they start, leave the computer to the person in front of it. A worker limits its own memory."""
    with suppress(AttributeError, OSError):  # another system, or it is gone already
        os.setpriority(os.PRIO_PROCESS, process.pid, min(19, os.getpriority(os.PRIO_PROCESS, 0) + _LATER))
    weights.add(process)


def widen(pipe: int, size: int) -> None:
    """A script that prints much waits less often."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl  # noqa: PLC0415  what follows is Linux only

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, size)


def exit_code(process: "subprocess.Popen[bytes]", seconds: float) -> int | None:
    """The exit code, or None if it lives on that long.

    The process id is not freed: it still names the session by which children are found.
    """
    if seconds and hasattr(os, "pidfd_open"):
        descriptor = os.pidfd_open(process.pid)
        try:
            waiting = select.poll()
            waiting.register(descriptor, select.POLLIN)
            waiting.poll(seconds * 1000)
        finally:
            os.close(descriptor)
    told = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if told is None:
        return None
    return told.si_status if told.si_code == os.CLD_EXITED else -told.si_status
