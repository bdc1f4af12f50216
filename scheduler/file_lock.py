"""A lock on an open file, for this process alone; the operating system lets go of it when its holder dies."""

import sys

if sys.platform == "win32":  # pragma: no cover  not run here
    import msvcrt

    def try_to_lock(descriptor: int) -> bool:
        """Says whether nobody else has it."""
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def try_to_lock(descriptor: int) -> bool:
        """Says whether nobody else has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
