"""One connection to a D-Bus bus in the thread of the event loop: nothing blocks, and it comes back by itself."""

import logging
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal

from app.platform import wire
from app.platform.wire import Heard, Kind, WireError

log = logging.getLogger(__name__)

_Told = TypeVar("_Told")

THE_BUS = "org.freedesktop.DBus"
NO_ANSWER = "org.freedesktop.DBus.Error.NoReply"
_PIECE = 65536
_PATIENCE = 20.0
_LONGEST_PAUSE = 300_000


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a call: values, or the name of the error and what it says."""

    body: tuple[Any, ...] = ()
    error: str | None = None


Then = Callable[[Reply], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Which signals to listen to."""

    sender: str
    path: str
    interface: str
    member: str
    first: str | None = None
    """The first argument, if only one is wanted."""

    def rule(self) -> str:
        parts = {"sender": self.sender, "path": self.path, "interface": self.interface, "member": self.member}
        if self.first is not None:
            parts["arg0"] = self.first
        return ",".join(["type='signal'", *(f"{name}='{value}'" for name, value in parts.items())])

    def fits(self, heard: Heard) -> bool:
        """Whether it is that signal; who sent it is the listener's to check, since names and senders differ."""
        if (heard.path, heard.interface, heard.member) != (self.path, self.interface, self.member):
            return False
        return self.first is None or heard.body[:1] == (self.first,)


@dataclass(frozen=True, slots=True)
class _Waiting:
    then: Then
    deadline: float


