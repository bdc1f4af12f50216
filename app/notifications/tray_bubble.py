"""The fallback backend: a bubble at the tray icon, without buttons; each one replaces the one before."""

import logging
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtWidgets import QSystemTrayIcon

from app.notifications.notification import Notification, Urgency

log = logging.getLogger(__name__)

_ICONS = {
    Urgency.LOW: QSystemTrayIcon.MessageIcon.NoIcon,
    Urgency.NORMAL: QSystemTrayIcon.MessageIcon.Information,
    Urgency.CRITICAL: QSystemTrayIcon.MessageIcon.Warning,
}
_TIMEOUT_MS = 10_000


class BubbleTray(Protocol):
    """The part of QSystemTrayIcon that is used here."""

    @property
    def messageClicked(self) -> SignalInstance:  # noqa: N802  Qt's name
        """The user clicked the last bubble."""

    def showMessage(  # noqa: N802  Qt's name
        self, title: str, message: str, icon: QSystemTrayIcon.MessageIcon, milliseconds: int, /
    ) -> None: ...


class TrayBubbleBackend(QObject):
    """A click on the bubble is the action `default`; `closed` is never emitted."""

    pressed = Signal(str, str)
    closed = Signal(str)

    def __init__(self, tray: BubbleTray | None = None) -> None:
        super().__init__()
        self._tray: BubbleTray | None = None
        self._key: str | None = None
        self.set_tray(tray)

    def set_tray(self, tray: BubbleTray | None) -> None:
        """Set the icon, which may appear later or again; None while there is no tray."""
        if self._tray is not None:
            self._tray.messageClicked.disconnect(self._click)
        self._tray, self._key = tray, None
        if tray is not None:
            tray.messageClicked.connect(self._click)

    def send(self, notification: Notification) -> None:
        try:
            self._send(notification)
        except Exception:  # the outermost frame: a notification must not break its caller
            log.exception("A tray bubble could not be shown")

    def withdraw(self, key: str) -> None:
        """A bubble cannot be removed; clicks on it are ignored from now on."""
        if key == self._key:
            self._key = None

    def end(self) -> None:
        """The bubble disappears with the icon."""

    def _send(self, notification: Notification) -> None:
        if self._tray is None:
            return
        self._tray.showMessage(notification.title, notification.text, _ICONS[notification.urgency], _TIMEOUT_MS)
        self._key = notification.key

    def _click(self) -> None:
        if self._key is not None:
            self.pressed.emit(self._key, "default")
