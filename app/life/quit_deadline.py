"""Quitting ends, whatever hangs: the store is whole at every moment, and the next start goes on from what it says."""

import faulthandler
import logging
import os
import sys
import threading

log = logging.getLogger(__name__)

SECONDS = 9.0
"""From the wish to quit to the end of the process."""
_FAILED = 1


class QuitDeadline:
    """Begins once, with the first wish to quit; `met` must follow when everything was taken down in time."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._met = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """From any thread."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._wait, name="quit deadline", daemon=True)
                self._thread.start()

    def met(self) -> None:
        self._met.set()

    def _wait(self) -> None:
        if self._met.wait(self._seconds):
            return
        log.error("Quitting took longer than %g seconds, so Dayhand ends now; the next start goes on", self._seconds)
        if sys.stderr is not None:
            faulthandler.dump_traceback(all_threads=True)  # where it hangs, for whoever reports it
        for handler in logging.getLogger().handlers:
            handler.flush()
        os._exit(_FAILED)
