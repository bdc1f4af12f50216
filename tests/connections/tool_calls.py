"""Making calls and finding tools in tests."""

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


def tool_of(connector: Connector, name: str) -> Tool:
    return next(tool for tool in connector.tools if tool.name == name)
