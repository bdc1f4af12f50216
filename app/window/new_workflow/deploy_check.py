"""Checks a script before it is deployed, and deploys it with the chosen options. Never in the GUI thread."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.i18n.translate import translate_text
from app.session import Session
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.engine.workflows.permissions import capitalize_first, list_permissions
from scheduler.engine.workflows.validation import ValidatedScript
from scheduler.store import grants
from scheduler.store.grants import GrantKind
from scheduler.timing.description import describe_schedule
from scheduler.timing.spec import ScheduleSpec

_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedTool:
    """A tool of a connection that a script uses."""

    connection: str
    tool: str
    words: str
    is_allowed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedScript:
    """A valid script, with what the user should know before deploying it."""

    validated: ValidatedScript
    name: str
    description: str
    times: tuple[str, ...]
    uses: tuple[UsedTool, ...]
    missing: tuple[str, ...]
    """Connections that are not connected yet."""
    is_update: bool


def check_script(session: Session, path: Path) -> CheckedScript:
    """Read and validate the script; slow. InvalidScriptError, or OSError if it cannot be read."""
    source = path.read_text(encoding="utf-8")
    validated = session.runtime.validation.validate(str(path), source)
    context, registry = session.runtime.engine.context, session.runtime.registry
    plan = validated.plan(0)
    db = context.database.read()
    times = []
    for handler in plan.handlers.values():
        if handler.schedule is not None:
            spec = ScheduleSpec.read(handler.schedule, machine_zone=context.machine_zone, now=context.clock.now())
            times.append(translate_text(describe_schedule(spec, viewer_zone=context.machine_zone)))
    return CheckedScript(
        validated=validated,
        name=plan.name,
        description=str(validated.described.get("docstring") or ""),
        times=tuple(dict.fromkeys(times)),
        uses=tuple(
            UsedTool(
                connection=one.connection,
                tool=one.tool,
                words=capitalize_first(translate_text(one.sentence)),
                is_allowed=grants.has(db, validated.slug, "", one.connection, one.tool, GrantKind.PERMISSION),
            )
            for one in list_permissions(registry, plan, validated.uses)
        ),
        missing=session.queries.unconnected(plan.connections),
        is_update=validated.slug in session.queries.names(),
    )


def deploy(session: Session, offer: CheckedScript, wish: DeployOptions, allowed: Iterable[UsedTool]) -> dict[str, Any]:
    """Deploy on the engine's thread; blocks."""
    house = session.runtime

    def act(_: object) -> dict[str, Any]:
        answer = house.workflow_commands.deploy(offer.validated, wish)
        for use in allowed:
            house.grant_commands.grant(offer.validated.slug, use.connection, use.tool)
        return answer

    return session.submit_for_user(act).result(_TIMEOUT_S)
