"""Workers on Windows: handles that are inherited by list, pipes that are looked into, and a job object for the family.

Run under Wine, which does not enforce limits of memory; not on Windows.
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

assert sys.platform == "win32"  # for the type checker, which knows of all this only there

PASSED_ON = (
    "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LANG", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "PATH", "PATHEXT",
    "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "TZ", "USERNAME", "USERPROFILE",
    "WINDIR",
)  # fmt: skip

NEWS = 1
_SHORTEST, _LONGEST = 0.0005, 0.01
"""Seconds between two looks into a pipe: often while something happens, seldom while a script works."""
_EXTENDED_LIMITS = 9
_MEMORY_OF_EACH, _NO_DIALOG, _DIES_WITH_US = 0x100, 0x400, 0x2000
_CRASHES = 1 << 31
"""From here on an exit code is the exception by which a process ended."""


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


_system = ctypes.WinDLL("kernel32", use_last_error=True)
_system.CreateJobObjectW.restype = wintypes.HANDLE
_system.CreateJobObjectW.argtypes = (ctypes.c_void_p, wintypes.LPCWSTR)
_system.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
_system.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
_system.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
_system.CloseHandle.argtypes = (wintypes.HANDLE,)

_jobs: dict[str, int] = {}
"""By mark. The system ends what is in a job when its last handle goes, so nothing outlives the app."""


class Poll:
    """As much of `select.poll` as is used: pipes have nothing to wait for, so they are looked into again and again."""

    def __init__(self) -> None:
        self._descriptors: list[int] = []

    def register(self, descriptor: int, _events: int = NEWS) -> None:
        self._descriptors.append(descriptor)

    def unregister(self, descriptor: int) -> None:
        self._descriptors.remove(descriptor)

    def poll(self, milliseconds: float | None = None) -> list[tuple[int, int]]:
        limit = None if milliseconds is None else time.monotonic() + milliseconds / 1000
        pause = _SHORTEST
        while True:
            ready = [(one, NEWS) for one in self._descriptors if _waiting_in(one) != 0]
            if ready or (limit is not None and time.monotonic() >= limit):
                return ready
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST)


def _waiting_in(descriptor: int) -> int | None:
    """How many bytes are there; None if nothing will ever come."""
    try:
        there: int = _winapi.PeekNamedPipe(msvcrt.get_osfhandle(descriptor), 0)[0]
    except OSError:
        return None
    return there


def read(descriptor: int, size: int) -> bytes:
    there = _waiting_in(descriptor)
    if there == 0:
        raise BlockingIOError
    return b"" if there is None else os.read(descriptor, min(size, there))


def unblock(_descriptor: int) -> None:
    """Nothing is read before it is there, and what is written is written by somebody else."""


def write_all(descriptor: int, data: bytes, deadline: float) -> None:
    """By a thread, since a full pipe holds up whoever writes until it is read or broken."""
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


def number_of(descriptor: int) -> int:
    return msvcrt.get_osfhandle(descriptor)


def hand_over(*descriptors: int) -> dict[str, Any]:
    handles = [number_of(descriptor) for descriptor in descriptors]
    for handle in handles:
        os.set_handle_inheritable(handle, True)  # noqa: FBT003  the standard library's own call
    return {
        "startupinfo": subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles}),
        "creationflags": subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS,
    }


def take_in(process: "subprocess.Popen[bytes]", mark: str, memory: int | None = None) -> None:
    """Into the job of that mark, before it was told to do anything; `memory` is what each process there may use."""
    if mark not in _jobs:
        _jobs[mark] = _make_job(memory)
    if not _system.AssignProcessToJobObject(_jobs[mark], int(process._handle)):  # noqa: SLF001  nobody else has it
        raise ctypes.WinError(ctypes.get_last_error())


def _make_job(memory: int | None) -> int:
    job: int | None = _system.CreateJobObjectW(None, None)
    if not job:
        raise ctypes.WinError(ctypes.get_last_error())
    limits = _Limits(flags=_NO_DIALOG | _DIES_WITH_US | (_MEMORY_OF_EACH if memory else 0), process_memory=memory or 0)
    _system.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
    return job


def end_family(_root: int | None, mark: str) -> None:
    """An app that was killed has left nothing: its jobs went with it."""
    job = _jobs.pop(mark, None)
    if job is not None:
        _system.TerminateJobObject(job, 1)
        _system.CloseHandle(job)


def widen(pipe: int, size: int) -> None:
    """Python makes pipes of one size here."""


def exit_code(process: "subprocess.Popen[bytes]", seconds: float) -> int | None:
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    return code if code < _CRASHES else code - (1 << 32)
