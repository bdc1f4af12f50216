"""A backup does not know what was done after it: nothing of that is done again before the user has looked."""

from pathlib import Path

import pytest

from scheduler.store.backups import back_up
from scheduler.store.health import close_store, restore
from tests.engine.harness import HOUR, MINUTE
from tests.runs.scripts import consumer
from tests.runs.shop import Shop


def restore_backup(shop: Shop) -> None:
    shop.house.close()
    close_store(shop.database)
    restore(shop.folder, shop.clock.wall)
    shop.open()


def test_what_was_acted_on_after_the_backup_is_not_acted_on_again_unasked(shop: Shop) -> None:
    shop.deploy(consumer())
    shop.publish("a")
    back_up(shop.folder, shop.clock.wall)
    shop.tick()
    assert len(shop.world.calls) == 1
    restore_backup(shop)
    shop.pass_time(HOUR)
    assert len(shop.world.calls) == 1
    assert shop.workflow().status == "paused"
    assert shop.pending() == ["a"], "the user sees what waits, and leaves it out or resumes"


@pytest.mark.parametrize("when", ["before the yes", "after the yes"])
def test_a_yes_from_before_the_backup_is_asked_for_again(shop: Shop, when: str) -> None:
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    [request] = shop.requests()
    if when == "before the yes":
        back_up(shop.folder, shop.clock.wall)
    shop.answering.approve(request.id)
    if when == "after the yes":
        back_up(shop.folder, shop.clock.wall)
    shop.tick()
    assert len(shop.world.calls) == 1
    restore_backup(shop)
    assert shop.requests() == []
    shop.commands.resume("w")
    shop.pass_time(MINUTE)
    assert len(shop.world.calls) == 1
    assert [one.kind for one in shop.requests()] == ["approval"]


def test_resuming_once_is_enough(shop: Shop, tmp_path: Path) -> None:
    shop.deploy(consumer())
    back_up(tmp_path, shop.clock.wall)
    restore_backup(shop)
    shop.commands.resume("w")
    shop.publish("a")
    shop.tick()
    assert len(shop.world.calls) == 1


def test_what_was_always_allowed_is_asked_again(shop: Shop) -> None:
    """It may have been taken back after the backup."""
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.tick()
    shop.answering.approve(shop.requests()[0].id, always=True)
    shop.tick()
    back_up(shop.folder, shop.clock.wall)
    shop.house.allowing.revoke("w", "world:x", "act")
    restore_backup(shop)
    shop.commands.resume("w")
    shop.publish("b")
    shop.tick()
    assert [one.kind for one in shop.requests()] == ["approval"]
    assert len(shop.world.calls) == 1
