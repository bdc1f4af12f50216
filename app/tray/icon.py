"""The tray icon: there as soon as a tray is, again when one comes back, and never a reason to end."""

import os
import sys
from collections.abc import Mapping

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon

from app.look.icons import tray_icon
from app.overview import Overview, say_next, say_summary
from app.platform.bus import Bus
from app.platform.services import Service
from app.tray.menu import Choice, Entry, fill, list_entries
from app.words.states import TrayState

_WATCHER = "org.kde.StatusNotifierWatcher"
_SOON, _SOMETIMES = 250, 30_000
_TRIES = 40
"""A panel that comes up has its watcher first and its place for icons a little later."""
_PATIENCE = 8
"""So many tries the bus may take to say whether there is a watcher."""
_DARK_PANELS = ("gnome", "unity", "cinnamon", "pantheon", "budgie")
_OPENING = (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick)


class Tray(QObject):
    """Make it before the bus is opened."""

    activated = Signal()
    """The icon was clicked: show the window."""
    chosen = Signal(object)
    """A Choice of the menu."""
    looked = Signal()
    """Whether there is a tray is known now; if so, the icon is there."""
    came = Signal(object)
    """The QSystemTrayIcon that is there now."""

    def __init__(self, bus: Bus, platform: str = sys.platform) -> None:
        super().__init__()
        self._overview: Overview | None = None
        self._entries: tuple[Entry, ...] = ()
        self._shown: tuple[TrayState, int, bool] | None = None
        self._tries = 0
        self._has_met = False
        """Whether the icon was made when its watcher was there."""
        self.icon: QSystemTrayIcon | None = None
        self.menu = QMenu()
        self.menu.aboutToShow.connect(self._rebuild)
        self._again = QTimer(self)
        self._again.timeout.connect(self._look)
        self._service = Service(bus, _WATCHER) if platform.startswith("linux") else None
        self._is_told = self._service is None
        """Whether the bus said if there is a watcher: an icon made a moment too early would have to be made again."""
        if self._service is not None:
            self._service.appeared.connect(self._begin_anew)
            self._service.missing.connect(self._hear)
            self._service.vanished.connect(self._hear)
        self._rebuild()
        self._try_for_a_while()

    @property
    def is_there(self) -> bool:
        """Whether a person can find the icon now."""
        return self.icon is not None and QSystemTrayIcon.isSystemTrayAvailable()

    def show_overview(self, overview: Overview) -> None:
        self._overview = overview
        self._draw()
        if not self.menu.isVisible():
            self._rebuild()

    def close(self) -> None:
        self._again.stop()
        self._drop()
        self.menu.deleteLater()

    @Slot()
    def _begin_anew(self) -> None:
        """An icon made before its watcher never reaches it, whatever is done with it; others find a new one alone."""
        self._is_told = True
        if not self._has_met:
            self._drop()
        self._try_for_a_while()
        self.looked.emit()

    @Slot()
    def _hear(self) -> None:
        """No watcher; there may still be a tray of the older kind."""
        self._is_told = True
        self._try_for_a_while()
        self.looked.emit()

    def _try_for_a_while(self) -> None:
        self._tries = _TRIES
        self._again.start(_SOON)
        self._look()

    @Slot()
    def _look(self) -> None:
        may_look = self._is_told or self._tries <= _TRIES - _PATIENCE
        if may_look and QSystemTrayIcon.isSystemTrayAvailable():
            self._again.stop()
            if self.icon is None:
                self._make()
            return
        self._tries -= 1
        if self._tries == 0:
            self._again.start(_SOMETIMES)

    def _make(self) -> None:
        icon = QSystemTrayIcon(self)
        icon.setContextMenu(self.menu)
        icon.activated.connect(self._activate)
        self.icon, self._shown = icon, None
        self._has_met = self._service is not None and self._service.is_there
        self._draw()
        icon.show()
        self.came.emit(icon)

    def _drop(self) -> None:
        if self.icon is not None:
            self.icon.hide()
            self.icon.deleteLater()
            self.icon = None

    def _draw(self) -> None:
        if self.icon is None:
            return
        overview = self._overview
        state = TrayState.IDLE if overview is None else overview.state
        count = 0 if overview is None else overview.needing
        dark = has_dark_panel(QApplication.styleHints().colorScheme())
        if self._shown != (state, count, dark):
            self._shown = state, count, dark
            self.icon.setIcon(tray_icon(state, dark_panel=dark, count=count))
        self.icon.setToolTip("Dayhand" if overview is None else write_tooltip(overview))

    @Slot()
    def _rebuild(self) -> None:
        entries = list_entries(self._overview)
        if entries != self._entries:
            self._entries = entries
            fill(self.menu, entries, self._choose)

    def _choose(self, choice: Choice) -> None:
        self.chosen.emit(choice)

    def _activate(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in _OPENING:
            self.activated.emit()


def has_dark_panel(scheme: Qt.ColorScheme, environment: Mapping[str, str] = os.environ) -> bool:
    """Nobody tells the colour of a panel: most follow the desktop, and some are dark whatever it is."""
    desktop = environment.get("XDG_CURRENT_DESKTOP", "").lower()
    return scheme is Qt.ColorScheme.Dark or any(name in desktop for name in _DARK_PANELS)


def write_tooltip(overview: Overview) -> str:
    return "\n".join(line for line in (f"Dayhand: {say_summary(overview)}", say_next(overview)) if line)
