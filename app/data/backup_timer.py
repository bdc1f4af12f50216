"""Backups by themselves: looks now and then whether one is due, and makes it on a thread of its own."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QTimer

from scheduler.engine.clock import Clock
from scheduler.store.backups import back_up_if_due
from scheduler.store.errors import StoreError
from scheduler.store.free_pages import give_back

_LOOK = 3_600_000
"""Milliseconds between two looks whether a backup is due."""
_APART_S = 20 * 3600.0
"""Seconds between two backups of one process, whatever the wall clock says: each takes the place of an old one."""
_BREATH_S = 0.05


def uptime() -> float:
    """Seconds that only ever pass, with those that the machine slept where the system counts them."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class BackupTimer(QTimer):
    """Once a day, on a thread of its own since every page is read; one that fails is said once and tried again.

    Afterwards it gives back the room of what was deleted. The first look comes after so many milliseconds.
    """

    def __init__(
        self,
        folder: Path,
        clock: Clock,
        say: Callable[[str], None],
        *,
        first: int = 0,
        uptime: Callable[[], float] = uptime,
    ) -> None:
        super().__init__()
        self._folder = folder
        self._clock = clock
        self._say = say
        self._uptime = uptime
        self._made: float | None = None
        self._trouble = ""
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self.timeout.connect(self._look)
        self.start(first)

    def stop(self) -> None:
        self._ended.set()
        super().stop()

    def _look(self) -> None:
        self.start(_LOOK)
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._work, name="backup", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        try:
            if self._made is None or self._uptime() - self._made >= _APART_S:
                if back_up_if_due(self._folder, self._clock.now()) is not None:
                    self._made = self._uptime()
                self._trouble = ""
            give_back(self._folder, lambda: self._ended.wait(_BREATH_S))
        except StoreError as error:
            sentence = QCoreApplication.translate("backing up", "No backup could be made: {why}").format(why=error)
            if sentence != self._trouble:
                self._trouble = sentence
                self._say(sentence)
