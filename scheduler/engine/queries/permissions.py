"""What a workflow may do with its connections, and what a script would ask for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scheduler.engine.lookup import find_workflow
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.engine.workflows.permissions import list_permissions
from scheduler.engine.workflows.validation import ValidatedScript
from scheduler.store import connections, grants
from scheduler.store.grants import GrantKind
from scheduler.user_text import UserText
from scheduler.workers.tool_scan import find_tool_uses


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPermission:
    """A tool of a connection that a script uses, or may use."""

    connection: str
    tool: str
    sentence: str
    """For example "may add rows to expenses, asks each time"."""
    is_allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowPermissions:
    tools: tuple[ToolPermission, ...]
    always_allowed: tuple[str, ...]
    """What it does without asking, because the user chose to always allow it."""


def find_of_workflow(snapshot: Snapshot, name: str) -> WorkflowPermissions:
    """What its current script uses, and what is granted besides."""
    slug, registry = find_workflow(snapshot.db, name).slug, snapshot.registry
    plan = snapshot.plans.current(snapshot.db, slug)
    granted = grants.of_workflow(snapshot.db, slug)
    allowed = {(one.connection, one.tool) for one in granted if one.kind is GrantKind.PERMISSION}
    unasked = {(one.connection, one.tool) for one in granted if one.kind is GrantKind.APPROVAL}
    uses, settings = find_tool_uses(plan.source), connections.read_settings(snapshot.db)
    found = list_permissions(registry, plan, uses, settings, unasked)
    said = {(one.connection, one.tool): one.sentence for one in found}

    def describe(connection: str, tool: str) -> str:
        return registry.describe_ability(connection, tool, settings.get(connection))

    return WorkflowPermissions(
        tools=tuple(
            ToolPermission(
                connection=connection,
                tool=tool,
                sentence=said.get((connection, tool), UserText("may {ability}", ability=describe(connection, tool))),
                is_allowed=(connection, tool) in allowed,
            )
            for connection, tool in sorted(said.keys() | allowed)
        ),
        always_allowed=tuple(describe(connection, tool) for connection, tool in sorted(unasked)),
    )


def find_of_script(
    snapshot: Snapshot, script: ValidatedScript, settings: Mapping[str, Mapping[str, Any]]
) -> tuple[ToolPermission, ...]:
    """What a script uses that may not be deployed yet. `settings`: of connections that do not exist yet."""
    known = {**connections.read_settings(snapshot.db), **settings}
    return tuple(
        ToolPermission(
            connection=one.connection,
            tool=one.tool,
            sentence=one.sentence,
            is_allowed=grants.has(snapshot.db, script.slug, "", one.connection, one.tool, GrantKind.PERMISSION),
        )
        for one in list_permissions(snapshot.registry, script.plan(0), script.uses, known)
    )
