"""What happens when a time comes while earlier occurrences of its schedule have not ended."""

from collections.abc import Sequence
from dataclasses import dataclass

from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Overlap


@dataclass(frozen=True, slots=True)
class UnfinishedOccurrence:
    """An occurrence of the same schedule that is queued or started."""

    key: str
    origin: OccurrenceOrigin
    state: OccurrenceState
    late: bool = False

    @property
    def is_replaceable(self) -> bool:
        """Whether a newer time may replace it: it is queued, and neither a catch-up nor started by the user."""
        planned = self.origin in (OccurrenceOrigin.AUTOMATIC, OccurrenceOrigin.BACKFILL)
        return self.state is OccurrenceState.QUEUED and planned and not self.late

    @property
    def blocks_newer(self) -> bool:
        """Whether a newer time must treat it as unfinished. A queued catch-up must not block the regular time."""
        return self.state is OccurrenceState.STARTED or not self.late


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlapDecision:
    state: OccurrenceState = OccurrenceState.QUEUED
    reason: OccurrenceReason | None = None
    replaced: tuple[str, ...] = ()
    """Keys of the queued occurrences that it replaces."""
    replaced_reason: OccurrenceReason = OccurrenceReason.REPLACED


_QUEUE = OverlapDecision()


def decide_overlap(policy: Overlap, others: Sequence[UnfinishedOccurrence], *, buffer_limit: int) -> OverlapDecision:
    """Decide a new time against the unfinished ones of its kind (backfills and regular times ignore each other).

    Under a policy that ends the others, a queued occurrence itself is the request to end them. `buffer_limit` is how
    many may wait under `buffer_all`.
    """
    if not others:
        return _QUEUE
    match policy:
        case Overlap.SKIP:
            if not any(one.blocks_newer for one in others):
                return _QUEUE
            runs = any(one.state is OccurrenceState.STARTED for one in others)
            reason = OccurrenceReason.OVERLAP if runs else OccurrenceReason.NOT_STARTED
            return OverlapDecision(state=OccurrenceState.SKIPPED, reason=reason)
        case Overlap.BUFFER_ONE | Overlap.CANCEL_OTHER | Overlap.TERMINATE_OTHER:
            return OverlapDecision(replaced=_replaceable(others))
        case Overlap.BUFFER_ALL:
            full = len(_replaceable(others)) >= buffer_limit
            return (
                OverlapDecision(state=OccurrenceState.DROPPED, reason=OccurrenceReason.BUFFER_FULL) if full else _QUEUE
            )
        case Overlap.ALLOW_ALL:
            return _QUEUE


def decide_held_up(
    policy: Overlap, others: Sequence[UnfinishedOccurrence], *, buffer_limit: int, keep_late: bool = False
) -> OverlapDecision:
    """Decide a new time while nothing of its schedule can start: the latest waits in place of the others.

    Only `buffer_all` keeps the others, too, as many as it may; then the oldest makes room, so that the latest is kept.
    `keep_late`: every caught-up time is to run.
    """
    keys = [
        one.key
        for one in others
        if one.state is OccurrenceState.QUEUED
        and one.origin in (OccurrenceOrigin.AUTOMATIC, OccurrenceOrigin.BACKFILL)
        and not (one.late and keep_late)
    ]
    if policy is Overlap.BUFFER_ALL:
        keys = keys[: max(len(keys) - buffer_limit + 1, 0)]
    return OverlapDecision(replaced=tuple(keys), replaced_reason=OccurrenceReason.HELD_UP)


def _replaceable(others: Sequence[UnfinishedOccurrence]) -> tuple[str, ...]:
    return tuple(one.key for one in others if one.is_replaceable)
