"""Named pipes of Windows that only this user can open, and only on this computer. Tested under Wine, not on Windows."""

import _winapi
import ctypes
import secrets
import sys
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from ctypes import wintypes
from threading import Thread
from typing import Any

assert sys.platform == "win32"  # for the type checker: the rest exists on Windows only

PREFIX = "\\\\.\\pipe\\dayhand-"
_BUFFER_BYTES = 65_536
_OVERLAPPED, _FIRST_INSTANCE, _REJECT_REMOTE = 0x40000000, 0x00080000, 0x8
_OUTBOUND = 0x2
_NO_IMPERSONATION = 0x00110000
"""SECURITY_SQOS_PRESENT with SECURITY_IDENTIFICATION: a false server cannot act in our name."""
_PENDING, _CONNECTED, _ABORTED, _MORE_DATA = 997, 535, 995, 234
_CLOSED = (109, 232, 233)
"""The other end is gone: broken pipe, being closed, not connected."""
_TOKEN_QUERY, _TOKEN_USER = 0x8, 1
_KERNEL_OBJECT, _OWNER = 6, 1
_SDDL_REVISION = 1

_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_advapi32 = ctypes.WinDLL("advapi32", use_last_error=True)
_kernel32.GetCurrentProcess.restype = wintypes.HANDLE
_kernel32.GetNamedPipeClientProcessId.argtypes = (wintypes.HANDLE, ctypes.POINTER(wintypes.DWORD))
_kernel32.CreateEventW.restype = wintypes.HANDLE
_kernel32.CreateEventW.argtypes = (ctypes.c_void_p, wintypes.BOOL, wintypes.BOOL, wintypes.LPCWSTR)
_kernel32.SetEvent.argtypes = (wintypes.HANDLE,)
_kernel32.CloseHandle.argtypes = (wintypes.HANDLE,)
_kernel32.FlushFileBuffers.argtypes = (wintypes.HANDLE,)
_kernel32.LocalFree.argtypes = (ctypes.c_void_p,)
_advapi32.OpenProcessToken.argtypes = (wintypes.HANDLE, wintypes.DWORD, ctypes.POINTER(wintypes.HANDLE))
_advapi32.GetTokenInformation.argtypes = (
    wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD, ctypes.POINTER(wintypes.DWORD),
)  # fmt: skip
_advapi32.ConvertSidToStringSidW.argtypes = (ctypes.c_void_p, ctypes.POINTER(wintypes.LPWSTR))
_advapi32.ConvertStringSecurityDescriptorToSecurityDescriptorW.argtypes = (
    wintypes.LPCWSTR, wintypes.DWORD, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p,
)  # fmt: skip
_advapi32.GetSecurityInfo.argtypes = (
    wintypes.HANDLE, ctypes.c_int, wintypes.DWORD, *[ctypes.c_void_p] * 5,
)  # fmt: skip


class CancelledWaitError(OSError):
    """The wait was ended by `Cancel.set`, or by the event it was bound to."""


class Event:
    """An event of Windows, to end waits of other threads."""

    def __init__(self) -> None:
        self.handle: int = _kernel32.CreateEventW(None, True, False, None)  # noqa: FBT003  the system's own call
        weakref.finalize(self, _kernel32.CloseHandle, self.handle)

    def set(self) -> None:
        _kernel32.SetEvent(self.handle)


class _Attributes(ctypes.Structure):
    _fields_ = (("size", wintypes.DWORD), ("descriptor", ctypes.c_void_p), ("inherits", wintypes.BOOL))


def user_sid() -> str:
    """The user of this process, as text."""
    token, size, text = wintypes.HANDLE(), wintypes.DWORD(), wintypes.LPWSTR()
    _check(_advapi32.OpenProcessToken(_kernel32.GetCurrentProcess(), _TOKEN_QUERY, ctypes.byref(token)))
    try:
        _advapi32.GetTokenInformation(token, _TOKEN_USER, None, 0, ctypes.byref(size))
        user = ctypes.create_string_buffer(size.value)
        _check(_advapi32.GetTokenInformation(token, _TOKEN_USER, user, size, ctypes.byref(size)))
        return _sid_text(ctypes.cast(user, ctypes.POINTER(ctypes.c_void_p))[0], text)
    finally:
        _kernel32.CloseHandle(token)


def _sid_text(sid: Any, text: Any) -> str:
    _check(_advapi32.ConvertSidToStringSidW(sid, ctypes.byref(text)))
    try:
        return text.value or ""
    finally:
        _kernel32.LocalFree(text)


def create_pipe(name: str, *, is_first: bool, access: int = 3, instances: int = 255) -> int:
    """Wait for a client with `wait_for_client`. With `is_first`, OSError if anybody has a pipe of that name."""
    descriptor = ctypes.c_void_p()
    sid = user_sid()
    _check(
        _advapi32.ConvertStringSecurityDescriptorToSecurityDescriptorW(
            f"O:{sid}D:P(A;;GA;;;{sid})", _SDDL_REVISION, ctypes.byref(descriptor), None
        )
    )
    attributes = _Attributes(ctypes.sizeof(_Attributes), descriptor, False)  # noqa: FBT003  a field of the system's
    flags = access | _OVERLAPPED | (_FIRST_INSTANCE if is_first else 0)
    try:
        return _winapi.CreateNamedPipe(
            name, flags, _REJECT_REMOTE, instances, _BUFFER_BYTES, _BUFFER_BYTES, 0, ctypes.addressof(attributes)
        )
    finally:
        _kernel32.LocalFree(descriptor)


