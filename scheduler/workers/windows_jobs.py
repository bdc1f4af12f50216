"""Job objects of Windows: what a process starts belongs to its jobs, however far down, and can be ended with them.

Every program that runs for a script is in the job of this app's scripts, by which others recognise it; in the job of
its mark, as a worker's commands are; and in one of its own. A job is nested in the one before. Windows ends what is in
the first two when their last handles close, so a killed app leaves no scripts behind.
"""

import ctypes
import os
import subprocess
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from ctypes import wintypes
from threading import Lock

from scheduler.workers.processes import Process

assert sys.platform == "win32"  # for the type checker: the rest exists on Windows only

_LIMITS = 9
_PROCESS_MEMORY, _NO_ERROR_DIALOG, _KILL_ON_JOB_CLOSE = 0x100, 0x400, 0x2000
_CREATE_SUSPENDED = 0x4
_JOB_QUERY, _PROCESS_QUERY = 0x4, 0x400
_STILL_ACTIVE = 259
KILLED_CODE = 0x40010004
"""DBG_TERMINATE_PROCESS: the exit code of a process that was killed here."""
_SCRIPTS = "Local\\Dayhand scripts {pid}"
_MAX_PROCESSES = 16_384


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
_kernel32.OpenJobObjectW.restype = wintypes.HANDLE
_kernel32.OpenJobObjectW.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.LPCWSTR)
_kernel32.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
_kernel32.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
_kernel32.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
_kernel32.IsProcessInJob.argtypes = (wintypes.HANDLE, wintypes.HANDLE, ctypes.POINTER(wintypes.BOOL))
_kernel32.OpenProcess.restype = wintypes.HANDLE
_kernel32.OpenProcess.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
_kernel32.GetExitCodeProcess.argtypes = (wintypes.HANDLE, ctypes.POINTER(wintypes.DWORD))
_kernel32.GetProcessTimes.argtypes = (wintypes.HANDLE, *[ctypes.POINTER(wintypes.FILETIME)] * 4)
_kernel32.K32EnumProcesses.argtypes = (ctypes.c_void_p, wintypes.DWORD, ctypes.POINTER(wintypes.DWORD))
_kernel32.CloseHandle.argtypes = (wintypes.HANDLE,)
_ntdll = ctypes.WinDLL("ntdll")
_ntdll.NtResumeProcess.argtypes = (wintypes.HANDLE,)


class Job:
    """One job object. With `ends_with_app` its processes end with this object."""

    def __init__(self, name: str | None = None, memory: int | None = None, *, ends_with_app: bool = True) -> None:
        """`memory` limits each of its processes."""
        handle: int | None = _kernel32.CreateJobObjectW(None, name)
        if not handle:
            raise ctypes.WinError(ctypes.get_last_error())
        self._handle = handle
        self._close = weakref.finalize(self, _kernel32.CloseHandle, handle)
        flags = _NO_ERROR_DIALOG | (_KILL_ON_JOB_CLOSE if ends_with_app else 0) | (_PROCESS_MEMORY if memory else 0)
        limits = _Limits(flags=flags, process_memory=memory or 0)
        _kernel32.SetInformationJobObject(handle, _LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))

    def add(self, process: int) -> None:
        """The process with that handle; OSError if it is already in a job that is not around this one."""
        if not _kernel32.AssignProcessToJobObject(self._handle, process):
            raise ctypes.WinError(ctypes.get_last_error())

    def has(self, process: int) -> bool:
        return _is_in_job(process, self._handle)

    def kill(self) -> None:
        _kernel32.TerminateJobObject(self._handle, KILLED_CODE)


_lock = Lock()
_scripts: Job | None = None
_by_mark: dict[str, Job] = {}
_own: "weakref.WeakKeyDictionary[subprocess.Popen[bytes], Job]" = weakref.WeakKeyDictionary()


