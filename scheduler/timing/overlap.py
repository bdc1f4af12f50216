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
        planned = self.origin in (Origin.AUTOMATIC, Origin.BACKFILL)
        return self.state is State.QUEUED and planned and not self.late

    @property
    def stands_ahead(self) -> bool:
        """Whether it counts as not ended for a newer time. A catch-up that waits must not swallow the regular one."""
        return self.state is State.STARTED or not self.late


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    state: State = State.QUEUED
    reason: Reason | None = None
    replaced: tuple[str, ...] = ()
    """Keys of waiting occurrences that it takes the place of."""


_GO = Decision()


def decide_overlap(policy: Overlap, others: Sequence[Underway]) -> Decision:
    """What a new time does beside the others of its kind (a backfill and the regular times ignore each other).

    One that waits under a policy that ends the others is itself the wish that they end; it stands until they have.
    """
    if not others:
        return _GO
    match policy:
        case Overlap.SKIP:
            busy = any(one.stands_ahead for one in others)
            return Decision(state=State.SKIPPED, reason=Reason.OVERLAP) if busy else _GO
        case Overlap.BUFFER_ONE | Overlap.CANCEL_OTHER | Overlap.TERMINATE_OTHER:
            return Decision(replaced=_giving_way(others))
        case Overlap.BUFFER_ALL:
            full = len(_giving_way(others)) >= BUFFER
            return Decision(state=State.DROPPED, reason=Reason.BUFFER_FULL) if full else _GO
        case Overlap.ALLOW_ALL:
            return _GO


def _giving_way(others: Sequence[Underway]) -> tuple[str, ...]:
    return tuple(one.key for one in others if one.gives_way)
