"""Replaces mutating tools with fakes that do nothing. Reading tools stay real."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from scheduler.connections.connector import Call, Connector, Tool
from scheduler.connections.connectors.content import read_content
from scheduler.connections.registry import Registry

_MAX_CACHED = 100
"""Cached results per reading tool."""


def fake_mutating_tools(registry: Registry) -> Registry:
    """The same tools, with the mutating ones faked."""
    return Registry(_fake(registry.connector(kind)) for kind in registry.kinds())


def _fake(connector: Connector) -> Connector:
    def make(tool: Tool) -> Tool:
        if not tool.mutating:
            return replace(tool, run=_cache(tool.run))
        fake = partial(fake_result, connector.kind, tool.name)
        return replace(tool, run=fake, check=None, identify_target=None)

    return replace(connector, tools=tuple(make(tool) for tool in connector.tools))


def _cache(run: Callable[[Call], Any]) -> Callable[[Call], Any]:
    """A week is simulated in seconds: do not make the same call ten thousand times."""
    results: dict[str, Any] = {}

    def run_cached(call: Call) -> Any:
        key = json.dumps([call.connection, call.parameters], sort_keys=True, default=str)
        if key not in results:
            if len(results) >= _MAX_CACHED:
                results.clear()
            results[key] = run(call)
        return results[key]

    return run_cached


def fake_result(kind: str, tool: str, call: Call) -> Any:
    """The result that `next` gets for an action that was not done, as the tool would return it where that is known."""
    given = call.parameters
    match kind, tool:
        case "table", "append":
            return {"added": len(given["rows"])}
        case "files", "write":
            return {"path": given["path"], "size": len(read_content(call))}
        case "files", "move":
            return {"path": given["target"]}
        case ("files", "delete") | ("notify", _):
            return None
    return {}
