"""The description of a workflow as JSON for the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import Misuse
from ._source_location import definition_of
from ._user_text import UserText
from ._workflow import Workflow

if TYPE_CHECKING:
    from ._handlers import HandlerDefinition


def find_workflow(module: Any, defined: list[Workflow]) -> Workflow:
    """The workflow that a module defined; Misuse if there is none or more than one."""
    file = getattr(module, "__file__", None) or UserText("the script")
    if not defined:
        raise Misuse(UserText("this file defines no workflow; write flow = dayhand.Workflow('Receipts')."), (file, 1))
    if len(defined) > 1:
        second = defined[1]
        raise Misuse(UserText("this file defines two workflows; put each in its own file."), (second.file, second.line))
    return defined[0]


def describe(module: Any) -> dict[str, Any]:
    """The workflow of a module as JSON; Misuse if there is none or it is invalid."""
    flows = {id(value): value for value in vars(module).values() if isinstance(value, Workflow)}
    return describe_workflow(find_workflow(module, list(flows.values())), module.__doc__)


def describe_workflow(flow: Workflow, docstring: str | None) -> dict[str, Any]:
    """The workflow as JSON; Misuse if it is invalid."""
    if not flow.handlers:
        raise Misuse(
            UserText("{flow} has no handler; add a function with @flow.producer(…) or @flow.job(…).", flow=flow.name),
            (flow.file, flow.line),
        )
    subscribed = {topic for handler in flow.handlers.values() for topic in handler.subscribes}
    for handler in flow.handlers.values():
        for topic in handler.publishes:
            if topic not in subscribed:
                raise Misuse(
                    UserText(
                        "{handler} publishes to {topic}, but no consumer subscribes to it; add subscribe=[{topic}] "
                        "to a consumer, or stop publishing.",
                        handler=handler.name,
                        topic=topic,
                    ),
                    (flow.file, handler.line),
                )
    return {
        "name": flow.name,
        "slug": flow.slug,
        "docstring": (docstring or "").strip(),
        "line": flow.line,
        "connections": _list_connections(flow),
        "ping": flow.ping,
        "overdue_after": flow.overdue_after,
        "tags": flow.tags,
        "topics": list(flow.topics),
        "handlers": [_describe_handler(handler) for handler in flow.handlers.values()],
    }


def _list_connections(flow: Workflow) -> list[str]:
    """Those that the script calls, and those through which its pings go."""
    pings = [flow.ping, *(handler.written.get("ping") for handler in flow.handlers.values())]
    return list(dict.fromkeys([*flow.connections, *(name for name in pings if name is not None)]))


def _describe_handler(handler: HandlerDefinition) -> dict[str, Any]:
    phases = {name: getattr(handler.body, name, None) for name in ("prepare", "mutate", "next")}
    places = {name: definition_of(body) for name, body in phases.items() if handler.kind == "consumer"}
    return {
        "schedule": None,
        "policies": {},
        "publishes": [],
        "subscribes": [],
        "approve": None,
        "expires": None,
        "on_expiry": None,
        "timeout": None,
        "max_failures": None,
        "retries": None,
        "after_crash": None,
        "run_on_deploy": None,
        "ping": None,
        "overdue_after": None,
        "expected": None,
        **handler.written,
        "name": handler.name,
        "kind": handler.kind,
        "line": handler.line,
        "docstring": (handler.body.__doc__ or "").strip(),
        "has_mutate": handler.kind == "consumer" and phases["mutate"] is not None,
        "has_next": handler.kind == "consumer" and phases["next"] is not None,
        "lines": {name: place[1] for name, place in places.items() if place is not None},
    }
