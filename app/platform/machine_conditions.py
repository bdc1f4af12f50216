"""What the machine offers right now, for the engine: network, power, sleep and time zone.

Has one small Protocol for each source, with a Null object; knows no operating system.
"""

from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance

from scheduler.timing.policies import Need


class Network(Protocol):
    @property
    def changed(self) -> SignalInstance:
        """A value below may have changed."""

    @property
    def is_reachable(self) -> bool | None:
        """Whether the internet can be reached; None if unknown."""

    @property
    def is_metered(self) -> bool | None:
        """Whether traffic is charged by volume; None if unknown."""


class Power(Protocol):
    @property
    def changed(self) -> SignalInstance:
        """The value below may have changed."""

    @property
    def is_on_battery(self) -> bool | None:
        """None if unknown."""


class Sleep(Protocol):
    @property
    def resumed(self) -> SignalInstance:
        """The machine woke up."""


class Zone(Protocol):
    @property
    def changed(self) -> SignalInstance:
        """Carries the name of the machine's new time zone."""

    def check(self) -> None:
        """Check now; `changed` is emitted only if the zone changed."""


class UnknownNetwork(QObject):
    changed = Signal()
    is_reachable: bool | None = None
    is_metered: bool | None = None


class UnknownPower(QObject):
    changed = Signal()
    is_on_battery: bool | None = None


class NoSleep(QObject):
    resumed = Signal()


class FixedZone(QObject):
    changed = Signal(str)

    def check(self) -> None:
        """Never changes."""


class MachineConditions(QObject):
    """Lives in the GUI thread; `holds` may be called from any thread and never blocks."""

    changed = Signal()
    """The result of `holds` changed for at least one need."""
    resumed = Signal()
    """The machine woke up: check the clock."""
    zone_changed = Signal(str)
    look_changed = Signal()
    """Colours of the desktop may have changed."""
    session_ends = Signal()
    """The process ends as soon as the slots have returned."""

    def __init__(
        self,
        *,
        network: Network | None = None,
        power: Power | None = None,
        sleep: Sleep | None = None,
        zone: Zone | None = None,
    ) -> None:
        """Sources that are left out are unknown."""
        super().__init__()
        self._network = network or UnknownNetwork()
        self._power = power or UnknownPower()
        self._sleep = sleep or NoSleep()
        self._zone = zone or FixedZone()
        self._known = self._query()
        self._network.changed.connect(self._refresh)
        self._power.changed.connect(self._refresh)
        self._sleep.resumed.connect(self._resume)
        self._zone.changed.connect(self.zone_changed)

    def holds(self, need: Need) -> bool | None:
        return self._known[need]

    def _query(self) -> dict[Need, bool | None]:
        """A new mapping each time: a reader in another thread sees the old values or the new ones, never a mix."""
        return {
            Need.NETWORK: self._network.is_reachable,
            Need.POWER: _not(self._power.is_on_battery),
            Need.UNMETERED: _not(self._network.is_metered),
        }

    def _refresh(self) -> None:
        known = self._query()
        if known != self._known:
            self._known = known
            self.changed.emit()

    def _resume(self) -> None:
        """The zone first: users travel while their machine sleeps."""
        self._zone.check()
        self._refresh()
        self.resumed.emit()


def _not(value: bool | None) -> bool | None:  # noqa: FBT001  negates an optional boolean
    return None if value is None else not value
