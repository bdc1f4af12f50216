"""`tools`: what scripts can do with connections. Needs neither a running app nor any data."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from app.cli.command import Command, CommandResult
from app.cli.formatting import format_entries, format_table
from app.template_script import write_literal
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry, builtin_registry
from scheduler.connections.tool_data import describe_connector
from scheduler.engine.errors import RefusedError


def _tools_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "List what scripts can call with ctx.call: all tools in a line each, those of one KIND of connection with\n"
        "their parameters, or one TOOL with an example and its result."
    )
    parser.add_argument("kind", nargs="?", metavar="KIND", help="such as imap")
    parser.add_argument("tool", nargs="?", metavar="TOOL", help="such as search")


def _tools(options: Namespace) -> CommandResult:
    registry = builtin_registry(lambda _title, _text: None)
    if options.kind is None:
        found = [describe_connector(registry.connector(kind)) for kind in registry.kinds()]
        return CommandResult({"connectors": found}, _render_list)
    connector = _find_connector(registry, options.kind.partition(":")[0])
    if options.tool is None:
        return CommandResult({"connectors": [connector]}, _render_connector)
    tools = {one["name"]: one for one in connector["tools"]}
    if options.tool not in tools:
        raise RefusedError("tool", f"{connector['kind']} has no tool {options.tool!r:.60}. It has: {', '.join(tools)}.")
    connector["tools"] = [tools[options.tool]]
    return CommandResult({"connectors": [connector]}, _render_tool)


def _find_connector(registry: Registry, kind: str) -> dict[str, Any]:
    try:
        return describe_connector(registry.connector(kind))
    except ConnectionRuleError as error:
        raise RefusedError("kind", error.sentence) from error


def _render_list(answer: dict[str, Any]) -> Iterator[str]:
    rows = [
        (f"{one['kind']} {tool['name']}", describe_effect(tool), tool["help"])
        for one in answer["connectors"]
        for tool in one["tools"]
    ]
    yield from format_table(("TOOL", "", "WHAT IT DOES"), rows)
    yield ""
    yield "For their parameters: dayhand tools KIND"


def _render_connector(answer: dict[str, Any]) -> Iterator[str]:
    (connector,) = answer["connectors"]
    yield f"{connector['title']}: {connector['help']}"
    for tool in connector["tools"]:
        yield ""
        yield from _render_head(tool)
    yield ""
    yield f"For an example and its result: dayhand tools {connector['kind']} TOOL"


def _render_tool(answer: dict[str, Any]) -> Iterator[str]:
    (connector,) = answer["connectors"]
    (tool,) = connector["tools"]
    yield from _render_head(tool)
    if tool["example"] is not None:
        yield ""
        yield f"Example: {format_call(connector['kind'], tool)}"
        yield f"Returns: {json.dumps(tool['example']['result'], indent=2, ensure_ascii=False)}"


def _render_head(tool: dict[str, Any]) -> Iterator[str]:
    effect = describe_effect(tool)
    yield f"{tool['name']}{f' ({effect})' if effect else ''}: {tool['help']}"
    yield from format_entries(
        (f"{one['name']} ({one['kind']}{', required' if one['required'] else ''})", one["help"])
        for one in tool["parameters"]
    )


def describe_effect(tool: dict[str, Any]) -> str:
    """Empty for a tool that only reads."""
    if not tool["acts"]:
        return ""
    return "acts, asks first" if tool["asks_first"] else "acts"


def format_call(kind: str, tool: dict[str, Any]) -> str:
    """The example as a line of a script."""
    given = tool["example"]["parameters"]
    arguments = "".join(f", {name}={write_literal(value)}" for name, value in given.items())
    return f'ctx.call("{kind}:NAME", "{tool["name"]}"{arguments})'


VERBS = {"tools": Command(_tools_arguments, _tools)}
