"""Collects cyclic garbage in the GUI thread only: a widget in a cycle must not be taken apart in another thread."""

import gc

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication

_SOON, _NOW_AND_THEN = 1_000, 60_000


class Garbage(QObject):
    """From its making to `close` nothing is collected but here."""

    def __init__(self) -> None:
        super().__init__()
        gc.disable()
        gc.freeze()  # what was loaded up to here stays anyway, and need not be looked through again
        self._soon = QTimer(self, singleShot=True, interval=_SOON)
        self._often = QTimer(self, interval=_NOW_AND_THEN, timerType=Qt.TimerType.VeryCoarseTimer)
        for timer in (self._soon, self._often):
            timer.timeout.connect(self.look)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        self._app = app
        self._app.applicationStateChanged.connect(self._follow)
        self._follow(self._app.applicationState())

    @Slot()
    def stir(self) -> None:
        """Something happened, so there may be garbage in a moment."""
        if not self._soon.isActive():
            self._soon.start()

    @Slot(Qt.ApplicationState)
    def _follow(self, state: Qt.ApplicationState) -> None:
        """Who works with the window leaves garbage without any news; while nobody does, nobody is woken."""
        if state is Qt.ApplicationState.ApplicationActive:
            self._often.start()
        else:
            self._often.stop()
            self.stir()

    @Slot()
    def look(self) -> None:
        """Collect what has grown past Python's own limits, the youngest first."""
        for generation, limit in enumerate(gc.get_threshold()):
            if gc.get_count()[generation] <= limit:
                break
            gc.collect(generation)

    def close(self) -> None:
        self._app.applicationStateChanged.disconnect(self._follow)
        self._soon.stop()
        self._often.stop()
        gc.unfreeze()
        gc.enable()
