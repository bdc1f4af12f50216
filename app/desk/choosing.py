"""Keeping who repairs scripts: the choice with the other settings, the key of a server in the keyring alone."""

import threading
from collections.abc import Callable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scheduler.engine.fixing.choice import KEY, KEY_FIELD, LIMITS, FixerChoice, FixerKind, read_choice
from scheduler.engine.refusal import RefusedError

if TYPE_CHECKING:
    from app.keeping.preferences import Preferences
    from scheduler.engine.house import House

_OURS = {"has_key"}
_turn = threading.Lock()
"""One change at a time, so that none is lost."""


def keep_choice(
    house: "House", settings: dict[str, Any], secrets: dict[str, Any], follow: Callable[[FixerChoice], None]
) -> FixerChoice:
    """Change what is given, and have it followed. Takes its time: the keyring may show a dialog.

    That there is a key is noted before the keyring has it, and until it no longer does: an uninstall finds them all.
    """
    with _turn:
        return _keep_choice(house, settings, secrets, follow)


def _keep_choice(
    house: "House", settings: dict[str, Any], secrets: dict[str, Any], follow: Callable[[FixerChoice], None]
) -> FixerChoice:
    from app.keeping.preferences import PreferencesError, read_preferences  # which loads Qt

    before = read_preferences(house.folder)
    if not settings and not secrets:
        return before.fixer
    chosen = _change(before.fixer, settings)
    key = _read_key(secrets)
    drops = before.fixer.has_key and (key == "" or (key is None and _place(chosen.url) != _place(before.fixer.url)))
    chosen = replace(chosen, has_key=bool(key) or before.fixer.has_key)
    try:
        _write(house, before, chosen)
        if key:
            house.secrets.keep(KEY, {KEY_FIELD: key})
        elif drops:
            house.secrets.forget(KEY)
            chosen = replace(chosen, has_key=False)
            _write(house, before, chosen)
    except PreferencesError as error:
        raise RefusedError("settings", str(error)) from error
    follow(chosen)
    return chosen


def _write(house: "House", before: "Preferences", chosen: FixerChoice) -> None:
    from app.keeping.preferences import keep_preferences

    keep_preferences(house.folder, replace(before, fixer=chosen))


def _change(before: FixerChoice, settings: dict[str, Any]) -> FixerChoice:
    known = {field.name for field in fields(FixerChoice)} - _OURS
    for name, value in settings.items():
        if name not in known or getattr(read_choice({name: value}), name) != value:
            raise RefusedError(name, _say_wrong(name, value))
    chosen = read_choice({**before.write(), **settings})
    chosen.check()
    return chosen


def _say_wrong(name: str, value: Any) -> str:
    if name in LIMITS:
        low, high = LIMITS[name]
        return f"The limit of {name} is a number from {low} to {high}."
    if name == "kind":
        return f"Scripts are repaired by one of: {', '.join(FixerKind)}."
    return f"{name} cannot be {value!r:.60}."


def _read_key(secrets: dict[str, Any]) -> str | None:
    """None if it stays as it is, empty if there is to be none; what is wrong with it is said without it."""
    if not secrets:
        return None
    key = secrets.get(KEY_FIELD)
    if set(secrets) != {KEY_FIELD} or not isinstance(key, str) or not key.isprintable():
        raise RefusedError("secret", "The key of the server is one line of text, and the only secret that it has.")
    return key.strip()


def _place(url: str) -> tuple[str, str]:
    """A key belongs to one server: another one never gets to see it."""
    place = urlsplit(url)
    return place.scheme, place.netloc.lower()
