"""The worker's end of the conversation: one thread listens, whoever runs the script asks and tells."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from . import _protocol as protocol
from ._errors import Ended, Misuse, TooLarge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Link:
    """Descriptors of our own, out of reach of scripts that print, close and fork."""

    def __init__(self, reading: int, writing: int, limit: int) -> None:
        self._reading = _move_up(_receive(reading, os.O_RDONLY))
        self._writing = _move_up(_receive(writing, os.O_WRONLY))
        self._log = _move_up(os.dup(1))
        self._limit = limit
        self._owner = os.getpid()
        self._host = os.getppid()
        self._lock = threading.Lock()
        self._commands: SimpleQueue[protocol.Message | None] = SimpleQueue()
        self._replies: dict[int, SimpleQueue[protocol.Message]] = {}
        self._question = 0
        self._run: int | None = None
        self._cancelled: int | None = None
        self._at_cancel: list[Callable[[], None]] = []
        self.is_cancelled = False
        self.has_ended = False
        self.misuse: Misuse | None = None
        self.call: dict[str, Any] | None = None
        self.seen: dict[tuple[str, str], protocol.Message] = {}
        """By topic and id: the events that the script was shown, as the host told them."""
        if hasattr(os, "register_at_fork"):  # Windows has no forks
            os.register_at_fork(after_in_child=self._leave)
        threading.Thread(target=self._listen, name="dayhand", daemon=True).start()

    @property
    def is_owner(self) -> bool:
        """Whether this process is the worker, and not a fork that the script made."""
        return os.getpid() == self._owner

    def next_command(self) -> protocol.Message:
        """Wait for what to do next."""
        command = self._commands.get()
        if command is None:
            self._give_up()
        assert command is not None
        command["heard"] = time.monotonic()
        return command

    def begin(self, run: int) -> None:
        """A phase starts: nothing of the one before counts any longer."""
        with self._lock:
            self._run = run
            self.is_cancelled = run == self._cancelled
            self.has_ended = False
        self.misuse = self.call = None
        self.seen = {}

    def finish(self) -> int | None:
        """The phase is over, and this was its number; what still holds its ctx gets nothing more."""
        with self._lock:
            run, self._run = self._run, None
        return run

    def remember(self, misuse: Misuse) -> Misuse:
        """The first misuse fails the run, also when the script catches it."""
        self.misuse = self.misuse or misuse
        return misuse

    def stop_if_cancelled(self) -> None:
        """Unwind the script if its attempt is over."""
        if self.is_cancelled or self.has_ended:
            raise Ended

    def ask(self, kind: str, **fields: Any) -> Any:
        """Send a question and wait for its reply."""
        self._check_in()
        waiting: SimpleQueue[protocol.Message] = SimpleQueue()
        with self._lock:
            self._question += 1
            number = self._question
            self._replies[number] = waiting
            cancelled = self.is_cancelled
        try:
            if not cancelled:
                self._send_or_refuse({"type": kind, "question": number, **fields})
                reply = waiting.get()
                if reply["type"] == "reply":
                    return reply["value"]
                self.has_ended = True
            raise Ended
        finally:
            with self._lock:
                self._replies.pop(number, None)

    def tell(self, kind: str, **fields: Any) -> None:
        """Send a note and go on."""
        self._check_in()
        self._send_or_refuse({"type": kind, **fields})

    def log(self, text: str) -> None:
        """Write a line to the run's log, after what was printed before."""
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # whatever the script put there
                stream.flush()
        rest = memoryview((text + "\n").encode("utf-8", "backslashreplace"))
        with suppress(OSError):
            while rest:
                rest = rest[os.write(self._log, rest) :]

    def send(self, message: protocol.Message) -> None:
        """Send a message; TooLargeError if it is over the limit."""
        rest = memoryview(protocol.encode(message, self._limit, protocol.MOST_VALUES))
        with self._lock:
            try:
                while rest:
                    rest = rest[os.write(self._writing, rest) :]
            except OSError:
                self._give_up()

    @contextmanager
    def on_cancel(self, act: Callable[[], None]) -> Iterator[None]:
        """Do this when the run is cancelled, at once if it already is."""
        with self._lock:
            self._at_cancel.append(act)
            cancelled = self.is_cancelled
        try:
            if cancelled:
                act()
            yield
        finally:
            with self._lock:
                self._at_cancel.remove(act)

    def _check_in(self) -> None:
        if not self.is_owner:
            raise Misuse("a process that the script forked cannot use ctx; use it where the handler runs.")
        if self._run is None:
            raise Misuse("this ctx belongs to a run that has ended; wait for your threads before you return.")
        self.stop_if_cancelled()

    def _send_or_refuse(self, message: protocol.Message) -> None:
        try:
            self.send(message)
        except protocol.TooLargeError as error:
            raise self.remember(TooLarge(f"ctx.{message['type']}: {error}")) from None

    def _listen(self) -> None:
        inbox = protocol.Inbox(1 << 32)
        try:
            while data := os.read(self._reading, 1 << 14):
                for message in inbox.feed(data):
                    self._take(message)
        finally:
            # The host is gone, or cannot be heard any longer: nothing may go on in its name.
            self._give_up()

    def _take(self, message: protocol.Message) -> None:
        kind = message["type"]
        if kind in ("reply", "end"):
            with self._lock:
                waiting = self._replies.get(message["question"])
            if waiting is not None:
                waiting.put(message)
        elif kind == "cancel":
            self._cancel(message["run"])
        else:
            self._commands.put(message)

    def _cancel(self, run: int) -> None:
        with self._lock:
            self._cancelled = run
            if run != self._run:
                return  # it has ended, or has not begun yet
            self.is_cancelled = True
            waiting = list(self._replies.values())
            acts = list(self._at_cancel)
        for act in acts:
            act()
        for one in waiting:
            one.put({"type": "end"})

    def _give_up(self) -> None:
        if self.is_owner and os.getppid() != self._host:
            _end_group()
        os._exit(protocol.HUNG_UP)

    def _leave(self) -> None:
        """In a fork of the script: let go of the host, which talks to the worker only."""
        for descriptor in (self._reading, self._writing):
            with suppress(OSError):
                os.close(descriptor)


def _receive(number: int, way: int) -> int:
    """The descriptor that the host passed on; Windows passes handles, which no child of ours shall inherit."""
    if sys.platform != "win32":
        return number
    import msvcrt  # noqa: PLC0415  Windows only

    os.set_handle_inheritable(number, False)  # noqa: FBT003  the standard library's own call
    return msvcrt.open_osfhandle(number, way | os.O_BINARY)


def _move_up(descriptor: int) -> int:
    """To a number that scripts do not close by counting upwards, and that no child inherits."""
    try:
        import fcntl  # noqa: PLC0415  Unix only
        import resource  # noqa: PLC0415

        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, min(soft, 4096) - 16)
    except (ImportError, OSError, ValueError):
        return descriptor
    os.close(descriptor)
    return moved


def _end_group() -> None:
    import signal  # noqa: PLC0415

    if hasattr(os, "killpg") and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
