"""SIGTERM and SIGINT under Qt: Python's own handlers never run while the event loop sleeps."""

import contextlib
import os
import signal
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier


class EndSignals(QObject):
    """Calls back in the event loop when this process is asked to end. Keep it alive as long as that matters."""

    def __init__(self, asked_to_end: Callable[[], None]) -> None:
        super().__init__()
        self._asked_to_end = asked_to_end
        self._reader, writer = os.pipe()  # macOS has no pipe2
        for end in (self._reader, writer):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        self._notifier = QSocketNotifier(self._reader, QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._hear)

    def _hear(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._reader, 4096)
        self._asked_to_end()
