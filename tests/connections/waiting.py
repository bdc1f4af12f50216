"""Waiting for conditions, and for the threads and sockets that keyring libraries leave behind."""

import gc
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def wait_until(come: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not come():
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)


@contextmanager
def collecting_garbage() -> Iterator[None]:
    """Collect the sockets that libraries leave open after failed calls."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        wait_until(lambda: not any(thread.name == "keyring" for thread in threading.enumerate()))
        gc.collect()
