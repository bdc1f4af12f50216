"""Which candidate runs next in a lane. A lane runs one thing at a time."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum


class LanePriority(IntEnum):
    """Lower goes first."""

    CONTINUATION = 1
    """A run whose outside action has happened and that only needs to finish."""
    STARVING = 2
    """A producer that has waited past its next planned time."""
    RETRY = 3
    CONSUMER = 4
    """By oldest pending event; consumers that only wake or check come last."""
    PRODUCER = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something in the lane that could run now."""

    priority: LanePriority
    name: str
    """The run to continue, the handler to run, or the occurrence to start."""
    due_since: datetime
    """When it became due."""
    oldest_event: int | None = None
    """For a consumer, the sequence number of its oldest pending event."""


def producer_candidate(name: str, due: datetime, next_planned: datetime | None, now: datetime) -> Candidate:
    """A producer that is due; once its next time has also passed, it goes ahead of the others."""
    starves = next_planned is not None and now > next_planned
    return Candidate(priority=LanePriority.STARVING if starves else LanePriority.PRODUCER, name=name, due_since=due)


def choose_next(candidates: Iterable[Candidate]) -> Candidate | None:
    return min(candidates, key=_rank, default=None)


def _rank(candidate: Candidate) -> tuple[LanePriority, bool, int, datetime, str]:
    has_no_event = candidate.priority is LanePriority.CONSUMER and candidate.oldest_event is None
    return candidate.priority, has_no_event, candidate.oldest_event or 0, candidate.due_since, candidate.name
