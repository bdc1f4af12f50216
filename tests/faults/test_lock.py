"""If another program locks the database, that is reported, nothing is lost, and work resumes when the lock is gone."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Call
from scheduler.store import sqlite
from scheduler.store.errors import StoreBusyError
from tests.runs import invariants
from tests.runs.change_log import record_changes
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer

SENTENCE = "Another program has locked .*dayhand.db, so nothing was saved. Close it, then try again."
_HOLD = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
"""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Locked by another process inside the block."""
    command = [sys.executable, "-c", _HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        yield
        other.stdin.close()
        other.wait()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait a fifth of a second instead of ten."""
    assert sqlite.BUSY_TIMEOUT_S == 10
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_S", 0.2)


@pytest.fixture
def runtime(tmp_path: Path, impatient: None) -> Iterator[RuntimeFixture]:
    runtime = RuntimeFixture(tmp_path)
    record_changes(runtime.database.read())
    yield runtime
    runtime.close()


def warnings(runtime: RuntimeFixture) -> list[str]:
    return [one.sentence for one in runtime.announcements if one.is_warning]


def test_a_command_is_rejected_with_a_message(runtime: RuntimeFixture) -> None:
    runtime.deploy(consumer())
    runtime.tick()
    with locked(runtime.database.path):
        with pytest.raises(StoreBusyError, match=SENTENCE):
            runtime.publish("a")
        assert runtime.events() == {}
    runtime.publish("a")
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}


def test_an_outcome_waits_for_the_lock(runtime: RuntimeFixture) -> None:
    """The lock is taken during the outside action: it happened, and is not repeated."""
    act, lock = runtime.service.act, locked(runtime.database.path)

    def lock_and_act(call: Call) -> Any:
        lock.__enter__()
        return act(call)

    runtime.service.act = lock_and_act  # type: ignore[method-assign]
    runtime.close()
    runtime.open()
    runtime.deploy(consumer())
    runtime.publish("a")
    runtime.wait(lambda: any("locked" in sentence for sentence in warnings(runtime)))
    assert [run.phase for run in runtime.active()] == ["mutating"]
    lock.__exit__(None, None, None)
    runtime.pass_time(timedelta(minutes=1))
    assert len(runtime.service.calls) == 1
    assert runtime.events() == {"a": "consumed"}
    invariants.check(runtime.database.read())


def test_a_run_that_cannot_be_stored_is_retried_without_counting_as_failed(runtime: RuntimeFixture) -> None:
    """The lock is taken while the script prepares: its action is not started, and no failure is counted."""
    runtime.deploy(consumer().replace("ctx.peek(t, limit=10)", 'ctx.peek(t, limit=10); ctx.call("world:x", "look")'))
    runtime.tick()
    lock = locked(runtime.database.path)
    taken: list[None] = []

    def lock_and_look(_: Call) -> Any:
        if not taken:
            taken.append(lock.__enter__())
        return []

    runtime.service.look = lock_and_look  # type: ignore[method-assign]
    runtime.close()
    runtime.open()
    runtime.publish("a")
    runtime.wait(lambda: any("locked" in sentence for sentence in warnings(runtime)))
    lock.__exit__(None, None, None)
    runtime.pass_time(timedelta(minutes=2))
    assert len(runtime.service.calls) == 1
    assert runtime.events() == {"a": "consumed"}
    assert runtime.lane().blocked is None
