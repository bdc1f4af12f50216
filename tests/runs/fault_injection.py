"""Ways to break a runtime at a chosen point: the process dies at a commit, or the store fails for a while."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from scheduler.store.errors import StoreClosedError
from tests.runs.runtime_fixture import RuntimeFixture


def run_until_killed(runtime: RuntimeFixture, number: int, *, stored: bool) -> bool:
    """Run until idle, or die at the n-th transaction of the runner, just before or after it is stored.

    Returns whether it died; it was started again then.
    """
    write, died, left = runtime.database.write, threading.Event(), [number]

    @contextmanager
    def dying(*, durable: bool = False) -> Iterator[sqlite3.Connection]:
        if died.is_set():
            raise StoreClosedError
        with write(durable=durable) as db:
            yield db
            if threading.current_thread() is not threading.main_thread():
                left[0] -= 1
            if left[0] == 0 and not stored:
                died.set()
                raise StoreClosedError
        if left[0] == 0:
            died.set()
            raise StoreClosedError

    runtime.database.write = dying  # type: ignore[method-assign]
    with suppress(StoreClosedError):
        runtime.wait(lambda: died.is_set() or runtime._is_idle())
    runtime.database.write = write  # type: ignore[method-assign]
    if died.is_set():
        runtime.crash()
    return died.is_set()


def kill_in_call(runtime: RuntimeFixture, *, happens: bool) -> None:
    """Run until the outside call is made, die during it, and start again."""
    act, database = runtime.service.act, runtime.database

    def dying(call: Any) -> Any:
        answer = act(call)
        if not happens:
            runtime.service.happened.discard(call.key)
        database.close()
        return answer

    runtime.service.act = dying  # type: ignore[method-assign]
    runtime.crash()  # rebuilds the tools with the patched method
    database = runtime.database
    with suppress(StoreClosedError):
        runtime.wait(lambda: len(runtime.service.calls) > 0 and runtime.engine.dispatch.in_flight == 0)
    runtime.service.act = act  # type: ignore[method-assign]
    runtime.crash()


@contextmanager
def locked_store(runtime: RuntimeFixture) -> Iterator[Callable[[], None]]:
    """Another process locks the store, with a short busy timeout; yields a function that unlocks it early."""
    other = sqlite3.connect(runtime.database.path, isolation_level=None, check_same_thread=False)
    with runtime.database.write() as db:
        db.execute("PRAGMA busy_timeout = 1")
    try:
        other.execute("BEGIN IMMEDIATE")
        yield other.rollback
    finally:
        other.close()


def record_statements(runtime: RuntimeFixture) -> list[str]:
    """The SQL statements that the writer executes from now on."""
    executed: list[str] = []
    with runtime.database.write() as db:
        db.set_trace_callback(executed.append)
    return executed
