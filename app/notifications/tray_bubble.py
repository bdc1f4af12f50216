"""The last resort: a bubble at the tray icon. It has no buttons, and the newest hides the one before."""

import logging
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtWidgets import QSystemTrayIcon

from app.notices.notice import Notice, Urgency

log = logging.getLogger(__name__)

_ICONS = {
    Urgency.LOW: QSystemTrayIcon.MessageIcon.NoIcon,
    Urgency.NORMAL: QSystemTrayIcon.MessageIcon.Information,
    Urgency.CRITICAL: QSystemTrayIcon.MessageIcon.Warning,
}
_MILLISECONDS = 10_000


class Bubbles(Protocol):
    """What is needed of a tray icon."""

    @property
    def messageClicked(self) -> SignalInstance:  # noqa: N802  Qt's name
        """The person clicked on the last bubble."""

    def showMessage(  # noqa: N802  Qt's name
        self, title: str, message: str, icon: QSystemTrayIcon.MessageIcon, milliseconds: int, /
    ) -> None: ...


class TrayNotices(QObject):
    """A click on the bubble counts as the action `default`; nobody tells when one goes away."""

    pressed = Signal(str, str)
    closed = Signal(str)

    def __init__(self, tray: Bubbles | None = None) -> None:
        super().__init__()
        self._tray: Bubbles | None = None
        self._key: str | None = None
        self.use(tray)

    def use(self, tray: Bubbles | None) -> None:
        """The icon may come later, and again when a tray comes back; None while there is none."""
        if self._tray is not None:
            self._tray.messageClicked.disconnect(self._click)
        self._tray, self._key = tray, None
        if tray is not None:
            tray.messageClicked.connect(self._click)

    def send(self, notice: Notice) -> None:
        try:
            self._send(notice)
        except Exception:  # the outermost frame: whoever has something to say goes on in any case
            log.exception("A bubble could not be shown")

    def withdraw(self, key: str) -> None:
        """A bubble cannot be taken back; a click on it is not passed on any longer."""
        if key == self._key:
            self._key = None

    def end(self) -> None:
        """It goes with the icon."""

    def _send(self, notice: Notice) -> None:
        if self._tray is None:
            return
        self._tray.showMessage(notice.title, notice.text, _ICONS[notice.urgency], _MILLISECONDS)
        self._key = notice.key

    def _click(self) -> None:
        if self._key is not None:
            self.pressed.emit(self._key, "default")