def open_pipe(name: str) -> int:
    """OSError if there is none, or all are busy. PermissionError if it belongs to somebody else."""
    handle = _winapi.CreateFile(
        name, _winapi.GENERIC_READ | _winapi.GENERIC_WRITE, 0, 0, _winapi.OPEN_EXISTING,
        _OVERLAPPED | _NO_IMPERSONATION, 0,
    )  # fmt: skip
    if _owner(handle) != user_sid():
        _winapi.CloseHandle(handle)
        raise PermissionError(f"{name} belongs to another user")
    return handle


def _owner(handle: int) -> str:
    owner, descriptor = ctypes.c_void_p(), ctypes.c_void_p()
    code = _advapi32.GetSecurityInfo(
        handle, _KERNEL_OBJECT, _OWNER, ctypes.byref(owner), None, None, None, ctypes.byref(descriptor)
    )
    if code:
        raise ctypes.WinError(code)
    try:
        return _sid_text(owner, wintypes.LPWSTR())
    finally:
        _kernel32.LocalFree(descriptor)


def wait_for_client(handle: int, *cancels: int) -> None:
    """CancelledWaitError if one of the other handles is signalled first."""
    try:
        overlapped: Any = _winapi.ConnectNamedPipe(handle, overlapped=True)
    except OSError as error:
        if error.winerror != _CONNECTED:
            raise
        return
    finish(overlapped, _PENDING, None, *cancels)


def client_pid(handle: int) -> int | None:
    pid = wintypes.DWORD()
    return pid.value if _kernel32.GetNamedPipeClientProcessId(handle, ctypes.byref(pid)) else None


def read(handle: int, size: int, seconds: float | None, *cancels: int) -> bytes:
    """Up to that many bytes; none at the end. TimeoutError, or CancelledWaitError as above."""
    try:
        overlapped, error = _winapi.ReadFile(handle, size, overlapped=True)
        finish(overlapped, error, seconds, *cancels)
        return bytes(overlapped.getbuffer() or b"")
    except OSError as error:
        if getattr(error, "winerror", None) in _CLOSED:
            return b""
        raise


def write(handle: int, data: bytes, seconds: float | None, *cancels: int) -> None:
    """All of it, within that time."""
    deadline = None if seconds is None else time.monotonic() + seconds
    rest = memoryview(data)
    while rest:
        overlapped, error = _winapi.WriteFile(handle, bytes(rest[:_BUFFER_BYTES]), overlapped=True)
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        rest = rest[finish(overlapped, error, left, *cancels) :]


def bytes_waiting(handle: int) -> int | None:
    """How many bytes can be read; None if the other end is closed."""
    try:
        waiting: int = _winapi.PeekNamedPipe(handle, 0)[0]
    except OSError:
        return None
    return waiting


def finish(overlapped: Any, error: int, seconds: float | None, *cancels: int) -> int:
    """Wait for an operation that was begun; how many bytes it moved."""
    if error == _PENDING:
        limit = _winapi.INFINITE if seconds is None else max(0, round(seconds * 1000))
        first = _winapi.WaitForMultipleObjects([overlapped.event, *cancels], False, limit)  # noqa: FBT003  the system's own call
        if first != _winapi.WAIT_OBJECT_0:
            overlapped.cancel()
            with suppress(OSError):
                overlapped.GetOverlappedResult(True)  # noqa: FBT003  the system's own call
            raise TimeoutError if first == _winapi.WAIT_TIMEOUT else CancelledWaitError
    moved, code = overlapped.GetOverlappedResult(True)  # noqa: FBT003  the system's own call
    if code not in (0, _MORE_DATA):
        raise ctypes.WinError(code)
    return int(moved)


class OneShotPipe:
    """Gives its content once, to one process that may have it. Nobody else learns its name."""

    def __init__(self, content: bytes) -> None:
        self.path = PREFIX + secrets.token_hex(16)
        self._content = content
        self._handle = create_pipe(self.path, is_first=True, access=_OUTBOUND, instances=1)
        self.close = weakref.finalize(self, _winapi.CloseHandle, self._handle)

    def serve(self, is_allowed: Callable[[int], bool], until: int) -> None:
        """In a thread, until it was read or the handle `until` is signalled."""
        Thread(target=self._serve, args=(is_allowed, until), name="secret", daemon=True).start()

    def _serve(self, is_allowed: Callable[[int], bool], until: int) -> None:
        with suppress(OSError):
            wait_for_client(self._handle, until)
            pid = client_pid(self._handle)
            if pid is not None and is_allowed(pid):
                write(self._handle, self._content, None, until)
                _kernel32.FlushFileBuffers(self._handle)  # returns once it was read
        self.close()


def _check(succeeded: int) -> None:
    if not succeeded:
        raise ctypes.WinError(ctypes.get_last_error())
