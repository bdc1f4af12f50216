"""The control channel on Windows: a named pipe that only this user can open, from this computer. Loads no Qt."""

import _winapi
import hashlib
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

assert sys.platform == "win32"  # for the type checker: the rest exists on Windows only

from scheduler import windows_pipe  # noqa: E402  see above

if TYPE_CHECKING:
    from scheduler.workers.origin import ProcessOrigin

_BUSY = 231
_BUSY_TIMEOUT_S, _PAUSE_S = 5.0, 0.02
"""All instances of a pipe are in use for a moment after each accept."""


def pipe_name(folder: Path) -> str:
    """The same for the app and its clients, and another for each user."""
    whole = f"{windows_pipe.user_sid()} {os.path.normcase(folder.resolve())}"
    return windows_pipe.PREFIX + hashlib.sha256(whole.encode(errors="surrogatepass")).hexdigest()[:32]


class Connection:
    """A pipe that is used like a socket. One thread reads and writes; any may stop the reading."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._timeout: float | None = None
        self._stop = windows_pipe.Event()
        self._lock = Lock()
        self._is_closed = False

    def settimeout(self, value: float | None, /) -> None:
        self._timeout = value

    def recv(self, size: int, /) -> bytes:
        try:
            return windows_pipe.read(self.handle, size, self._timeout, self._stop.handle)
        except windows_pipe.CancelledWaitError:
            return b""

    def sendall(self, data: bytes, /) -> None:
        windows_pipe.write(self.handle, data, self._timeout)

    def stop_reading(self) -> None:
        self._stop.set()

    def close(self) -> None:
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                _winapi.CloseHandle(self.handle)


class Peer:
    """The client process."""

    def __init__(self, end: Connection) -> None:
        self._pid = windows_pipe.client_pid(end.handle)

    def is_same_user(self) -> bool:
        """Nobody else can open the pipe."""
        return True

    def origin(self) -> "ProcessOrigin":
        """Who started it; unknown if it has ended since."""
        from scheduler.workers.origin import ProcessOrigin, origin_of  # noqa: PLC0415  clients do not need it

        return ProcessOrigin.UNKNOWN if self._pid is None else origin_of(self._pid, None)


class Listener:
    def __init__(self, folder: Path) -> None:
        """OSError if another process has a pipe of that name."""
        self.path = pipe_name(folder)
        self._closing = windows_pipe.Event()
        try:
            self._next: int | None = windows_pipe.create_pipe(self.path, is_first=True)
        except OSError as error:
            raise OSError(f"The control channel could not be opened: {error}") from error

    def accept(self) -> Connection:
        """The next client; OSError after `shut_down`."""
        if self._next is None:
            self._next = windows_pipe.create_pipe(self.path, is_first=False)
        handle = self._next
        try:
            windows_pipe.wait_for_client(handle, self._closing.handle)
        except windows_pipe.CancelledWaitError:
            raise
        except OSError:  # it has left already
            self._next = None
            _winapi.CloseHandle(handle)
            raise
        self._next = None
        with suppress(OSError):  # the next accept tries again
            self._next = windows_pipe.create_pipe(self.path, is_first=False)
        return Connection(handle)

    def shut_down(self) -> None:
        self._closing.set()

    def close(self) -> None:
        if self._next is not None:
            _winapi.CloseHandle(self._next)


def connect(folder: Path) -> Connection | None:
    """Connect to the app of that data folder; None if none is running."""
    name, deadline = pipe_name(folder), time.monotonic() + _BUSY_TIMEOUT_S
    while True:
        try:
            return Connection(windows_pipe.open_pipe(name))
        except OSError as error:
            if getattr(error, "winerror", None) != _BUSY or time.monotonic() > deadline:
                return None
        time.sleep(_PAUSE_S)


def has_left(end: Connection) -> bool:
    return windows_pipe.bytes_waiting(end.handle) is None


def stop_reading(end: Connection) -> None:
    """From any thread: the client seems to have said everything."""
    end.stop_reading()
