"""The SQLite file: one connection per thread, one writer at a time, transactions said out loud."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scheduler.store.connection import connect
from scheduler.store.errors import StoreClosedError
from scheduler.store.file_identity import FileIdentity
from scheduler.store.writing import Transaction, Writer

_WRITER = 0
"""Owner of the one connection that writes: its pages stay in memory whoever writes next."""
_WORTH_MOVING = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LONG_AGO, FAR_AHEAD = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


class Database:
    """Connections to one file. Writers of this process queue on a lock, so none sleeps in SQLite."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self.is_read_only = read_only
        self._writer = Writer(lambda: self._connections.get(_WRITER) or self._connect(_WRITER), FileIdentity(path))
        self._usual, self._durable = (Transaction(self._writer, durable=durable) for durable in (False, True))
        self._door = threading.Lock()
        self._is_closed = False
        # By thread id: a threading.local forgets between two slots of a QThread. A thread that
        # gets the id of one that ended goes on with its connection, so they stay few.
        self._connections: dict[int, sqlite3.Connection] = {}

    def read(self) -> sqlite3.Connection:
        """This thread's connection; inside `write`, the one of the transaction."""
        thread = threading.get_ident()
        owner = _WRITER if self._writer.thread == thread else thread
        return self._connections.get(owner) or self._connect(owner)

    @contextmanager
    def at_hand(self) -> Iterator[sqlite3.Connection]:
        """To read a little, quickly: with the pages that the writer has in memory, unless somebody writes just now."""
        if not self._writer.lock.acquire(blocking=False):
            yield self.read()
            return
        try:
            yield self._writer.connect()
        finally:
            self._writer.lock.release()

    def write(self, *, durable: bool = False) -> Transaction:
        """One transaction: all of it is stored, or nothing. A durable one survives a power cut from its end on."""
        return self._durable if durable else self._usual

    def move_log(self) -> None:
        """In a quiet moment, move what was written into the file proper, if it is worth it: later commits are quick."""
        if self._writer.unmoved < _WORTH_MOVING:
            return
        self.read().execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        with self.write() as db:  # the first one to write to the log again waits for the disk
            version = db.execute("PRAGMA user_version").fetchone()[0]
            db.execute(f"PRAGMA user_version = {version}")
        self._writer.unmoved = 0

    def close(self) -> None:
        """Wait for the transaction under way, then let go of the file, whoever still reads."""
        with self._writer.lock, self._door:
            self._is_closed = True
            while self._connections:
                self._connections.popitem()[1].close()

    def _connect(self, owner: int) -> sqlite3.Connection:
        with self._door:
            if self._is_closed:
                raise StoreClosedError
            connection = self._connections[owner] = connect(self.path, read_only=self.is_read_only)
            return connection


def to_ms(instant: datetime | None) -> int | None:
    return None if instant is None else (instant - _EPOCH) // _MILLISECOND


def from_ms(milliseconds: int | None) -> datetime | None:
    """That instant; for one that Python cannot name, edited in by hand, one that nobody will meet."""
    if milliseconds is None:
        return None
    try:
        return _EPOCH + milliseconds * _MILLISECOND
    except OverflowError:
        return _LONG_AGO if milliseconds < 0 else FAR_AHEAD
