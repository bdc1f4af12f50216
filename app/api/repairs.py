"""Verbs for repairs: show what would be sent, propose, apply, and choose the fixer."""

import threading
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from app.api.backend import Backend
from scheduler.engine.errors import RefusedError
from scheduler.engine.repair.fixer_config import KEY_FIELD, KEYRING_ENTRY, LIMITS, FixerConfig, FixerKind, read_config
from scheduler.engine.scheduling.launcher import Announcement

if TYPE_CHECKING:
    from app.data.preferences import Preferences
    from scheduler.engine.repair.fixer import Fixer
    from scheduler.engine.repair.proposer import RepairProposer
    from scheduler.engine.runtime import Runtime

_OWN_FIELDS = {"has_key"}
"""Fields that clients cannot set."""
_choice_lock = threading.Lock()
"""One change at a time, so that none is lost."""


class RepairApi:
    """Imports the repair modules only when they are used."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def fix_problem(self, run: str) -> dict[str, Any]:
        """Exactly what would be sent."""
        problem = self._proposer().describe(run)
        return {"rules": problem.rules, "prompt": problem.prompt()}

    def fix_propose(self, run: str, fixer: dict[str, Any]) -> dict[str, Any]:
        """Ask the fixer for a repair; nothing is changed."""
        from scheduler.engine.repair.proposer import NoRepairError

        try:
            found = self._proposer(partial(_read_fixer, fixer)).propose(run)
        except NoRepairError as error:
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
        """Have the chosen fixer repair it in the background; the result becomes a request."""
        return self._backend.execute(lambda runtime: runtime.repairs.start(run))

    def fix_apply(self, run: str, source: str, *, automatic: bool = False) -> dict[str, Any]:
        """Use a proposed script that the user approved; it is checked again."""
        from scheduler.engine.repair.proposer import NoRepairError

        fixing = self._proposer()
        try:
            proposal = fixing.check(run, source)
        except NoRepairError as error:
            raise RefusedError("no fix", "\n".join(error.sentences)) from error
        return self._backend.execute(lambda _: fixing.apply(proposal, automatic=automatic))

    def fixer(self, settings: dict[str, Any] | None = None, *, secrets: dict[str, Any] | None = None) -> dict[str, Any]:
        """The chosen fixer; settings and secrets change it, the rest is kept."""
        runtime = self._backend.execute(lambda runtime: runtime)
        return save_fixer_choice(runtime, settings or {}, secrets or {}, self._apply_choice).write()

    def _apply_choice(self, chosen: FixerConfig) -> None:
        def apply(runtime: "Runtime") -> None:
            context = runtime.engine.context
            context.settings = replace(context.settings, fixer=chosen)
            context.report_change(Announcement("settings"))

        self._backend.execute(apply)

    def _proposer(self, make: "Callable[[Runtime], Fixer] | None" = None) -> "RepairProposer":
        from scheduler.engine.repair.proposer import RepairProposer, find_dry_run_error

        runtime = self._backend.execute(lambda runtime: runtime)
        fixer = None if make is None else make(runtime)
        seconds = runtime.engine.context.settings.fixer.seconds
        return RepairProposer(runtime, fixer, seconds=seconds, dry_run=partial(find_dry_run_error, runtime))


def _read_fixer(given: dict[str, Any], runtime: "Runtime") -> "Fixer":
    """The given one, otherwise the one of the settings."""
    from scheduler.engine.repair.chat_fixer import ChatFixer
    from scheduler.engine.repair.command_fixer import CommandFixer
    from scheduler.engine.repair.proposer import make_fixer

    chosen = runtime.engine.context.settings.fixer
    if not given:
        return make_fixer(chosen, runtime.secrets)
    command, url, model, key = (given.get(name) for name in ("command", "url", "model", "key"))
    if isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        return CommandFixer(command)
    if isinstance(url, str) and isinstance(model, str) and isinstance(key, str | None):

        def read_key() -> str | None:
            return None if key is None else str(runtime.secrets.read(key)["secret"])

        return ChatFixer(base_url=url, model=model, key=read_key, tokens=chosen.tokens)
    raise RefusedError("fixer", "Choose a fixer: a command, or the address and model of a server.")


if TYPE_CHECKING:
    from app.data.preferences import Preferences
    from scheduler.engine.runtime import Runtime


def save_fixer_choice(
    runtime: "Runtime", settings: dict[str, Any], secrets: dict[str, Any], apply: Callable[[FixerConfig], None]
) -> FixerConfig:
    """Change the given settings, save them and call `apply`. Blocks: the keyring may show a dialog.

    `has_key` is set before the keyring stores the key and until it is deleted, so that an uninstall finds every key.
    """
    with _choice_lock:
        return _save_choice(runtime, settings, secrets, apply)


def _save_choice(
    runtime: "Runtime", settings: dict[str, Any], secrets: dict[str, Any], follow: Callable[[FixerConfig], None]
) -> FixerConfig:
    from app.data.preferences import PreferencesError, read_preferences  # loads Qt

    before = read_preferences(runtime.folder)
    if not settings and not secrets:
        return before.fixer
    chosen = _change(before.fixer, settings)
    key = _read_key(secrets)
    is_other_server = _server(chosen.url) != _server(before.fixer.url)
    drops_key = before.fixer.has_key and (key == "" or (key is None and is_other_server))
    chosen = replace(chosen, has_key=bool(key) or before.fixer.has_key)
    try:
        _write_choice(runtime, before, chosen)
        if key:
            runtime.secrets.keep(KEYRING_ENTRY, {KEY_FIELD: key})
        elif drops_key:
            runtime.secrets.forget(KEYRING_ENTRY)
            chosen = replace(chosen, has_key=False)
            _write_choice(runtime, before, chosen)
    except PreferencesError as error:
        raise RefusedError("settings", str(error)) from error
    follow(chosen)
    return chosen


def _write_choice(runtime: "Runtime", before: "Preferences", chosen: FixerConfig) -> None:
    from app.data.preferences import save_preferences

    save_preferences(runtime.folder, replace(before, fixer=chosen))


def _change(before: FixerConfig, settings: dict[str, Any]) -> FixerConfig:
    known = {field.name for field in fields(FixerConfig)} - _OWN_FIELDS
    for name, value in settings.items():
        if name not in known or getattr(read_config({name: value}), name) != value:
            raise RefusedError(name, _describe_error(name, value))
    chosen = read_config({**before.write(), **settings})
    chosen.check()
    return chosen


def _describe_error(name: str, value: Any) -> str:
    if name in LIMITS:
        low, high = LIMITS[name]
        return f"The limit of {name} must be a number from {low} to {high}."
    if name == "kind":
        return f"The fixer must be one of: {', '.join(FixerKind)}."
    return f"Invalid value for {name}: {value!r:.60}."


def _read_key(secrets: dict[str, Any]) -> str | None:
    """None keeps the current key, "" deletes it. Errors never contain it."""
    if not secrets:
        return None
    key = secrets.get(KEY_FIELD)
    if set(secrets) != {KEY_FIELD} or not isinstance(key, str) or not key.isprintable():
        raise RefusedError("secret", "The key must be one line of text; no other secret is accepted.")
    return key.strip()


def _server(url: str) -> tuple[str, str]:
    """A key is only ever sent to the server it was given for."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()
