"""The seam between the engine, which decides that something runs, and whatever runs it."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from scheduler.rules.lanes import Candidate
from scheduler.timing.occurrences import Origin
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
    """Something to run now: an occurrence, or what the launcher itself has to go on with."""

    key: str
    """Names it while it is under way; for an occurrence, its key."""
    lane: str
    subject: str
    """Workflow and handler, the id of a schedule where it has one."""
    planned: datetime | None = None
    origin: Origin | None = None
    """Who asked for the occurrence; None if it is none."""
    needs: tuple[Need, ...] = ()
    errand: object = field(default=None, compare=False)
    """What the launcher wants to know again when it starts; nobody else looks at it."""


def lane_name(workflow: str, handler: str, kind: str) -> str:
    """A job has a lane of its own; the producers and consumers of a workflow share one."""
    return f"{workflow}/{handler}" if kind == "job" else f"{workflow}/"


class Reports(Protocol):
    """What a launcher tells the engine, from any thread."""

    def begin(self, db: sqlite3.Connection, work: Work, now: datetime) -> bool:
        """The occurrence begins, in a transaction of the launcher's; False if it must not any longer."""

    def end(self, db: sqlite3.Connection, work: Work, outcome: Outcome, now: datetime) -> None:
        """The occurrence ends, with all its attempts, in a transaction of the launcher's."""

    def could_not_start(self, work: Work, sentence: str) -> None:
        """Nothing ran; the engine tries again a little later, and lands it."""

    def relay(self, work: Work) -> Work | None:
        """Its slot goes to the first in line, for the launcher to go on with at once; None if it must land instead.

        May be asked in the transaction that ends it, so that the next one begins in the same.
        """

    def hold_back(self, work: Work) -> None:
        """It failed in a way that could not even be written down: nothing of its lane starts for a while."""

    def land(self, work: Work) -> None:
        """Nothing of it is under way any longer: its lane and its slot are free."""


class Launcher(Protocol):
    def turns(self, db: sqlite3.Connection, now: datetime) -> list[tuple[Candidate, Work]]:
        """What could go on now besides occurrences; its lane may be open or closed to others."""

    def start(self, work: Work, reports: Reports) -> None:
        """Take it on without waiting for it."""

    def stop(self, key: str, *, kill: bool) -> None:
        """Ask it to end, or end it; its end is reported as usual."""

    def abandon(self, db: sqlite3.Connection, key: str, now: datetime) -> None:
        """An occurrence that has begun and only waits is over: no attempt will follow."""

    def recover(self, db: sqlite3.Connection, now: datetime) -> set[str]:
        """After a restart: the keys of the occurrences whose attempts go on. All others that had begun are over."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """Something changed that a person may be looking at."""

    subject: str
    sentence: str = ""
    is_warning: bool = False
    stirs: bool = False
    """Something may be able to start because of it: the engine should look."""


Announce = Callable[[Announcement], None]
