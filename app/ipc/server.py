"""The app's side of the control socket: one listening thread, and one per command until it is answered."""

import contextlib
import logging
import os
import socket
import struct
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from app.ipc.framing import BadLineError, LineReader, write_line
from app.ipc.socket_path import NotPrivateError, candidate_paths, make_private_dir
from scheduler.engine.user_only import make_refusal
from scheduler.workers.origin import ProcessOrigin, origin_of
from scheduler.workers.system import HAS_PROCESS_MARKS

log = logging.getLogger(__name__)

ServeVerb = Callable[[str, dict[str, Any]], Iterator[dict[str, Any] | None]]
"""Answers a verb with messages, the last one with the answer or the error; None while it waits."""

UNKNOWN_ORIGIN_VERBS = frozenset({"window"})
"""Verbs also open to a process of unknown origin, such as one that the desktop started as a service: they only raise
the window, where the user decides."""
MAX_CLIENTS = 32
COMMAND_TIMEOUT_S = 10.0
_SEND_TIMEOUT_S = 30.0
_POLL_S = 0.05
_SO_PEERPIDFD = 77
"""Linux 6.5; Python has no name for it."""
_OTHER_SOCKET_NUMBERS = ("sparc", "parisc")
"""Machines with another number for it."""


class Peer:
    """The client process, identified at the accept by its pidfd, so that no later process is mistaken for it."""

    def __init__(self, end: socket.socket) -> None:
        self.pid: int | None = None
        self.user: int | None = None
        self._pidfd: int | None = None
        if not hasattr(socket, "SO_PEERCRED"):  # pragma: no cover  not on this system
            return
        credentials = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        self.pid, self.user, _ = struct.unpack("3i", credentials)
        self._pidfd = _open_pidfd(end, self.pid)
        if self._pidfd is not None:
            weakref.finalize(self, os.close, self._pidfd)

    def origin(self) -> ProcessOrigin:
        """Who started it; unknown if it has ended since, or runs in another container."""
        if not HAS_PROCESS_MARKS:
            return ProcessOrigin.USER
        if not self.pid or self._pidfd is None:
            return ProcessOrigin.UNKNOWN
        return origin_of(self.pid, self._pidfd)


class ControlServer:
    """Listens from `open` to `close`. A slow, silent or hostile client does not block the others."""

    def __init__(
        self,
        folder: Path,
        serve: ServeVerb,
        *,
        script_verbs: frozenset[str] = frozenset(),
        command_timeout_s: float = COMMAND_TIMEOUT_S,
    ) -> None:
        """Processes started by scripts may use only the verbs in `script_verbs`."""
        self._folder = folder
        self._serve = serve
        self._for_scripts = script_verbs
        self._seconds_to_ask = command_timeout_s
        self._closing = Event()
        self._lock = Lock()
        self._clients: dict[Thread, socket.socket] = {}
        self._listener: socket.socket | None = None
        self._thread: Thread | None = None
        self.path: Path | None = None

    def open(self) -> None:
        """OSError if no socket can be opened. The caller holds the folder's lock, so an existing socket is stale."""
        self._listener = self._bind()
        self._thread = Thread(target=self._listen, name="control", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let current commands finish their step, then disconnect all clients."""
        self._closing.set()
        if self._listener is None or self._thread is None:
            return
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()
        with self._lock:
            clients = dict(self._clients)
        for thread, end in clients.items():
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RD)
            thread.join()
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _bind(self) -> socket.socket:
        failure: Exception = OSError("This system has no Unix sockets.")
        for place in candidate_paths(self._folder):
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                make_private_dir(place.parent)
                place.unlink(missing_ok=True)
                listener.bind(str(place))
                place.chmod(0o600)
                listener.listen(MAX_CLIENTS)
            except (OSError, NotPrivateError) as error:  # a file system without sockets: try the next place
                listener.close()
                failure = error
                continue
            self.path = place
            return listener
        raise OSError(f"The control socket could not be opened: {failure}") from failure

    def _listen(self) -> None:
        assert self._listener is not None
        while not self._closing.is_set():
            try:
                end, _ = self._listener.accept()
            except OSError:
                if self._closing.wait(_POLL_S):  # asked to end, or out of descriptors for a moment
                    return
                continue
            try:
                self._admit(end)
            except (OSError, RuntimeError):  # it has left, or there is no thread for it
                log.warning("A client could not be accepted", exc_info=True)
                self._drop(end)

    def _admit(self, end: socket.socket) -> None:
        with self._lock:
            is_full = len(self._clients) >= MAX_CLIENTS
        peer = Peer(end)
        if is_full or not _is_same_user(peer):
            with contextlib.suppress(OSError):
                write_line(end, _error("busy", "Too many commands at the same time; try again."), 0.1)
            end.close()
            return
        thread = Thread(target=self._serve_client, args=(end, peer), name="command", daemon=True)
        with self._lock:
            self._clients[thread] = end
        thread.start()

    def _serve_client(self, end: socket.socket, peer: Peer) -> None:
        try:
            self._answer(end, peer)
        except OSError:
            log.info("A client disconnected before it was answered")
        except Exception:  # the outermost frame of this thread
            log.exception("A command could not be answered")
        finally:
            self._drop(end)

    def _drop(self, end: socket.socket) -> None:
        with self._lock:
            end.close()
            self._clients = {thread: one for thread, one in self._clients.items() if one is not end}

    def _answer(self, end: socket.socket, peer: Peer) -> None:
        try:
            message = LineReader(end).read(self._seconds_to_ask)
            if message is None:
                return
            verb, arguments = message.get("verb"), message.get("arguments", {})
            if not isinstance(verb, str) or not isinstance(arguments, dict):
                raise BadLineError("A command needs a verb and arguments.")
        except BadLineError as error:
            write_line(end, _error("garbage", str(error)), _SEND_TIMEOUT_S)
            return
        if verb not in self._for_scripts and not _is_allowed(verb, origin := peer.origin()):
            refusal = make_refusal(verb, origin)
            write_line(end, _error(refusal.code, refusal.sentence), _SEND_TIMEOUT_S)
            return
        for answer in self._serve(verb, arguments):
            if answer is not None:
                write_line(end, answer, _SEND_TIMEOUT_S)
            elif self._closing.wait(_POLL_S):
                write_line(end, _error("closing", "Dayhand is closing."), _SEND_TIMEOUT_S)
                return
            elif _has_left(end):
                return


def _is_allowed(verb: str, origin: ProcessOrigin) -> bool:
    return origin is ProcessOrigin.USER or (origin is ProcessOrigin.UNKNOWN and verb in UNKNOWN_ORIGIN_VERBS)


def _error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def _is_same_user(peer: Peer) -> bool:
    """If the system cannot say, only the permissions of the folder protect the socket."""
    return peer.user is None or peer.user == os.getuid()


def _has_left(end: socket.socket) -> bool:
    end.settimeout(0)
    try:
        return end.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False


def _open_pidfd(end: socket.socket, pid: int) -> int | None:
    """Before Linux 6.5, of the process that has the number right after the accept."""
    if not os.uname().machine.startswith(_OTHER_SOCKET_NUMBERS):
        with contextlib.suppress(OSError):
            return end.getsockopt(socket.SOL_SOCKET, _SO_PEERPIDFD)
    with contextlib.suppress(OSError, AttributeError):
        return os.pidfd_open(pid)
    return None
