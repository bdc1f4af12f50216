"""The verbs about repairs: who makes them, what would be sent, what is proposed, and using it after a yes."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from app.desk.choosing import keep_choice
from app.desk.floor import Floor
from scheduler.engine.launcher import Announcement
from scheduler.engine.refusal import RefusedError

if TYPE_CHECKING:
    from scheduler.engine.fixing.choice import FixerChoice
    from scheduler.engine.fixing.fixer import Fixer
    from scheduler.engine.fixing.fixing import Fixing
    from scheduler.engine.house import House


class Fixes:
    """What it needs is loaded only where it is used."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    def fix_problem(self, run: str) -> dict[str, Any]:
        """Exactly what would be sent."""
        problem = self._fixing().describe(run)
        return {"rules": problem.rules, "prompt": problem.prompt()}

    def fix_propose(self, run: str, fixer: dict[str, Any]) -> dict[str, Any]:
        """Ask the fixer; nothing is changed."""
        from scheduler.engine.fixing.fixing import NoFixError

        try:
            found = self._fixing(partial(_read_fixer, fixer)).propose(run)
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

    def fix_start(self, run: str) -> dict[str, Any]:
        """Have the fixer of the settings repair it; what comes of that is asked about later."""
        return self._floor.act(lambda house: house.repairs.start(run))

    def fix_apply(self, run: str, source: str, *, automatic: bool = False) -> dict[str, Any]:
        """Use a proposed script, after the person's yes; it is checked again."""
        from scheduler.engine.fixing.fixing import NoFixError

        fixing = self._fixing()
        try:
            proposal = fixing.check(run, source)
        except NoFixError as error:
            raise RefusedError("no fix", "\n".join(error.sentences)) from error
        return self._floor.act(lambda _: fixing.apply(proposal, automatic=automatic))

    def fixer(self, settings: dict[str, Any] | None = None, *, secrets: dict[str, Any] | None = None) -> dict[str, Any]:
        """Who repairs scripts; with settings or the key of a server, this changes what is given and keeps the rest."""
        house = self._floor.act(lambda house: house)
        return keep_choice(house, settings or {}, secrets or {}, self._follow).write()

    def _follow(self, chosen: "FixerChoice") -> None:
        def follow(house: "House") -> None:
            context = house.engine.context
            context.settings = replace(context.settings, fixer=chosen)
            context.tell(Announcement("settings"))

        self._floor.act(follow)

    def _fixing(self, make: "Callable[[House], Fixer] | None" = None) -> "Fixing":
        from scheduler.engine.fixing.fixing import Fixing
        from scheduler.engine.fixing.rehearsal import rehearse

        house = self._floor.act(lambda house: house)
        fixer = None if make is None else make(house)
        seconds = house.engine.context.settings.fixer.seconds
        return Fixing(house, fixer, seconds=seconds, rehearse=partial(rehearse, house))


def _read_fixer(told: dict[str, Any], house: "House") -> "Fixer":
    """The one that was named, else the one of the settings."""
    from scheduler.engine.fixing.chat import ChatFixer
    from scheduler.engine.fixing.command import CommandFixer
    from scheduler.engine.fixing.making import make_fixer

    chosen = house.engine.context.settings.fixer
    if not told:
        return make_fixer(chosen, house.secrets)
    command, url, model, key = (told.get(name) for name in ("command", "url", "model", "key"))
    if isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        return CommandFixer(command)
    if isinstance(url, str) and isinstance(model, str) and isinstance(key, str | None):

        def read_key() -> str | None:
            return None if key is None else str(house.secrets.read(key)["secret"])

        return ChatFixer(base_url=url, model=model, key=read_key, tokens=chosen.tokens)
    raise RefusedError("fixer", "Say who repairs it: a command, or the address and the model of a server.")
