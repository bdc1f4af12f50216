"""Ending the process: SIGTERM and SIGINT under Qt, and a deadline for quitting whatever hangs.

Cutting off is safe: the store is consistent at every moment, and the next start resumes from it.
"""

import faulthandler
import logging
import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal

log = logging.getLogger(__name__)

_DEADLINE_S = 9.0
"""From the request to quit to the end of the process."""
_LOG_TIMEOUT_S = 2
"""For the last log line: writing to the log or the terminal may hang, too."""
_EXIT_CODE = 1


class QuitDeadline:
    """Starts once, with the first request to quit; call `cancel` when everything was closed in time."""

    def __init__(self, seconds: float = _DEADLINE_S) -> None:
        self._seconds = seconds
        self._met = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """From any thread."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._wait, name="quit deadline", daemon=True)
                self._thread.start()

    def cancel(self) -> None:
        self._met.set()

    def _wait(self) -> None:
        if self._met.wait(self._seconds):
            return
        try:
            devnull = os.open(os.devnull, os.O_WRONLY)  # not stderr: a full pipe would block
            faulthandler.dump_traceback_later(_LOG_TIMEOUT_S, exit=True, file=devnull)
            message = "Quitting took longer than %g seconds, so Dayhand exits now; the next start resumes\n%s"
            log.error(message, self._seconds, _format_stacks())
            for handler in logging.getLogger().handlers:
                handler.flush()
        finally:
            os._exit(_EXIT_CODE)


def _format_stacks() -> str:
    """The stack of each thread, for bug reports."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    stacks = sys._current_frames().items()  # noqa: SLF001  documented, and there is no other way
    return "\n".join(f"{names.get(ident, ident)}:\n{''.join(traceback.format_stack(frame))}" for ident, frame in stacks)


class TerminationSignals(QObject):
    """Calls back in the event loop on SIGTERM or SIGINT. Keep a reference for as long as that matters.

    Python's own handlers never run while Qt's event loop sleeps. A thread listens, so that the deadline starts even
    if the event loop is busy.
    """

    _received = Signal()

    def __init__(self, on_signal: Callable[[], None], deadline: QuitDeadline | None = None) -> None:
        super().__init__()
        self._asked_to_end = on_signal
        self._deadline = deadline
        self._received.connect(self._end, Qt.ConnectionType.QueuedConnection)
        self._reader, self._writer = socket.socketpair()  # Windows takes nothing else
        self._writer.setblocking(False)  # noqa: FBT003  the standard library's own call
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        self._thread = threading.Thread(target=self._listen, name="signals", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        signal.set_wakeup_fd(-1)
        self._writer.close()
        self._thread.join()
        self.deleteLater()

    def _listen(self) -> None:
        """The thread's target."""
        with self._reader as reader:
            while numbers := reader.recv(64):
                if {signal.SIGTERM, signal.SIGINT}.intersection(numbers):
                    if self._deadline is not None:
                        self._deadline.start()
                    self._received.emit()

    def _end(self) -> None:
        self._asked_to_end()
