"""File operations on Windows, by handles that open links themselves. Tested under Wine, not on Windows itself."""

import ctypes
import errno
import msvcrt
import os
import sys
from ctypes import wintypes
from pathlib import Path
from typing import Self

assert sys.platform == "win32"  # for the type checker: the rest exists on Windows only

_READ, _WRITE = 0x80000000, 0x40000000
_LIST_FOLDER = 0x1
_SHARE_READ, _SHARE_WRITE, _SHARE_DELETE = 1, 2, 4
_CREATE_NEW, _OPEN_EXISTING, _OPEN_ALWAYS = 1, 3, 4
_OPEN_LINK_ITSELF, _OPEN_FOLDERS = 0x00200000, 0x02000000
_FOLDER, _REPARSE_POINT = 0x10, 0x400
_LEADS_ELSEWHERE = 0x20000000
"""In the tag of a reparse point: links and junctions, unlike files that a cloud drive has not loaded yet."""
_ATTRIBUTES_AND_TAG = 9
_INVALID_HANDLE = ctypes.c_void_p(-1).value
_NO_MODE = 0o777

_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel32.CreateFileW.restype = wintypes.HANDLE
_kernel32.CreateFileW.argtypes = (
    wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, ctypes.c_void_p, wintypes.DWORD, wintypes.DWORD, wintypes.HANDLE,
)  # fmt: skip
_kernel32.GetFileInformationByHandleEx.argtypes = (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
_kernel32.CloseHandle.argtypes = (wintypes.HANDLE,)


class _AttributesAndTag(ctypes.Structure):
    _fields_ = (("attributes", wintypes.DWORD), ("tag", wintypes.DWORD))


def open_no_follow(path: str | Path, flags: int, _mode: int = _NO_MODE) -> int:
    """Without following a link: links are resolved by the caller. Others may rename and delete it while it is open."""
    access = {os.O_RDONLY: _READ, os.O_WRONLY: _WRITE, os.O_RDWR: _READ | _WRITE}[flags & (os.O_WRONLY | os.O_RDWR)]
    disposition = _OPEN_EXISTING
    if flags & os.O_CREAT:
        disposition = _CREATE_NEW if flags & os.O_EXCL else _OPEN_ALWAYS
    share = _SHARE_READ | _SHARE_WRITE | _SHARE_DELETE
    try:
        handle, found = _open(path, access, share, disposition, _OPEN_LINK_ITSELF)
    except PermissionError as error:
        if Path(path).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path)) from error
        raise
    if found.attributes & _REPARSE_POINT:  # of a cloud drive, which loads the content when it is opened like this
        _kernel32.CloseHandle(handle)
        handle, _ = _open(path, access, share, _OPEN_EXISTING, 0)
    return msvcrt.open_osfhandle(handle, flags & (os.O_APPEND | os.O_RDONLY) | os.O_BINARY | os.O_NOINHERIT)


def _open(path: str | Path, access: int, share: int, disposition: int, flags: int) -> tuple[int, _AttributesAndTag]:
    """The handle and what it is; OSError if it is a link or a junction."""
    handle = _kernel32.CreateFileW(str(path), access, share, None, disposition, flags, None)
    if handle == _INVALID_HANDLE:
        raise _last_error(path)
    found = _AttributesAndTag()
    succeeded = _kernel32.GetFileInformationByHandleEx(
        handle, _ATTRIBUTES_AND_TAG, ctypes.byref(found), ctypes.sizeof(found)
    )
    error = None if succeeded else _last_error(path)
    if error is None and found.attributes & _REPARSE_POINT and found.tag & _LEADS_ELSEWHERE:
        error = OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if error is not None:
        _kernel32.CloseHandle(handle)
        raise error
    return handle, found


def _last_error(path: str | Path) -> OSError:
    code = ctypes.get_last_error()
    return OSError(0, ctypes.FormatError(code).strip(), str(path), code)


def copy_permissions(_descriptor: int, _like: Path) -> None:
    """A new file has the permissions of its folder here."""


def rename_to_new(source: Path, target: Path) -> None:
    """As on Unix: Windows never replaces with this call."""
    source.rename(target)


def swap_files(_one: Path, _other: Path) -> bool:
    """Not possible in one step: callers check once more and replace at once."""
    return False


def sync_file(place: Path) -> None:
    """As on Unix; Windows syncs only what is open for writing."""
    descriptor = open_no_follow(place, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(_folder: Path) -> None:
    """Not needed: NTFS writes names to its journal, and folders cannot be synced."""


def try_lock(descriptor: int) -> bool:
    """Lock the first byte of an open file; return whether the lock was acquired."""
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True


class OpenFolder:
    """A folder that is open: until it is closed, nobody can rename, delete or replace it or its parents."""

    def __init__(self, path: str | Path) -> None:
        """OSError if it is a link or a junction."""
        share = _SHARE_READ | _SHARE_WRITE
        self._handle, found = _open(path, _LIST_FOLDER, share, _OPEN_EXISTING, _OPEN_LINK_ITSELF | _OPEN_FOLDERS)
        self._path = Path(path)
        if not found.attributes & _FOLDER:
            self.close()
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))

    def close(self) -> None:
        _kernel32.CloseHandle(self._handle)

    def enter(self, name: str) -> Self:
        """Open a folder in it."""
        return type(self)(self._path / name)

    def make(self, name: str) -> None:
        """Create a folder in it; FileExistsError if there is one."""
        (self._path / name).mkdir()

    def sync(self) -> None:
        """Not needed, see `sync_folder`."""

    def remove(self, name: str) -> None:
        """Remove an empty folder in it that is not open."""
        (self._path / name).rmdir()

    def path_of(self, name: str) -> Path:
        """A path of what has that name in it, valid while this is open."""
        return self._path / name
