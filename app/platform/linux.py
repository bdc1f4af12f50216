"""The machine's moods as Linux tells them: logind, UPower and NetworkManager, all on the system bus."""

from typing import Any

from PySide6.QtCore import QObject, Signal

from app.platform.bus import Bus
from app.platform.services import Properties, Service

_ASLEEP_TO_CONNECTING = (10, 20, 30, 40)
_ONLINE = 70
_PORTAL, _FULL = 2, 4
_METERED = {1: True, 2: False, 3: True, 4: False}
"""NetworkManager's yes, no, and its guesses; 0 is unknown."""


def tell_reachable(state: int | None, connectivity: int | None) -> bool | None:
    """By NetworkManager's numbers. A local network may be all that a chore needs: that is for nobody to know."""
    if state in _ASLEEP_TO_CONNECTING or connectivity == _PORTAL:
        return False
    if state == _ONLINE or connectivity == _FULL:
        return True
    return None


class LogindSleep(QObject):
    resumed = Signal()

    def __init__(self, bus: Bus) -> None:
        super().__init__()
        self._service = Service(bus, "org.freedesktop.login1")
        self._service.listen(
            "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", self._prepare
        )

    def _prepare(self, body: tuple[Any, ...]) -> None:
        (falls_asleep,) = body
        if not falls_asleep:
            self.resumed.emit()


class UPowerPower(QObject):
    changed = Signal()

    def __init__(self, bus: Bus) -> None:
        super().__init__()
        self._service = Service(bus, "org.freedesktop.UPower")
        self._properties = Properties(self._service, "/org/freedesktop/UPower", "org.freedesktop.UPower")
        self._properties.changed.connect(self.changed)

    @property
    def is_on_battery(self) -> bool | None:
        told = self._properties.values.get("OnBattery")
        return told if isinstance(told, bool) else None


class NetworkManagerNetwork(QObject):
    """Answers None where NetworkManager does not run; `is_told` says whether it does."""

    changed = Signal()

    def __init__(self, bus: Bus) -> None:
        super().__init__()
        self._service = Service(bus, "org.freedesktop.NetworkManager")
        self._properties = Properties(
            self._service, "/org/freedesktop/NetworkManager", "org.freedesktop.NetworkManager"
        )
        self._properties.changed.connect(self.changed)

    @property
    def is_told(self) -> bool:
        return bool(self._properties.values)

    @property
    def is_reachable(self) -> bool | None:
        return tell_reachable(self._number("State"), self._number("Connectivity"))

    @property
    def is_metered(self) -> bool | None:
        return _METERED.get(self._number("Metered") or 0)

    def _number(self, name: str) -> int | None:
        told = self._properties.values.get(name)
        return told if isinstance(told, int) else None
