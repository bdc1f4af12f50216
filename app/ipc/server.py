"""The app's side of the control channel: one listening thread, and one per command until it is answered."""

import contextlib
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from app.ipc.framing import BadLineError, LineReader, write_line
from app.ipc.transport import Connection, Listener, Peer, has_left, stop_reading
from scheduler.engine.user_only import make_refusal
from scheduler.workers.origin import ProcessOrigin

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
        self._clients: dict[Thread, Connection] = {}
        self._listener: Listener | None = None
        self._thread: Thread | None = None

    def open(self) -> None:
        """OSError if the channel cannot be opened. The caller holds the folder's lock."""
        self._listener = Listener(self._folder)
        self._thread = Thread(target=self._listen, name="control", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let current commands finish their step, then disconnect all clients."""
        self._closing.set()
        if self._listener is None or self._thread is None:
            return
        self._listener.shut_down()
        self._thread.join()
        self._listener.close()
        with self._lock:
            clients = dict(self._clients)
        for thread, end in clients.items():
            stop_reading(end)
            thread.join()

    @property
    def path(self) -> Path | str | None:
        """Where it listens."""
        return None if self._listener is None else self._listener.path

    def _listen(self) -> None:
        assert self._listener is not None
        while not self._closing.is_set():
            try:
                end = self._listener.accept()
            except OSError:
                if self._closing.wait(_POLL_S):  # asked to end, or out of descriptors for a moment
                    return
                continue
            try:
                self._admit(end)
            except (OSError, RuntimeError):  # it has left, or there is no thread for it
                log.warning("A client could not be accepted", exc_info=True)
                self._drop(end)

    def _admit(self, end: Connection) -> None:
        with self._lock:
            is_full = len(self._clients) >= MAX_CLIENTS
        peer = Peer(end)
        if is_full or not peer.is_same_user():
            with contextlib.suppress(OSError):
                write_line(end, _error("busy", "Too many commands at the same time; try again."), 0.1)
            end.close()
            return
        thread = Thread(target=self._serve_client, args=(end, peer), name="command", daemon=True)
        with self._lock:
            self._clients[thread] = end
        thread.start()

    def _serve_client(self, end: Connection, peer: Peer) -> None:
        try:
            self._answer(end, peer)
        except OSError:
            log.info("A client disconnected before it was answered")
        except Exception:  # the outermost frame of this thread
            log.exception("A command could not be answered")
        finally:
            self._drop(end)

    def _drop(self, end: Connection) -> None:
        with self._lock:
            end.close()
            self._clients = {thread: one for thread, one in self._clients.items() if one is not end}

    def _answer(self, end: Connection, peer: Peer) -> None:
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
            elif has_left(end):
                return


def _is_allowed(verb: str, origin: ProcessOrigin) -> bool:
    return origin is ProcessOrigin.USER or (origin is ProcessOrigin.UNKNOWN and verb in UNKNOWN_ORIGIN_VERBS)


def _error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}
