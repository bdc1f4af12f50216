"""Missed times: which are only counted, and which still run."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from scheduler.timing.compiled import Count, UnrecordedTimes
from scheduler.timing.occurrences import OccurrenceReason
from scheduler.timing.policies import Catchup
from scheduler.timing.wall_times import MIN_GAP_S

MAX_GRACE = timedelta(seconds=60)
MIN_GRACE = timedelta(seconds=MIN_GAP_S) / 2
"""Half the smallest gap that a schedule may have."""
MAX_EXACT_COUNT = 10_000
_SECOND = timedelta(seconds=1)
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Gap:
    """Planned times from first to last that did not run for one reason, counted instead of listed.

    Times in between that have their own row are not counted.
    """

    first: datetime
    last: datetime
    count: Count
    reason: OccurrenceReason


@dataclass(frozen=True, slots=True)
class CatchupPlan:
    gaps: tuple[Gap, ...] = ()
    late: tuple[datetime, datetime] | None = None
    """First and last of the missed times that still run."""


def grace_after(planned: datetime, following: datetime | None) -> timedelta:
    """How long after it was due a time is still regular; recorded later, it was missed.

    Never more than half the gap to the following time: of a short grid, only the latest time can be regular.
    """
    return MAX_GRACE if following is None else min(MAX_GRACE, (following - planned) / 2)


def plan_catchup(
    times: UnrecordedTimes,
    first: datetime,
    last: datetime,
    *,
    mode: Catchup,
    window: timedelta | None,
    now: datetime,
    has_regular: bool = False,
) -> CatchupPlan:
    """Decide on the missed times first…last, both planned; the cost does not depend on their number.

    `has_regular`: a regular time runs now, too. It is then the one run of `one`, so that nothing runs twice in a row.
    """
    gaps = []
    in_window: datetime | None = first
    if window is not None:
        oldest = now - window if window else last + _SECOND
        if first < oldest:
            expired = times.last(first - _TICK, min(last, oldest - _TICK))
            assert expired is not None
            gaps.append(make_gap(times, first, expired, OccurrenceReason.EXPIRED))
            in_window = times.after(expired)
    if in_window is None or in_window > last:
        return CatchupPlan(tuple(gaps))
    match mode:
        case Catchup.NONE:
            return CatchupPlan((*gaps, make_gap(times, in_window, last, OccurrenceReason.PASSED)))
        case Catchup.ONE:
            before = last if has_regular else times.last(in_window - _TICK, last - _TICK)
            if before is not None:
                gaps.append(make_gap(times, in_window, before, OccurrenceReason.CAUGHT_UP))
            return CatchupPlan(tuple(gaps), None if has_regular else (last, last))
        case Catchup.ALL | Catchup.SPREAD:
            return CatchupPlan(tuple(gaps), (in_window, last))


def make_gap(times: UnrecordedTimes, first: datetime, last: datetime, reason: OccurrenceReason) -> Gap:
    return Gap(first, last, times.count(first - _TICK, last, MAX_EXACT_COUNT), reason)


def spread_due(began: datetime, index: int, total: int, lookahead: timedelta) -> datetime:
    """When the index-th of `total` caught-up times is due, spread evenly over the lookahead."""
    return began + lookahead * min(index, total) / total
