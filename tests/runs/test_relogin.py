"""A password that was changed at the server, a real one: asked for once, and everybody who waited goes on once."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.keeper import Keeper
from scheduler.connections.vault import Vault
from scheduler.engine.clock import SystemClock
from scheduler.engine.workflows.views import WorkflowViews
from scheduler.store import connections
from tests.connections import doorman as door
from tests.connections.doorman import Doorman, doors
from tests.connections.secret_service import SecretService
from tests.engine.harness import DAY, HOUR, MINUTE
from tests.runs.scripts import consumer, job
from tests.runs.shop import Shop

READS = job('ctx.call("door:home", "look")\nctx.done("read")').replace("world:x", "door:home")

doorman = door.doorman


@pytest.fixture
def shop(tmp_path: Path, keyring: SecretService, doorman: Doorman) -> Iterator[Shop]:
    """It knows a password that the doorman no longer takes."""
    shop = Shop(tmp_path)
    shop.world.registry = doors  # type: ignore[method-assign]
    shop.secrets = Keeper(shop.clock.now)
    shop.crash()
    shop.house.connect("door:home", {"url": doorman.url, "password": "hunter2"})
    doorman.password = "hunter3"
    yield shop
    shop.close()


def lose(shop: Shop, *names: str) -> None:
    for name in names:
        shop.deploy(READS.replace('"W"', repr(name)), path=f"{name}.py")
    shop.clock.move(HOUR)
    shop.tick()


def connect(shop: Shop, password: str) -> None:
    shop.house.connect("door:home", {"url": settings_of(shop)["url"], "password": password}, test=True)


def settings_of(shop: Shop) -> dict[str, str]:
    row = connections.find(shop.database.read(), "door:home")
    assert row is not None
    return row.settings


def test_one_request_names_the_account_and_all_who_wait_and_all_go_on_once(shop: Shop, doorman: Doorman) -> None:
    """F3, U9"""
    lose(shop, "a", "b")
    views = WorkflowViews(shop.engine.context, shop.house.plans, shop.house.registry)
    [request] = views.attention()
    assert (request.kind, request.subject, request.workflows) == ("reconnect", "door:home", ("a", "b"))
    assert request.how == ("dayhand connect door:home",)
    assert "door:home" in request.sentence and "hunter2" not in request.sentence
    [view] = views.connections()
    assert (view.trouble, view.used_by) == (request.sentence, ("a", "b"))
    shop.pass_time(DAY)
    knocked = len(doorman.seen)
    assert knocked <= 2, "a door that says no again and again locks the account"
    with pytest.raises(ToolFailedError):
        connect(shop, "hunter4")
    shop.tick()
    assert [one.id for one in views.attention()] == [request.id]
    assert Vault().get("door:home") == {"password": "hunter2"}
    connect(shop, "hunter3")
    shop.tick()
    assert views.attention() == []
    assert [shop.runs("j", name)[1].status for name in "ab"] == ["committed"] * 2
    assert doorman.let_in.count("/look") == len(shop.runs("j", "a")) + len(shop.runs("j", "b")) - 2
    assert [shop.occurrences("j", name)[0].state for name in "ab"] == ["succeeded"] * 2


def test_an_action_that_was_refused_happens_once_afterwards(shop: Shop, doorman: Doorman) -> None:
    shop.deploy(consumer(tool="send").replace("world:x", "door:home"))
    shop.publish("a")
    shop.tick()
    assert [one.kind for one in shop.requests()] == ["reconnect"]
    connect(shop, "hunter3")
    shop.tick()
    assert doorman.let_in == ["/test", "/send"]
    assert shop.events() == {"a": "consumed"}


def test_a_refusal_of_the_old_password_after_the_new_one_is_known_asks_nobody(shop: Shop, doorman: Doorman) -> None:
    """It was under way with the old one when the person connected again."""
    shop.deploy(READS)
    shop.clock.move(HOUR)
    doorman.gate = threading.Event()
    shop.until_begun()
    assert doorman.entered.wait(60)
    gate, doorman.gate = doorman.gate, None
    connect(shop, "hunter3")
    gate.set()
    shop.tick()
    assert shop.requests() == []
    assert shop.runs("j")[-1].status == "paused:transient"
    assert shop.handler("j").failures == 0
    shop.pass_time(2 * MINUTE)
    assert [one.status for one in shop.runs("j")] == ["paused:transient", "committed"]
    assert doorman.let_in == ["/test", "/look"]


def test_an_entry_that_is_gone_from_the_keyring_asks_for_a_reconnect(shop: Shop, doorman: Doorman) -> None:
    doorman.password = "hunter2"
    Keeper(SystemClock().now).forget("door:home")
    shop.secrets = Keeper(shop.clock.now)
    shop.crash()
    lose(shop, "a")
    [request] = shop.requests()
    assert (request.kind, request.subject) == ("reconnect", "door:home")
    assert doorman.seen == []
    connect(shop, "hunter2")
    shop.tick()
    assert (shop.requests(), doorman.let_in) == ([], ["/test", "/look"])
