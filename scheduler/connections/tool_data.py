"""What the tools of a connector do, need and return, as JSON values for documentation."""

from typing import Any

from scheduler.connections.connector import Connector, Tool


def describe_connector(connector: Connector) -> dict[str, Any]:
    return {
        "kind": connector.kind,
        "title": str(connector.title),
        "help": str(connector.help),
        "tools": [describe_tool(one) for one in connector.tools],
    }


def describe_tool(tool: Tool) -> dict[str, Any]:
    example = tool.example
    return {
        "name": tool.name,
        "help": str(tool.help),
        "acts": tool.mutating,
        "asks_first": tool.acts_on_others,
        "parameters": [
            {
                "name": name,
                "kind": one.kind.value,
                "required": one.required,
                "editable": one.editable,
                "help": str(one.help),
            }
            for name, one in tool.parameters.items()
        ],
        "example": None if example is None else {"parameters": dict(example.parameters), "result": example.result},
    }
