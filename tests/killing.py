"""Killing a process with os.kill so that it cannot clean up, and seeing whether one runs, on every system."""

import os
import sys
from pathlib import Path

KILL = 9
"""SIGKILL; on Windows the exit code of a terminated process."""
KILLED = -KILL if os.name == "posix" else KILL
"""The return code of a process that was killed."""


def is_alive(pid: int) -> bool:
    """Whether that process runs; a zombie does not."""
    if sys.platform == "win32":
        return _is_alive_on_windows(pid)
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def _is_alive_on_windows(pid: int) -> bool:
    import _winapi

    synchronize = 0x100000
    try:
        handle = _winapi.OpenProcess(synchronize, 0, pid)
    except OSError:
        return False
    try:
        return _winapi.WaitForSingleObject(handle, 0) == _winapi.WAIT_TIMEOUT
    finally:
        _winapi.CloseHandle(handle)