class Bus(QObject):
    """Calls with callbacks, and signals. `open` it once; from then on it connects again whenever it must.

    Callbacks always run later, from the event loop, and each exactly once unless the bus is closed.
    """

    opened = Signal()
    lost = Signal()
    """The connection broke, or the first one could not be made."""

    def __init__(self, address: str | None, *, pause: int = 1000) -> None:
        """`pause`: milliseconds to the second attempt; each later one waits twice as long, up to five minutes."""
        super().__init__()
        self._address = address
        self._first_pause = self._pause = pause
        self._socket: socket.socket | None = None
        self._reading: QSocketNotifier | None = None
        self._writing: QSocketNotifier | None = None
        self._login: wire.Login | None = None
        self._reader = wire.Reader()
        self._out = bytearray()
        self._serials = count(1)
        self._waiting: dict[int, _Waiting] = {}
        self._listeners: list[tuple[Match, Callable[[Heard], None]]] = []
        self._has_failed = False
        self.is_open = False
        self._again = QTimer(self, singleShot=True)
        self._again.timeout.connect(self.open)
        self._overdue = QTimer(self, singleShot=True)
        self._overdue.timeout.connect(self._give_up)

    def open(self) -> None:
        """Connect; `opened` or `lost` tells how that went."""
        if self._socket is not None:
            return
        try:
            self._connect()
        except (OSError, WireError) as error:
            self._lose(error)

    def close(self) -> None:
        """For good. Nobody is called back any longer."""
        self._again.stop()
        self._overdue.stop()
        self._waiting.clear()
        self._disconnect()

    def call(  # noqa: PLR0913  a call has that many parts
        self,
        name: str,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        body: tuple[Any, ...] = (),
        *,
        then: Then = lambda _: None,
        patience: float = _PATIENCE,
    ) -> None:
        """WireError if the values do not fit the signature; anything else that fails is in the reply."""
        serial = next(self._serials)
        data = wire.call(serial, name, path, interface, member, signature, body)
        self._waiting[serial] = _Waiting(then, time.monotonic() + (patience if self.is_open else 0))
        self._watch_deadlines()
        if self.is_open:
            self._write(data)

    def listen(self, match: Match, hear: Callable[[Heard], None]) -> None:
        """Be told of these signals, on this connection and every later one."""
        self._listeners.append((match, hear))
        if self.is_open:
            self._add(match)

    def _connect(self) -> None:
        if self._address is None:
            raise WireError("There is no bus.")
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        self._socket = made
        made.setblocking(False)  # noqa: FBT003  the standard library's own call
        made.connect(wire.socket_of(self._address))
        self._reading = QSocketNotifier(made.fileno(), QSocketNotifier.Type.Read, self)
        self._reading.activated.connect(self._read)
        self._writing = QSocketNotifier(made.fileno(), QSocketNotifier.Type.Write, self)
        self._writing.setEnabled(False)
        self._writing.activated.connect(self._flush)
        self._reader, self._login = wire.Reader(), wire.Login()
        self._write(self._login.first())

    def _disconnect(self) -> None:
        for notifier in (self._reading, self._writing):
            if notifier is not None:
                notifier.setEnabled(False)
                notifier.deleteLater()
        self._reading = self._writing = None
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self._login = None
        self._out.clear()
        self.is_open = False

    def _lose(self, error: Exception) -> None:
        was_open, first = self.is_open, not self._has_failed
        self._has_failed = True
        self._disconnect()
        if was_open or first:
            log.info("No connection to the bus: %s", error)
        if self._address is not None:
            self._again.start(self._pause)
            self._pause = min(self._pause * 2, _LONGEST_PAUSE)
        lost, self._waiting = self._waiting, {}
        for waiting in lost.values():
            self._tell(waiting.then, Reply((str(error),), NO_ANSWER))
        if was_open or first:
            self.lost.emit()

    def _read(self) -> None:
        try:
            while self._socket is not None:
                data = self._socket.recv(_PIECE)
                if not data:
                    raise ConnectionResetError("The bus hung up.")
                self._take(data)
        except BlockingIOError:
            pass
        except (OSError, WireError) as error:
            self._lose(error)

    def _take(self, data: bytes) -> None:
        if self._login is not None:
            if (last := self._login.reply(data)) is not None:
                self._login = None
                self._write(last)
                self._greet()
            return
        for heard in self._reader.feed(data):
            if self._socket is not None:
                self._hear(heard)

    def _greet(self) -> None:
        """The first message must be this one; its answer opens the connection."""
        serial = next(self._serials)
        self._waiting[serial] = _Waiting(self._welcome, time.monotonic() + _PATIENCE)
        self._watch_deadlines()
        self._write(wire.call(serial, THE_BUS, "/org/freedesktop/DBus", THE_BUS, "Hello", "", ()))

    def _welcome(self, reply: Reply) -> None:
        if self._socket is None:
            return
        if reply.error is not None:
            self._lose(WireError("The bus does not answer."))
            return
        self.is_open = True
        self._has_failed = False
        self._pause = self._first_pause
        for match, _ in self._listeners:
            self._add(match)
        self.opened.emit()

    def _add(self, match: Match) -> None:
        self.call(THE_BUS, "/org/freedesktop/DBus", THE_BUS, "AddMatch", "s", (match.rule(),))

    def _hear(self, heard: Heard) -> None:
        if heard.kind is Kind.SIGNAL:
            for match, hear in list(self._listeners):
                if match.fits(heard):
                    self._tell(hear, heard)
        elif heard.answers is not None and (waiting := self._waiting.pop(heard.answers, None)) is not None:
            self._tell(waiting.then, Reply(heard.body, heard.member if heard.kind is Kind.ERROR else None))

    def _tell(self, listener: Callable[[_Told], None], told: _Told) -> None:
        try:
            listener(told)
        except Exception:  # the outermost frame of the slot: one listener's fault costs the others nothing
            log.exception("What came from the bus could not be dealt with")

    def _write(self, data: bytes) -> None:
        self._out += data
        self._flush()

    def _flush(self) -> None:
        """Send what the socket takes now. One that broke is noticed when it is read."""
        if self._socket is None or self._writing is None:
            return
        try:
            while self._out:
                del self._out[: self._socket.send(self._out)]
        except BlockingIOError:
            pass
        except OSError:
            self._out.clear()
        self._writing.setEnabled(bool(self._out))

    def _watch_deadlines(self) -> None:
        if self._waiting:
            earliest = min(waiting.deadline for waiting in self._waiting.values())
            self._overdue.start(max(0, round((earliest - time.monotonic()) * 1000) + 1))

    def _give_up(self) -> None:
        now = time.monotonic()
        late = [serial for serial, waiting in self._waiting.items() if waiting.deadline <= now]
        for serial in late:
            if (waiting := self._waiting.pop(serial, None)) is not None:
                self._tell(waiting.then, Reply(("Nobody answered in time.",), NO_ANSWER))
        self._watch_deadlines()
