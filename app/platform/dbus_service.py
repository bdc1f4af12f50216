"""Somebody with a well-known name on a bus: who owns it now, its signals, its properties."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.platform.bus import THE_BUS, Bus, Match, Reply, Then
from app.platform.wire import Heard

_PROPERTIES = "org.freedesktop.DBus.Properties"


class Service(QObject):
    """Follows one name. Its signals count only if the present owner of the name sent them."""

    appeared = Signal()
    missing = Signal()
    """The bus was asked and nobody has the name; a call may still start it."""
    vanished = Signal()
    """Its owner, or the whole bus, went away or could not be reached."""

    def __init__(self, bus: Bus, name: str) -> None:
        super().__init__()
        self._bus = bus
        self._name = name
        self._owner = ""
        match = Match(
            sender=THE_BUS, path="/org/freedesktop/DBus", interface=THE_BUS, member="NameOwnerChanged", first=name
        )
        bus.listen(match, self._change)
        bus.opened.connect(self._look)
        bus.lost.connect(self._lose)
        if bus.is_open:
            self._look()

    @property
    def is_there(self) -> bool:
        return bool(self._owner)

    def call(
        self,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        body: tuple[Any, ...] = (),
        *,
        then: Then = lambda _: None,
        patience: float = 20.0,
    ) -> None:
        self._bus.call(self._name, path, interface, member, signature, body, then=then, patience=patience)

    def ask_process(self, then: Then) -> None:
        """The number of the process that has the name now, as it was when that connected to the bus."""
        self._bus.call(
            THE_BUS, "/org/freedesktop/DBus", THE_BUS, "GetConnectionUnixProcessID", "s", (self._name,), then=then
        )

    def listen(self, path: str, interface: str, member: str, hear: Callable[[tuple[Any, ...]], None]) -> None:
        def check(heard: Heard) -> None:
            if heard.sender == self._owner:
                hear(heard.body)

        self._bus.listen(Match(sender=self._name, path=path, interface=interface, member=member), check)

    def _look(self) -> None:
        self._bus.call(THE_BUS, "/org/freedesktop/DBus", THE_BUS, "GetNameOwner", "s", (self._name,), then=self._found)

    def _found(self, reply: Reply) -> None:
        if reply.error is None:
            self._own(reply.body[0])
        elif not self._owner:
            self.missing.emit()

    def _change(self, heard: Heard) -> None:
        if heard.sender == THE_BUS:
            self._own(heard.body[2])

    def _own(self, owner: str) -> None:
        before, self._owner = self._owner, owner
        if before and before != owner:
            self.vanished.emit()
        if owner and before != owner:
            self.appeared.emit()

    def _lose(self) -> None:
        self._owner = ""
        self.vanished.emit()


class Properties(QObject):
    """The properties of one interface, read when its service appears and kept up to date."""

    changed = Signal()
    """Also when nobody answers: then there are no values."""

    def __init__(self, service: Service, path: str, interface: str) -> None:
        super().__init__()
        self._service = service
        self._path = path
        self._interface = interface
        self._values: dict[str, Any] = {}
        self._reads = 0
        service.listen(path, _PROPERTIES, "PropertiesChanged", self._update)
        service.appeared.connect(self._read)
        service.missing.connect(self._read)  # the call starts what the bus knows how to start
        service.vanished.connect(self._forget)
        if service.is_there:
            self._read()

    @property
    def values(self) -> Mapping[str, Any]:
        return MappingProxyType(self._values)

    def _read(self) -> None:
        self._reads += 1
        self._service.call(
            self._path, _PROPERTIES, "GetAll", "s", (self._interface,), then=partial(self._take, self._reads)
        )

    def _take(self, read: int, reply: Reply) -> None:
        """Only the last reading counts: an earlier one may fail after a later one succeeded."""
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

    def _forget(self) -> None:
        self._values = {}
        self.changed.emit()


def _without_signatures(values: Mapping[str, tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, (_, value) in values.items()}
