"""One engine per data folder: a lock that the operating system lets go of when its holder dies."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scheduler.store.connection import explained
from scheduler.store.errors import StoreError

_FILE = "dayhand.lock"


class FolderInUseError(StoreError):
    def __init__(self, folder: Path) -> None:
        super().__init__(f"Dayhand is already running with the data in {folder}. Use that one, or quit it first.")


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Keep everybody else from writing to the folder; FolderInUseError if somebody already does."""
    path = folder / _FILE
    with explained(path):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _try_to_lock(descriptor):
            raise FolderInUseError(folder)
        yield
    finally:
        os.close(descriptor)


if sys.platform == "win32":  # pragma: no cover  not run here
    import msvcrt

    def _try_to_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_to_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
