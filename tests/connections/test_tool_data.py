"""Every built-in tool is documented: what it does, its parameters, and an example that could really be called."""

import json

import pytest

from scheduler.connections.connector import Tool
from scheduler.connections.registry import builtin_registry
from scheduler.connections.tool_data import describe_tool
from scheduler.connections.validation import check_parameters
from scheduler.rules.script_limits import HAND_OVER_TOOL

REGISTRY = builtin_registry(lambda _title, _text: None)
TOOLS = [
    pytest.param(kind, tool, id=f"{kind} {tool.name}")
    for kind in REGISTRY.kinds()
    for tool in REGISTRY.connector(kind).tools
]


@pytest.mark.parametrize(("kind", "tool"), TOOLS)
def test_every_tool_and_parameter_says_what_it_is(kind: str, tool: Tool) -> None:
    assert kind
    assert tool.help.endswith(".")
    assert [name for name, one in tool.parameters.items() if not one.help.endswith(".")] == []


@pytest.mark.parametrize(("kind", "tool"), TOOLS)
def test_every_example_has_parameters_that_the_tool_accepts(kind: str, tool: Tool) -> None:
    if tool.name == HAND_OVER_TOOL:  # called by ctx.run, not by scripts
        assert tool.example is None
        return
    assert tool.example is not None
    check_parameters(tool, tool.example.parameters)
    if tool.validate is not None:
        tool.validate(tool.example.parameters)


@pytest.mark.parametrize(("kind", "tool"), TOOLS)
def test_every_description_is_json(kind: str, tool: Tool) -> None:
    assert kind
    described = describe_tool(tool)
    assert json.loads(json.dumps(described)) == described
