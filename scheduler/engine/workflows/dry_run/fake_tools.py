"""Tools that only seem to act. What only reads is really asked."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from scheduler.connections.connector import Call, Connector, Tool
from scheduler.connections.connectors.content import content_of
from scheduler.connections.registry import Registry

_MOST_KEPT = 100
"""Answers to one tool's questions that are kept for when it asks again."""


def pretend_all(registry: Registry) -> Registry:
    """The same tools, of which those that act only seem to."""
    return Registry(_pretend(registry.connector(kind)) for kind in registry.kinds())


def _pretend(connector: Connector) -> Connector:
    def make(tool: Tool) -> Tool:
        if not tool.mutating:
            return replace(tool, run=_ask_once(tool.run))
        seeming = partial(seeming_result, connector.kind, tool.name)
        return replace(tool, run=seeming, check=None, identify_target=None)

    return replace(connector, tools=tuple(make(tool) for tool in connector.tools))


def _ask_once(run: Callable[[Call], Any]) -> Callable[[Call], Any]:
    """A week is walked in seconds: nobody is asked the same ten thousand times."""
    kept: dict[str, Any] = {}

    def answer(call: Call) -> Any:
        key = json.dumps([call.connection, call.parameters], sort_keys=True, default=str)
        if key not in kept:
            if len(kept) >= _MOST_KEPT:
                kept.clear()
            kept[key] = run(call)
        return kept[key]

    return answer


def seeming_result(kind: str, tool: str, call: Call) -> Any:
    """What `next` gets for an action that was not done: as the tool would answer where that can be known."""
    given = call.parameters
    match kind, tool:
        case "table", "append":
            return {"added": len(given["rows"])}
        case "files", "write":
            return {"path": given["path"], "size": len(content_of(call))}
        case "files", "move":
            return {"path": given["target"]}
        case ("files", "delete") | ("notify", _):
            return None
    return {}
