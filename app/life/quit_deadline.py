"""Quitting ends, whatever hangs: the store is whole at every moment, and the next start goes on from what it says."""

import faulthandler
import logging
import os
import sys
import threading
import traceback

log = logging.getLogger(__name__)

SECONDS = 9.0
"""From the wish to quit to the end of the process."""
_SECONDS_TO_SAY = 2
"""For the last words: whoever reads the log or the terminal may hang, too."""
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
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)  # not stderr: nobody may be reading it
            faulthandler.dump_traceback_later(_SECONDS_TO_SAY, exit=True, file=nowhere)
            sentence = "Quitting took longer than %g seconds, so Dayhand ends now; the next start goes on\n%s"
            log.error(sentence, self._seconds, _say_where())
            for handler in logging.getLogger().handlers:
                handler.flush()
        finally:
            os._exit(_FAILED)


def _say_where() -> str:
    """What each thread is doing, for whoever reports it."""
    names = {one.ident: one.name for one in threading.enumerate()}
    stacks = sys._current_frames().items()  # noqa: SLF001  documented, and there is no other way
    return "\n".join(f"{names.get(ident, ident)}:\n{''.join(traceback.format_stack(frame))}" for ident, frame in stacks)
