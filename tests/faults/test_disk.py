"""The disk is full, or cannot be written to: it is said, nothing is half written, and it goes on when there is room."""

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
from scheduler.store.health import open_store
from scheduler.store.lock import hold
from tests.engine.harness import START
from tests.faults.disks import SmallDisk
from tests.runs import invariants
from tests.runs.scripts import consumer
from tests.runs.shop import Shop
from tests.runs.witness import watch

ROOT = Path(__file__).parents[2]
NO_ROOM = "There is no room left on the disk"


@pytest.fixture
def shop(small_disk: SmallDisk) -> Iterator[Shop]:
    shop = Shop(small_disk.path / "data")
    watch(shop.database.read())
    yield shop
    shop.close()


def warnings(shop: Shop) -> list[str]:
    return [one.sentence for one in shop.announcements if one.is_warning]


def test_a_command_is_refused_with_a_sentence_and_changes_nothing(shop: Shop, small_disk: SmallDisk) -> None:
    """D5"""
    shop.deploy(consumer())
    shop.tick()
    small_disk.fill()
    with pytest.raises(DiskFullError, match=f"{NO_ROOM}.*Free some space"):
        shop.publish("a", "x" * 100_000)
    assert shop.events() == {}
    small_disk.make_room()
    shop.publish("a")
    shop.tick()
    assert shop.events() == {"a": "consumed"}
    assert len(shop.world.calls) == 1


def test_an_outside_action_that_cannot_be_written_down_is_not_made(shop: Shop, small_disk: SmallDisk) -> None:
    """D5: full from the moment on when the script decides what to do."""
    shop.deploy(consumer().replace("ctx.peek(t, limit=10)", 'ctx.peek(t, limit=10); ctx.call("world:x", "look")'))
    shop.tick()
    shop.publish("a")

    def look(_: Call) -> Any:
        small_disk.fill()
        return []

    shop.world.look = look  # type: ignore[method-assign]
    shop.close()
    shop.open()
    shop.wait(lambda: any(NO_ROOM in sentence for sentence in warnings(shop)))
    assert shop.world.calls == []
    small_disk.make_room()
    shop.world.look = lambda _: []  # type: ignore[method-assign]
    shop.close()
    shop.open()
    shop.pass_time(timedelta(minutes=2))
    assert len(shop.world.calls) == 1
    assert shop.events() == {"a": "consumed"}
    invariants.check(shop.database.read())


def test_an_outcome_is_kept_until_there_is_room_to_write_it_down(shop: Shop, small_disk: SmallDisk) -> None:
    """D5: full while the outside action is under way; it happened, and is not done again."""
    act = shop.world.act

    def fill_and_act(call: Call) -> Any:
        small_disk.fill()
        return act(call)

    shop.world.act = fill_and_act  # type: ignore[method-assign]
    shop.close()
    shop.open()
    shop.deploy(consumer())
    shop.publish("a")
    shop.wait(lambda: any(NO_ROOM in sentence for sentence in warnings(shop)))
    assert [run.phase for run in shop.active()] == ["mutating"]
    small_disk.make_room()
    shop.tick()
    assert len(shop.world.calls) == 1
    assert shop.events() == {"a": "consumed"}
    assert shop.active() == []
    invariants.check(shop.database.read())


def test_a_folder_that_cannot_be_written_to_is_refused_with_a_sentence(small_disk: SmallDisk) -> None:
    small_disk.forbid_writing()
    sentence = "cannot be opened or changed. Check that you may read and write it and its folder"
    with pytest.raises(StoreForbiddenError, match=sentence), hold(small_disk.path / "data"):
        pass
    with pytest.raises(StoreForbiddenError, match=sentence):
        open_store(small_disk.path / "data", START)


def test_the_app_says_why_it_cannot_start_there(small_disk: SmallDisk) -> None:
    """One sentence, no traceback."""
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
