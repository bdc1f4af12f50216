"""A notice, and the Protocol of whoever shows it; with the Null object that shows nothing."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance


class Urgency(StrEnum):
    """How much a notice may disturb."""

    LOW = "low"
    """Good to know."""
    NORMAL = "normal"
    """Goes away by itself after a while."""
    CRITICAL = "critical"
    """Stays until the person has seen it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    key: str
    """One per problem: a second notice with the same key takes the place of the first."""
    title: str
    text: str = ""
    actions: tuple[tuple[str, str], ...] = ()
    """Buttons: the id that comes back, and the label. The id `default` is a click on the notice itself."""
    urgency: Urgency = Urgency.NORMAL
    group: str = ""
    """What belongs together, for systems that stack notices."""


class Notices(Protocol):
    """In the GUI thread. A press is a hint: whoever acts on it looks first whether the problem still exists."""

    @property
    def pressed(self) -> SignalInstance:
        """Key and id of the action."""

    @property
    def closed(self) -> SignalInstance:
        """The key of a notice that the person closed, or that went away by itself."""

    def send(self, notice: Notice) -> None:
        """Show it, or put it in the place of the one with its key. Never raises, never waits."""

    def withdraw(self, key: str) -> None:
        """Take it away if it is still there. Never raises, never waits."""

    def end(self) -> None:
        """The app ends, and nobody would hear a button: take away what has any."""


class NoNotices(QObject):
    """Shows nothing: for a person who wants none, and for tests."""

    pressed = Signal(str, str)
    closed = Signal(str)

    def send(self, notice: Notice) -> None:
        """Nobody sees it."""

    def withdraw(self, key: str) -> None:
        """Nothing was shown."""

    def end(self) -> None:
        """As above."""
