"""A full or read-only disk is reported, nothing is half written, and work resumes when there is room."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Call
from scheduler.store.errors import DiskFullError, StoreForbiddenError
from scheduler.store.lock import hold
from scheduler.store.opening import open_store
from tests.engine.engine_fixture import START
from tests.faults.small_disk import SmallDisk
from tests.runs import invariants
from tests.runs.change_log import record_changes
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer

ROOT = Path(__file__).parents[2]
NO_ROOM = "is full, so nothing was saved"


@pytest.fixture
def runtime(small_disk: SmallDisk) -> Iterator[RuntimeFixture]:
    runtime = RuntimeFixture(small_disk.path / "data")
    record_changes(runtime.database.read())
    yield runtime
    runtime.close()


def warnings(runtime: RuntimeFixture) -> list[str]:
    return [one.sentence for one in runtime.announcements if one.is_warning]


def test_on_a_full_disk_a_command_is_rejected_and_changes_nothing(
    runtime: RuntimeFixture, small_disk: SmallDisk
) -> None:
    runtime.deploy(consumer())
    runtime.tick()
    small_disk.fill()
    with pytest.raises(DiskFullError, match=f"{NO_ROOM}.*Free some space"):
        runtime.publish("a", "x" * 100_000)
    assert runtime.events() == {}
    small_disk.make_room()
    runtime.publish("a")
    runtime.tick()
    assert runtime.events() == {"a": "consumed"}
    assert len(runtime.service.calls) == 1


def test_an_outside_action_that_cannot_be_recorded_is_not_made(runtime: RuntimeFixture, small_disk: SmallDisk) -> None:
    """The disk becomes full while the script prepares."""
    runtime.deploy(consumer().replace("ctx.peek(t, limit=10)", 'ctx.peek(t, limit=10); ctx.call("world:x", "look")'))
    runtime.tick()
    runtime.publish("a")

    def look(_: Call) -> Any:
        small_disk.fill()
        return []

    runtime.service.look = look  # type: ignore[method-assign]
    runtime.close()
    runtime.open()
    runtime.wait(lambda: any(NO_ROOM in sentence for sentence in warnings(runtime)))
    assert runtime.service.calls == []
    small_disk.make_room()
    runtime.service.look = lambda _: []  # type: ignore[method-assign]
    runtime.close()
    runtime.open()
    runtime.pass_time(timedelta(minutes=2))
    assert len(runtime.service.calls) == 1
    assert runtime.events() == {"a": "consumed"}
    invariants.check(runtime.database.read())


def test_an_outcome_is_kept_until_there_is_room_to_store_it(runtime: RuntimeFixture, small_disk: SmallDisk) -> None:
    """The disk becomes full during the outside action; it happened, and is not repeated."""
    act = runtime.service.act

    def fill_and_act(call: Call) -> Any:
        small_disk.fill()
        return act(call)

    runtime.service.act = fill_and_act  # type: ignore[method-assign]
    runtime.close()
    runtime.open()
    runtime.deploy(consumer())
    runtime.publish("a")
    runtime.wait(lambda: any(NO_ROOM in sentence for sentence in warnings(runtime)))
    assert [run.phase for run in runtime.active()] == ["mutating"]
    small_disk.make_room()
    runtime.tick()
    assert len(runtime.service.calls) == 1
    assert runtime.events() == {"a": "consumed"}
    assert runtime.active() == []
    invariants.check(runtime.database.read())


def test_a_read_only_folder_is_rejected_with_a_message(small_disk: SmallDisk) -> None:
    small_disk.forbid_writing()
    sentence = "cannot be opened or changed. Check the permissions of the file and its folder"
    with pytest.raises(StoreForbiddenError, match=sentence), hold(small_disk.path / "data"):
        pass
    with pytest.raises(StoreForbiddenError, match=sentence):
        open_store(small_disk.path / "data", START)


def test_the_app_reports_why_it_cannot_start_there(small_disk: SmallDisk) -> None:
    """One message, no traceback."""
    small_disk.forbid_writing()
    ended = subprocess.run(
        [sys.executable, "-m", "app.main", "--headless", "--data-dir", str(small_disk.path / "data")],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert "cannot be opened or changed" in ended.stderr
    assert "Traceback" not in ended.stderr