def start_in_jobs(
    command: Sequence[str], flags: int, *, mark: str, is_for_script: bool, memory: int | None, **arguments: object
) -> "subprocess.Popen[bytes]":
    """Start a program that runs its first instruction once it is in its jobs."""
    process = subprocess.Popen(command, creationflags=flags | _CREATE_SUSPENDED, **arguments)  # type: ignore[call-overload]  # noqa: S603  a list, never a shell
    handle, own = int(process._handle), Job(ends_with_app=False)  # noqa: SLF001  the only place that has it
    try:
        for job in (*_outer_jobs(mark, memory, is_for_script=is_for_script), own):
            job.add(handle)
    except OSError:
        process.kill()
        process.wait()
        raise
    _own[process] = own
    _ntdll.NtResumeProcess(handle)
    return process


def _outer_jobs(mark: str, memory: int | None, *, is_for_script: bool) -> list[Job]:
    global _scripts  # noqa: PLW0603  one per process, made when it is needed
    with _lock:
        if is_for_script and _scripts is None:
            _scripts = Job(_SCRIPTS.format(pid=os.getpid()))
        if mark and mark not in _by_mark:
            _by_mark[mark] = Job(memory=memory)
        return [job for job in (_scripts if is_for_script else None, _by_mark.get(mark)) if job is not None]


def is_in_own_job(process: "subprocess.Popen[bytes]", pid: int) -> bool:
    """Whether the process with that pid is that one, or was started by it."""
    handle = _kernel32.OpenProcess(_PROCESS_QUERY, False, pid)  # noqa: FBT003  the system's own call
    if not handle:
        return False
    try:
        return _own[process].has(handle)
    finally:
        _kernel32.CloseHandle(handle)


def kill_with_descendants(_root: int | None, mark: str) -> None:
    """Kill all processes with the mark. After the death of an app there are none, see above."""
    with _lock:
        job = _by_mark.pop(mark, None)
    if job is not None:
        job.kill()


def kill_tree(process: "subprocess.Popen[bytes]") -> None:
    """Kill it with everything that it started."""
    job = _own.get(process)
    if job is not None:
        job.kill()


terminate_tree = kill_tree
"""Programs without a window and a console cannot be asked to exit."""


def find_process(pid: int) -> Process | None:
    """What Windows tells about a process; None if it does not exist or cannot be read."""
    handle = _kernel32.OpenProcess(_PROCESS_QUERY, False, pid)  # noqa: FBT003  the system's own call
    if not handle:
        return None
    try:
        code, times = wintypes.DWORD(), [wintypes.FILETIME() for _ in range(4)]
        if not _kernel32.GetProcessTimes(handle, *map(ctypes.byref, times)):
            return None
        _kernel32.GetExitCodeProcess(handle, ctypes.byref(code))
        return Process(
            pid=pid,
            parent=0,  # its number may belong to another process by now
            session=0,
            has_terminal=True,  # nothing here starts programs on request for others
            name=b"",
            started=(times[0].dwHighDateTime << 32) + times[0].dwLowDateTime,
            is_alive=code.value == _STILL_ACTIVE,
        )
    finally:
        _kernel32.CloseHandle(handle)


def is_marked(pid: int) -> bool | None:
    """Whether it runs for a script, of this app or another; None if that cannot be determined."""
    handle = _kernel32.OpenProcess(_PROCESS_QUERY, False, pid)  # noqa: FBT003  the system's own call
    if not handle:
        return None
    try:
        return any(_is_in_scripts_of(app, handle) for app in _pids())
    finally:
        _kernel32.CloseHandle(handle)


def _is_in_scripts_of(app: int, process: int) -> bool:
    job = _kernel32.OpenJobObjectW(_JOB_QUERY, False, _SCRIPTS.format(pid=app))  # noqa: FBT003  the system's own call
    if not job:
        return False
    try:
        return _is_in_job(process, job)
    finally:
        _kernel32.CloseHandle(job)


def _is_in_job(process: int, job: int) -> bool:
    found = wintypes.BOOL()
    return bool(_kernel32.IsProcessInJob(process, job, ctypes.byref(found)) and found.value)


def _pids() -> Sequence[int]:
    found, size = (wintypes.DWORD * _MAX_PROCESSES)(), wintypes.DWORD()
    with suppress(OSError):
        _kernel32.K32EnumProcesses(found, ctypes.sizeof(found), ctypes.byref(size))
    return list(found[: size.value // ctypes.sizeof(wintypes.DWORD)])
