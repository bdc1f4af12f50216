"""The result of a translation: jobs, and what could not be translated, with place and reason."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

OldTimes: TypeAlias = Callable[[datetime, ZoneInfo], Iterator[datetime]]
"""The old scheduler's own times after an instant, on a machine in that zone."""

MAX_RUN_TIME = "1d"
"""Time limit where the old scheduler had none."""
MAX_DELAY = timedelta(days=1)
"""Longest random delay that a job can have."""
RUN_IN_FOLDER = 'cd "$0" && exec "$@"'
"""For a shell: run the command in the folder given first."""
_KEY_LETTERS = 16
_SECRET_WORDS = ("PASS", "TOKEN", "SECRET", "CREDENTIAL", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One entry of the old scheduler as a Dayhand job."""

    title: str
    """What it does: its label, or else its command."""
    label: str = ""
    """What the old scheduler calls it, if anything."""
    commands: tuple[tuple[str, ...], ...]
    """Run one after the other."""
    settings: Mapping[str, Any]
    """Arguments of the decorator."""
    place: str
    """The file it comes from."""
    line: int
    text: str
    """The original text."""
    notes: tuple[str, ...] = ()
    """What differs from the old scheduler."""
    old: OldTimes | None = None

    @property
    def key(self) -> str:
        """Tells whether a job was imported before: the same for the same entry, wherever it stands in its file."""
        written = json.dumps([self.text, self.commands, dict(self.settings)], sort_keys=True, default=str)
        return hashlib.sha256(written.encode()).hexdigest()[:_KEY_LETTERS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Untranslated:
    """An entry or setting that was not translated."""

    place: str
    line: int
    text: str
    reason: str
    is_setting: bool = False
    """Only a setting was left out; its job, or those below it, are translated."""


@dataclass(frozen=True, slots=True)
class TranslationResult:
    jobs: tuple[Job, ...] = ()
    left: tuple[Untranslated, ...] = ()

    @classmethod
    def collect(cls, found: Iterable["Job | Untranslated"]) -> "TranslationResult":
        every = tuple(found)
        return cls(
            tuple(one for one in every if isinstance(one, Job)),
            tuple(one for one in every if isinstance(one, Untranslated)),
        )


def is_secret_name(name: str) -> bool:
    """Whether a variable of that name likely holds a secret, which does not belong in a script."""
    return any(word in name.upper() for word in _SECRET_WORDS)


def with_environment(command: Iterable[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """The command, run with those variables."""
    if not environment:
        return tuple(command)
    return ("/usr/bin/env", *(f"{name}={value}" for name, value in environment.items()), *command)


def format_seconds(length: timedelta) -> str:
    return f"{int(length.total_seconds())}s"
