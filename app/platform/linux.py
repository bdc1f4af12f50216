"""Sleep, power and network on Linux: logind, UPower and NetworkManager, all on the system bus."""

from typing import Any

from PySide6.QtCore import QObject, Signal

from app.platform.dbus import Bus
from app.platform.dbus_service import DBusProperties, DBusService

_OFFLINE_STATES = (10, 20, 30, 40)
_ONLINE = 70
_PORTAL, _FULL = 2, 4
_METERED = {1: True, 2: False, 3: True, 4: False}
"""NetworkManager's yes, no, guessed yes and guessed no; 0 is unknown."""


def read_reachability(state: int | None, connectivity: int | None) -> bool | None:
    """From NetworkManager's codes. None for a local network: a workflow may or may not need more."""
    if state in _OFFLINE_STATES or connectivity == _PORTAL:
        return False
    if state == _ONLINE or connectivity == _FULL:
        return True
    return None


class LogindSleep(QObject):
    resumed = Signal()

    def __init__(self, bus: Bus) -> None:
        super().__init__()
        self._service = DBusService(bus, "org.freedesktop.login1")
        self._service.subscribe(
            "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", self._handle_prepare
        )

    def _handle_prepare(self, body: tuple[Any, ...]) -> None:
        (is_going_to_sleep,) = body
        if not is_going_to_sleep:
            self.resumed.emit()


class UPowerPower(QObject):
    changed = Signal()

    def __init__(self, bus: Bus) -> None:
        super().__init__()
        self._service = DBusService(bus, "org.freedesktop.UPower")
        self._properties = DBusProperties(self._service, "/org/freedesktop/UPower", "org.freedesktop.UPower")
        self._properties.changed.connect(self.changed)

    @property
    def is_on_battery(self) -> bool | None:
        value = self._properties.values.get("OnBattery")
        return value if isinstance(value, bool) else None


class NetworkManagerNetwork(QObject):
    """All values are None if NetworkManager is not running; `is_available` says whether it is."""

    changed = Signal()

    def __init__(self, bus: Bus) -> None:
        super().__init__()
        self._service = DBusService(bus, "org.freedesktop.NetworkManager")
        self._properties = DBusProperties(
            self._service, "/org/freedesktop/NetworkManager", "org.freedesktop.NetworkManager"
        )
        self._properties.changed.connect(self.changed)

    @property
    def is_available(self) -> bool:
        return bool(self._properties.values)

    @property
    def is_reachable(self) -> bool | None:
        return read_reachability(self._number("State"), self._number("Connectivity"))

    @property
    def is_metered(self) -> bool | None:
        return _METERED.get(self._number("Metered") or 0)

    def _number(self, name: str) -> int | None:
        value = self._properties.values.get(name)
        return value if isinstance(value, int) else None
