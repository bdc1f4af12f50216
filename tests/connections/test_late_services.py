"""One approval, one action: a service that gave up on a call and carries it out later is not asked to do it again."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scheduler.connections.connectors.google.connector import google
from scheduler.connections.connectors.slack.connector import slack
from scheduler.connections.registry import Registry
from tests.connections import fronts
from tests.connections.front import Front
from tests.connections.late_gateway import late_gateway
from tests.connections.late_workflows import ACTIONS, connect, write_workflow
from tests.connections.test_web_workflows import Pocket
from tests.engine.harness import MINUTE, SECOND
from tests.runs.shop import Shop

emulator, google_front, slack_front = fronts.emulator, fronts.google_front, fronts.slack_front


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    shop.world.registry = lambda: Registry([google, slack])  # type: ignore[method-assign]
    shop.secrets = Pocket()
    shop.crash()
    yield shop
    shop.close()


def approve(shop: Shop) -> None:
    [request] = shop.requests()
    assert request.kind == "approval"
    shop.answering.approve(request.id)
    shop.tick()


@pytest.mark.parametrize("closes", [False, True], ids=["504", "closed"])
@pytest.mark.parametrize("late_s", [1, 10, 50])
@pytest.mark.parametrize("name", ACTIONS)
def test_what_is_carried_out_late_is_done_once(
    shop: Shop,
    google_front: Front,
    slack_front: Front,
    name: str,
    late_s: int,
    closes: bool,  # noqa: FBT001
) -> None:
    action, held = ACTIONS[name], list[Callable[[], None]]()
    front = slack_front if action.connection.startswith("slack") else google_front
    with late_gateway(front.url, held.append, closes=closes) as gateway:
        connect(shop.house, shop.secrets or Pocket(), action, gateway.url)
        shop.deploy(write_workflow(action, "w"))
        shop.publish("a")
        shop.tick()
        approve(shop)
        assert len(held) == 1
        shop.pass_time(late_s * SECOND)
        held[0]()
        shop.pass_time(10 * MINUTE)
        assert (len(held), len(gateway.applied)) == (1, 1)
        assert shop.events() == {"a": "consumed"}
        assert shop.state("C") == {"outcome": "applied"}
        assert shop.requests() == []


def test_what_is_never_carried_out_is_done_after_two_minutes_with_the_same_approval(
    shop: Shop, slack_front: Front
) -> None:
    action, dropped = ACTIONS["slack post"], list[Callable[[], None]]()
    with late_gateway(slack_front.url, dropped.append) as gateway:
        connect(shop.house, shop.secrets or Pocket(), action, gateway.url)
        shop.deploy(write_workflow(action, "w"))
        shop.publish("a")
        shop.tick()
        approve(shop)
        shop.pass_time(2 * MINUTE - SECOND)
        assert len(dropped) == 1
        gateway.defer = lambda hand_over: hand_over()
        shop.pass_time(10 * MINUTE)
        assert (len(dropped), len(gateway.applied)) == (1, 1)
        assert shop.state("C") == {"outcome": "applied"}
