"""One approval, one action: a service that times out but acts later is not asked to act again."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scheduler.connections.connectors.google.connector import google
from scheduler.connections.connectors.slack.connector import slack
from scheduler.connections.registry import Registry
from tests.connections import emulator_fixtures
from tests.connections.emulator_proxy import EmulatorProxy
from tests.connections.late_gateway import late_gateway
from tests.connections.late_service_workflows import ACTIONS, connect, write_workflow
from tests.connections.test_web_workflows import Pocket
from tests.engine.engine_fixture import MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture

emulator, google_front, slack_front = (
    emulator_fixtures.emulator,
    emulator_fixtures.google_proxy,
    emulator_fixtures.slack_proxy,
)


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[RuntimeFixture]:
    runtime = RuntimeFixture(tmp_path)
    runtime.service.registry = lambda: Registry([google, slack])  # type: ignore[method-assign]
    runtime.secrets = Pocket()
    runtime.crash()
    yield runtime
    runtime.close()


def approve(runtime: RuntimeFixture) -> None:
    [request] = runtime.requests()
    assert request.kind == "approval"
    runtime.request_commands.approve(request.id)
    runtime.tick()


@pytest.mark.parametrize("closes", [False, True], ids=["504", "closed"])
@pytest.mark.parametrize("late_s", [1, 10, 50])
@pytest.mark.parametrize("name", ACTIONS)
def test_a_late_action_is_done_once(
    runtime: RuntimeFixture,
    google_front: EmulatorProxy,
    slack_front: EmulatorProxy,
    name: str,
    late_s: int,
    closes: bool,  # noqa: FBT001
) -> None:
    action, held = ACTIONS[name], list[Callable[[], None]]()
    front = slack_front if action.connection.startswith("slack") else google_front
    with late_gateway(front.url, held.append, closes=closes) as gateway:
        connect(runtime.services, runtime.secrets or Pocket(), action, gateway.url)
        runtime.deploy(write_workflow(action, "w"))
        runtime.publish("a")
        runtime.tick()
        approve(runtime)
        assert len(held) == 1
        runtime.pass_time(late_s * SECOND)
        held[0]()
        runtime.pass_time(10 * MINUTE)
        assert (len(held), len(gateway.applied)) == (1, 1)
        assert runtime.events() == {"a": "consumed"}
        assert runtime.state("C") == {"outcome": "applied"}
        assert runtime.requests() == []


def test_an_action_that_never_happened_is_repeated_after_two_minutes_with_the_same_approval(
    runtime: RuntimeFixture, slack_front: EmulatorProxy
) -> None:
    action, dropped = ACTIONS["slack post"], list[Callable[[], None]]()
    with late_gateway(slack_front.url, dropped.append) as gateway:
        connect(runtime.services, runtime.secrets or Pocket(), action, gateway.url)
        runtime.deploy(write_workflow(action, "w"))
        runtime.publish("a")
        runtime.tick()
        approve(runtime)
        runtime.pass_time(2 * MINUTE - SECOND)
        assert len(dropped) == 1
        gateway.defer = lambda hand_over: hand_over()
        runtime.pass_time(10 * MINUTE)
        assert (len(dropped), len(gateway.applied)) == (1, 1)
        assert runtime.state("C") == {"outcome": "applied"}
