"""The worker's end of the connection: one thread reads; the script's thread asks questions and sends notes."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from . import _protocol as protocol
from ._errors import AttemptEnded, Misuse, TooLarge
from ._user_text import UserText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class HostChannel:
    """Uses its own file descriptors, out of reach of scripts that print, close and fork."""

    def __init__(self, reading: int, writing: int, limit: int) -> None:
        self._reading = _move_up(_open_inherited(reading, os.O_RDONLY))
        self._writing = _move_up(_open_inherited(writing, os.O_WRONLY))
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
        self.is_late = False
        """Whether it was cancelled because it took too long."""
        self.has_ended = False
        self.misuse: Misuse | None = None
        self.call: dict[str, Any] | None = None
        self.stopped_command = ""
        """The command line that ran when the run was cancelled."""
        self.seen: dict[tuple[str, str], protocol.Message] = {}
        """By topic and id: the events the script has peeked at, as the host sent them."""
        if hasattr(os, "register_at_fork"):  # not on Windows
            os.register_at_fork(after_in_child=self._close_in_fork)
        threading.Thread(target=self._listen, name="dayhand", daemon=True).start()

    @property
    def is_owner(self) -> bool:
        """Whether this process is the worker, and not a fork that the script made."""
        return os.getpid() == self._owner

    def next_command(self) -> protocol.Message:
        """Wait for the next command."""
        command = self._commands.get()
        if command is None:
            self._exit()
        assert command is not None
        command["received_at"] = time.monotonic()
        return command

    def begin(self, run: int) -> None:
        """Start a phase: forget everything about the previous one."""
        with self._lock:
            self._run = run
            self.is_cancelled = run == self._cancelled
            self.has_ended = False
        self.misuse = self.call = None
        self.stopped_command = ""
        self.seen = {}

    def finish(self) -> int | None:
        """End the phase and return its number; whatever still holds its ctx can no longer use it."""
        with self._lock:
            run, self._run = self._run, None
        return run

    def remember(self, misuse: Misuse) -> Misuse:
        """The first misuse fails the run, even if the script catches it."""
        self.misuse = self.misuse or misuse
        return misuse

    def stop_if_cancelled(self) -> None:
        """Unwind the script if its attempt is over."""
        if self.is_cancelled or self.has_ended:
            raise AttemptEnded

    def ask(self, kind: str, **fields: Any) -> Any:
        """Send a question and wait for its reply."""
        self._check_usable()
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
            raise AttemptEnded
        finally:
            with self._lock:
                self._replies.pop(number, None)

    def tell(self, kind: str, **fields: Any) -> None:
        """Send a note without waiting."""
        self._check_usable()
        self._send_or_refuse({"type": kind, **fields})

    def log(self, text: str) -> None:
        """Write a line to the run's log, after what was printed before."""
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # the script may have replaced it
                stream.flush()
        self.write_log(text)

    def write_log(self, text: str) -> None:
        """Write a line to the run's log; from any thread, as it waits for nothing that the script holds."""
        rest = memoryview((text + "\n").encode("utf-8", "backslashreplace"))
        with suppress(OSError):
            while rest:
                rest = rest[os.write(self._log, rest) :]

    def send(self, message: protocol.Message) -> None:
        """Send a message; TooLargeError if it is over the limit."""
        rest = memoryview(protocol.encode(message, self._limit, protocol.MAX_VALUES))
        with self._lock:
            try:
                while rest:
                    rest = rest[os.write(self._writing, rest) :]
            except OSError:
                self._exit()

    @contextmanager
    def on_cancel(self, act: Callable[[], None]) -> Iterator[None]:
        """Call this when the run is cancelled; immediately if it already is."""
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

    def _check_usable(self) -> None:
        if not self.is_owner:
            raise Misuse(UserText("a forked process cannot use ctx; use it in the process that runs the handler."))
        if self._run is None:
            raise Misuse(UserText("this ctx belongs to a run that has ended; wait for your threads before you return."))
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
                    self._handle(message)
        finally:
            # The host is gone or can no longer be read: nothing may continue on its behalf.
            self._exit()

    def _handle(self, message: protocol.Message) -> None:
        kind = message["type"]
        if kind in ("reply", "end"):
            with self._lock:
                waiting = self._replies.get(message["question"])
            if waiting is not None:
                waiting.put(message)
        elif kind == "cancel":
            self.is_late = bool(message.get("is_late"))
            self._cancel(message["run"])
        else:
            self._commands.put(message)

    def _cancel(self, run: int) -> None:
        with self._lock:
            self._cancelled = run
            if run != self._run:
                return  # it has ended, or has not started yet
            self.is_cancelled = True
            waiting = list(self._replies.values())
            acts = list(self._at_cancel)
        for act in acts:
            act()
        for one in waiting:
            one.put({"type": "end"})

    def _exit(self) -> None:
        if self.is_owner and os.getppid() != self._host:
            _kill_group()
        os._exit(protocol.HUNG_UP)

    def _close_in_fork(self) -> None:
        """The host talks to the worker only, not to processes forked by the script."""
        for descriptor in (self._reading, self._writing):
            with suppress(OSError):
                os.close(descriptor)


def _open_inherited(number: int, mode: int) -> int:
    """The descriptor passed by the host; on Windows it is a handle, which our children must not inherit."""
    if sys.platform != "win32":
        return number
    import msvcrt  # noqa: PLC0415  Windows only

    os.set_handle_inheritable(number, False)  # noqa: FBT003  the standard library's own call
    return msvcrt.open_osfhandle(number, mode | os.O_BINARY)


def _move_up(descriptor: int) -> int:
    """Move it to a number that scripts do not close by counting upwards, and that no child inherits."""
    try:
        import fcntl  # noqa: PLC0415  Unix only
        import resource  # noqa: PLC0415

        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, min(soft, 4096) - 16)
    except (ImportError, OSError, ValueError):
        return descriptor
    os.close(descriptor)
    return moved


def _kill_group() -> None:
    import signal  # noqa: PLC0415

    if hasattr(os, "killpg") and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
