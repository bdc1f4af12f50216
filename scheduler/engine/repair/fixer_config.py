"""Who repairs scripts that fail, as the person chose; nobody unless they did. A key is in the keyring, never here."""

import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, get_type_hints
from urllib.parse import urlsplit

from scheduler.engine.refusal import RefusedError

KEY = "fixer:key"
"""The entry of the keyring that holds the key of the model server, in a field of this name:"""
KEY_FIELD = "key"
LIMITS = {"tokens": (1_000, 1_000_000), "seconds": (10, 3_600)}


class FixerKind(StrEnum):
    OFF = "off"
    """Nobody is asked, and nothing is sent."""
    COMMAND = "command"
    """A command of this computer reads the problem and writes the script."""
    SERVER = "server"
    """A server that speaks the chat-completions protocol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixerChoice:
    kind: FixerKind = FixerKind.OFF
    command: str = ""
    """As it is typed at a terminal; no shell reads it."""
    url: str = ""
    """Up to and with the version, as in http://localhost:11434/v1."""
    model: str = ""
    has_key: bool = False
    """Whether the keyring holds a key for the server."""
    tokens: int = 40_000
    """What one repair may cost, with all that is sent and answered."""
    seconds: int = 300
    """How long one repair may take, with all its attempts."""
    shows: bool = False
    """Whether the person looks at what is sent before it is."""
    applies: bool = False
    """Whether a repair is used without asking, unless it is one that always asks."""

    @property
    def is_on(self) -> bool:
        """Whether there is somebody to ask."""
        match self.kind:
            case FixerKind.OFF:
                return False
            case FixerKind.COMMAND:
                return bool(self.words)
            case FixerKind.SERVER:
                return bool(self.url and self.model)

    @property
    def words(self) -> list[str]:
        """The command as its words; none if its quotes do not match."""
        try:
            return shlex.split(self.command)
        except ValueError:
            return []

    def check(self) -> None:
        """RefusedError with what is missing."""
        for name, (low, high) in LIMITS.items():
            if not low <= getattr(self, name) <= high:
                raise RefusedError(name, f"The limit of {name} is a number from {low} to {high}.")
        if self.kind is FixerKind.COMMAND and not self.words:
            raise RefusedError("command", "Say which command repairs scripts; its quotes must match.")
        if self.kind is FixerKind.SERVER:
            check_url(self.url)
            if not self.model:
                raise RefusedError("model", "Say which model the server should use.")

    def write(self) -> dict[str, Any]:
        return asdict(self)


def check_url(url: str) -> None:
    """RefusedError unless it can be the address of a server."""
    try:
        place = urlsplit(url)
        is_right = place.scheme in ("http", "https") and bool(place.hostname)
    except ValueError:
        is_right = False
    if not is_right:
        raise RefusedError(
            "url", "The address of the server begins with http:// or https://, and ends with /v1 mostly."
        )
    if place.username or place.password:
        raise RefusedError("url", "A user or password in an address would be shown. Give the key instead.")


def read_choice(written: Any) -> FixerChoice:
    """As it was kept. One value that makes no sense does not take the others with it."""
    if not isinstance(written, Mapping):
        return FixerChoice()
    kinds = get_type_hints(FixerChoice)
    chosen: dict[str, Any] = {}
    for field in fields(FixerChoice):
        value = written.get(field.name)
        if field.name == "kind":
            with suppress(ValueError):
                chosen["kind"] = FixerKind(str(value))
        elif type(value) is kinds[field.name] and _is_within(field.name, value):
            chosen[field.name] = value
    return FixerChoice(**chosen)


def _is_within(name: str, value: Any) -> bool:
    low, high = LIMITS.get(name, (None, None))
    return low is None or high is None or low <= value <= high
