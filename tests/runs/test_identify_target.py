"""Identifying the target of an action is a read like any other: it may fail, wait and be stopped."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Call, Connector, Field, ToolFailedError
from scheduler.connections.oauth.token_refresh import with_retry_after_401
from scheduler.connections.redaction import with_redacted_results
from scheduler.connections.registry import Registry
from scheduler.rules.failures import FailureClass
from tests.engine.engine_fixture import SECOND
from tests.runs.runtime_fixture import TIMEOUT_S, FakeService, RuntimeFixture, fail
from tests.runs.scripts import consumer


class TargetRuntime(RuntimeFixture):
    """Its tool "act" identifies the object it would change."""

    etag: Any = 1
    fails: FailureClass | None = None
    gate: threading.Event | None = None

    def open(self) -> None:
        usual = type(self.service).registry(self.service).connector("world")
        tools = [replace(one, identify_target=self._identify) if one.name == "act" else one for one in usual.tools]
        self.identified = threading.Event()
        self.service.registry = lambda: Registry([replace(usual, tools=tuple(tools))])  # type: ignore[method-assign]
        super().open()

    def _identify(self, _: Call) -> Any:
        self.identified.set()
        if self.gate is not None:
            assert self.gate.wait(TIMEOUT_S)
        if self.fails is not None:
            raise ToolFailedError(fail(self.fails))
        return self.etag


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[TargetRuntime]:
    runtime = TargetRuntime(tmp_path)
    yield runtime
    runtime.close()


def begin(runtime: TargetRuntime, approve: str) -> None:
    runtime.deploy(consumer(approve=approve))
    runtime.publish("a")
    runtime.tick()


@pytest.mark.parametrize(
    ("failure", "status", "asks"),
    [
        (FailureClass.TRANSIENT, "paused:transient", []),
        (FailureClass.AUTH, "paused:approval", ["reconnect"]),
        (FailureClass.LOGIC, "failed:logic", ["script error"]),
        (FailureClass.UNSURE, "paused:transient", []),
    ],
)
def test_a_failure_is_handled_like_a_failed_read_without_an_approval_request(
    runtime: TargetRuntime, failure: FailureClass, status: str, asks: list[str]
) -> None:
    runtime.fails = failure
    begin(runtime, "always")
    assert runtime.runs("C")[-1].status == status
    assert [one.kind for one in runtime.requests()] == asks
    assert runtime.service.calls == [] and runtime.mutation(runtime.runs("C")[-1].id) is None


def test_it_is_retried_and_then_asks(runtime: TargetRuntime) -> None:
    runtime.fails = FailureClass.TRANSIENT
    begin(runtime, "always")
    runtime.fails = None
    runtime.pass_time(40 * SECOND)
    [request] = runtime.requests()
    assert request.call["target"] == 1


def test_the_tool_gets_the_approved_target_and_the_store_keeps_it(runtime: TargetRuntime) -> None:
    runtime.etag = {"etag": (1, 2)}
    begin(runtime, "always")
    runtime.request_commands.approve(runtime.requests()[0].id)
    runtime.tick()
    assert [call.target for call in runtime.service.calls] == [{"etag": [1, 2]}], "as the store returns it"
    row = runtime.mutation(runtime.runs("C")[-1].id)
    assert row is not None and row.target == {"etag": [1, 2]}


def test_a_run_that_is_stopped_does_not_wait_for_it(runtime: TargetRuntime) -> None:
    runtime.gate = threading.Event()
    runtime.deploy(consumer(approve="always"))
    runtime.publish("a")
    runtime.tick_until_active()
    runtime.wait(runtime.identified.is_set)
    runtime.commands.stop("w")
    runtime.wait(lambda: not runtime.active())
    runtime.gate.set()
    assert runtime.runs("C")[-1].status == "cancelled"
    assert runtime.requests() == [] and runtime.service.calls == []


def test_it_refreshes_a_login_and_redacts_secrets() -> None:
    class Keeper:
        def renew(self, *_: Any) -> dict[str, str]:
            return {"token": "the second secret"}

    def identify(call: Call) -> str:
        if call.settings["token"] == "the first secret":
            raise ToolFailedError(fail(FailureClass.AUTH))
        return f"etag with {call.settings['token']}"

    usual = FakeService().registry().tool("world:x", "act")
    field = Field(name="token", label="Token", secret=True)
    connector = Connector(kind="x", title="X", help="", fields=(field,), tools=(), test=lambda _: "")
    tool = with_retry_after_401(with_redacted_results(replace(usual, identify_target=identify), connector), Keeper())
    call = Call(parameters={}, settings={"token": "the first secret"}, key="", now=None, connection="x:y")  # type: ignore[arg-type]
    assert tool.identify_target is not None
    assert tool.identify_target(call) == "etag with •••"
