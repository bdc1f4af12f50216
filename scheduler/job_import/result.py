"""What a translation gives: jobs, and everything that could not become one, each with its place and reason."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

OldTimes: TypeAlias = Callable[[datetime, ZoneInfo], Iterator[datetime]]
"""The times after an instant by the old scheduler's own rules, on a machine with that zone."""

LONGEST_RUN = "1d"
"""Where the old scheduler let a command run for ever."""
MOST_DELAY = timedelta(days=1)
"""By which a run can be moved at random."""
IN_FOLDER = 'cd "$0" && exec "$@"'
"""For a shell: start the command that follows in the folder that comes first."""
_SECRETS = ("PASS", "TOKEN", "SECRET", "CREDENTIAL", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One entry of the old scheduler, as a job of Dayhand."""

    title: str
    commands: tuple[tuple[str, ...], ...]
    """Run one after the other, each until it ends."""
    settings: Mapping[str, Any]
    """What the decorator takes."""
    place: str
    """The file that it comes from."""
    line: int
    text: str
    """What stood there."""
    notes: tuple[str, ...] = ()
    """What is not quite the same."""
    old: OldTimes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Something that was not translated."""

    place: str
    line: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    jobs: tuple[Job, ...] = ()
    left: tuple[Left, ...] = ()

    @classmethod
    def gather(cls, found: Iterable["Job | Left"]) -> "Found":
        every = tuple(found)
        return cls(
            tuple(one for one in every if isinstance(one, Job)), tuple(one for one in every if isinstance(one, Left))
        )


def is_secret(name: str) -> bool:
    """Whether a variable of that name likely holds a password; those belong into no script."""
    return any(word in name.upper() for word in _SECRETS)


def with_environment(command: Iterable[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """The command, given those variables."""
    if not environment:
        return tuple(command)
    return ("/usr/bin/env", *(f"{name}={value}" for name, value in environment.items()), *command)


def write_length(length: timedelta) -> str:
    return f"{int(length.total_seconds())}s"
