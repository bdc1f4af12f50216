"""Workers on Unix: file descriptors inherited by number, pipes that can be polled, one session per worker."""

import os
import select
import subprocess
import time
from contextlib import suppress
from typing import Any

from scheduler.workers.cpu_weight import cpu_weights

PASSED_VARIABLES = ("PATH", "HOME", "LANG", "TZ", "TMPDIR", "USER")
"""The variables that scripts may see."""

_NICE_INCREMENT = 5
"""Added to the app's nice value for workers."""

Poll = select.poll
READABLE = select.POLLIN
read = os.read


def set_nonblocking(descriptor: int) -> None:
    """Make `read` raise BlockingIOError if there is no data, and `write_all` respect its deadline."""
    os.set_blocking(descriptor, False)


def write_all(descriptor: int, data: bytes, deadline: float) -> None:
    """OSError if the other end is closed, or does not read in time."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            _wait_until_writable(descriptor, deadline)


def _wait_until_writable(descriptor: int, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    waiting = select.poll()
    waiting.register(descriptor, select.POLLOUT)
    with suppress(InterruptedError):
        waiting.poll(left * 1000)


def inheritable_number(descriptor: int) -> int:
    """The number by which the worker knows it."""
    return descriptor


def popen_arguments(*descriptors: int) -> dict[str, Any]:
    """Popen arguments for a process that inherits only these and can be killed with its descendants."""
    return {"pass_fds": descriptors, "start_new_session": True}


def adopt_process(process: "subprocess.Popen[bytes]", _mark: str, _memory: int | None = None) -> None:
    """Lower its priority, so that scripts do not slow down the desktop. A worker limits its own memory."""
    with suppress(AttributeError, OSError):  # not supported, or already gone
        os.setpriority(os.PRIO_PROCESS, process.pid, min(19, os.getpriority(os.PRIO_PROCESS, 0) + _NICE_INCREMENT))
    cpu_weights.add(process)


def enlarge_pipe(pipe: int, size: int) -> None:
    """Enlarge the pipe, so that a script that prints a lot blocks less often."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl  # noqa: PLC0415  what follows is Linux only

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, size)


def wait_for_exit_code(process: "subprocess.Popen[bytes]", seconds: float) -> int | None:
    """The exit code, or None if it is still running after that time.

    The pid is not freed: it still identifies the session by which children are found.
    """
    if seconds and hasattr(os, "pidfd_open"):
        descriptor = os.pidfd_open(process.pid)
        try:
            waiting = select.poll()
            waiting.register(descriptor, select.POLLIN)
            waiting.poll(seconds * 1000)
        finally:
            os.close(descriptor)
    status = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if status is None:
        return None
    return status.si_status if status.si_code == os.CLD_EXITED else -status.si_status
