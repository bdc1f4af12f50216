"""Counts transactions, in the store and in a file beside it, so that changes that were lost are noticed.

If the write-ahead log is deleted or cut while no app runs, or an older copy takes the store's place, SQLite opens what
is left without an error, and what ran since would run again. Then the file's number is higher than the store's.
"""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from scheduler.boot import boot_id
from scheduler.store import key_values

SUFFIX = "-sequence"
_KEY = "transactions"
_WIDTH = 20
"""Every number has as many digits, so that one write replaces them."""


class CommitSequence:
    """The caller holds the write lock, and no other process writes to the store."""

    def __init__(self, store: Path) -> None:
        self._path = store.with_name(store.name + SUFFIX)
        self._file: int | None = None
        self._boot = boot_id() or "unknown"
        self._last: int | None = None
        self._last_durable = 0

    def advance(self, transaction: sqlite3.Connection) -> None:
        """Right before the commit."""
        if self._last is None:
            self._last = self._last_durable = read(transaction)
        self._last += 1
        write(transaction, self._last)

    def record(self, *, durable: bool) -> None:
        """Right after the commit. Without the file, lost changes are not noticed, but nothing else fails."""
        if self._last is None:
            return
        if durable:
            self._last_durable = self._last
        line = f"{self._last:0{_WIDTH}} {self._last_durable:0{_WIDTH}} {self._boot}\n"
        with suppress(OSError):
            if self._file is None:
                self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, line.encode())

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def read(connection: sqlite3.Connection) -> int:
    """The number of transactions of this store; 0 if none was counted yet."""
    with suppress(ValueError):
        return int(key_values.read(connection, _KEY) or 0)
    return 0


def write(transaction: sqlite3.Connection, number: int) -> None:
    key_values.write(transaction, _KEY, str(number))


def read_expected(store: Path) -> int:
    """The number that the store must have; 0 if unknown. A power cut may take transactions that were not durable."""
    try:
        last, last_durable, boot = store.with_name(store.name + SUFFIX).read_text(encoding="ascii").split()
        return int(last if boot == boot_id() else last_durable)
    except (OSError, ValueError):
        return 0
