"""Another program keeps the database locked: it is said, nothing is lost, and it goes on when the lock is gone."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Call
from scheduler.store import connection
from scheduler.store.errors import StoreBusyError
from tests.runs import invariants
from tests.runs.scripts import consumer
from tests.runs.shop import Shop
from tests.runs.witness import watch

SENTENCE = "Another program keeps .*dayhand.db locked, so nothing was saved. Close it, then try again."
_HOLD = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
"""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """By a process of its own, until left."""
    command = [sys.executable, "-c", _HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        yield
        other.stdin.close()
        other.wait()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fifth of a second stands for the ten that Dayhand waits."""
    assert connection.PATIENCE == 10
    monkeypatch.setattr(connection, "PATIENCE", 0.2)


@pytest.fixture
def shop(tmp_path: Path, impatient: None) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    watch(shop.database.read())
    yield shop
    shop.close()


def warnings(shop: Shop) -> list[str]:
    return [one.sentence for one in shop.announcements if one.is_warning]


def test_a_command_is_refused_with_a_sentence(shop: Shop) -> None:
    shop.deploy(consumer())
    shop.tick()
    with locked(shop.database.path):
        with pytest.raises(StoreBusyError, match=SENTENCE):
            shop.publish("a")
        assert shop.events() == {}
    shop.publish("a")
    shop.tick()
    assert shop.events() == {"a": "consumed"}


def test_an_outcome_waits_for_the_lock_to_go(shop: Shop) -> None:
    """The lock is taken while the outside action is under way: it happened, and is done once."""
    act, lock = shop.world.act, locked(shop.database.path)

    def lock_and_act(call: Call) -> Any:
        lock.__enter__()
        return act(call)

    shop.world.act = lock_and_act  # type: ignore[method-assign]
    shop.close()
    shop.open()
    shop.deploy(consumer())
    shop.publish("a")
    shop.wait(lambda: any("locked" in sentence for sentence in warnings(shop)))
    assert [run.phase for run in shop.active()] == ["mutating"]
    lock.__exit__(None, None, None)
    shop.pass_time(timedelta(minutes=1))
    assert len(shop.world.calls) == 1
    assert shop.events() == {"a": "consumed"}
    invariants.check(shop.database.read())


def test_a_run_that_cannot_be_stored_tries_again_without_being_blamed(shop: Shop) -> None:
    """The lock is taken while the script looks around: what it then wants to do is not begun, and no failure counts."""
    shop.deploy(consumer().replace("ctx.peek(t, limit=10)", 'ctx.peek(t, limit=10); ctx.call("world:x", "look")'))
    shop.tick()
    lock = locked(shop.database.path)
    taken: list[None] = []

    def lock_and_look(_: Call) -> Any:
        if not taken:
            taken.append(lock.__enter__())
        return []

    shop.world.look = lock_and_look  # type: ignore[method-assign]
    shop.close()
    shop.open()
    shop.publish("a")
    shop.wait(lambda: any("locked" in sentence for sentence in warnings(shop)))
    lock.__exit__(None, None, None)
    shop.pass_time(timedelta(minutes=2))
    assert len(shop.world.calls) == 1
    assert shop.events() == {"a": "consumed"}
    assert shop.lane().blocked is None
