"""The SQLite file: one connection per thread, one writer at a time, explicit transactions, column conversions."""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from scheduler.store import dirty_flag
from scheduler.store.commit_sequence import CommitSequence
from scheduler.store.errors import StoreClosedError, StoreGoneError
from scheduler.store.sqlite import connect

_WRITER = 0
"""Owner of the one writing connection, so that its page cache is shared by all writing threads."""
_MIN_COMMITS_TO_CHECKPOINT = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_LONG_AGO, FAR_AHEAD = datetime(1900, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


_SUFFIXES = ("", "-wal", "-shm")

EnumT = TypeVar("EnumT", bound=StrEnum)
InstallCollector: TypeAlias = Callable[[sqlite3.Connection, Callable[[Any], None]], None]
"""Makes a connection call the function with each change it makes."""


class FileIdentity:
    """Detects that the store's files were deleted or replaced: writes to a deleted file would be lost.

    The caller holds the write lock.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._names = [f"{path}{suffix}" for suffix in _SUFFIXES]
        self._known: list[tuple[int, int]] | None = None

    def check(self) -> None:
        """Before a transaction: StoreGoneError if a file was deleted, moved or replaced."""
        if self._known is None:
            return
        with suppress(OSError):
            if [_identify(name) for name in self._names] == self._known:
                return
        dirty_flag.mark_suspect(self._path)
        raise StoreGoneError(self._path)

    def remember(self) -> None:
        """Inside a transaction, when all files are open."""
        if self._known is None and os.name == "posix":  # elsewhere an open file cannot be deleted
            try:
                self._known = [_identify(name) for name in self._names]
            except OSError:
                self._known = None  # not in WAL mode, or just deleted: the next transaction tries again


class WriterState:
    """The shared state of all transactions."""

    def __init__(
        self, connect: Callable[[], sqlite3.Connection], identity: FileIdentity, sequence: CommitSequence | None
    ) -> None:
        self.connect = connect
        self.identity = identity
        self.sequence = sequence
        self.lock = threading.RLock()
        self.thread: int | None = None
        """The thread in a transaction."""
        self.is_durable = False
        self.changes_before = 0
        """The number of changes of the connection when the running transaction began."""
        self.commits_since_checkpoint = 0
        """Commits since the last checkpoint of the write-ahead log."""
        self.changes: list[Any] = []
        """What the running transaction changed, if somebody listens."""
        self.listener: Callable[[list[Any]], None] = lambda _: None


class Transaction:
    """Commits everything or nothing. Stateless, so one object serves every `with`."""

    def __init__(self, writer: WriterState, *, durable: bool) -> None:
        self._writer = writer
        self._durable = durable

    def __enter__(self) -> sqlite3.Connection:
        writer = self._writer
        writer.lock.acquire()
        try:
            connection = writer.connect()
            writer.identity.check()
            if self._durable != writer.is_durable:
                connection.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
                writer.is_durable = self._durable
            connection.execute("BEGIN IMMEDIATE")
            writer.identity.remember()
            writer.changes_before = connection.total_changes
        except BaseException:
            writer.lock.release()
            raise
        writer.thread = threading.get_ident()
        return connection

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        writer = self._writer
        committed: list[Any] = []
        try:
            connection = writer.connect()
            try:
                if kind is None:
                    self._commit(connection)
                    writer.commits_since_checkpoint += 1
                    committed = writer.changes.copy()
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        finally:
            writer.changes.clear()
            writer.thread = None
            writer.lock.release()
        if committed:
            writer.listener(committed)

    def _commit(self, connection: sqlite3.Connection) -> None:
        writer = self._writer
        if writer.sequence is None or connection.total_changes == writer.changes_before:
            connection.execute("COMMIT")
            return
        writer.sequence.advance(connection)
        connection.execute("COMMIT")
        writer.sequence.record(durable=self._durable)


class Database:
    """Connections to one file. Writers of this process queue on a lock instead of polling in SQLite."""

    def __init__(self, path: Path, *, read_only: bool = False, sequence: CommitSequence | None = None) -> None:
        self.path = path
        self.is_read_only = read_only
        self._sequence = sequence
        self._writer = WriterState(
            lambda: self._connections.get(_WRITER) or self._connect(_WRITER), FileIdentity(path), sequence
        )
        self._usual, self._durable = (Transaction(self._writer, durable=durable) for durable in (False, True))
        self._install_collector: InstallCollector = lambda *_: None
        self._connect_lock = threading.Lock()
        self._is_closed = False
        # By thread id: a threading.local loses its values between two slots of a QThread. A thread
        # that reuses the id of an ended one reuses its connection, so they stay few.
        self._connections: dict[int, sqlite3.Connection] = {}

    def read(self) -> sqlite3.Connection:
        """This thread's connection; inside `write`, that of the transaction."""
        thread = threading.get_ident()
        owner = _WRITER if self._writer.thread == thread else thread
        return self._connections.get(owner) or self._connect(owner)

    @contextmanager
    def quick_read(self) -> Iterator[sqlite3.Connection]:
        """For short reads: uses the writer's page cache unless a transaction is running."""
        if not self._writer.lock.acquire(blocking=False):
            yield self.read()
            return
        try:
            yield self._writer.connect()
        finally:
            self._writer.lock.release()

    def write(self, *, durable: bool = False) -> Transaction:
        """One transaction. A durable one survives a power cut once it has ended."""
        return self._durable if durable else self._usual

    def collect_changes(self, install: InstallCollector, listener: Callable[[list[Any]], None]) -> None:
        """Call `listener` after every commit with what `install` collected in it; a rollback discards that."""
        with self._writer.lock:
            self._install_collector, self._writer.listener = install, listener
            if (connection := self._connections.get(_WRITER)) is not None:
                install(connection, self._writer.changes.append)

    def checkpoint(self) -> None:
        """Checkpoint the write-ahead log while idle, if there is enough in it, so that later commits are fast."""
        if self._writer.commits_since_checkpoint < _MIN_COMMITS_TO_CHECKPOINT:
            return
        self.read().execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        with self.write() as db:  # the first write after a checkpoint waits for the disk
            version = db.execute("PRAGMA user_version").fetchone()[0]
            db.execute(f"PRAGMA user_version = {version}")
        self._writer.commits_since_checkpoint = 0

    def close(self) -> None:
        """Wait for the running transaction, then close all connections, even those still reading."""
        with self._writer.lock, self._connect_lock:
            self._is_closed = True
            while self._connections:
                self._connections.popitem()[1].close()
            if self._sequence is not None:
                self._sequence.close()

    def _connect(self, owner: int) -> sqlite3.Connection:
        with self._connect_lock:
            if self._is_closed:
                raise StoreClosedError
            connection = connect(self.path, read_only=self.is_read_only)
            if owner == _WRITER:
                try:
                    self._install_collector(connection, self._writer.changes.append)
                except BaseException:
                    connection.close()
                    raise
            self._connections[owner] = connection
            return connection


def to_ms(instant: datetime | None) -> int | None:
    return None if instant is None else (instant - _EPOCH) // _MILLISECOND


def from_ms(milliseconds: int | None) -> datetime | None:
    """The instant; one out of Python's range, edited by hand, becomes one that never comes."""
    if milliseconds is None:
        return None
    try:
        return _EPOCH + milliseconds * _MILLISECOND
    except OverflowError:
        return _LONG_AGO if milliseconds < 0 else FAR_AHEAD


def to_instant(milliseconds: int) -> datetime:
    at = from_ms(milliseconds)
    assert at is not None
    return at


def parse_enum(enum: type[EnumT], value: str, fallback: EnumT) -> EnumT:
    """The enum member, or `fallback` if another version wrote an unknown value."""
    try:
        return enum(value)
    except ValueError:
        return fallback


def _identify(name: str) -> tuple[int, int]:
    found = os.stat(name)  # noqa: PTH116  runs before every transaction, and Path is slower
    return found.st_dev, found.st_ino
