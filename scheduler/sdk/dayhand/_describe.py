"""A workflow as JSON: what the host needs to know about a script without running it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import Misuse
from ._places import definition
from ._workflow import Workflow

if TYPE_CHECKING:
    from ._handlers import Handler


def find_workflow(module: Any, defined: list[Workflow]) -> Workflow:
    """The one workflow that a module defined; Misuse if it is none or several."""
    file = getattr(module, "__file__", None) or "the script"
    if not defined:
        raise Misuse("this file defines no workflow; write flow = dayhand.Workflow('Receipts').", (file, 1))
    if len(defined) > 1:
        second = defined[1]
        raise Misuse("this file defines two workflows; put each in a file of its own.", (second.file, second.line))
    return defined[0]


def describe(module: Any) -> dict[str, Any]:
    """The workflow of a module as JSON; Misuse if there is none or it cannot work."""
    flows = {id(value): value for value in vars(module).values() if isinstance(value, Workflow)}
    return describe_workflow(find_workflow(module, list(flows.values())), module.__doc__)


def describe_workflow(flow: Workflow, docstring: str | None) -> dict[str, Any]:
    """The workflow as JSON; Misuse if it cannot work."""
    if not flow.handlers:
        raise Misuse(
            f"{flow.name} has no handler; add a function with @flow.producer(…) or @flow.job(…).",
            (flow.file, flow.line),
        )
    subscribed = {topic for handler in flow.handlers.values() for topic in handler.subscribes}
    for handler in flow.handlers.values():
        for topic in handler.publishes:
            if topic not in subscribed:
                raise Misuse(
                    f"{handler.name} publishes to {topic} and no consumer subscribes to it; "
                    f"add subscribe=[{topic}] to a consumer, or stop publishing.",
                    (flow.file, handler.line),
                )
    return {
        "name": flow.name,
        "slug": flow.slug,
        "docstring": (docstring or "").strip(),
        "line": flow.line,
        "connections": flow.connections,
        "tags": flow.tags,
        "topics": list(flow.topics),
        "handlers": [_describe_handler(handler) for handler in flow.handlers.values()],
    }


def _describe_handler(handler: Handler) -> dict[str, Any]:
    phases = {name: getattr(handler.body, name, None) for name in ("prepare", "mutate", "next")}
    places = {name: definition(body) for name, body in phases.items() if handler.kind == "consumer"}
    return {
        "schedule": None,
        "policies": {},
        "publishes": [],
        "subscribes": [],
        "approve": None,
        "timeout": None,
        "max_failures": None,
        "after_crash": None,
        "run_on_deploy": None,
        **handler.written,
        "name": handler.name,
        "kind": handler.kind,
        "line": handler.line,
        "docstring": (handler.body.__doc__ or "").strip(),
        "has_mutate": handler.kind == "consumer" and phases["mutate"] is not None,
        "has_next": handler.kind == "consumer" and phases["next"] is not None,
        "lines": {name: place[1] for name, place in places.items() if place is not None},
    }
