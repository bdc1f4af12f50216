"""What the machine offers right now, for the engine; and what it just went through, for the host."""

from PySide6.QtCore import QObject, Signal

from app.platform.seams import (
    FixedZone,
    Network,
    NoSleep,
    Power,
    Sleep,
    UnknownNetwork,
    UnknownPower,
    Zone,
)
from scheduler.timing.policies import Need


class Moods(QObject):
    """Lives in the GUI thread; `holds` may be asked from any thread, and never waits."""

    changed = Signal()
    """`holds` has another answer for one need at least."""
    resumed = Signal()
    """The machine woke up: look at the clock."""
    zone_changed = Signal(str)

    def __init__(
        self,
        *,
        network: Network | None = None,
        power: Power | None = None,
        sleep: Sleep | None = None,
        zone: Zone | None = None,
    ) -> None:
        """What is not given is not known."""
        super().__init__()
        self._network = network or UnknownNetwork()
        self._power = power or UnknownPower()
        self._sleep = sleep or NoSleep()
        self._zone = zone or FixedZone()
        self._known = self._ask()
        self._network.changed.connect(self._look)
        self._power.changed.connect(self._look)
        self._sleep.resumed.connect(self._resume)
        self._zone.changed.connect(self.zone_changed)

    def holds(self, need: Need) -> bool | None:
        return self._known[need]

    def _ask(self) -> dict[Need, bool | None]:
        """A new mapping each time: a thread that reads sees the old answers or the new ones, never a mixture."""
        return {
            Need.NETWORK: self._network.is_reachable,
            Need.POWER: _not(self._power.is_on_battery),
            Need.UNMETERED: _not(self._network.is_metered),
        }

    def _look(self) -> None:
        known = self._ask()
        if known != self._known:
            self._known = known
            self.changed.emit()

    def _resume(self) -> None:
        """People travel while their machine sleeps, so the zone first."""
        self._zone.look()
        self._look()
        self.resumed.emit()


def _not(value: bool | None) -> bool | None:  # noqa: FBT001  the value itself is the matter
    return None if value is None else not value
