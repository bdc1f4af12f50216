"""Collects cyclic garbage in the GUI thread only: a widget in a cycle must not be taken apart in another thread."""

import gc

from PySide6.QtCore import QObject, Qt, QTimer, Slot

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
        self._often.start()

    @Slot()
    def stir(self) -> None:
        """Something happened, so there may be garbage in a moment."""
        if not self._soon.isActive():
            self._soon.start()

    @Slot()
    def look(self) -> None:
        """Collect what has grown past Python's own limits, the youngest first."""
        for generation, limit in enumerate(gc.get_threshold()):
            if gc.get_count()[generation] <= limit:
                break
            gc.collect(generation)

    def close(self) -> None:
        self._soon.stop()
        self._often.stop()
        gc.unfreeze()
        gc.enable()
