"""A time comes while earlier ones of its schedule have not ended: what happens to it, and to them."""

from collections.abc import Sequence
from dataclasses import dataclass

from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.policies import Overlap

BUFFER = 1000


@dataclass(frozen=True, slots=True)
class Underway:
    """An occurrence of the same schedule that is queued or started."""

    key: str
    origin: Origin
    state: State
    late: bool = False

    @property
    def gives_way(self) -> bool:
        """Whether a newer time may take its place: it waits, and is neither a catch-up nor a person's wish."""
        return self.state is State.QUEUED and self._is_planned and not self.late

    @property
    def can_be_stopped(self) -> bool:
        """Whether a newer time may end it; a person's own run is left alone."""
        return self.state is State.STARTED and self._is_planned

    @property
    def _is_planned(self) -> bool:
        return self.origin in (Origin.AUTOMATIC, Origin.BACKFILL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    state: State = State.QUEUED
    reason: Reason | None = None
    replaced: tuple[str, ...] = ()
    """Keys of waiting occurrences that it takes the place of."""
    stopped: tuple[str, ...] = ()
    """Keys of started occurrences that must end first."""


def decide_overlap(policy: Overlap, others: Sequence[Underway]) -> Decision:
    """What a new time does beside the others of its kind (a backfill and the regular times ignore each other)."""
    match policy:
        case Overlap.SKIP:
            return Decision(state=State.SKIPPED, reason=Reason.OVERLAP) if others else Decision()
        case Overlap.BUFFER_ONE:
            return Decision(replaced=_giving_way(others))
        case Overlap.BUFFER_ALL:
            full = len(_giving_way(others)) >= BUFFER
            return Decision(state=State.DROPPED, reason=Reason.BUFFER_FULL) if full else Decision()
        case Overlap.CANCEL_OTHER | Overlap.TERMINATE_OTHER:
            stopped = tuple(one.key for one in others if one.can_be_stopped)
            return Decision(replaced=_giving_way(others), stopped=stopped)
        case Overlap.ALLOW_ALL:
            return Decision()


def _giving_way(others: Sequence[Underway]) -> tuple[str, ...]:
    return tuple(one.key for one in others if one.gives_way)
