"""Steps of the installer and the uninstaller, run with the installed Python: steps.py STEP FOLDER.

    end           end every program that runs from FOLDER; prints "restart" if Dayhand's app was one of them
    add-path      add FOLDER/bin to the user's PATH
    remove-path   remove it

NSIS alone would cut a long PATH, and cannot find processes. Needs the standard library only.
"""  # noqa: INP001  not a package: it would hide the PyPI package of that name

import ctypes
import os
import subprocess
import sys
import time
import winreg
from collections.abc import Iterator
from ctypes import wintypes
from pathlib import Path

QUIT_S = 60
"""How long the app may take to finish its outside actions; the same as at the end of a session."""
_QUERY, _TERMINATE, _SYNCHRONIZE = 0x1000, 0x0001, 0x100000
_NO_WINDOW = 0x08000000

_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel.OpenProcess.restype = wintypes.HANDLE


def end(folder: Path) -> None:
    if not list_processes(folder):
        return
    if ask_to_quit(folder):
        print("restart")
        deadline = time.monotonic() + QUIT_S
        while list_processes(folder) and time.monotonic() < deadline:
            time.sleep(0.2)
    # Whatever is still there: apps of other data folders, and what scripts started.
    for pid in list_processes(folder):
        kill(pid)


def ask_to_quit(folder: Path) -> bool:
    """Whether the app of the user's own data folder ran and quits."""
    command = [str(folder / "python" / "python.exe"), "-m", "app.main", "quit"]
    try:
        asked = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            creationflags=_NO_WINDOW,
            timeout=QUIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return asked.returncode == 0


def list_processes(folder: Path) -> list[int]:
    """The processes whose program is in the folder, except this one."""
    inside = os.path.normcase(folder) + os.sep
    found = [pid for pid in _all_processes() if os.path.normcase(_program(pid)).startswith(inside)]
    return [pid for pid in found if pid != os.getpid()]


def _all_processes() -> Iterator[int]:
    room = 4096
    pids, used = (wintypes.DWORD * room)(), wintypes.DWORD()
    if _kernel.K32EnumProcesses(pids, ctypes.sizeof(pids), ctypes.byref(used)):
        yield from pids[: used.value // ctypes.sizeof(wintypes.DWORD)]


def _program(pid: int) -> str:
    handle = wintypes.HANDLE(_kernel.OpenProcess(_QUERY, False, pid))  # noqa: FBT003
    if not handle:
        return ""
    name, size = ctypes.create_unicode_buffer(32_768), wintypes.DWORD(32_768)
    is_known = _kernel.QueryFullProcessImageNameW(handle, 0, name, ctypes.byref(size))
    _kernel.CloseHandle(handle)
    return name.value if is_known else ""


def kill(pid: int) -> None:
    handle = wintypes.HANDLE(_kernel.OpenProcess(_TERMINATE | _SYNCHRONIZE, False, pid))  # noqa: FBT003
    if handle:
        _kernel.TerminateProcess(handle, 1)
        _kernel.WaitForSingleObject(handle, 10_000)
        _kernel.CloseHandle(handle)


def change_path(folder: Path, *, is_wanted: bool) -> None:
    own = str(folder / "bin")
    with winreg.CreateKey(winreg.HKEY_CURRENT_USER, "Environment") as key:
        try:
            value, kind = winreg.QueryValueEx(key, "Path")
        except FileNotFoundError:
            value, kind = "", winreg.REG_EXPAND_SZ
        before = value.split(";") if value else []
        after = [place for place in before if os.path.normcase(place.rstrip("\\")) != os.path.normcase(own)]
        after += [own] * is_wanted
        if after == before:
            return
        if after:
            winreg.SetValueEx(key, "Path", 0, kind, ";".join(after))
        else:
            winreg.DeleteValue(key, "Path")
    # So that terminals opened from now on know it.
    ctypes.WinDLL("user32").SendMessageTimeoutW(0xFFFF, 0x001A, 0, "Environment", 0x0002, 5_000, None)


def main() -> None:
    step, folder = sys.argv[1], Path(sys.argv[2])
    if step == "end":
        end(folder)
    else:
        change_path(folder, is_wanted=step == "add-path")


if __name__ == "__main__":
    main()
