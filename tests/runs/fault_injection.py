"""Ways to break an installation at a chosen point: the process dies at a commit, or the store refuses for a while."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from scheduler.store.errors import StoreClosedError
from tests.runs.shop import Shop


def live_until_death(shop: Shop, number: int, *, stored: bool) -> bool:
    """Live until nothing is left to do, or die at that transaction of the run layer, just before or after it is stored.

    Says whether it died; it has started again then.
    """
    write, died, left = shop.database.write, threading.Event(), [number]

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

    shop.database.write = dying  # type: ignore[method-assign]
    with suppress(StoreClosedError):
        shop.wait(lambda: died.is_set() or shop._is_at_rest())
    shop.database.write = write  # type: ignore[method-assign]
    if died.is_set():
        shop.crash()
    return died.is_set()


def die_in_call(shop: Shop, *, happens: bool) -> None:
    """Live until the outside call is made, die in the middle of it, and start again."""
    act, database = shop.world.act, shop.database

    def dying(call: Any) -> Any:
        answer = act(call)
        if not happens:
            shop.world.happened.discard(call.key)
        database.close()
        return answer

    shop.world.act = dying  # type: ignore[method-assign]
    shop.crash()  # the tools are made of what the world does then
    database = shop.database
    with suppress(StoreClosedError):
        shop.wait(lambda: len(shop.world.calls) > 0 and shop.engine.dispatch.in_flight == 0)
    shop.world.act = act  # type: ignore[method-assign]
    shop.crash()


@contextmanager
def refusing(shop: Shop) -> Iterator[Callable[[], None]]:
    """Another process holds the store and nobody waits long for it; what is given lets go of it early."""
    other = sqlite3.connect(shop.database.path, isolation_level=None, check_same_thread=False)
    with shop.database.write() as db:
        db.execute("PRAGMA busy_timeout = 1")
    try:
        other.execute("BEGIN IMMEDIATE")
        yield other.rollback
    finally:
        other.close()


def statements(shop: Shop) -> list[str]:
    """What the writer tells SQLite from now on."""
    told: list[str] = []
    with shop.database.write() as db:
        db.set_trace_callback(told.append)
    return told
