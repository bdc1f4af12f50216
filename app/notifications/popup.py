"""Notifications as small windows of our own, stacked in the corner next to the tray; for systems without buttons."""

import logging
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, QRect, QSize, Signal, Slot
from PySide6.QtGui import QGuiApplication, QScreen

from app.notifications.notification import Notification
from app.notifications.popup_window import PopupWindow
from app.theme.tokens import Space

log = logging.getLogger(__name__)


def place_popups(sizes: Sequence[QSize], screen: QRect, available: QRect) -> list[QPoint | None]:
    """Where the windows stand, oldest first, from the corner next to the panel; None for those without room."""
    is_below = available.top() > screen.top()  # the panel is above, so they hang from there
    left, places = available.right() + 1 - Space.MEDIUM, list[QPoint | None]()
    offset = int(Space.MEDIUM)
    for size in sizes:
        if places and (places[-1] is None or offset + size.height() + Space.MEDIUM > available.height()):
            places.append(None)
            continue
        top = available.top() + offset if is_below else available.bottom() + 1 - offset - size.height()
        places.append(QPoint(left - size.width(), max(top, available.top())))
        offset += size.height() + Space.SMALL
    return places


class PopupBackend(QObject):
    """Those that do not fit on the screen wait until others are gone."""

    pressed = Signal(str, str)
    closed = Signal(str)

    def __init__(self, find_screen: Callable[[], QScreen | None] = lambda: None) -> None:
        """`find_screen` returns the screen with the tray, if that is known."""
        super().__init__()
        self._find_screen = find_screen
        self._windows: dict[str, PopupWindow] = {}
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication), "windows need an application"
        app.screenAdded.connect(self._watch)
        app.screenRemoved.connect(self._arrange)
        app.primaryScreenChanged.connect(self._arrange)
        for screen in app.screens():
            self._watch(screen)

    def send(self, notification: Notification) -> None:
        try:
            self._send(notification)
        except Exception:  # the outermost frame: a notification must not break its caller
            log.exception("A notification could not be shown")

    def withdraw(self, key: str) -> None:
        window = self._windows.pop(key, None)
        if window is not None:
            self._remove(window)
            self._arrange()

    def end(self) -> None:
        for key in list(self._windows):
            self.withdraw(key)

    def _send(self, notification: Notification) -> None:
        key, window = notification.key, PopupWindow(notification)
        window.pressed.connect(lambda action: self._press(window, key, action))
        window.dismissed.connect(lambda: self._close(window, key))
        replaced = self._windows.get(key)
        self._windows[key] = window  # one that replaces another keeps its place
        if replaced is not None:
            self._remove(replaced)
        self._arrange()

    def _press(self, window: PopupWindow, key: str, action: str) -> None:
        if self._windows.get(key) is window:
            self.pressed.emit(key, action)
            self._close(window, key)

    def _close(self, window: PopupWindow, key: str) -> None:
        if self._windows.get(key) is window:
            self.withdraw(key)
            self.closed.emit(key)

    def _remove(self, window: PopupWindow) -> None:
        window.hide()
        window.deleteLater()

    @Slot(QScreen)
    def _watch(self, screen: QScreen) -> None:
        screen.availableGeometryChanged.connect(self._arrange)
        self._arrange()

    @Slot()
    def _arrange(self) -> None:
        screen = self._find_screen() or QGuiApplication.primaryScreen()
        if screen is None:  # the last one was unplugged; another one will come
            return
        for window in self._windows.values():
            window.fit()
        sizes = [window.size() for window in self._windows.values()]
        places = place_popups(sizes, screen.geometry(), screen.availableGeometry())
        for window, place in zip(self._windows.values(), places, strict=True):
            if place is None:
                window.hide()
                continue
            if window.pos() != place:
                window.move(place)
            window.show()
