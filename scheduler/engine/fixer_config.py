"""The user's choice of fixer; off by default. Its key is in the keyring, never here."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, get_type_hints
from urllib.parse import urlsplit

from scheduler.engine.errors import RefusedError
from scheduler.shell_words import split_words
from scheduler.user_text import UserText

KEYRING_ENTRY = "fixer:key"
"""The keyring entry of the model server's key, in a field of this name:"""
KEY_FIELD = "key"
LIMITS = {"tokens": (1_000, 1_000_000), "seconds": (10, 3_600)}


class FixerKind(StrEnum):
    OFF = "off"
    """Nothing is sent to anyone."""
    COMMAND = "command"
    """A local command reads the problem and writes the script."""
    SERVER = "server"
    """A server with a chat-completions API."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixerConfig:
    kind: FixerKind = FixerKind.OFF
    command: str = ""
    """As typed in a terminal, but no shell is involved."""
    url: str = ""
    """Including the API version, as in http://localhost:11434/v1."""
    model: str = ""
    has_key: bool = False
    """Whether the keyring holds a key for the server."""
    tokens: int = 40_000
    """Limit per repair, for everything sent and received."""
    seconds: int = 300
    """Limit per repair, with all its attempts."""
    shows: bool = False
    """Whether the user reviews what is sent first."""
    applies: bool = False
    """Whether a repair is applied without asking, unless it is one that always needs approval."""

    @property
    def is_on(self) -> bool:
        match self.kind:
            case FixerKind.OFF:
                return False
            case FixerKind.COMMAND:
                return bool(self.command_words)
            case FixerKind.SERVER:
                return bool(self.url and self.model)

    @property
    def command_words(self) -> list[str]:
        """The words of the command; empty if its quotes do not match."""
        try:
            return split_words(self.command)
        except ValueError:
            return []

    def check(self) -> None:
        """Raise RefusedError with what is missing."""
        for name, (low, high) in LIMITS.items():
            if not low <= getattr(self, name) <= high:
                raise RefusedError(
                    name,
                    UserText(
                        "The limit of {name} must be a number from {low} to {high}.", name=name, low=low, high=high
                    ),
                )
        if self.kind is FixerKind.COMMAND and not self.command_words:
            raise RefusedError("command", UserText("Enter the command that repairs scripts; its quotes must match."))
        if self.kind is FixerKind.SERVER:
            check_url(self.url)
            if not self.model:
                raise RefusedError("model", UserText("Enter the model that the server should use."))

    def write(self) -> dict[str, Any]:
        return asdict(self)


def check_url(url: str) -> None:
    """Raise RefusedError unless it is a valid server address."""
    try:
        place = urlsplit(url)
        is_right = place.scheme in ("http", "https") and bool(place.hostname)
    except ValueError:
        is_right = False
    if not is_right:
        raise RefusedError(
            "url", UserText("The server address must start with http:// or https://; it usually ends with /v1.")
        )
    if place.username or place.password:
        raise RefusedError(
            "url", UserText("A user name or password in the address would be visible. Enter the key instead.")
        )


def read_config(written: Any) -> FixerConfig:
    """Read the stored choice; an invalid value gets its default and does not affect the others."""
    if not isinstance(written, Mapping):
        return FixerConfig()
    kinds = get_type_hints(FixerConfig)
    chosen: dict[str, Any] = {}
    for field in fields(FixerConfig):
        value = written.get(field.name)
        if field.name == "kind":
            with suppress(ValueError):
                chosen["kind"] = FixerKind(str(value))
        elif type(value) is kinds[field.name] and _is_within(field.name, value):
            chosen[field.name] = value
    return FixerConfig(**chosen)


def _is_within(name: str, value: Any) -> bool:
    low, high = LIMITS.get(name, (None, None))
    return low is None or high is None or low <= value <= high
