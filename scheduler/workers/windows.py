"""Workers on Windows: handles inherited by list, pipes that are peeked, one job object per worker.

Tested under Wine, which does not enforce memory limits; not on Windows itself.
"""

import _winapi
import ctypes
import msvcrt
import os
import subprocess
import sys
import time
from ctypes import wintypes
from threading import Thread
from typing import Any

assert sys.platform == "win32"  # for the type checker: the rest exists on Windows only

PASSED_VARIABLES = (
    "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LANG", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "PATH", "PATHEXT",
    "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "TZ", "USERNAME", "USERPROFILE",
    "WINDIR",
)  # fmt: skip

READABLE = 1
_MIN_PAUSE_S, _MAX_PAUSE_S = 0.0005, 0.01
"""Between two peeks into a pipe: short while there is traffic, long while a script computes."""
_EXTENDED_LIMITS = 9
_PROCESS_MEMORY, _NO_ERROR_DIALOG, _KILL_ON_JOB_CLOSE = 0x100, 0x400, 0x2000
_FIRST_EXCEPTION_CODE = 1 << 31
"""From here on an exit code is the exception that ended the process."""


class _Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = (
        ("times", wintypes.LARGE_INTEGER * 2),
        ("flags", wintypes.DWORD),
        ("working_set", ctypes.c_size_t * 2),
        ("processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("priority", wintypes.DWORD * 2),
        ("counters", ctypes.c_ulonglong * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peaks", ctypes.c_size_t * 2),
    )


_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel32.CreateJobObjectW.restype = wintypes.HANDLE
_kernel32.CreateJobObjectW.argtypes = (ctypes.c_void_p, wintypes.LPCWSTR)
_kernel32.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
_kernel32.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
_kernel32.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
_kernel32.CloseHandle.argtypes = (wintypes.HANDLE,)

_jobs: dict[str, int] = {}
"""By mark. Windows kills the processes of a job when its last handle closes, so nothing outlives the app."""


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


def popen_arguments(*descriptors: int) -> dict[str, Any]:
    handles = [inheritable_number(descriptor) for descriptor in descriptors]
    for handle in handles:
        os.set_handle_inheritable(handle, True)  # noqa: FBT003  the standard library's own call
    return {
        "startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles}),
        "creationflags": subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS,
    }


def adopt_process(process: "subprocess.Popen[bytes]", mark: str, memory: int | None = None) -> None:
    """Assign it to the job object of that mark before it gets work; `memory` limits each process of the job."""
    if mark not in _jobs:
        _jobs[mark] = _make_job(memory)
    if not _kernel32.AssignProcessToJobObject(_jobs[mark], int(process._handle)):  # noqa: SLF001  the only place that has it
        raise ctypes.WinError(ctypes.get_last_error())


def _make_job(memory: int | None) -> int:
    job: int | None = _kernel32.CreateJobObjectW(None, None)
    if not job:
        raise ctypes.WinError(ctypes.get_last_error())
    limits = _Limits(
        flags=_NO_ERROR_DIALOG | _KILL_ON_JOB_CLOSE | (_PROCESS_MEMORY if memory else 0),
        process_memory=memory or 0,
    )
    _kernel32.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
    return job


def kill_with_descendants(_root: int | None, mark: str) -> None:
    """A killed app leaves no workers: its job objects are closed with it."""
    job = _jobs.pop(mark, None)
    if job is not None:
        _kernel32.TerminateJobObject(job, 1)
        _kernel32.CloseHandle(job)


def enlarge_pipe(pipe: int, size: int) -> None:
    """Not supported: pipes have one size here."""


def wait_for_exit_code(process: "subprocess.Popen[bytes]", seconds: float) -> int | None:
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    return code if code < _FIRST_EXCEPTION_CODE else code - (1 << 32)
