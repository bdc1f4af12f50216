"""Exclusive locks on open files, released by the operating system when the holding process dies."""

import time

from scheduler.file_system import try_lock

__all__ = ["try_lock", "wait_for_lock"]

_PAUSE_S = 0.02


def wait_for_lock(descriptor: int, timeout_s: float) -> bool:
    """Lock the file once its holder releases it; False if that takes longer than the timeout."""
    deadline = time.monotonic() + timeout_s
    while not try_lock(descriptor):
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE_S)
    return True
