"""The verbs about repairs: what would be sent, what a fixer proposes, and using it after a yes."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from app.desk.floor import Floor
from scheduler.engine.refusal import RefusedError

if TYPE_CHECKING:
    from scheduler.engine.fixing.fixer import Fixer
    from scheduler.engine.fixing.fixing import Fixing
    from scheduler.engine.house import House


class Fixes:
    """What it needs is loaded only where it is used."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    def fix_problem(self, run: str) -> dict[str, Any]:
        """Exactly what would be sent."""
        problem = self._fixing(None).describe(run)
        return {"rules": problem.rules, "prompt": problem.prompt()}

    def fix_propose(self, run: str, fixer: dict[str, Any]) -> dict[str, Any]:
        """Ask the fixer; nothing is changed."""
        from scheduler.engine.fixing.fixing import NoFixError  # noqa: PLC0415

        try:
            found = self._fixing(_read_fixer(fixer)).propose(run)
        except NoFixError as error:
            raise RefusedError("no fix", "\n".join(error.sentences)) from error
        return {
            "workflow": found.workflow,
            "run": found.run,
            "base": found.base,
            "source": found.validated.source,
            "difference": found.difference,
            "asks": list(found.asks),
        }

    def fix_apply(self, run: str, source: str, *, automatic: bool = False) -> dict[str, Any]:
        """Use a proposed script, after the person's yes; it is checked again."""
        from scheduler.engine.fixing.fixing import NoFixError  # noqa: PLC0415

        fixing = self._fixing(None)
        try:
            proposal = fixing.check(run, source)
        except NoFixError as error:
            raise RefusedError("no fix", "\n".join(error.sentences)) from error
        return self._floor.act(lambda _: fixing.apply(proposal, automatic=automatic))

    def _fixing(self, fixer: "Fixer | None") -> "Fixing":
        from scheduler.engine.fixing.fixing import Fixing  # noqa: PLC0415

        house = self._floor.act(lambda house: house)
        return Fixing(house, fixer, rehearse=lambda path, source: _rehearse(house, path, source))


def _read_fixer(told: dict[str, Any]) -> "Fixer":
    from scheduler.connections.keeper import Keeper  # noqa: PLC0415
    from scheduler.engine.fixing.chat import ChatFixer  # noqa: PLC0415
    from scheduler.engine.fixing.command import CommandFixer  # noqa: PLC0415

    command, url, model, key = (told.get(name) for name in ("command", "url", "model", "key"))
    if isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        return CommandFixer(command)
    if isinstance(url, str) and isinstance(model, str) and isinstance(key, str | None):
        return ChatFixer(
            base_url=url, model=model, key=lambda: None if key is None else str(Keeper().read(key)["secret"])
        )
    raise RefusedError("fixer", "Say who repairs it: a command, or the address and the model of a server.")


def _rehearse(house: "House", path: str, source: str) -> str | None:
    """What its own code does wrong when it is tried; what it could not reach does not count against it."""
    from scheduler.engine.workflows.trying import Surroundings, try_script  # noqa: PLC0415
    from scheduler.store import connections  # noqa: PLC0415

    context = house.engine.context
    around = Surroundings(
        registry=house.registry,
        secrets=None,
        connections={row.name: row.settings for row in connections.every_one(house.database.read())},
        machine_zone=context.machine_zone,
        now=context.clock.now(),
    )
    with TemporaryDirectory(prefix="dayhand-try-") as folder:
        tried = try_script(path, source, Path(folder), around)
    return next((step.error for step in tried.steps if step.status == "failed:logic"), None)
