"""SIGTERM and SIGINT under Qt: Python's own handlers never run while the event loop sleeps."""

import os
import signal
import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal

from app.life.quit_deadline import QuitDeadline


class EndSignals(QObject):
    """Calls back in the event loop when this process is asked to end. Keep it alive as long as that matters.

    A thread of its own listens, so that the deadline begins although the event loop may be busy.
    """

    _heard = Signal()

    def __init__(self, asked_to_end: Callable[[], None], deadline: QuitDeadline | None = None) -> None:
        super().__init__()
        self._asked_to_end = asked_to_end
        self._deadline = deadline
        self._heard.connect(self._end, Qt.ConnectionType.QueuedConnection)
        self._reader, self._writer = os.pipe()  # macOS has no pipe2
        os.set_blocking(self._writer, False)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        self._thread = threading.Thread(target=self._listen, name="signals", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Nobody waits for them any more."""
        signal.set_wakeup_fd(-1)
        os.close(self._writer)
        self._thread.join()
        self.deleteLater()

    def _listen(self) -> None:
        """The thread."""
        with os.fdopen(self._reader, "rb", buffering=0) as reader:
            while numbers := reader.read(64):
                if {signal.SIGTERM, signal.SIGINT}.intersection(numbers):
                    if self._deadline is not None:
                        self._deadline.begin()
                    self._heard.emit()

    def _end(self) -> None:
        self._asked_to_end()
