"""One engine per data folder: a file lock that the operating system releases when its holder dies."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scheduler.file_lock import try_lock
from scheduler.store.errors import StoreError
from scheduler.store.sqlite import converted_errors
from scheduler.user_text import UserText

_FILE = "dayhand.lock"


class FolderInUseError(StoreError):
    def __init__(self, folder: Path) -> None:
        super().__init__(
            UserText(
                "Dayhand is already running with the data in {folder}. Use that one, or quit it first.", folder=folder
            )
        )


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Lock the folder; FolderInUseError if another process holds the lock."""
    path = folder / _FILE
    with converted_errors(path):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not try_lock(descriptor):
            raise FolderInUseError(folder)
        yield
    finally:
        os.close(descriptor)
