"""A connection to a D-Bus bus on the Qt event loop: never blocks, and reconnects automatically."""

import logging
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal

from app.platform import dbus_wire
from app.platform.dbus_wire import DBusMessage, MessageKind, WireError

log = logging.getLogger(__name__)

_Event = TypeVar("_Event")

BUS_NAME = "org.freedesktop.DBus"
NO_REPLY = "org.freedesktop.DBus.Error.NoReply"
_CHUNK_BYTES = 65536
_TIMEOUT_S = 20.0
_MAX_RETRY_MS = 300_000


@dataclass(frozen=True, slots=True)
class DBusReply:
    """The reply to a call: its values, or the name of the error and its message."""

    body: tuple[Any, ...] = ()
    error: str | None = None


ReplyCallback = Callable[[DBusReply], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalMatch:
    """Which signals to subscribe to."""

    sender: str
    path: str
    interface: str
    member: str
    first_argument: str | None = None
    """Only signals with this first argument."""

    def rule(self) -> str:
        parts = {"sender": self.sender, "path": self.path, "interface": self.interface, "member": self.member}
        if self.first_argument is not None:
            parts["arg0"] = self.first_argument
        return ",".join(["type='signal'", *(f"{name}='{value}'" for name, value in parts.items())])

    def matches(self, message: DBusMessage) -> bool:
        """Whether it is that signal. The listener checks the sender, which is a unique name, not a well-known one."""
        if (message.path, message.interface, message.member) != (self.path, self.interface, self.member):
            return False
        return self.first_argument is None or message.body[:1] == (self.first_argument,)


@dataclass(frozen=True, slots=True)
class _PendingCall:
    then: ReplyCallback
    deadline: float


class Bus(QObject):
    """Calls with callbacks, and signals. `open` it once; after that it reconnects when needed.

    Callbacks run later, from the event loop, and each exactly once unless the bus is closed.
    """

    opened = Signal()
    lost = Signal()
    """The connection was lost, or the first attempt failed."""

    def __init__(self, address: str | None, *, retry_ms: int = 1000) -> None:
        """`retry_ms` is the delay before the second attempt; it doubles for each later one, up to five minutes."""
        super().__init__()
        self._address = address
        self._first_pause = self._pause = retry_ms
        self._socket: socket.socket | None = None
        self._reading: QSocketNotifier | None = None
        self._writing: QSocketNotifier | None = None
        self._login: dbus_wire.Authentication | None = None
        self._reader = dbus_wire.MessageReader()
        self._out = bytearray()
        self._serials = count(1)
        self._pending: dict[int, _PendingCall] = {}
        self._listeners: list[tuple[SignalMatch, Callable[[DBusMessage], None]]] = []
        self._has_failed = False
        self.is_open = False
        self._retry_timer = QTimer(self, singleShot=True)
        self._retry_timer.timeout.connect(self.open)
        self._timeout_timer = QTimer(self, singleShot=True)
        self._timeout_timer.timeout.connect(self._expire_calls)

    def open(self) -> None:
        """Connect; emits `opened` or `lost`."""
        if self._socket is not None:
            return
        try:
            self._connect()
        except (OSError, WireError) as error:
            self._handle_loss(error)

    def close(self) -> None:
        """Close for good; no callback runs any more."""
        self._retry_timer.stop()
        self._timeout_timer.stop()
        self._pending.clear()
        self._disconnect()

    def call(  # noqa: PLR0913  the parts of a D-Bus call
        self,
        name: str,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        body: tuple[Any, ...] = (),
        *,
        callback: ReplyCallback = lambda _: None,
        timeout_s: float = _TIMEOUT_S,
    ) -> None:
        """WireError if the values do not fit the signature; any other failure is in the reply."""
        serial = next(self._serials)
        data = dbus_wire.encode_call(serial, name, path, interface, member, signature, body)
        self._pending[serial] = _PendingCall(callback, time.monotonic() + (timeout_s if self.is_open else 0))
        self._start_timeout()
        if self.is_open:
            self._write(data)

    def subscribe(self, match: SignalMatch, listener: Callable[[DBusMessage], None]) -> None:
        """Subscribe to these signals, on this connection and every later one."""
        self._listeners.append((match, listener))
        if self.is_open:
            self._add_match(match)

    def _connect(self) -> None:
        if self._address is None:
            raise WireError("There is no bus.")
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        self._socket = connection
        connection.setblocking(False)  # noqa: FBT003  the standard library's signature
        connection.connect(dbus_wire.parse_socket_path(self._address))
        self._reading = QSocketNotifier(connection.fileno(), QSocketNotifier.Type.Read, self)
        self._reading.activated.connect(self._read)
        self._writing = QSocketNotifier(connection.fileno(), QSocketNotifier.Type.Write, self)
        self._writing.setEnabled(False)
        self._writing.activated.connect(self._flush)
        self._reader, self._login = dbus_wire.MessageReader(), dbus_wire.Authentication()
        self._write(self._login.initial_data())

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

    def _handle_loss(self, error: Exception) -> None:
        was_open, first = self.is_open, not self._has_failed
        self._has_failed = True
        self._disconnect()
        if was_open or first:
            log.info("No connection to the bus: %s", error)
        if self._address is not None:
            self._retry_timer.start(self._pause)
            self._pause = min(self._pause * 2, _MAX_RETRY_MS)
        lost, self._pending = self._pending, {}
        for pending in lost.values():
            self._call_back(pending.then, DBusReply((str(error),), NO_REPLY))
        if was_open or first:
            self.lost.emit()

    def _read(self) -> None:
        try:
            while self._socket is not None:
                data = self._socket.recv(_CHUNK_BYTES)
                if not data:
                    raise ConnectionResetError("The bus closed the connection.")
                self._handle_data(data)
        except BlockingIOError:
            pass
        except (OSError, WireError) as error:
            self._handle_loss(error)

    def _handle_data(self, data: bytes) -> None:
        if self._login is not None:
            if (last := self._login.reply(data)) is not None:
                self._login = None
                self._write(last)
                self._say_hello()
            return
        for message in self._reader.feed(data):
            if self._socket is not None:
                self._handle_message(message)

    def _say_hello(self) -> None:
        """This must be the first message; its reply opens the connection."""
        serial = next(self._serials)
        self._pending[serial] = _PendingCall(self._handle_hello, time.monotonic() + _TIMEOUT_S)
        self._start_timeout()
        self._write(dbus_wire.encode_call(serial, BUS_NAME, "/org/freedesktop/DBus", BUS_NAME, "Hello", "", ()))

    def _handle_hello(self, reply: DBusReply) -> None:
        if self._socket is None:
            return
        if reply.error is not None:
            self._handle_loss(WireError("The bus does not respond."))
            return
        self.is_open = True
        self._has_failed = False
        self._pause = self._first_pause
        for match, _ in self._listeners:
            self._add_match(match)
        self.opened.emit()

    def _add_match(self, match: SignalMatch) -> None:
        self.call(BUS_NAME, "/org/freedesktop/DBus", BUS_NAME, "AddMatch", "s", (match.rule(),))

    def _handle_message(self, message: DBusMessage) -> None:
        if message.kind is MessageKind.SIGNAL:
            for match, listener in list(self._listeners):
                if match.matches(message):
                    self._call_back(listener, message)
        elif (
            message.reply_serial is not None and (pending := self._pending.pop(message.reply_serial, None)) is not None
        ):
            self._call_back(
                pending.then, DBusReply(message.body, message.member if message.kind is MessageKind.ERROR else None)
            )

    def _call_back(self, listener: Callable[[_Event], None], event: _Event) -> None:
        try:
            listener(event)
        except Exception:  # the outermost frame of the slot: one faulty listener must not affect others
            log.exception("A D-Bus listener failed")

    def _write(self, data: bytes) -> None:
        self._out += data
        self._flush()

    def _flush(self) -> None:
        """Send what the socket accepts now. A broken connection is noticed when reading."""
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

    def _start_timeout(self) -> None:
        if self._pending:
            earliest = min(pending.deadline for pending in self._pending.values())
            self._timeout_timer.start(max(0, round((earliest - time.monotonic()) * 1000) + 1))

    def _expire_calls(self) -> None:
        now = time.monotonic()
        late = [serial for serial, pending in self._pending.items() if pending.deadline <= now]
        for serial in late:
            if (pending := self._pending.pop(serial, None)) is not None:
                self._call_back(pending.then, DBusReply(("No reply in time.",), NO_REPLY))
        self._start_timeout()
