"""A service with a well-known name on a bus: its current owner, signals and properties."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.platform.dbus import BUS_NAME, Bus, DBusReply, ReplyCallback, SignalMatch
from app.platform.dbus_wire import DBusMessage

_PROPERTIES = "org.freedesktop.DBus.Properties"


class DBusService(QObject):
    """Tracks one name. Signals are ignored unless the current owner of the name sent them."""

    appeared = Signal()
    missing = Signal()
    """The name has no owner; a call may still start the service."""
    vanished = Signal()
    """Its owner or the whole bus disappeared or could not be reached."""

    def __init__(self, bus: Bus, name: str) -> None:
        super().__init__()
        self._bus = bus
        self._name = name
        self._owner = ""
        match = SignalMatch(
            sender=BUS_NAME,
            path="/org/freedesktop/DBus",
            interface=BUS_NAME,
            member="NameOwnerChanged",
            first_argument=name,
        )
        bus.subscribe(match, self._handle_owner_change)
        bus.opened.connect(self._query_owner)
        bus.lost.connect(self._handle_loss)
        if bus.is_open:
            self._query_owner()

    @property
    def has_owner(self) -> bool:
        return bool(self._owner)

    def call(
        self,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        body: tuple[Any, ...] = (),
        *,
        callback: ReplyCallback = lambda _: None,
        timeout_s: float = 20.0,
    ) -> None:
        self._bus.call(self._name, path, interface, member, signature, body, callback=callback, timeout_s=timeout_s)

    def query_process_id(self, callback: ReplyCallback) -> None:
        """Get the id of the process that owns the name, as of when it connected to the bus."""
        self._bus.call(
            BUS_NAME,
            "/org/freedesktop/DBus",
            BUS_NAME,
            "GetConnectionUnixProcessID",
            "s",
            (self._name,),
            callback=callback,
        )

    def subscribe(self, path: str, interface: str, member: str, listener: Callable[[tuple[Any, ...]], None]) -> None:
        def check(message: DBusMessage) -> None:
            if message.sender == self._owner:
                listener(message.body)

        self._bus.subscribe(SignalMatch(sender=self._name, path=path, interface=interface, member=member), check)

    def _query_owner(self) -> None:
        self._bus.call(
            BUS_NAME, "/org/freedesktop/DBus", BUS_NAME, "GetNameOwner", "s", (self._name,), callback=self._handle_owner
        )

    def _handle_owner(self, reply: DBusReply) -> None:
        if reply.error is None:
            self._set_owner(reply.body[0])
        elif not self._owner:
            self.missing.emit()

    def _handle_owner_change(self, message: DBusMessage) -> None:
        if message.sender == BUS_NAME:
            self._set_owner(message.body[2])

    def _set_owner(self, owner: str) -> None:
        before, self._owner = self._owner, owner
        if before and before != owner:
            self.vanished.emit()
        if owner and before != owner:
            self.appeared.emit()

    def _handle_loss(self) -> None:
        self._owner = ""
        self.vanished.emit()


class DBusProperties(QObject):
    """The properties of one interface, read when its service appears and kept up to date."""

    changed = Signal()
    """Also emitted if there is no reply: then there are no values."""

    def __init__(self, service: DBusService, path: str, interface: str) -> None:
        super().__init__()
        self._service = service
        self._path = path
        self._interface = interface
        self._values: dict[str, Any] = {}
        self._reads = 0
        service.subscribe(path, _PROPERTIES, "PropertiesChanged", self._update)
        service.appeared.connect(self._read)
        service.missing.connect(self._read)  # the call starts the service if the bus can
        service.vanished.connect(self._clear)
        if service.has_owner:
            self._read()

    @property
    def values(self) -> Mapping[str, Any]:
        return MappingProxyType(self._values)

    def _read(self) -> None:
        self._reads += 1
        self._service.call(
            self._path,
            _PROPERTIES,
            "GetAll",
            "s",
            (self._interface,),
            callback=partial(self._handle_values, self._reads),
        )

    def _handle_values(self, read: int, reply: DBusReply) -> None:
        """Only the last read counts: an earlier one may fail after a later one succeeded."""
        if read != self._reads:
            return
        self._values = {} if reply.error is not None else _without_signatures(reply.body[0])
        self.changed.emit()

    def _update(self, body: tuple[Any, ...]) -> None:
        interface, values, stale = body
        if interface != self._interface:
            return
        self._values |= _without_signatures(values)
        self.changed.emit()
        if stale:
            self._read()

    def _clear(self) -> None:
        self._values = {}
        self.changed.emit()


def _without_signatures(values: Mapping[str, tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, (_, value) in values.items()}
