"""Puts together what this operating system can tell: the one place that asks which one it is."""

import os
import sys
from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Signal

from app.platform.bus import Bus
from app.platform.linux import LogindSleep, NetworkManagerNetwork, UPowerPower
from app.platform.moods import Moods
from app.platform.seams import Network
from app.platform.wire import session_address, system_address
from app.platform.zone_watch import ZoneWatch


def session_bus(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Bus:
    """The person's bus, yet to be opened; on a system without one it says `lost` and nothing more."""
    return Bus(session_address(environment) if platform.startswith("linux") else None)


def system_bus(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Bus:
    """The machine's bus, as above."""
    return Bus(system_address(environment) if platform.startswith("linux") else None)


def watch_machine(bus: Bus, zone: ZoneWatch | None = None, fallback: "Callable[[], Network] | None" = None) -> Moods:
    """Make it before the bus is opened. Elsewhere than on Linux only zone and network are known so far.

    What Windows and macOS tell of sleep and power has its place here, behind the same Protocols.
    """
    return Moods(
        network=FirstNetwork(NetworkManagerNetwork(bus), fallback or _qt_network),
        power=UPowerPower(bus),
        sleep=LogindSleep(bus),
        zone=zone or ZoneWatch(),
    )


class FirstNetwork(QObject):
    """NetworkManager where it runs, else whatever Qt finds; that is loaded only when it is needed."""

    changed = Signal()

    def __init__(self, first: NetworkManagerNetwork, make_second: Callable[[], Network]) -> None:
        super().__init__()
        self._first = first
        self._make_second = make_second
        self._second: Network | None = None
        first.changed.connect(self._look)

    @property
    def is_reachable(self) -> bool | None:
        teller = self._teller()
        return None if teller is None else teller.is_reachable

    @property
    def is_metered(self) -> bool | None:
        teller = self._teller()
        return None if teller is None else teller.is_metered

    def _teller(self) -> Network | None:
        return self._first if self._first.is_told else self._second

    def _look(self) -> None:
        if not self._first.is_told and self._second is None:
            self._second = self._make_second()
            self._second.changed.connect(self.changed)
        self.changed.emit()


def _qt_network() -> Network:
    from app.platform.qt_network import QtNetwork  # noqa: PLC0415  a library more in memory, seldom needed

    return QtNetwork()
