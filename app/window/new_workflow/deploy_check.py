"""Checks a script before it is deployed, and deploys it with the chosen options. Never in the GUI thread."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.i18n.translate import translate_text
from app.session import Session
from scheduler.engine.queries.permissions import ToolPermission
from scheduler.engine.runtime import Runtime
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.engine.workflows.permissions import capitalize_first
from scheduler.engine.workflows.validation import ValidatedScript
from scheduler.timing.description import describe_schedule
from scheduler.timing.spec import ScheduleSpec
from scheduler.workers.sandbox import warn_about_sandbox


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
    warning: str = ""
    """That scripts are not isolated on this system."""


def describe_permission(one: ToolPermission) -> UsedTool:
    words = capitalize_first(translate_text(one.sentence))
    return UsedTool(connection=one.connection, tool=one.tool, words=words, is_allowed=one.is_allowed)


def check_script(session: Session, path: Path) -> CheckedScript:
    """Read and validate the script; slow. InvalidScriptError, or OSError if it cannot be read."""
    return check_source(session, path, path.read_text(encoding="utf-8"))


def check_source(
    session: Session, path: Path, source: str, settings: Mapping[str, Mapping[str, Any]] | None = None
) -> CheckedScript:
    """Validate a script that would be in that file; slow. InvalidScriptError.

    `settings`: of connections that do not exist yet, by name.
    """
    validated = session.validate(str(path), source)
    plan = validated.plan(0)
    times = []
    for handler in plan.handlers.values():
        if handler.schedule is not None:
            spec = ScheduleSpec.read(handler.schedule, machine_zone=session.zone, now=session.now())
            times.append(translate_text(describe_schedule(spec, viewer_zone=session.zone)))
    return CheckedScript(
        validated=validated,
        name=plan.name,
        description=str(validated.described.get("docstring") or ""),
        times=tuple(dict.fromkeys(times)),
        uses=tuple(map(describe_permission, session.queries.permissions_of_script(validated, settings))),
        missing=session.queries.unconnected(plan.connections),
        is_update=validated.slug in session.queries.names(),
        warning=translate_text(warn_about_sandbox() or ""),
    )


def deploy(
    session: Session, offer: CheckedScript, options: DeployOptions, allowed: Iterable[UsedTool]
) -> dict[str, Any]:
    """Deploy on the engine's thread; blocks."""

    def act(runtime: Runtime) -> dict[str, Any]:
        answer = runtime.workflow_commands.deploy(offer.validated, options)
        for use in allowed:
            runtime.grant_commands.grant(offer.validated.slug, use.connection, use.tool)
        return answer

    return session.execute_for_user(act)
