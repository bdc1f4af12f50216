"""Describes what a workflow may do with its connections, in sentences for the user."""

import sqlite3
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry
from scheduler.engine.script_plan import ScriptPlan, approval_for
from scheduler.store import connections, grants
from scheduler.store.grants import GrantKind
from scheduler.user_text import UserText, join_texts
from scheduler.workers.tool_scan import ToolUse

_CARE = {"always": 2, "first": 1, "never": 0}
"""How often the user is asked; higher is more careful."""
_SENTENCES = {
    None: UserText("may {ability}"),
    2: UserText("may {ability}, asks each time"),
    1: UserText("may {ability}, asks the first time"),
    0: UserText("may {ability}, without asking"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """One tool of one connection that a script uses."""

    connection: str
    tool: str
    sentence: str
    """For example "may add rows to expenses, asks each time"."""


def list_permissions(
    registry: Registry,
    plan: ScriptPlan,
    uses: Iterable[ToolUse],
    settings: Mapping[str, Mapping[str, Any]],
    always_allowed: Container[tuple[str, str]] = (),
) -> list[Permission]:
    """All tools that the script uses, by connection and tool; those in `always_allowed` do not ask.

    `settings`: those of the connections, by name.
    """
    found: dict[tuple[str, str], list[ToolUse]] = {}
    for use in uses:
        if use.connection is not None and use.tool is not None:
            found.setdefault((use.connection, use.tool), []).append(use)
    return [
        Permission(
            connection=connection,
            tool=tool,
            sentence=UserText(
                _SENTENCES[0 if (connection, tool) in always_allowed else _care_of(registry, plan, tool_uses)],
                ability=registry.describe_ability(connection, tool, settings.get(connection)),
            ),
        )
        for (connection, tool), tool_uses in sorted(found.items())
    ]


def list_granted(
    db: sqlite3.Connection, registry: Registry, plan: ScriptPlan, uses: Iterable[ToolUse]
) -> list[dict[str, Any]]:
    """All of them as JSON, with whether the user has allowed each."""
    return [
        {
            "connection": one.connection,
            "tool": one.tool,
            "sentence": one.sentence,
            "is_allowed": grants.has(db, plan.workflow, "", one.connection, one.tool, GrantKind.PERMISSION),
        }
        for one in list_permissions(registry, plan, uses, connections.read_settings(db))
    ]


def asks_less_often(registry: Registry, before: ScriptPlan | None, plan: ScriptPlan, use: ToolUse) -> bool:
    """Whether a consumer asks less often about this call than in the previous version."""
    old = None if before is None else before.handlers.get(use.handler)
    if old is None or use.phase != "mutate":
        return False
    try:
        tool = registry.tool(str(use.connection), str(use.tool))
    except ConnectionRuleError:  # known only at run time, or not at all
        tool = None
    return _CARE[approval_for(plan.handlers[use.handler], tool)] < _CARE[approval_for(old, tool)]


def capitalize_first(sentence: str) -> str:
    """Capitalized, to stand on its own."""
    return f"{sentence[:1].upper()}{sentence[1:]}"


def describe_permissions(permissions: Iterable[Permission]) -> str:
    """All of them as one sentence."""
    joined = join_texts([one.sentence for one in permissions], "; ")
    return UserText("It {permissions}.", permissions=joined) if joined else ""


def _care_of(registry: Registry, plan: ScriptPlan, uses: list[ToolUse]) -> int | None:
    """None for tools that only read, else the lowest care of the handlers that use it."""
    try:
        tool = registry.tool(str(uses[0].connection), str(uses[0].tool))
    except ConnectionRuleError:
        return None
    if not tool.mutating:
        return None
    handlers = [plan.handlers[use.handler] for use in uses if use.handler in plan.handlers]
    return min(_CARE[approval_for(one, tool)] for one in handlers or (None,))
