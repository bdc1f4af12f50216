"""Whether the files of a store are still the ones that were opened: a deleted file takes writes that nobody finds."""

import os
from contextlib import suppress
from pathlib import Path

from scheduler.store import marker
from scheduler.store.errors import StoreGoneError

_SUFFIXES = ("", "-wal", "-shm")


class FileIdentity:
    """Remembers the files of one store when it is first written to. The caller holds the write lock."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._names = [f"{path}{suffix}" for suffix in _SUFFIXES]
        self._known: list[tuple[int, int]] | None = None

    def check(self) -> None:
        """Before a transaction: StoreGoneError if one of them was deleted, moved or replaced."""
        if self._known is None:
            return
        with suppress(OSError):
            if [_identify(name) for name in self._names] == self._known:
                return
        marker.suspect(self._path)
        raise StoreGoneError(self._path)

    def remember(self) -> None:
        """In a transaction, when all of them are open."""
        if self._known is None and os.name == "posix":  # elsewhere an open file cannot be deleted
            try:
                self._known = [_identify(name) for name in self._names]
            except OSError:
                self._known = None  # not in WAL mode, or gone between two looks: the next transaction looks again


def _identify(name: str) -> tuple[int, int]:
    found = os.stat(name)  # noqa: PTH116  before every transaction, so without the comfort of a Path
    return found.st_dev, found.st_ino
