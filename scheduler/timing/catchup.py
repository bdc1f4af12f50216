"""Times that passed unseen: which are only counted, and which still run."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from scheduler.timing.occurrences import Reason
from scheduler.timing.policies import Catchup
from scheduler.timing.remaining import Remaining
from scheduler.timing.times import Count

GRACE = timedelta(seconds=60)
"""A time recorded within this span after it was due is regular; later it was missed."""
EXACT_UP_TO = 10_000
_SECOND = timedelta(seconds=1)
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Gap:
    """Planned times from first to last that share one fate, counted instead of listed.

    Those in between that have a row of their own are not counted.
    """

    first: datetime
    last: datetime
    count: Count
    reason: Reason


@dataclass(frozen=True, slots=True)
class Plan:
    gaps: tuple[Gap, ...] = ()
    late: tuple[datetime, datetime] | None = None
    """First and last of the missed times that still run."""


def plan_catchup(
    times: Remaining, first: datetime, last: datetime, *, mode: Catchup, window: timedelta | None, now: datetime
) -> Plan:
    """Decide over the missed times first…last, both planned; the cost is bounded whatever their number."""
    gaps = []
    inside: datetime | None = first
    if window is not None:
        oldest = now - window if window else last + _SECOND
        if first < oldest:
            expired = times.last(first - _TICK, min(last, oldest - _TICK))
            assert expired is not None
            gaps.append(gap_of(times, first, expired, Reason.EXPIRED))
            inside = times.after(expired)
    if inside is None or inside > last:
        return Plan(tuple(gaps))
    match mode:
        case Catchup.NONE:
            return Plan((*gaps, gap_of(times, inside, last, Reason.PASSED)))
        case Catchup.ONE:
            before = times.last(inside - _TICK, last - _TICK)
            if before is not None:
                gaps.append(gap_of(times, inside, before, Reason.MADE_UP))
            return Plan(tuple(gaps), (last, last))
        case Catchup.ALL | Catchup.SPREAD:
            return Plan(tuple(gaps), (inside, last))


def gap_of(times: Remaining, first: datetime, last: datetime, reason: Reason) -> Gap:
    return Gap(first, last, times.count(first - _TICK, last, EXACT_UP_TO), reason)


def spread_due(began: datetime, index: int, total: int, lookahead: timedelta) -> datetime:
    """When the index-th of `total` caught-up times is due, evenly over the lookahead."""
    return began + lookahead * min(index, total) / total
