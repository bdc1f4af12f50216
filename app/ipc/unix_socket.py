"""The control channel on Unix: a socket that only this user can open. Loads neither Qt nor SQLite."""

import contextlib
import os
import socket
import struct
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from app.ipc.socket_path import NotPrivateError, candidate_paths, make_private_dir

if TYPE_CHECKING:
    from scheduler.workers.origin import ProcessOrigin

Connection = socket.socket

_BACKLOG = 32
_SO_PEERPIDFD = 77
"""Linux 6.5; Python has no name for it."""
_OTHER_SOCKET_NUMBERS = ("sparc", "parisc")
"""Machines with another number for it."""


class Peer:
    """The client process, identified at the accept by its pidfd, so that no later process is mistaken for it."""

    def __init__(self, end: socket.socket) -> None:
        self._pid: int | None = None
        self._user: int | None = None
        self._pidfd: int | None = None
        if not hasattr(socket, "SO_PEERCRED"):  # pragma: no cover  not on this system
            return
        credentials = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self._pid, self._user, _ = struct.unpack("3i", credentials)
        self._pidfd = _open_pidfd(end, self._pid)
        if self._pidfd is not None:
            weakref.finalize(self, os.close, self._pidfd)

    def is_same_user(self) -> bool:
        """If the system cannot say, only the permissions of the folder protect the socket."""
        return self._user is None or self._user == os.getuid()

    def origin(self) -> "ProcessOrigin":
        """Who started it; unknown if it has ended since, or runs in another container."""
        from scheduler.workers.origin import ProcessOrigin, origin_of  # noqa: PLC0415  clients do not need it
        from scheduler.workers.system import HAS_PROCESS_MARKS  # noqa: PLC0415

        if not HAS_PROCESS_MARKS:
            return ProcessOrigin.USER
        if not self._pid or self._pidfd is None:
            return ProcessOrigin.UNKNOWN
        return origin_of(self._pid, self._pidfd)


class Listener:
    def __init__(self, folder: Path) -> None:
        """OSError if no socket can be opened. The caller holds the folder's lock, so an existing socket is stale."""
        failure: Exception = OSError("This system has no Unix sockets.")
        for place in candidate_paths(folder):
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                make_private_dir(place.parent)
                place.unlink(missing_ok=True)
                listener.bind(str(place))
                place.chmod(0o600)
                listener.listen(_BACKLOG)
            except (OSError, NotPrivateError) as error:  # a file system without sockets: try the next place
                listener.close()
                failure = error
                continue
            self.path = place
            self._socket = listener
            return
        raise OSError(f"The control socket could not be opened: {failure}") from failure

    def accept(self) -> socket.socket:
        """The next client; OSError after `shut_down`."""
        end, _ = self._socket.accept()
        return end

    def shut_down(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._socket.close()
        self.path.unlink(missing_ok=True)


def connect(folder: Path) -> socket.socket | None:
    """Connect to the app of that data folder; None if none is running. PermissionError in a sandboxed script."""
    for place in candidate_paths(folder):
        end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            if os.lstat(place.parent).st_uid == os.getuid():
                end.connect(str(place))
                return end
        except OSError:
            pass
        end.close()
    return None


def has_left(end: socket.socket) -> bool:
    end.settimeout(0)
    try:
        return end.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False


def stop_reading(end: socket.socket) -> None:
    """From any thread: the client seems to have said everything."""
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RD)


def _open_pidfd(end: socket.socket, pid: int) -> int | None:
    """Before Linux 6.5, of the process that has the number right after the accept."""
    if not os.uname().machine.startswith(_OTHER_SOCKET_NUMBERS):
        with contextlib.suppress(OSError):
            return end.getsockopt(socket.SOL_SOCKET, _SO_PEERPIDFD)
    with contextlib.suppress(OSError, AttributeError):
        return os.pidfd_open(pid)
    return None
