"""Errors of connectors and their libraries: no secret gets into the store, a log or a warning."""

import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pytest

from scheduler.connections.connector import Call, Checked, Connector, Field, Parameter, ParameterKind, Tool
from scheduler.connections.connector import ToolFailedError as Failed
from scheduler.connections.registry import Registry
from scheduler.engine.runs.tool_calls import redact_failure
from scheduler.rules.failures import Failure, FailureClass
from tests.engine.engine_fixture import HOUR, MINUTE
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer, job

SECRET = "hunter2 & söhne/%"


class LeakyTools:
    """Tools whose errors quote the password, and the keyring that holds it."""

    def __init__(self, *, is_converted: bool) -> None:
        self.is_converted = is_converted
        self.calls: list[Call] = []

    def read(self, connection: str) -> Mapping[str, Any]:
        return {"password": SECRET}

    def fail(self, call: Call) -> Any:
        self.calls.append(call)
        sentence = f"https://me:{quote(call.settings['password'], '')}@x failed: {call.settings['password']}"
        if self.is_converted:
            raise Failed.because(FailureClass.UNSURE, sentence)
        raise RuntimeError(sentence)

    def check(self, call: Call) -> Checked:
        return Checked(happened=self.fail(call))

    def registry(self) -> Registry:
        anything = {"n": Parameter(ParameterKind.ANY, required=False)}
        tools = (
            Tool(name="act", help="", parameters=anything, run=self.fail, mutating=True, check=self.check),
            Tool(name="look", help="", parameters=anything, run=self.fail),
        )
        fields = (Field(name="password", label="Password", secret=True),)
        return Registry(
            [Connector(kind="world", title="World", help="", fields=fields, tools=tools, test=lambda _: "There.")]
        )


@pytest.mark.parametrize("is_converted", [True, False])
def test_errors_are_stored_without_secrets(
    runtime: RuntimeFixture, *, is_converted: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """For a failing read, action and checker, over the whole store file."""
    caplog.set_level(logging.DEBUG)
    leaky = LeakyTools(is_converted=is_converted)
    runtime.service.registry = leaky.registry  # type: ignore[method-assign]
    runtime.crash()
    runtime.services.runner.tools._secrets = leaky
    runtime.services.grant_commands.save_connection("world:x", {})
    runtime.deploy(consumer())
    runtime.deploy(job('ctx.call("world:x", "look")').replace('"W"', '"R"'), path="r.py")
    runtime.publish("a")
    runtime.clock.move(HOUR)
    runtime.pass_time(5 * MINUTE)
    assert len(leaky.calls) >= 3
    assert "•••" in runtime.runs("C")[-1].error["sentence"]
    assert "•••" in runtime.runs("j", "r")[-1].error["sentence"]
    texts = " ".join(one.sentence for one in runtime.announcements) + caplog.text
    stored = b"".join(file.read_bytes() for file in runtime.folder.rglob("*") if file.is_file())
    for spelling in (SECRET, quote(SECRET), quote(SECRET, "")):
        assert spelling not in texts
        assert spelling.encode() not in stored
        assert spelling.encode("unicode_escape") not in stored


@pytest.mark.parametrize("secret", ["p", "pass word", "a%20b", "ü", "x" * 200])
def test_a_secret_is_redacted_in_every_encoding(secret: str) -> None:
    failure = Failure(
        kind=FailureClass.AUTH,
        sentence=f"({secret}) ({quote(secret)})",
        traceback=f"Traceback: {secret}",
    )
    kept = redact_failure(failure, [secret])
    assert kept.sentence == "(•••) (•••)"
    assert secret not in (kept.traceback or "")
    assert kept.kind is FailureClass.AUTH


def test_a_failure_without_secrets_is_unchanged() -> None:
    failure = Failure(kind=FailureClass.LOGIC, sentence="There is no such row.", line=3)
    assert redact_failure(failure, ["hunter2"]) == failure
    assert redact_failure(failure, []) == failure


def test_a_checkers_result_is_redacted(runtime: RuntimeFixture) -> None:
    """It becomes the result of the action."""
    leaky = LeakyTools(is_converted=True)
    leaky.check = lambda call: Checked(happened=True, result={"to": call.settings["password"]})  # type: ignore[method-assign]
    runtime.service.registry = leaky.registry  # type: ignore[method-assign]
    runtime.crash()
    runtime.services.runner.tools._secrets = leaky
    runtime.services.grant_commands.save_connection("world:x", {})
    runtime.deploy(consumer())
    runtime.publish("a")
    runtime.pass_time(MINUTE)
    assert runtime.state("C")["told"] == ["applied", {"to": "•••"}]
