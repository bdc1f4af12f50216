"""The tray icon: created as soon as a tray exists, and again when one returns. Never ends the app."""

import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, QRect, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon

from app.i18n.state_labels import TrayState
from app.overview import Overview, describe_next_run, describe_pause, describe_state
from app.platform.dbus import Bus
from app.platform.dbus_service import DBusService
from app.platform.detect import has_dark_panel
from app.theme.icons import make_tray_icon
from app.tray.menu import MenuChoice, MenuEntry, escape_for_panel, escape_for_qt, make_entries, update_menu

_WATCHER = "org.kde.StatusNotifierWatcher"
_RETRY_MS, _SLOW_RETRY_MS = 250, 30_000
_FAST_TRIES = 40
"""Fast retries: a starting panel has its watcher first and room for icons a little later."""
_BUS_TRIES = 8
"""Tries during which the bus may still report whether there is a watcher."""
_CLICKS = (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick)


class TrayIcon(QObject):
    """Create it before the bus is opened."""

    activated = Signal()
    """The icon was clicked: show the window."""
    chosen = Signal(object)
    """A Choice of the menu."""
    availability_known = Signal()
    """It is now known whether there is a tray; if so, the icon exists."""
    icon_created = Signal(object)
    """The new QSystemTrayIcon."""

    def __init__(self, bus: Bus, platform: str = sys.platform) -> None:
        super().__init__()
        self._overview: Overview | None = None
        self._shown_menu: tuple[tuple[MenuEntry, ...], Callable[[str], str]] | None = None
        self._shown: tuple[TrayState, int, bool] | None = None
        self._tries_left = 0
        self._had_watcher = False
        """Whether the icon was created while its watcher was present."""
        self.icon: QSystemTrayIcon | None = None
        self.menu = QMenu()
        self.menu.aboutToShow.connect(self._update_menu)
        self._retry_timer = QTimer(self)
        self._retry_timer.timeout.connect(self._try_create)
        self._service = DBusService(bus, _WATCHER) if platform.startswith("linux") else None
        self._is_watcher_known = self._service is None
        """Whether the bus has reported on the watcher: an icon created too early would have to be replaced."""
        if self._service is not None:
            self._service.appeared.connect(self._on_watcher_appeared)
            self._service.missing.connect(self._on_no_watcher)
            self._service.vanished.connect(self._on_no_watcher)
        self._update_menu()
        self._start_retrying()

    @property
    def is_available(self) -> bool:
        """Whether the icon is visible to the user."""
        return self.icon is not None and QSystemTrayIcon.isSystemTrayAvailable()

    def find_screen(self) -> QScreen | None:
        """The screen that the icon is on; None if the system does not say."""
        frame = QRect() if self.icon is None else self.icon.geometry()
        return None if frame.isEmpty() else QGuiApplication.screenAt(frame.center())

    def show_overview(self, overview: Overview) -> None:
        self._overview = overview
        self._update_icon()
        if not self.menu.isVisible():
            self._update_menu()

    def close(self) -> None:
        self._retry_timer.stop()
        self._remove_icon()
        self.menu.deleteLater()

    @Slot()
    def _on_watcher_appeared(self) -> None:
        """A watcher appeared. An icon created without one never reaches it; others reconnect on their own."""
        self._is_watcher_known = True
        if not self._had_watcher:
            self._remove_icon()
        self._start_retrying()
        self.availability_known.emit()

    @Slot()
    def _on_no_watcher(self) -> None:
        """No watcher; there may still be an older kind of tray."""
        self._is_watcher_known = True
        self._start_retrying()
        self.availability_known.emit()

    def _start_retrying(self) -> None:
        self._tries_left = _FAST_TRIES
        self._retry_timer.start(_RETRY_MS)
        self._try_create()

    @Slot()
    def _try_create(self) -> None:
        may_create = self._is_watcher_known or self._tries_left <= _FAST_TRIES - _BUS_TRIES
        if may_create and QSystemTrayIcon.isSystemTrayAvailable():
            self._retry_timer.stop()
            if self.icon is None:
                self._create_icon()
            return
        self._tries_left -= 1
        if self._tries_left == 0:
            self._retry_timer.start(_SLOW_RETRY_MS)

    def _create_icon(self) -> None:
        icon = QSystemTrayIcon(self)
        icon.setContextMenu(self.menu)
        icon.activated.connect(self._activate)
        self.icon, self._shown = icon, None
        self._had_watcher = self._service is not None and self._service.has_owner
        self._update_menu()
        self._update_icon()
        icon.show()
        self.icon_created.emit(icon)

    def _remove_icon(self) -> None:
        if self.icon is not None:
            self.icon.hide()
            self.icon.deleteLater()
            self.icon = None

    def _update_icon(self) -> None:
        if self.icon is None:
            return
        overview = self._overview
        state = TrayState.IDLE if overview is None else overview.state
        count = 0 if overview is None else overview.attention_count
        dark = has_dark_panel(QApplication.styleHints().colorScheme())
        if self._shown != (state, count, dark):
            self._shown = state, count, dark
            self.icon.setIcon(make_tray_icon(state, dark_panel=dark, count=count))
        self.icon.setToolTip("Dayhand" if overview is None else make_tooltip(overview))

    @Slot()
    def _update_menu(self) -> None:
        entries = make_entries(self._overview)
        escape = escape_for_panel if self._had_watcher else escape_for_qt
        if (entries, escape) != self._shown_menu:
            self._shown_menu = entries, escape
            update_menu(self.menu, entries, self._choose, escape)

    def _choose(self, choice: MenuChoice) -> None:
        self.chosen.emit(choice)

    def _activate(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in _CLICKS:
            self.activated.emit()


def make_tooltip(overview: Overview) -> str:
    pause = describe_pause(overview) if overview.is_paused and overview.state is not TrayState.PAUSED else ""
    lines = (f"Dayhand: {describe_state(overview)}", pause, describe_next_run(overview))
    return "\n".join(line for line in lines if line)
