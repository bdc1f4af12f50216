"""What a workflow may do with its connections, in words that a person can say yes or no to."""

from collections.abc import Container, Iterable
from dataclasses import dataclass

from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry
from scheduler.engine.plans import Plan, approval_for
from scheduler.workers.discovery import ToolUse

_CARE = {"always": 2, "first": 1, "never": 0}
"""How often a person is asked, the most careful highest."""
_ASKS = {
    None: "may {ability}",
    2: "may {ability}, asks before each",
    1: "may {ability}, asks the first time",
    0: "may {ability}, without asking",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """One tool of one connection that a script uses."""

    connection: str
    tool: str
    sentence: str
    """As in "may add rows to expenses, asks before each"."""


def list_permissions(
    registry: Registry, plan: Plan, uses: Iterable[ToolUse], unasked: Container[tuple[str, str]] = ()
) -> list[Permission]:
    """Everything that the script is seen to use, by connection and tool; of those unasked the person said always."""
    found: dict[tuple[str, str], list[ToolUse]] = {}
    for use in uses:
        if use.connection is not None and use.tool is not None:
            found.setdefault((use.connection, use.tool), []).append(use)
    return [
        Permission(
            connection=connection,
            tool=tool,
            sentence=_ASKS[0 if (connection, tool) in unasked else _care_of(registry, plan, alike)].format(
                ability=registry.say_ability(connection, tool)
            ),
        )
        for (connection, tool), alike in sorted(found.items())
    ]


def is_bolder(registry: Registry, before: Plan | None, plan: Plan, use: ToolUse) -> bool:
    """Whether a consumer asks less often about this call than it did in the version before."""
    old = None if before is None else before.handlers.get(use.handler)
    if old is None or use.phase != "mutate":
        return False
    try:
        tool = registry.tool(str(use.connection), str(use.tool))
    except ConnectionRuleError:  # it is known only when it runs, or not at all
        tool = None
    return _CARE[approval_for(plan.handlers[use.handler], tool)] < _CARE[approval_for(old, tool)]


def begin_line(sentence: str) -> str:
    """Where it stands by itself."""
    return f"{sentence[:1].upper()}{sentence[1:]}"


def say_all(permissions: Iterable[Permission]) -> str:
    """All of them as one sentence."""
    said = "; ".join(one.sentence for one in permissions)
    return f"It {said}." if said else ""


def _care_of(registry: Registry, plan: Plan, alike: list[ToolUse]) -> int | None:
    """None for what only looks; else as often as the boldest of those that use it."""
    try:
        tool = registry.tool(str(alike[0].connection), str(alike[0].tool))
    except ConnectionRuleError:
        return None
    if not tool.mutating:
        return None
    handlers = [plan.handlers[use.handler] for use in alike if use.handler in plan.handlers]
    return min(_CARE[approval_for(one, tool)] for one in handlers or (None,))
