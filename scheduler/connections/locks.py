"""One at a time, among all threads and processes that use the same file; the system lets go when a holder dies."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scheduler.connections.connector import ToolFailedError
from scheduler.rules.failures import FailureClass

_PAUSE = 0.02


@contextmanager
def locked(lock: Path, seconds: float, what: str) -> Iterator[None]:
    """Hold the lock file; waits for others no longer than that, then says that they use `what`."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        _take(descriptor, seconds, what)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, seconds: float, what: str) -> None:
    give_up = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > give_up:
                raise ToolFailedError.because(
                    FailureClass.TRANSIENT, f"Something else is using {what}, so nothing was done."
                ) from error
            time.sleep(_PAUSE)
        else:
            return
