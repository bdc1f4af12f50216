"""Transactions: one at a time in this process, queued on a lock, so that none sleeps in SQLite."""

import sqlite3
import threading
from collections.abc import Callable

from scheduler.store.file_identity import FileIdentity


class Writer:
    """Who writes, how durably, and how much since."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], identity: FileIdentity) -> None:
        self.connect = connect
        self.identity = identity
        self.lock = threading.RLock()
        self.thread: int | None = None
        """The one in a transaction."""
        self.is_durable = False
        self.unmoved = 0
        """Transactions since the log was last moved into the file."""


class Transaction:
    """All of it is stored, or nothing. It has nothing of its own, so the same one serves every `with`."""

    def __init__(self, writer: Writer, *, durable: bool) -> None:
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
        except BaseException:
            writer.lock.release()
            raise
        writer.thread = threading.get_ident()
        return connection

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        writer = self._writer
        try:
            connection = writer.connect()
            try:
                if kind is None:
                    connection.execute("COMMIT")
                    writer.unmoved += 1
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        finally:
            writer.thread = None
            writer.lock.release()
