"""Chooses the sources of machine conditions and the buses for this operating system."""

import logging
import os
import sys
from collections.abc import Callable, Mapping
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from app.platform.dbus import Bus
from app.platform.dbus_wire import session_address, system_address
from app.platform.linux import LogindSleep, NetworkManagerNetwork, UPowerPower
from app.platform.machine_conditions import MachineConditions, Network
from app.platform.zone_watch import ZoneWatch

log = logging.getLogger(__name__)

_DARK_PANELS = ("gnome", "unity", "cinnamon", "pantheon", "budgie")

_Source = TypeVar("_Source")


def session_bus(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Bus:
    """The session bus, not opened yet; on a system without one it only emits `lost`."""
    return Bus(session_address(environment) if platform.startswith("linux") else None)


def system_bus(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Bus:
    """The system bus, as above."""
    return Bus(system_address(environment) if platform.startswith("linux") else None)


def watch_machine(
    bus: Bus,
    zone: ZoneWatch | None = None,
    fallback: "Callable[[], Network] | None" = None,
    platform: str = sys.platform,
) -> MachineConditions:
    """Call it before opening the bus, which only Linux has."""
    watch = zone or ZoneWatch()
    qt_network = fallback or _qt_network
    if platform == "win32":
        from app.platform.windows import WindowsMachine  # noqa: PLC0415  only for this system

        windows = _make_or_none(WindowsMachine)
        conditions = MachineConditions(network=qt_network(), power=windows, sleep=windows, zone=watch)
        if windows is not None:
            windows.clock_set.connect(watch.check)
            windows.look_changed.connect(conditions.look_changed)
            windows.session_ends.connect(conditions.session_ends)
        return conditions
    if platform == "darwin":
        from app.platform.macos_power import IOKitPower  # noqa: PLC0415  as above

        return MachineConditions(network=qt_network(), power=_make_or_none(IOKitPower), zone=watch)
    return MachineConditions(
        network=FallbackNetwork(NetworkManagerNetwork(bus), qt_network),
        power=UPowerPower(bus),
        sleep=LogindSleep(bus),
        zone=watch,
    )


def has_dark_panel(
    scheme: Qt.ColorScheme, environment: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> bool:
    """Whether the tray is dark. On Linux a guess: most panels follow the desktop's scheme, and some are always dark."""
    if platform == "win32":
        from app.platform.windows import is_taskbar_dark  # noqa: PLC0415  only for this system

        return is_taskbar_dark()
    desktop = environment.get("XDG_CURRENT_DESKTOP", "").lower()
    return scheme is Qt.ColorScheme.Dark or any(name in desktop for name in _DARK_PANELS)


class FallbackNetwork(QObject):
    """NetworkManager where it runs, else Qt, which is loaded only when needed."""

    changed = Signal()

    def __init__(self, first: NetworkManagerNetwork, make_second: Callable[[], Network]) -> None:
        super().__init__()
        self._first = first
        self._make_second = make_second
        self._second: Network | None = None
        first.changed.connect(self._refresh)

    @property
    def is_reachable(self) -> bool | None:
        source = self._active()
        return None if source is None else source.is_reachable

    @property
    def is_metered(self) -> bool | None:
        source = self._active()
        return None if source is None else source.is_metered

    def _active(self) -> Network | None:
        return self._first if self._first.is_available else self._second

    def _refresh(self) -> None:
        if not self._first.is_available and self._second is None:
            self._second = self._make_second()
            self._second.changed.connect(self.changed)
        self.changed.emit()


def _make_or_none(make: Callable[[], _Source]) -> _Source | None:
    """Untested code for another system must not keep the app from starting there; its values are then unknown."""
    try:
        return make()
    except (AttributeError, OSError) as error:
        log.warning("Power events are not available: %s", error)
        return None


def _qt_network() -> Network:
    from app.platform.qt_network import QtNetwork  # noqa: PLC0415  loads a library that is rarely needed

    return QtNetwork()
