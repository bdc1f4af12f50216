"""Workers on Windows: handles inherited by list, pipes that are peeked, secrets in named pipes.

Tested under Wine, which does not enforce memory limits; not on Windows itself.
"""

import _winapi
import msvcrt
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from threading import Thread
from typing import Any

from scheduler.workers.secret_places import SecretPlaces, encode_secret

assert sys.platform == "win32"  # for the type checker: the rest exists on Windows only

from scheduler.windows_pipe import OneShotPipe  # noqa: E402  see above
from scheduler.workers.windows_jobs import is_in_own_job, start_in_jobs  # noqa: E402

PASSED_VARIABLES = (
    "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LANG", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "PATH", "PATHEXT",
    "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "TZ", "USERNAME", "USERPROFILE",
    "WINDIR",
)  # fmt: skip

PYTHON_IN_ENVIRONMENT = "Scripts/python.exe"
READABLE = 1
HAS_PROCESS_MARKS = True
_MIN_PAUSE_S, _MAX_PAUSE_S = 0.0005, 0.01
"""Between two peeks into a pipe: short while there is traffic, long while a script computes."""
_FIRST_EXCEPTION_CODE = 1 << 31
"""From here on an exit code is the exception that ended the process."""


class Poll:
    """The part of `select.poll` that is used: pipes cannot be waited for, so they are peeked repeatedly."""

    def __init__(self) -> None:
        self._descriptors: list[int] = []

    def register(self, descriptor: int, _events: int = READABLE) -> None:
        self._descriptors.append(descriptor)

    def unregister(self, descriptor: int) -> None:
        self._descriptors.remove(descriptor)

    def poll(self, milliseconds: float | None = None) -> list[tuple[int, int]]:
        limit = None if milliseconds is None else time.monotonic() + milliseconds / 1000
        pause = _MIN_PAUSE_S
        while True:
            ready = [(one, READABLE) for one in self._descriptors if _available_bytes(one) != 0]
            if ready or (limit is not None and time.monotonic() >= limit):
                return ready
            time.sleep(pause)
            pause = min(pause * 2, _MAX_PAUSE_S)


def _available_bytes(descriptor: int) -> int | None:
    """How many bytes can be read; None if the pipe is closed."""
    try:
        available: int = _winapi.PeekNamedPipe(msvcrt.get_osfhandle(descriptor), 0)[0]
    except OSError:
        return None
    return available


def read(descriptor: int, size: int) -> bytes:
    available = _available_bytes(descriptor)
    if available == 0:
        raise BlockingIOError
    return b"" if available is None else os.read(descriptor, min(size, available))


def set_nonblocking(_descriptor: int) -> None:
    """Not needed: `read` peeks first, and `write_all` writes in a thread."""


def write_all(descriptor: int, data: bytes, deadline: float) -> None:
    """In a thread, since a write to a full pipe blocks until it is read or closed."""
    failed: list[OSError] = []

    def write() -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        except OSError as error:
            failed.append(error)

    writer = Thread(target=write, name="write to a worker", daemon=True)
    writer.start()
    writer.join(max(0.0, deadline - time.monotonic()))
    if writer.is_alive():
        raise TimeoutError
    if failed:
        raise failed[0]


def inheritable_number(descriptor: int) -> int:
    return msvcrt.get_osfhandle(descriptor)


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
    """As on Unix. No process can mark itself here, and `memory` limits each process with that mark."""
    del marks_itself
    handles = [inheritable_number(descriptor) for descriptor in descriptors]
    for handle in handles:
        os.set_handle_inheritable(handle, True)  # noqa: FBT003  the standard library's own call
    return start_in_jobs(
        command,
        subprocess.CREATE_NO_WINDOW | (subprocess.BELOW_NORMAL_PRIORITY_CLASS if is_for_script else 0),
        mark=mark,
        is_for_script=is_for_script,
        memory=memory,
        startupinfo=subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles}),
        **arguments,
    )


def lower_priority(_process: "subprocess.Popen[bytes]") -> None:
    """It started with a lower one."""


def enlarge_pipe(pipe: int, size: int) -> None:
    """Not supported: pipes have one size here."""


def wait_for_exit_code(process: "subprocess.Popen[bytes]", seconds: float) -> int | None:
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    return code if code < _FIRST_EXCEPTION_CODE else code - (1 << 32)


@contextmanager
def offer_secrets(secrets: Mapping[str, str]) -> Iterator[SecretPlaces]:
    """Each in a named pipe that gives it once, to the command or a program that the command started."""
    with ExitStack() as unused:
        pipes = {name: OneShotPipe(encode_secret(secret)) for name, secret in secrets.items()}
        for pipe in pipes.values():
            unused.callback(pipe.close)

        def serve(process: "subprocess.Popen[bytes]") -> None:
            unused.pop_all()
            handle = int(process._handle)  # type: ignore[attr-defined]  # noqa: SLF001  the only place that has it
            for pipe in pipes.values():
                pipe.serve(lambda pid: is_in_own_job(process, pid), until=handle)

        yield SecretPlaces({name: pipe.path for name, pipe in pipes.items()}, (), serve)
