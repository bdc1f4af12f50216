"""Notices as Windows and macOS show them, with buttons; a bubble at the tray icon for what they do not take."""

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.notices.notice import NoNotices, Notice, Notices
from app.notices.toaster import Toaster


class ToastNotices(QObject):
    """What the toaster tells on its thread arrives in this one, and counts only for what is still wanted then."""

    pressed = Signal(str, str)
    closed = Signal(str)
    _touched = Signal(object, str)
    _gone = Signal(object)
    _failed = Signal(object)

    def __init__(self, otherwise: Notices | None = None, icon: Path | None = None) -> None:
        super().__init__()
        self._otherwise = otherwise or NoNotices()
        self._otherwise.pressed.connect(self.pressed)
        self._otherwise.closed.connect(self._close_elsewhere)
        self._wanted: dict[str, Notice] = {}
        self._touched.connect(self._press, Qt.ConnectionType.QueuedConnection)
        self._gone.connect(self._close, Qt.ConnectionType.QueuedConnection)
        self._failed.connect(self._show_elsewhere, Qt.ConnectionType.QueuedConnection)
        self._toaster = Toaster(press=self._touched.emit, close=self._gone.emit, fail=self._failed.emit, icon=icon)

    def send(self, notice: Notice) -> None:
        self._otherwise.withdraw(notice.key)
        self._wanted[notice.key] = notice
        self._toaster.send(notice)

    def withdraw(self, key: str) -> None:
        self._otherwise.withdraw(key)
        if self._wanted.pop(key, None) is not None:
            self._toaster.withdraw(key)

    def end(self) -> None:
        self._wanted.clear()
        self._toaster.end()

    @Slot(object, str)
    def _press(self, notice: Notice, action: str) -> None:
        if notice.key in self._wanted:
            self.pressed.emit(notice.key, action)

    @Slot(object)
    def _close(self, notice: Notice) -> None:
        """Another one may have taken its place meanwhile, and stays."""
        if self._wanted.get(notice.key) is notice:
            self._close_elsewhere(notice.key)

    @Slot(object)
    def _show_elsewhere(self, notice: Notice) -> None:
        if self._wanted.get(notice.key) is notice:
            self._otherwise.send(notice)

    @Slot(str)
    def _close_elsewhere(self, key: str) -> None:
        if self._wanted.pop(key, None) is not None:
            self.closed.emit(key)
