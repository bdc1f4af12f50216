"""What one schedule owes at one instant: the rows to write, the ones that give way, the time that comes next."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from scheduler.timing.catchup import EXACT_UP_TO, GRACE, Gap, plan_catchup, spread_due
from scheduler.timing.jitter import Jitter
from scheduler.timing.occurrences import Origin, Reason, State, occurrence_key
from scheduler.timing.overlap import Underway, decide_overlap
from scheduler.timing.policies import Catchup, Policies
from scheduler.timing.times import Times

_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """A cursor over missed times that still run: those from `next` to `until`."""

    next: datetime
    until: datetime
    began: datetime
    total: int
    made: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A schedule as the clock finds it."""

    id: str
    times: Times
    jitter: Jitter | None
    policies: Policies
    skip_at: datetime | None = None
    late: Late | None = None

    def due_of(self, planned: datetime) -> datetime:
        if self.jitter is None:
            return planned
        return self.jitter.due(planned, occurrence_key(self.id, planned, Origin.AUTOMATIC), self.times)


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    """An automatic occurrence to record."""

    key: str
    planned: datetime
    due: datetime
    late: bool = False
    state: State = State.QUEUED
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    new: tuple[New, ...]
    gaps: tuple[Gap, ...]
    replaced: tuple[str, ...]
    stopped: tuple[str, ...]
    late: Late | None
    next_at: datetime | None
    next_due: datetime | None


def owe(standing: Standing, first: datetime, underway: Sequence[Underway], now: datetime) -> Owed:
    """Everything from the planned time `first`, which nobody has recorded yet, up to `now`."""
    others = [one for one in underway if one.origin is not Origin.BACKFILL]
    missed = _last_missed(standing, first, now)
    gaps: tuple[Gap, ...] = ()
    new: list[New] = []
    late = standing.late
    if missed is not None:
        policies = standing.policies
        plan = plan_catchup(
            standing.times, first, missed, mode=policies.catchup, window=policies.catchup_window, now=now
        )
        gaps = plan.gaps
        if plan.late is not None and policies.catchup is Catchup.ONE:
            new.append(_occurrence(standing, plan.late[1], due=now, late=True))
        elif plan.late is not None:
            late = _extend(standing, plan.late, now)
    regular, replaced, stopped, next_at = _regular(standing, missed, first, [*others, *_waiting(new)], now)
    return Owed(
        new=(*new, *regular),
        gaps=gaps,
        replaced=replaced,
        stopped=stopped,
        late=late,
        next_at=next_at,
        next_due=None if next_at is None else standing.due_of(next_at),
    )


def advance(standing: Standing, late: Late, most: int, lookahead: timedelta) -> tuple[tuple[New, ...], Late | None]:
    """The next missed times that still run, at most `most` of them, and where to go on."""
    spread = standing.policies.catchup is Catchup.SPREAD
    found = list(islice(standing.times.between(late.next - _TICK, late.until), most))
    new = tuple(
        _occurrence(
            standing,
            planned,
            due=spread_due(late.began, late.made + place, late.total, lookahead) if spread else late.began,
            late=True,
        )
        for place, planned in enumerate(found)
    )
    following = standing.times.after(found[-1]) if found else None
    if following is None or following > late.until:
        return new, None
    return new, replace(late, next=following, made=late.made + len(new))


def _last_missed(standing: Standing, first: datetime, now: datetime) -> datetime | None:
    """The latest planned time that was due more than the grace ago. Jitter keeps the order of neighbours."""
    overdue = now - GRACE
    if standing.due_of(first) >= overdue:
        return None
    last = standing.times.last(first - _TICK, overdue) or first
    if standing.due_of(last) >= overdue:
        last = standing.times.last(first - _TICK, last - _TICK) or first
    following = standing.times.after(last)
    return following if following is not None and standing.due_of(following) < overdue else last


def _regular(
    standing: Standing, missed: datetime | None, first: datetime, underway: list[Underway], now: datetime
) -> tuple[list[New], tuple[str, ...], tuple[str, ...], datetime | None]:
    """The times that are due now and not too late, each decided with the ones before it in view."""
    new: dict[str, New] = {}
    replaced: list[str] = []
    stopped: list[str] = []
    planned = first if missed is None else standing.times.after(missed)
    while planned is not None and (due := standing.due_of(planned)) <= now:
        one = _occurrence(standing, planned, due=due)
        if one.state is State.QUEUED:
            decision = decide_overlap(standing.policies.overlap, underway)
            one = replace(one, state=decision.state, reason=decision.reason)
            for key in decision.replaced:
                if key in new:
                    new[key] = replace(new[key], state=State.COALESCED, reason=Reason.REPLACED)
                else:
                    replaced.append(key)
            stopped.extend(key for key in decision.stopped if key not in stopped)
            underway = [other for other in underway if other.key not in decision.replaced]
            if one.state is State.QUEUED:
                underway.extend(_waiting([one]))
        new[one.key] = one
        planned = standing.times.after(planned)
    return list(new.values()), tuple(replaced), tuple(stopped), planned


def _extend(standing: Standing, span: tuple[datetime, datetime], now: datetime) -> Late:
    first, last = span
    if standing.late is not None:
        first = standing.late.next
    total = standing.times.count(first - _TICK, last, EXACT_UP_TO).number
    return Late(next=first, until=last, began=now, total=total)


def _occurrence(standing: Standing, planned: datetime, *, due: datetime, late: bool = False) -> New:
    key = occurrence_key(standing.id, planned, Origin.AUTOMATIC)
    if planned == standing.skip_at:
        return New(key=key, planned=planned, due=due, late=late, state=State.SKIPPED, reason=Reason.BY_PERSON)
    return New(key=key, planned=planned, due=due, late=late)


def _waiting(new: Sequence[New]) -> list[Underway]:
    return [Underway(one.key, Origin.AUTOMATIC, one.state, one.late) for one in new if one.state is State.QUEUED]
