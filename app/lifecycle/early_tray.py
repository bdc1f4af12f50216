"""The icon comes first: an application and its place in the tray, while everything else is still to be loaded."""

import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QTimer, Signal
from PySide6.QtGui import QPixmapCache
from PySide6.QtWidgets import QApplication, QMessageBox

from app.look.icons import app_icon
from app.platform.machine import session_bus
from app.tray.icon import Tray
from app.words.languages import read_language, speak
from scheduler.engine.refusal import RefusedError

_PATIENCE = 300
"""Milliseconds that a tray has to answer before the rest is loaded; later ones are met as well."""
_TURN = 0.0005
"""Seconds that a thread may keep Python to itself while the window waits for its turn: a tenth of what is usual."""


class App(QApplication):
    """Asked by the system to quit, as macOS does from its own menu, it asks the same as everywhere."""

    quit_asked = Signal()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Quit:
            self.quit_asked.emit()
            return True
        return super().event(event)


def tell(folder: Path, refusal: RefusedError) -> None:
    """Why it does not start, for somebody who sees no terminal: a dialog until it has been read."""
    from app.words.interpreting import interpret  # noqa: PLC0415  few starts need it

    _app = QApplication.instance() or _make_app(folder)  # it lives as long as it has a name
    silent = QCoreApplication.translate(
        "start",
        "Dayhand is running but does not answer. Wait a moment; if that does not help, end it and start it again.",
    )
    QMessageBox.critical(None, "Dayhand", silent if refusal.code == "silent" else interpret(refusal.sentence))


def appear(folder: Path) -> tuple[App, Tray]:
    """In the tray, if there is one, and in the language that was chosen in this folder.

    What is clicked there is heard as soon as somebody listens.
    """
    sys.setswitchinterval(_TURN)
    app = _make_app(folder)
    QPixmapCache.setCacheLimit(0)  # until there is a window, which says why
    bus = session_bus()
    tray = Tray(bus)
    app.aboutToQuit.connect(bus.close)
    bus.open()
    if tray.icon is None:
        answer = QEventLoop()
        tray.looked.connect(answer.quit)
        QTimer.singleShot(_PATIENCE, answer.quit)
        answer.exec()
    return app, tray


def _make_app(folder: Path) -> App:
    app = App([sys.argv[0]])
    app.setApplicationName("dayhand")
    app.setApplicationDisplayName("Dayhand")
    app.setDesktopFileName("dayhand")
    app.setQuitOnLastWindowClosed(False)
    app.setWindowIcon(app_icon())
    speak(read_language(folder))
    return app
