"""The process at the other end of a local socket, held from the accept on: no later one is mistaken for it."""

import os
import socket
import struct
import weakref
from contextlib import suppress

from scheduler.workers.origin import CAN_TELL, Origin, origin_of

_PEER_PIDFD = 77
"""SO_PEERPIDFD of Linux 6.5, which Python does not name; two kinds of machines have another number."""
_OTHER_NUMBERS = ("sparc", "parisc")


class Peer:
    def __init__(self, end: socket.socket) -> None:
        self.pid: int | None = None
        self.user: int | None = None
        self._pidfd: int | None = None
        if not hasattr(socket, "SO_PEERCRED"):  # pragma: no cover  not on this system
            return
        facts = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self.pid, self.user, _ = struct.unpack("3i", facts)
        self._pidfd = _open_pidfd(end, self.pid)
        if self._pidfd is not None:
            weakref.finalize(self, os.close, self._pidfd)

    def origin(self) -> Origin:
        """Who started it; unknown if it has ended since it connected, or is in a container that cannot be seen."""
        if not CAN_TELL:
            return Origin.USER
        if not self.pid or self._pidfd is None:
            return Origin.UNKNOWN
        return origin_of(self.pid, self._pidfd)


def _open_pidfd(end: socket.socket, pid: int) -> int | None:
    """Of the process that connected. Before Linux 6.5, of the one that has its number now, at once after the accept."""
    if not os.uname().machine.startswith(_OTHER_NUMBERS):
        with suppress(OSError):
            return end.getsockopt(socket.SOL_SOCKET, _PEER_PIDFD)
    with suppress(OSError, AttributeError):
        return os.pidfd_open(pid)
    return None
