"""A keyring that is locked or away: runs wait, it is said once, and everything goes on when it is back."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from scheduler.connections.keeper import Keeper
from scheduler.connections.vault import Vault
from scheduler.connections.vault_errors import VaultError, VaultLockedError
from scheduler.engine.workflows.views import WorkflowViews
from tests.connections import doorman as door
from tests.connections.doorman import Doorman, doors
from tests.connections.secret_service import SecretService
from tests.connections.waiting import gathering, wait_until
from tests.engine.harness import DAY, HOUR
from tests.runs.scripts import consumer, job
from tests.runs.shop import Shop

READS = job('ctx.call("door:home", "look")\nctx.done("read")').replace("world:x", "door:home")

doorman = door.doorman


@pytest.fixture
def shop(tmp_path: Path, service: SecretService, doorman: Doorman) -> Iterator[Shop]:
    """Its connection is kept in a keyring that has gone, and it has started again since."""
    shop = Shop(tmp_path)
    shop.world.registry = doors  # type: ignore[method-assign]
    shop.secrets = Keeper(shop.clock.now)
    shop.crash()
    with service.keyring("pw"):
        shop.house.connect("door:home", {"url": doorman.url, "password": "hunter2"})
    told: list[VaultError | None] = []
    shop.secrets = Keeper(shop.clock.now, Vault(changed=told.append))
    shop.crash()
    with gathering():
        yield shop
        wait_until(lambda: not any(thread.name == "keyring" for thread in threading.enumerate()))
    shop.close()


def lock_out(shop: Shop, *names: str) -> None:
    for name in names:
        shop.deploy(READS.replace('"W"', repr(name)), path=f"{name}.py")
    shop.clock.move(HOUR)
    shop.tick()


def test_runs_wait_and_it_is_said_once_for_all_of_them(shop: Shop, service: SecretService, doorman: Doorman) -> None:
    """U9: nobody asks for a new login, nothing counts as a failure, and the same request stays over many tries."""
    with service.keyring(None):
        lock_out(shop, "a", "b")
        [request] = shop.requests()
        assert (request.kind, request.subject, request.sentence) == ("keyring", "keyring", VaultLockedError().sentence)
        assert [shop.runs("j", name)[-1].status for name in "ab"] == ["paused:transient"] * 2
        shop.pass_time(timedelta(minutes=20))
        assert len(shop.runs("j", "a")) > 4
        assert [one.id for one in shop.requests()] == [request.id]
        assert [shop.handler("j", name).failures for name in "ab"] == [0, 0]
        views = WorkflowViews(shop.engine.context, shop.house.plans, shop.house.registry)
        [seen] = views.attention()
        assert seen.workflows == ("a", "b")
        assert doorman.seen == []


def test_the_only_one_that_waits_hands_its_request_on_from_try_to_try(shop: Shop, service: SecretService) -> None:
    """It is the same question: no try asks it anew."""
    with service.keyring(None):
        lock_out(shop, "a")
        [request] = shop.requests()
        shop.pass_time(timedelta(minutes=20))
        tries = shop.runs("j", "a")
        assert len(tries) > 4
        assert [(one.id, one.run) for one in shop.requests()] == [(request.id, tries[-1].id)]


def test_everything_goes_on_once_when_it_is_unlocked(shop: Shop, service: SecretService, doorman: Doorman) -> None:
    with service.keyring("pw"):
        service.lock()
        lock_out(shop, "a", "b")
        service.unlock("pw")
        shop.house.allowing.keyring_is_back()
        assert shop.requests() == []
        shop.tick()
        assert [shop.runs("j", name)[-1].status for name in "ab"] == ["committed"] * 2
        assert doorman.let_in == ["/look", "/look"]
        shop.pass_time(timedelta(minutes=30))
        assert len(doorman.seen) == 2


def test_what_waited_before_a_restart_goes_on_after_it(shop: Shop, service: SecretService, doorman: Doorman) -> None:
    with service.keyring(None):
        lock_out(shop, "a")
    shop.secrets = Keeper(shop.clock.now, Vault(changed=lambda _: shop.house.allowing.keyring_is_back()))
    shop.crash(off=DAY)
    assert [one.kind for one in shop.requests()] == ["keyring"]
    with service.keyring("pw"):
        shop.wait(lambda: shop.requests() == [])
        shop.tick()
        assert shop.occurrences("j", "a")[0].state == "succeeded"


def test_it_is_asked_for_others_that_still_wait(shop: Shop, service: SecretService) -> None:
    with service.keyring(None):
        lock_out(shop, "a", "b")
    [request] = shop.requests()
    shop.commands.stop(request.workflow)
    [still] = shop.requests()
    assert still.id == request.id and still.workflow != request.workflow
    shop.commands.archive(still.workflow)
    assert shop.requests() == []


def test_trying_again_is_possible_at_any_time(shop: Shop, service: SecretService, doorman: Doorman) -> None:
    with service.keyring("pw"):
        service.lock()
        lock_out(shop, "a")
        service.unlock("pw")
        shop.answering.retry(shop.requests()[0].run or "")
        shop.tick()
    assert (shop.requests(), doorman.let_in) == ([], ["/look"])


def test_an_outside_action_waits_and_happens_once(shop: Shop, service: SecretService, doorman: Doorman) -> None:
    shop.deploy(consumer(tool="send").replace("world:x", "door:home"))
    shop.publish("a")
    with service.keyring("pw"):
        service.lock()
        shop.tick()
        assert [one.kind for one in shop.requests()] == ["keyring"]
        assert shop.events() == {"a": "pending"}
        service.unlock("pw")
        shop.house.allowing.keyring_is_back()
        shop.tick()
    assert doorman.let_in == ["/send"]
    assert shop.events() == {"a": "consumed"}
