"""Fakes for notifications: a daemon without a screen, and a backend that records."""

from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.notifications.notification import Notification
from tests.desktop.buses import FakeDBusService

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
ABLE = ("actions", "body", "body-markup")


class FakeDaemon(FakeDBusService):
    """A notification daemon that shows nothing, records everything and can press buttons."""

    def __init__(self, address: str, *abilities: str) -> None:
        self.shown: dict[int, tuple[Any, ...]] = {}
        self._last = 40
        super().__init__(address, NAME, PATH, NAME)
        self.replies["Notify"] = self.notify
        self.replies["CloseNotification"] = self.close_notification
        self.replies["GetCapabilities"] = ("as", (list(abilities),))

    def notify(self, *body: Any) -> tuple[str, tuple[Any, ...]]:
        number = body[1]
        if not number:
            self._last += 1
            number = self._last
        self.shown[number] = body
        return "u", (number,)

    def close_notification(self, number: int) -> tuple[str, tuple[Any, ...]]:
        self.shown.pop(number, None)
        self.emit("NotificationClosed", "uu", (number, 3))
        return "", ()

    def press(self, number: int, action: str) -> None:
        self.emit("ActionInvoked", "us", (number, action))

    def close(self, number: int, reason: int = 2) -> None:
        self.shown.pop(number, None)
        self.emit("NotificationClosed", "uu", (number, reason))

    def titles(self) -> list[str]:
        return [body[3] for body in list(self.shown.values())]


class RecordingBackend(QObject):
    """Shows nothing and records what should be shown."""

    pressed = Signal(str, str)
    closed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Notification] = []
        self.shown: dict[str, Notification] = {}

    def send(self, notification: Notification) -> None:
        self.sent.append(notification)
        self.shown[notification.key] = notification

    def withdraw(self, key: str) -> None:
        self.shown.pop(key, None)

    def end(self) -> None:
        self.shown.clear()


@pytest.fixture
def fallback(qtbot: QtBot) -> RecordingBackend:
    """The fallback of the backend under test."""
    return RecordingBackend()


@pytest.fixture
def signals(backend: Any) -> list[tuple[str, ...]]:
    """Every signal of the backend under test, in order."""
    emitted: list[tuple[str, ...]] = []
    backend.pressed.connect(lambda key, action: emitted.append(("pressed", key, action)))
    backend.closed.connect(lambda key: emitted.append(("closed", key)))
    return emitted
