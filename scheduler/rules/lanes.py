"""What runs next in a lane, which does one thing at a time."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum


class Turn(IntEnum):
    """Who goes first: the lower the sooner."""

    CONTINUATION = 1
    """A run whose outside action has happened; only its end is missing."""
    STARVING = 2
    """A producer that has waited so long that its next time has come as well."""
    RETRY = 3
    CONSUMER = 4
    """The one with the oldest pending event; one that only wakes or looks comes after those."""
    PRODUCER = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something of the lane that could run now."""

    turn: Turn
    name: str
    """The run to go on with, the handler to run, or the occurrence to start."""
    since: datetime
    """When it fell due."""
    place: int | None = None
    """For a consumer, the place in line of its oldest pending event."""


def producer(name: str, due: datetime, next_planned: datetime | None, now: datetime) -> Candidate:
    """A producer whose time has come; it goes ahead of others, once, when its next time has come too."""
    starves = next_planned is not None and now > next_planned
    return Candidate(turn=Turn.STARVING if starves else Turn.PRODUCER, name=name, since=due)


def choose(candidates: Iterable[Candidate]) -> Candidate | None:
    """The one whose turn it is."""
    return min(candidates, key=_rank, default=None)


def _rank(one: Candidate) -> tuple[Turn, bool, int, datetime, str]:
    return one.turn, one.turn is Turn.CONSUMER and one.place is None, one.place or 0, one.since, one.name
