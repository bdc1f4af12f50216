"""Makes the daily backup on its own thread."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QTimer

from scheduler.engine.clock import Clock
from scheduler.engine.data_folder import StoreError, back_up_if_due, shrink

_CHECK_INTERVAL_MS = 3_600_000
_MIN_INTERVAL_S = 20 * 3600.0
"""Between two backups of one process, whatever the wall clock says: each replaces an old one."""
_STEP_PAUSE_S = 0.05


def uptime() -> float:
    """A monotonic clock that includes the time asleep, if the system counts it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class BackupTimer(QTimer):
    """Backs up once a day, then releases free pages of the store. A failure is reported once and retried.

    `first_delay_ms` is the delay before the first check.
    """

    def __init__(
        self,
        folder: Path,
        clock: Clock,
        report: Callable[[str], None],
        *,
        first_delay_ms: int = 0,
        uptime: Callable[[], float] = uptime,
    ) -> None:
        super().__init__()
        self._folder = folder
        self._clock = clock
        self._report = report
        self._uptime = uptime
        self._last_backup: float | None = None
        self._reported = ""
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self.timeout.connect(self._check)
        self.start(first_delay_ms)

    def stop(self) -> None:
        self._ended.set()
        super().stop()

    def _check(self) -> None:
        self.start(_CHECK_INTERVAL_MS)
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._back_up, name="backup", daemon=True)
            self._thread.start()

    def _back_up(self) -> None:
        try:
            if self._last_backup is None or self._uptime() - self._last_backup >= _MIN_INTERVAL_S:
                if back_up_if_due(self._folder, self._clock.now()) is not None:
                    self._last_backup = self._uptime()
                self._reported = ""
            shrink(self._folder, lambda: self._ended.wait(_STEP_PAUSE_S))
        except StoreError as error:
            sentence = QCoreApplication.translate("backing up", "The backup failed: {why}").format(why=error)
            if sentence != self._reported:
                self._reported = sentence
                self._report(sentence)
