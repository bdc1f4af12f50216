"""What the machine tells about itself: one small Protocol each, and Null objects that know nothing."""

from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance


class Network(Protocol):
    @property
    def changed(self) -> SignalInstance:
        """One of the answers below may be another now."""

    @property
    def is_reachable(self) -> bool | None:
        """Whether the internet can be reached; None if nobody knows."""

    @property
    def is_metered(self) -> bool | None:
        """Whether it costs by volume; None if nobody knows."""


class Power(Protocol):
    @property
    def changed(self) -> SignalInstance:
        """The answer below may be another now."""

    @property
    def is_on_battery(self) -> bool | None:
        """None if nobody knows."""


class Sleep(Protocol):
    @property
    def resumed(self) -> SignalInstance:
        """The machine woke up."""


class Zone(Protocol):
    @property
    def changed(self) -> SignalInstance:
        """With the name of the zone that the machine is in now."""

    def look(self) -> None:
        """Check now; nothing is said where nothing changed."""


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

    def look(self) -> None:
        """A zone that nobody watches does not change."""
