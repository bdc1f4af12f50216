"""Making calls and finding tools in tests."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from scheduler.connections.connector import Call, Connector, Tool

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


def call(settings: dict[str, Any], key: str = "", seconds: float = 30, **parameters: Any) -> Call:
    return Call(
        parameters=parameters,
        settings=settings,
        key=key,
        now=NOW,
        seconds=seconds,
        connection="kind:name",
        workflow="w",
    )


ALTERNATIVE_KEYS = frozenset({"text", "json", "base64", "path", "note", "error"})
"""A result has one or another of these, depending on the content."""


def tool_of(connector: Connector, name: str) -> Tool:
    """The tool, which also checks that its results are as its example shows them."""
    tool = next(tool for tool in connector.tools if tool.name == name)

    def run(call: Call) -> Any:
        result = tool.run(call)
        check_documented(f"{connector.kind} {name}", tool, result)
        return result

    return replace(tool, run=run)


def check_documented(title: str, tool: Tool, result: Any) -> None:
    """Whether the example has the keys of the result; the columns of a table and incomplete events are anything."""
    if tool.example is None or title == "table read":
        return
    shown = tool.example.result
    assert type(result) is type(shown), f"{title} returns a {type(result).__name__}; its example does not"
    for one in result if isinstance(result, list) else [result]:
        expected = shown[0] if isinstance(shown, list) else shown
        if isinstance(one, dict) and not one.get("not_understood"):
            undocumented = one.keys() - expected.keys() - ALTERNATIVE_KEYS
            assert not undocumented, f"the example of {title} does not show {undocumented}"
            missing = expected.keys() - one.keys() - ALTERNATIVE_KEYS
            assert not missing, f"{title} did not return {missing}"
