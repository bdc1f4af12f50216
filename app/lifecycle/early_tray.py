"""Creates the application and shows its tray icon before anything else is loaded."""

import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QTimer, Signal
from PySide6.QtGui import QPixmapCache
from PySide6.QtWidgets import QApplication, QMessageBox

from app.i18n.languages import install_language, load_language
from app.platform.detect import session_bus
from app.theme.icons import load_app_icon
from app.tray.icon import TrayIcon
from scheduler.engine.errors import RefusedError

_TRAY_TIMEOUT_MS = 300
"""How long to wait for a tray before the rest is loaded; later ones are found, too."""
_SWITCH_INTERVAL_S = 0.0005
"""How long a thread may hold the GIL while the GUI thread waits: a tenth of the default."""


class DesktopApplication(QApplication):
    """Turns the system's request to quit, as from the macOS menu, into the usual one."""

    quit_requested = Signal()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Quit:
            self.quit_requested.emit()
            return True
        return super().event(event)


def show_start_error(folder: Path, refusal: RefusedError) -> None:
    """Show why Dayhand does not start, in a dialog: there may be no terminal."""
    from app.data.preferences import read_preferences  # noqa: PLC0415  rarely needed
    from app.i18n.translate import translate_text  # noqa: PLC0415
    from app.theme.stylesheet import Theme  # noqa: PLC0415
    from app.widgets.confirm_dialog import make_message_box  # noqa: PLC0415

    app = QApplication.instance()
    app = app if isinstance(app, QApplication) else _make_app(folder)
    Theme(app, read_preferences(folder).appearance)
    no_response = QCoreApplication.translate(
        "start",
        "Dayhand is running but does not respond. Wait a moment; if that does not help, quit it and start it again.",
    )
    cannot_start = QCoreApplication.translate("start", "Dayhand cannot start")
    box = make_message_box(
        "Dayhand", cannot_start, no_response if refusal.code == "silent" else translate_text(refusal.sentence)
    )
    box.addButton(QMessageBox.StandardButton.Ok)
    box.exec()


def show_tray(folder: Path) -> tuple[DesktopApplication, TrayIcon]:
    """Show the tray icon, if there is a tray, in the language set in this data folder.

    Clicks on it are handled once its signals are connected.
    """
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    app = _make_app(folder)
    QPixmapCache.setCacheLimit(0)  # until the window, which has the reason, sets another
    bus = session_bus()
    tray = TrayIcon(bus)
    app.aboutToQuit.connect(bus.close)
    bus.open()
    if tray.icon is None:
        answer = QEventLoop()
        tray.availability_known.connect(answer.quit)
        QTimer.singleShot(_TRAY_TIMEOUT_MS, answer.quit)
        answer.exec()
    return app, tray


def _make_app(folder: Path) -> DesktopApplication:
    app = DesktopApplication([sys.argv[0]])
    app.setApplicationName("dayhand")
    app.setApplicationDisplayName("Dayhand")
    app.setDesktopFileName("dayhand")
    app.setQuitOnLastWindowClosed(False)
    app.setWindowIcon(load_app_icon())
    install_language(load_language(folder))
    return app
