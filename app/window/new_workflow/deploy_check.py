"""What is read of a script before it is deployed, and deploying it as the person wished. Never in the GUI thread."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.life.installation import Installation
from app.words.interpreting import interpret
from scheduler.engine.workflows.deploying import Wish
from scheduler.engine.workflows.permissions import begin_line, list_permissions
from scheduler.engine.workflows.validation import Validated
from scheduler.store import grants
from scheduler.store.grants import GrantKind
from scheduler.timing.spec import Spec
from scheduler.timing.words import say

_PATIENCE = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One thing that a script may ask of a connection."""

    connection: str
    tool: str
    words: str
    is_allowed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A script that can be deployed, as the person is asked about it."""

    validated: Validated
    name: str
    description: str
    times: tuple[str, ...]
    uses: tuple[Use, ...]
    missing: tuple[str, ...]
    """Connections that nobody has connected yet."""
    is_update: bool


def look_at_script(installation: Installation, path: Path) -> Offer:
    """Read and check it; takes its time. NotValidError, or OSError where it cannot be read."""
    source = path.read_text(encoding="utf-8")
    validated = installation.house.validation.validate(str(path), source)
    context, registry = installation.house.engine.context, installation.house.registry
    plan = validated.plan(0)
    db = context.database.read()
    times = []
    for handler in plan.handlers.values():
        if handler.schedule is not None:
            spec = Spec.read(handler.schedule, machine_zone=context.machine_zone, now=context.clock.now())
            times.append(interpret(say(spec, viewer_zone=context.machine_zone)))
    return Offer(
        validated=validated,
        name=plan.name,
        description=str(validated.described.get("docstring") or ""),
        times=tuple(dict.fromkeys(times)),
        uses=tuple(
            Use(
                connection=one.connection,
                tool=one.tool,
                words=begin_line(interpret(one.sentence)),
                is_allowed=grants.has(db, validated.slug, "", one.connection, one.tool, GrantKind.PERMISSION),
            )
            for one in list_permissions(registry, plan, validated.uses)
        ),
        missing=installation.views.unconnected(plan.connections),
        is_update=validated.slug in installation.views.names(),
    )


def deploy(installation: Installation, offer: Offer, wish: Wish, allowed: Iterable[Use]) -> dict[str, Any]:
    """On the engine's thread; waits for it."""
    house = installation.house

    def act(_: object) -> dict[str, Any]:
        answer = house.commands.deploy(offer.validated, wish)
        for use in allowed:
            house.allowing.grant(offer.validated.slug, use.connection, use.tool)
        return answer

    return installation.ask_for_user(act).result(_PATIENCE)
