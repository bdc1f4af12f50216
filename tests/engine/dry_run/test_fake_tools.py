"""Tools in a dry run: reads are real but cached, actions are faked."""

from datetime import UTC, datetime
from typing import Any

import pytest

from scheduler.connections.connector import Call, Checked, Connector, Tool, ToolFailedError
from scheduler.connections.registry import Registry
from scheduler.engine.dry_run.fake_tools import fake_mutating_tools, fake_result

START = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)


def call(connection: str = "x:a", **parameters: Any) -> Call:
    return Call(parameters=parameters, settings={}, key="k", now=START, connection=connection)


class Outside:
    """The real service, which must not be acted on."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    def ask(self, given: Call) -> int:
        self.calls.append((given.connection, given.parameters))
        return len(self.calls)

    def act(self, given: Call) -> None:
        raise AssertionError("it acts")

    def check(self, given: Call) -> Checked:
        raise AssertionError("it checks whether it acted")

    def faked(self) -> Connector:
        tools = (
            Tool(name="look", help="", parameters={}, run=self.ask),
            Tool(name="act", help="", parameters={}, run=self.act, mutating=True, check=self.check),
        )
        real = Connector(kind="x", title="X", help="", fields=(), tools=tools, test=lambda _: "")
        return fake_mutating_tools(Registry([real])).connector("x")


def test_equal_reads_are_made_once() -> None:
    outside = Outside()
    look, _ = outside.faked().tools
    answers = [look.run(one) for one in (call(n=1), call(n=1), call(n=2), call("x:b", n=1), call(n=1))]
    assert answers == [1, 1, 2, 3, 1]
    assert outside.calls == [("x:a", {"n": 1}), ("x:a", {"n": 2}), ("x:b", {"n": 1})]


def test_the_cache_is_limited() -> None:
    """A script may ask for each day of ten years."""
    outside = Outside()
    look, _ = outside.faked().tools
    for number in range(101):
        look.run(call(n=number))
    look.run(call(n=100))
    assert len(outside.calls) == 101
    look.run(call(n=0))
    assert len(outside.calls) == 102, "the cache was cleared"


def test_a_mutating_tool_neither_acts_nor_checks() -> None:
    _, act = Outside().faked().tools
    assert (act.run(call()), act.mutating, act.check) == ({}, True, None)


def test_invalid_content_is_refused_as_by_the_real_tool() -> None:
    with pytest.raises(ToolFailedError):
        fake_result("files", "write", call("files:x", path="a", base64="not so"))


@pytest.mark.parametrize(
    ("kind", "tool", "given", "result"),
    [
        ("table", "append", {"rows": [{}, {}]}, {"added": 2}),
        ("files", "write", {"path": "a", "text": "hé"}, {"path": "a", "size": 3}),
        ("files", "write", {"path": "a", "base64": "aGk="}, {"path": "a", "size": 2}),
        ("files", "write", {"path": "a", "text": ""}, {"path": "a", "size": 0}),
        ("files", "move", {"source": "a", "target": "b"}, {"path": "b"}),
        ("files", "delete", {"path": "a"}, None),
        ("notify", "send", {"title": "x"}, None),
        ("smtp", "send", {}, {}),
    ],
)
def test_the_fake_result_has_the_shape_of_the_real_one(
    kind: str, tool: str, given: dict[str, Any], result: Any
) -> None:
    assert fake_result(kind, tool, call(f"{kind}:x", **given)) == result
