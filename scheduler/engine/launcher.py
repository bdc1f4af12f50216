"""The seam between the engine, which decides that something runs, and whatever runs it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from scheduler.timing.occurrences import Origin


class Result(StrEnum):
    """How an attempt ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    """For good: trying again would not help."""
    TRANSIENT = "transient"
    """A passing failure: try again later."""
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Outcome:
    result: Result
    detail: str | None = None
    retry_after: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One attempt at one occurrence."""

    key: str
    schedule: str
    planned: datetime
    origin: Origin
    attempt: int


class CouldNotStartError(Exception):
    """Nothing ran; the engine will try again."""


class Reports(Protocol):
    """What a launcher tells the engine, from any thread."""

    def begin(self, work: Work, go: Callable[[], None]) -> None:
        """It is ready: record that it begins, then call `go`.

        Where it must not begin, `go` is never called and nothing more is to be reported.
        """

    def ended(self, work: Work, outcome: Outcome) -> None:
        """It has ended, or could not be started (`go` was never called)."""


class Launcher(Protocol):
    def start(self, work: Work, reports: Reports) -> None:
        """Take it on without waiting for it; CouldNotStartError if that is impossible now."""

    def stop(self, key: str, *, kill: bool) -> None:
        """Ask it to end, or end it; its end is reported as usual."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """Something changed that a person may be looking at."""

    subject: str
    sentence: str = ""
    is_warning: bool = False


Announce = Callable[[Announcement], None]
