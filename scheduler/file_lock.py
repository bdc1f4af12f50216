"""Exclusive locks on open files, released by the operating system when the holding process dies."""

import sys
import time

_PAUSE_S = 0.02

if sys.platform == "win32":  # pragma: no cover  not run here
    import msvcrt

    def try_lock(descriptor: int) -> bool:
        """Return whether the lock was acquired."""
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Return whether the lock was acquired."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def wait_for_lock(descriptor: int, timeout_s: float) -> bool:
    """Lock the file once its holder releases it; False if that takes longer than the timeout."""
    deadline = time.monotonic() + timeout_s
    while not try_lock(descriptor):
        if time.monotonic() > deadline:
            return False
        time.sleep(_PAUSE_S)
    return True
