"""The app's end of the control socket: a thread listens, one more for each command until it is answered."""

import contextlib
import logging
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from app.control.lines import BadLineError, LineReader, write_line
from app.control.peer import Peer
from app.control.place import NotPrivateError, make_private, places
from scheduler.engine.user_only import refuse_verb
from scheduler.workers.origin import Origin

log = logging.getLogger(__name__)

Serve = Callable[[str, dict[str, Any]], Iterator[dict[str, Any] | None]]
"""Answers a verb with messages, the last one holding the answer or the error; None where it waits."""

UNLESS_SCRIPT = frozenset({"window"})
"""Verbs that also a process of unknown origin may use, as one that the desktop started as a service: it only raises the
window, where the user decides."""
MOST_AT_ONCE = 32
SECONDS_TO_ASK = 10.0
_SECONDS_TO_HEAR = 30.0
_PAUSE = 0.05


class Control:
    """Listens from `open` to `close`. A client that is slow, silent or nonsensical holds up nobody else."""

    def __init__(
        self,
        folder: Path,
        serve: Serve,
        *,
        for_scripts: frozenset[str] = frozenset(),
        seconds_to_ask: float = SECONDS_TO_ASK,
    ) -> None:
        """What scripts start may use only the verbs `for_scripts`: nobody but the person answers for the person."""
        self._folder = folder
        self._serve = serve
        self._for_scripts = for_scripts
        self._seconds_to_ask = seconds_to_ask
        self._closing = Event()
        self._lock = Lock()
        self._clients: dict[Thread, socket.socket] = {}
        self._listener: socket.socket | None = None
        self._thread: Thread | None = None
        self.path: Path | None = None

    def open(self) -> None:
        """The caller holds the folder's lock: a socket that is there is nobody's. OSError if none can be had."""
        self._listener = self._bind()
        self._thread = Thread(target=self._listen, name="control", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Commands under way may finish what they are doing at this moment; then everybody is gone."""
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
        trouble: Exception = OSError("There is no place for a socket.")
        for place in places(self._folder):
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                make_private(place.parent)
                place.unlink(missing_ok=True)
                listener.bind(str(place))
                place.chmod(0o600)
                listener.listen(MOST_AT_ONCE)
            except (OSError, NotPrivateError) as error:  # a file system without sockets: try the next place
                listener.close()
                trouble = error
                continue
            self.path = place
            return listener
        raise OSError(f"Commands cannot be heard: {trouble}") from trouble

    def _listen(self) -> None:
        assert self._listener is not None
        while not self._closing.is_set():
            try:
                end, _ = self._listener.accept()
            except OSError:
                if self._closing.wait(_PAUSE):  # asked to end, or out of descriptors for a moment
                    return
                continue
            try:
                self._welcome(end)
            except (OSError, RuntimeError):  # it is gone already, or no thread can be had for it; others may come
                log.warning("A command could not be heard", exc_info=True)
                self._let_go(end)

    def _welcome(self, end: socket.socket) -> None:
        with self._lock:
            crowded = len(self._clients) >= MOST_AT_ONCE
        peer = Peer(end)
        if crowded or not _is_ours(peer):
            with contextlib.suppress(OSError):
                write_line(end, _error("busy", "Too many commands at once; try again."), 0.1)
            end.close()
            return
        thread = Thread(target=self._attend, args=(end, peer), name="command", daemon=True)
        with self._lock:
            self._clients[thread] = end
        thread.start()

    def _attend(self, end: socket.socket, peer: Peer) -> None:
        try:
            self._answer(end, peer)
        except OSError:
            log.info("A command went away before it was answered")
        except Exception:  # the outermost frame of this thread
            log.exception("A command could not be answered")
        finally:
            self._let_go(end)

    def _let_go(self, end: socket.socket) -> None:
        with self._lock:
            end.close()
            self._clients = {thread: one for thread, one in self._clients.items() if one is not end}

    def _answer(self, end: socket.socket, peer: Peer) -> None:
        try:
            asked = LineReader(end).read(self._seconds_to_ask)
            if asked is None:
                return
            verb, arguments = asked.get("verb"), asked.get("arguments", {})
            if not isinstance(verb, str) or not isinstance(arguments, dict):
                raise BadLineError("A command has a verb and arguments.")
        except BadLineError as error:
            write_line(end, _error("garbage", str(error)), _SECONDS_TO_HEAR)
            return
        if verb not in self._for_scripts and not _may(verb, origin := peer.origin()):
            refusal = refuse_verb(verb, origin)
            write_line(end, _error(refusal.code, refusal.sentence), _SECONDS_TO_HEAR)
            return
        for message in self._serve(verb, arguments):
            if message is not None:
                write_line(end, message, _SECONDS_TO_HEAR)
            elif self._closing.wait(_PAUSE):
                write_line(end, _error("closing", "Dayhand is closing."), _SECONDS_TO_HEAR)
                return
            elif _has_left(end):
                return


def _may(verb: str, origin: Origin) -> bool:
    return origin is Origin.USER or (origin is Origin.UNKNOWN and verb in UNLESS_SCRIPT)


def _error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}


def _is_ours(peer: Peer) -> bool:
    """Whether the other process belongs to this user; where that cannot be asked, the private folder has to do."""
    return peer.user is None or peer.user == os.getuid()


def _has_left(end: socket.socket) -> bool:
    end.settimeout(0)
    try:
        return end.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
