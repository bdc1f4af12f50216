"""A notification, the Protocol of the backends that show it, and a Null object."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance

CLICK = "default"
"""The action that is a click on the notification itself."""


class Urgency(StrEnum):
    """How much a notification may disturb."""

    LOW = "low"
    """For information."""
    NORMAL = "normal"
    """Disappears after a while."""
    CRITICAL = "critical"
    """Stays until the user has seen it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    key: str
    """One per problem: a second notification with the same key replaces the first."""
    title: str
    text: str = ""
    actions: tuple[tuple[str, str], ...] = ()
    """Buttons: id and label. CLICK is none."""
    urgency: Urgency = Urgency.NORMAL
    group: str = ""
    """For systems that stack related notifications."""

    @property
    def has_buttons(self) -> bool:
        return any(action != CLICK for action, _ in self.actions)


class NotificationBackend(Protocol):
    """Used in the GUI thread. A press is a hint: check that the problem still exists before acting on it."""

    @property
    def pressed(self) -> SignalInstance:
        """Carries the key and the id of the action."""

    @property
    def closed(self) -> SignalInstance:
        """Carries the key of a notification that the user closed or that expired."""

    def send(self, notification: Notification) -> None:
        """Show it, replacing the one with the same key. Never raises or blocks."""

    def withdraw(self, key: str) -> None:
        """Remove it if it is still shown. Never raises or blocks."""

    def end(self) -> None:
        """The app ends and can no longer handle buttons: remove the notifications that have any."""


class NullBackend(QObject):
    """Shows nothing."""

    pressed = Signal(str, str)
    closed = Signal(str)

    def send(self, notification: Notification) -> None:
        """Ignored."""

    def withdraw(self, key: str) -> None:
        """Nothing to remove."""

    def end(self) -> None:
        """Nothing to remove."""
