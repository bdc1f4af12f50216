"""The interface between scheduling, which decides that something runs, and whatever runs it."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from scheduler.rules.lanes import Candidate
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason
from scheduler.timing.policies import Need


class Result(StrEnum):
    """How an occurrence ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Outcome:
    result: Result
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Something to run now: an occurrence, or what the launcher itself has to continue."""

    key: str
    """Identifies it while it runs; for an occurrence, its key."""
    lane: str
    subject: str
    """Workflow and handler, the id of a schedule where it has one."""
    planned: datetime | None = None
    origin: OccurrenceOrigin | None = None
    """Where the occurrence came from; None if this is not one."""
    needs: tuple[Need, ...] = ()
    payload: object = field(default=None, compare=False)
    """The launcher's own data about it; nobody else reads it."""


class Launcher(Protocol):
    def list_ready(self, db: sqlite3.Connection, now: datetime) -> list[tuple[Candidate, Work]]:
        """What could continue now besides occurrences; its lane may be open or closed to others."""

    def start(self, work: Work) -> None:
        """Run it without waiting for its end."""

    def stop(self, key: str, *, kill: bool) -> None:
        """Ask running work to stop, or kill it; it ends as usual."""

    def abandon(self, db: sqlite3.Connection, key: str, reason: OccurrenceReason, now: datetime) -> None:
        """A started occurrence that only waits for its next attempt is over, for that reason: none will follow."""

    def recover(self, db: sqlite3.Connection, now: datetime) -> set[str]:
        """After a restart: the keys of the occurrences whose attempts continue. All other started ones are over."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """Something changed that the user may be looking at."""

    subject: str
    sentence: str = ""
    is_warning: bool = False
    wakes_engine: bool = False
    """Something may be able to start because of it: the engine should tick."""


Announce = Callable[[Announcement], None]
