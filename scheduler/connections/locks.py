"""One at a time, among all threads and processes that use the same file; the system lets go when a holder dies."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scheduler.connections.connector import ToolFailedError
from scheduler.file_lock import try_to_lock
from scheduler.rules.failures import FailureClass

_PAUSE = 0.02


@contextmanager
def locked(lock: Path, seconds: float, what: str) -> Iterator[None]:
    """Hold the lock file; waits for others no longer than that, then says that they use `what`."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        _take(descriptor, seconds, what)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, seconds: float, what: str) -> None:
    give_up = time.monotonic() + seconds
    while True:
        if try_to_lock(descriptor):
            return
        if time.monotonic() > give_up:
            raise ToolFailedError.because(
                FailureClass.TRANSIENT, f"Something else is using {what}, so nothing was done."
            )
        time.sleep(_PAUSE)
