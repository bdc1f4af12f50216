"""Whatever a connector or its libraries say when they fail: no secret gets into the store, a log or a warning."""

import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pytest

from scheduler.connections.connector import Call, Checked, Connector, Field, Parameter, ParameterKind, Tool
from scheduler.connections.connector import ToolFailedError as Failed
from scheduler.connections.registry import Registry
from scheduler.engine.runs.hiding import make_keepable
from scheduler.rules.failures import Failure, FailureClass
from tests.engine.harness import HOUR, MINUTE
from tests.runs.scripts import consumer, job
from tests.runs.shop import Shop

SECRET = "hunter2 & söhne/%"


class Talkative:
    """Tools of the world that quote the password in whatever goes wrong, and the keyring that holds it."""

    def __init__(self, *, foreseen: bool) -> None:
        self.foreseen = foreseen
        self.calls: list[Call] = []

    def read(self, connection: str) -> Mapping[str, Any]:
        return {"password": SECRET}

    def fail(self, call: Call) -> Any:
        self.calls.append(call)
        said = f"https://me:{quote(call.settings['password'], '')}@x failed: {call.settings['password']}"
        if self.foreseen:
            raise Failed.because(FailureClass.UNSURE, said)
        raise RuntimeError(said)

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


@pytest.mark.parametrize("foreseen", [True, False])
def test_no_secret_is_kept_of_an_error(shop: Shop, foreseen: bool, caplog: pytest.LogCaptureFixture) -> None:  # noqa: FBT001
    """Invariant 15: of a read, an action and a checker that fail, over the whole file of the store."""
    caplog.set_level(logging.DEBUG)
    talkative = Talkative(foreseen=foreseen)
    shop.world.registry = talkative.registry  # type: ignore[method-assign]
    shop.crash()
    shop.house.layer.tools._secrets = talkative
    shop.house.allowing.connected("world:x", {})
    shop.deploy(consumer())
    shop.deploy(job('ctx.call("world:x", "look")').replace('"W"', '"R"'), path="r.py")
    shop.publish("a")
    shop.clock.move(HOUR)
    shop.pass_time(5 * MINUTE)
    assert len(talkative.calls) >= 3
    assert "•••" in shop.runs("C")[-1].error["sentence"]
    assert "•••" in shop.runs("j", "r")[-1].error["sentence"]
    told = " ".join(one.sentence for one in shop.announcements) + caplog.text
    stored = b"".join(file.read_bytes() for file in shop.folder.rglob("*") if file.is_file())
    for spelling in (SECRET, quote(SECRET), quote(SECRET, "")):
        assert spelling not in told
        assert spelling.encode() not in stored
        assert spelling.encode("unicode_escape") not in stored


@pytest.mark.parametrize("secret", ["p", "pass word", "a%20b", "ü", "x" * 200])
def test_a_secret_is_hidden_however_it_is_spelled(secret: str) -> None:
    failure = Failure(
        kind=FailureClass.AUTH,
        sentence=f"({secret}) ({quote(secret)})",
        traceback=f"Traceback: {secret}",
    )
    kept = make_keepable(failure, [secret])
    assert kept.sentence == "(•••) (•••)"
    assert secret not in (kept.traceback or "")
    assert kept.kind is FailureClass.AUTH


def test_what_quotes_no_secret_stays_as_it_is() -> None:
    failure = Failure(kind=FailureClass.LOGIC, sentence="There is no such row.", line=3)
    assert make_keepable(failure, ["hunter2"]) == failure
    assert make_keepable(failure, []) == failure


def test_what_a_checker_finds_repeats_no_secret(shop: Shop) -> None:
    """It becomes the result of the action."""
    talkative = Talkative(foreseen=True)
    talkative.check = lambda call: Checked(happened=True, result={"to": call.settings["password"]})  # type: ignore[method-assign]
    shop.world.registry = talkative.registry  # type: ignore[method-assign]
    shop.crash()
    shop.house.layer.tools._secrets = talkative
    shop.house.allowing.connected("world:x", {})
    shop.deploy(consumer())
    shop.publish("a")
    shop.pass_time(MINUTE)
    assert shop.state("C")["told"] == ["applied", {"to": "•••"}]
