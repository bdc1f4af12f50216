"""Workers on Unix: file descriptors inherited by number, pipes that can be polled, one session per worker."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from typing import Any

from dayhand._process_mark import mark_process

from scheduler.workers.cpu_weight import cpu_weights
from scheduler.workers.processes import mark_number
from scheduler.workers.secret_places import SecretPlaces, encode_secret

PASSED_VARIABLES = ("PATH", "HOME", "LANG", "TZ", "TMPDIR", "USER")
"""The variables that scripts may see."""

PYTHON_IN_ENVIRONMENT = "bin/python"
KILLED_CODE = -signal.SIGKILL
"""The exit code of a process that was killed."""
HAS_PROCESS_MARKS = sys.platform.startswith("linux")
"""Whether a process shows that it runs for a script."""
if HAS_PROCESS_MARKS:
    import_module("resource")  # `mark_process` needs it between fork and exec, where nothing may be imported

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


def start_process(
    command: Sequence[str],
    *,
    mark: str = "",
    descriptors: Sequence[int] = (),
    is_for_script: bool = True,
    marks_itself: bool = False,
    memory: int | None = None,
    **arguments: Any,
) -> "subprocess.Popen[bytes]":
    """Start a program that inherits only these descriptors and can be killed with its descendants.

    What runs for a script is marked as such before it runs, unless it marks itself. `mark` is in its environment
    already, and a worker limits its own memory.
    """
    del memory
    is_marked = is_for_script and not marks_itself and HAS_PROCESS_MARKS
    return subprocess.Popen(  # noqa: S603  a list, never a shell
        command,
        pass_fds=descriptors,
        start_new_session=True,
        preexec_fn=partial(mark_process, mark_number(mark)) if is_marked else None,  # noqa: PLW1509  it takes no lock
        **arguments,
    )


def terminate_tree(process: "subprocess.Popen[bytes]") -> None:
    """Ask it and what it started to exit. The caller has not waited for it yet, so its pid is still its own."""
    _signal_group(process, signal.SIGTERM)


def kill_tree(process: "subprocess.Popen[bytes]") -> None:
    """Kill it and what it started in its session, as above."""
    _signal_group(process, signal.SIGKILL)


def _signal_group(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    with suppress(OSError):
        os.killpg(process.pid, number)


@contextmanager
def offer_secrets(secrets: Mapping[str, str]) -> Iterator[SecretPlaces]:
    """Each in a pipe that is filled beforehand; closed on our side once the command has it."""
    with ExitStack() as ours:
        pipes = {name: _fill(encode_secret(secret), ours) for name, secret in secrets.items()}
        yield SecretPlaces({name: f"/dev/fd/{pipe}" for name, pipe in pipes.items()}, tuple(pipes.values()))


def _fill(data: bytes, ours: ExitStack) -> int:
    reading, writing = os.pipe()
    ours.callback(os.close, reading)
    with os.fdopen(writing, "wb") as end:
        end.write(data)
    return reading


def lower_priority(process: "subprocess.Popen[bytes]") -> None:
    """So that scripts do not slow down the desktop."""
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
