"""Identifying what an action would change is a read like any other: it may fail, wait and be stopped."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Call, Connector, Field, ToolFailedError
from scheduler.connections.discretion import discreet
from scheduler.connections.oauth.refused import renewable
from scheduler.connections.registry import Registry
from scheduler.rules.failures import FailureClass
from tests.engine.harness import SECOND
from tests.runs.scripts import consumer
from tests.runs.shop import PATIENCE, Shop, World, fail


class Identified(Shop):
    """Whose tool "act" says which object it would change."""

    etag: Any = 1
    fails: FailureClass | None = None
    gate: threading.Event | None = None

    def open(self) -> None:
        usual = type(self.world).registry(self.world).connector("world")
        tools = [replace(one, identify_target=self._identify) if one.name == "act" else one for one in usual.tools]
        self.asked = threading.Event()
        self.world.registry = lambda: Registry([replace(usual, tools=tuple(tools))])  # type: ignore[method-assign]
        super().open()

    def _identify(self, _: Call) -> Any:
        self.asked.set()
        if self.gate is not None:
            assert self.gate.wait(PATIENCE)
        if self.fails is not None:
            raise ToolFailedError(fail(self.fails))
        return self.etag


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Identified]:
    shop = Identified(tmp_path)
    yield shop
    shop.close()


def begin(shop: Identified, approve: str) -> None:
    shop.deploy(consumer(approve=approve))
    shop.publish("a")
    shop.tick()


@pytest.mark.parametrize(
    ("failure", "status", "asks"),
    [
        (FailureClass.TRANSIENT, "paused:transient", []),
        (FailureClass.AUTH, "paused:approval", ["reconnect"]),
        (FailureClass.LOGIC, "failed:logic", ["script error"]),
        (FailureClass.UNSURE, "paused:transient", []),
    ],
)
def test_it_fails_as_a_read_does_and_nobody_is_asked_to_approve(
    shop: Identified, failure: FailureClass, status: str, asks: list[str]
) -> None:
    shop.fails = failure
    begin(shop, "always")
    assert shop.runs("C")[-1].status == status
    assert [one.kind for one in shop.requests()] == asks
    assert shop.world.calls == [] and shop.mutation(shop.runs("C")[-1].id) is None


def test_it_is_tried_again_and_then_asks(shop: Identified) -> None:
    shop.fails = FailureClass.TRANSIENT
    begin(shop, "always")
    shop.fails = None
    shop.pass_time(40 * SECOND)
    [request] = shop.requests()
    assert request.call["target"] == 1


def test_the_tool_gets_what_was_approved_and_the_store_keeps_it(shop: Identified) -> None:
    shop.etag = {"etag": (1, 2)}
    begin(shop, "always")
    shop.answering.approve(shop.requests()[0].id)
    shop.tick()
    assert [call.target for call in shop.world.calls] == [{"etag": [1, 2]}], "as it is read from the store"
    row = shop.mutation(shop.runs("C")[-1].id)
    assert row is not None and row.target == {"etag": [1, 2]}


def test_a_run_that_is_stopped_does_not_wait_for_it(shop: Identified) -> None:
    shop.gate = threading.Event()
    shop.deploy(consumer(approve="always"))
    shop.publish("a")
    shop.until_begun()
    shop.wait(shop.asked.is_set)
    shop.commands.stop("w")
    shop.wait(lambda: not shop.active())
    shop.gate.set()
    assert shop.runs("C")[-1].status == "cancelled"
    assert shop.requests() == [] and shop.world.calls == []


def test_it_renews_a_login_and_hides_what_is_secret() -> None:
    class Keeper:
        def renew(self, *_: Any) -> dict[str, str]:
            return {"token": "the second secret"}

    def identify(call: Call) -> str:
        if call.settings["token"] == "the first secret":
            raise ToolFailedError(fail(FailureClass.AUTH))
        return f"etag with {call.settings['token']}"

    usual = World().registry().tool("world:x", "act")
    field = Field(name="token", label="Token", secret=True)
    connector = Connector(kind="x", title="X", help="", fields=(field,), tools=(), test=lambda _: "")
    tool = renewable(discreet(replace(usual, identify_target=identify), connector), Keeper())
    call = Call(parameters={}, settings={"token": "the first secret"}, key="", now=None, connection="x:y")  # type: ignore[arg-type]
    assert tool.identify_target is not None
    assert tool.identify_target(call) == "etag with •••"
