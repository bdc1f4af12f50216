"""Waiting for what comes soon, and for the threads and sockets that keyring libraries leave behind."""

import gc
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def wait_until(come: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 60
    while not come():
        assert time.monotonic() < give_up
        threading.Event().wait(0.01)


@contextmanager
def gathering() -> Iterator[None]:
    """Libraries below leave the socket of a failed call to be collected: here and now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        wait_until(lambda: not any(thread.name == "keyring" for thread in threading.enumerate()))
        gc.collect()
