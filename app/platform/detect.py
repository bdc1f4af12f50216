"""Puts together what this operating system can tell: the one place that asks which one it is."""

import logging
import os
import sys
from collections.abc import Callable, Mapping
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from app.platform.bus import Bus
from app.platform.linux import LogindSleep, NetworkManagerNetwork, UPowerPower
from app.platform.moods import Moods
from app.platform.seams import Network
from app.platform.wire import session_address, system_address
from app.platform.zone_watch import ZoneWatch

log = logging.getLogger(__name__)

_Teller = TypeVar("_Teller")


def session_bus(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Bus:
    """The person's bus, yet to be opened; on a system without one it says `lost` and nothing more."""
    return Bus(session_address(environment) if platform.startswith("linux") else None)


def system_bus(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Bus:
    """The machine's bus, as above."""
    return Bus(system_address(environment) if platform.startswith("linux") else None)


def watch_machine(
    bus: Bus,
    zone: ZoneWatch | None = None,
    fallback: "Callable[[], Network] | None" = None,
    platform: str = sys.platform,
) -> Moods:
    """Make it before the bus is opened, which only Linux has."""
    watch = zone or ZoneWatch()
    qt_network = fallback or _qt_network
    if platform == "win32":
        from app.platform.windows import WindowsMachine  # noqa: PLC0415  of no use on other systems

        windows = _if_it_works(WindowsMachine)
        if windows is not None:
            windows.clock_set.connect(watch.look)
        return Moods(network=qt_network(), power=windows, sleep=windows, zone=watch)
    if platform == "darwin":
        from app.platform.iokit import IOKitPower  # noqa: PLC0415  as above

        return Moods(network=qt_network(), power=_if_it_works(IOKitPower), zone=watch)
    return Moods(
        network=FirstNetwork(NetworkManagerNetwork(bus), qt_network),
        power=UPowerPower(bus),
        sleep=LogindSleep(bus),
        zone=watch,
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


def _if_it_works(make: Callable[[], _Teller]) -> _Teller | None:
    """What was never run on its system must not keep the app from starting there; then that is not known."""
    try:
        return make()
    except (AttributeError, OSError) as error:
        log.warning("This system does not tell of its power: %s", error)
        return None


def _qt_network() -> Network:
    from app.platform.qt_network import QtNetwork  # noqa: PLC0415  a library more in memory, seldom needed

    return QtNetwork()
