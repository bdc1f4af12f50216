"""Runs the cyclic garbage collector in the GUI thread only: widgets must not be destroyed in another thread."""

import gc

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication

_DELAY_MS, _INTERVAL_MS = 1_000, 60_000


class GuiGarbageCollector(QObject):
    """Until `close`, automatic collection is disabled and only this object collects."""

    def __init__(self) -> None:
        super().__init__()
        gc.disable()
        gc.freeze()  # what is loaded so far stays anyway and need not be scanned again
        self._delay_timer = QTimer(self, singleShot=True, interval=_DELAY_MS)
        self._interval_timer = QTimer(self, interval=_INTERVAL_MS, timerType=Qt.TimerType.VeryCoarseTimer)
        for timer in (self._delay_timer, self._interval_timer):
            timer.timeout.connect(self.collect_due)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        self._app = app
        self._app.applicationStateChanged.connect(self._follow_state)
        self._follow_state(self._app.applicationState())

    @Slot()
    def collect_soon(self) -> None:
        """Collect in a moment: something happened that may leave garbage."""
        if not self._delay_timer.isActive():
            self._delay_timer.start()

    @Slot(Qt.ApplicationState)
    def _follow_state(self, state: Qt.ApplicationState) -> None:
        """Collect regularly while the user works with the window; do not wake up otherwise."""
        if state is Qt.ApplicationState.ApplicationActive:
            self._interval_timer.start()
        else:
            self._interval_timer.stop()
            self.collect_soon()

    @Slot()
    def collect_due(self) -> None:
        """Collect the generations above Python's thresholds, the youngest first."""
        for generation, limit in enumerate(gc.get_threshold()):
            if gc.get_count()[generation] <= limit:
                break
            gc.collect(generation)

    def close(self) -> None:
        self._app.applicationStateChanged.disconnect(self._follow_state)
        self._delay_timer.stop()
        self._interval_timer.stop()
        gc.unfreeze()
        gc.enable()
