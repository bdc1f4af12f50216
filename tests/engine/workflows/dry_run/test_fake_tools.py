"""Tools in a trial: what reads is asked, but not again and again; what acts only seems to."""

from datetime import UTC, datetime
from typing import Any

import pytest

from scheduler.connections.connector import Call, Checked, Connector, Tool, ToolFailedError
from scheduler.connections.registry import Registry
from scheduler.engine.workflows.trying.pretending import pretend_all, seeming_result

START = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)


def call(connection: str = "x:a", **parameters: Any) -> Call:
    return Call(parameters=parameters, settings={}, key="k", now=START, connection=connection)


class Outside:
    """What is really asked and done."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []

    def ask(self, given: Call) -> int:
        self.asked.append((given.connection, given.parameters))
        return len(self.asked)

    def act(self, given: Call) -> None:
        raise AssertionError("it acts")

    def check(self, given: Call) -> Checked:
        raise AssertionError("it looks whether it acted")

    def pretended(self) -> Connector:
        tools = (
            Tool(name="look", help="", parameters={}, run=self.ask),
            Tool(name="act", help="", parameters={}, run=self.act, mutating=True, check=self.check),
        )
        real = Connector(kind="x", title="X", help="", fields=(), tools=tools, test=lambda _: "")
        return pretend_all(Registry([real])).connector("x")


def test_the_same_is_asked_once_and_anything_else_for_itself() -> None:
    outside = Outside()
    look, _ = outside.pretended().tools
    answers = [look.run(one) for one in (call(n=1), call(n=1), call(n=2), call("x:b", n=1), call(n=1))]
    assert answers == [1, 1, 2, 3, 1]
    assert outside.asked == [("x:a", {"n": 1}), ("x:a", {"n": 2}), ("x:b", {"n": 1})]


def test_answers_are_not_kept_without_end() -> None:
    """A script that asks for each day of ten years is asked for memory else."""
    outside = Outside()
    look, _ = outside.pretended().tools
    for number in range(101):
        look.run(call(n=number))
    look.run(call(n=100))
    assert len(outside.asked) == 101
    look.run(call(n=0))
    assert len(outside.asked) == 102, "the oldest were let go"


def test_what_acts_neither_acts_nor_looks_whether_it_did() -> None:
    _, act = Outside().pretended().tools
    assert (act.run(call()), act.mutating, act.check) == ({}, True, None)


def test_what_the_tool_would_refuse_to_write_is_refused() -> None:
    with pytest.raises(ToolFailedError):
        seeming_result("files", "write", call("files:x", path="a", base64="not so"))


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
def test_the_script_goes_on_with_an_answer_of_the_right_shape(
    kind: str, tool: str, given: dict[str, Any], result: Any
) -> None:
    assert seeming_result(kind, tool, call(f"{kind}:x", **given)) == result
