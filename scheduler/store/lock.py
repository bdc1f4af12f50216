"""One engine per data folder or file: a lock that the operating system releases when its holder dies."""

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


class FileInUseError(StoreError):
    def __init__(self, path: Path) -> None:
        super().__init__(
            UserText(
                "{path} is in use by another scheduler, here or in another process. Close it, or use another file.",
                path=path,
            )
        )


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Lock the folder; FolderInUseError if another process holds the lock."""
    with converted_errors(folder / _FILE):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _hold(folder / _FILE, FolderInUseError(folder)):
        yield


@contextmanager
def hold_file(path: Path) -> Iterator[None]:
    """Lock a store file outside a data folder; FileInUseError if another process, or this one, holds the lock."""
    with _hold(path.with_name(f"{path.name}-lock"), FileInUseError(path)):
        yield


@contextmanager
def _hold(path: Path, in_use: StoreError) -> Iterator[None]:
    with converted_errors(path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not try_lock(descriptor):
            raise in_use
        yield
    finally:
        os.close(descriptor)
