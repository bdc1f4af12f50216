"""What one schedule owes at one instant: the rows to write, the ones that give way, the time that comes next."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from scheduler.timing.catchup import EXACT_UP_TO, GRACE, Gap, plan_catchup, spread_due
from scheduler.timing.jitter import LONGEST, Jitter
from scheduler.timing.occurrences import Origin, Reason, State, occurrence_key
from scheduler.timing.overlap import Underway, decide_overlap
from scheduler.timing.policies import Catchup, Policies
from scheduler.timing.remaining import Remaining
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
    next_at: datetime | None = None
    """The first planned time, but for those the late cursor still has to make, that nobody has recorded."""
    next_due: datetime | None = None
    skip_at: datetime | None = None
    late: Late | None = None
    taken: frozenset[datetime] = frozenset()
    """Planned times from the first unrecorded one on that have a row already."""

    @property
    def remaining(self) -> Remaining:
        return Remaining(self.times, self.taken)

    @property
    def first(self) -> datetime | None:
        """The first planned time that nobody has recorded."""
        return self.next_at if self.late is None else self.late.next

    def due_of(self, planned: datetime) -> datetime:
        # What lies farther from its time than jitter can shift it was edited by hand.
        if planned == self.next_at and self.next_due is not None and abs(self.next_due - planned) <= LONGEST:
            return self.next_due
        if self.jitter is None:
            return planned
        return self.jitter.due(planned, occurrence_key(self.id, planned, Origin.AUTOMATIC), self.times)

    def due_when_armed(self, planned: datetime, now: datetime) -> datetime:
        """When a time to come is due if it is awaited only from now on: jitter does not reach back before that."""
        due = self.due_of(planned)
        return due if planned <= now else max(due, now)


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
    new: tuple[New, ...] = ()
    gaps: tuple[Gap, ...] = ()
    replaced: tuple[str, ...] = ()
    late: Late | None = None
    next_at: datetime | None = None
    next_due: datetime | None = None


def owe(standing: Standing, underway: Sequence[Underway], now: datetime) -> Owed:
    """Everything that fell due up to `now` and was not recorded."""
    skipped = None if standing.skip_at is None else _skipped(standing, standing.skip_at, now)
    if skipped is not None:
        standing = replace(standing, taken=standing.taken | {skipped.planned})
    assert standing.next_at is not None
    planned = standing.remaining.since(standing.next_at)
    made_up = Owed(late=standing.late)
    if planned is not None and standing.due_of(planned) < now - GRACE:
        missed = _last_missed(standing, planned, now - GRACE)
        made_up = catch_up(standing, missed, now)
        planned = standing.remaining.after(missed)
    ahead = [one for one in underway if one.origin is not Origin.BACKFILL]
    ahead += [_underway(one) for one in made_up.new]
    regular, replaced, next_at, next_due = _regular(standing, planned, ahead, now)
    return Owed(
        new=(*(() if skipped is None else (skipped,)), *made_up.new, *regular),
        gaps=made_up.gaps,
        replaced=tuple(replaced),
        late=made_up.late,
        next_at=next_at,
        next_due=next_due,
    )


def catch_up(standing: Standing, last: datetime, now: datetime) -> Owed:
    """What the policy makes of the missed times up to `last`, with those that an earlier catch-up did not come to."""
    policies, remaining = standing.policies, standing.remaining
    assert standing.first is not None
    first = remaining.after(standing.first - _TICK)
    if first is None or first > last:
        return Owed()
    plan = plan_catchup(remaining, first, last, mode=policies.catchup, window=policies.catchup_window, now=now)
    if plan.late is None:
        return Owed(gaps=plan.gaps)
    begin, end = plan.late
    if policies.catchup is Catchup.ONE:
        return Owed(gaps=plan.gaps, new=(_occurrence(standing, end, late=True),))
    total = remaining.count(begin - _TICK, end, EXACT_UP_TO).number
    return Owed(gaps=plan.gaps, late=Late(next=begin, until=end, began=now, total=total))


def advance(standing: Standing, late: Late, most: int, lookahead: timedelta) -> tuple[tuple[New, ...], Late | None]:
    """The next missed times that still run, at most `most` of them, and where to go on."""
    spread = standing.policies.catchup is Catchup.SPREAD
    found = list(islice(standing.remaining.between(late.next - _TICK, late.until), most))
    new = tuple(
        _occurrence(
            standing,
            planned,
            due=spread_due(late.began, late.made + place, late.total, lookahead) if spread else None,
            late=True,
        )
        for place, planned in enumerate(found)
    )
    following = standing.remaining.after(found[-1]) if found else None
    if following is None or following > late.until:
        return new, None
    return new, replace(late, next=following, made=late.made + len(new))


def _last_missed(standing: Standing, first: datetime, overdue: datetime) -> datetime:
    """The latest planned time, from an overdue one on, that is overdue too. Jitter keeps the order of neighbours."""
    remaining = standing.remaining
    last = remaining.last(first - _TICK, overdue) or first
    if standing.due_of(last) >= overdue:
        last = remaining.last(first - _TICK, last - _TICK) or first
    following = remaining.after(last)
    return following if following is not None and standing.due_of(following) < overdue else last


def _regular(
    standing: Standing, planned: datetime | None, ahead: list[Underway], now: datetime
) -> tuple[Iterable[New], list[str], datetime | None, datetime | None]:
    """The times from `planned` on that are due now, each decided with the ones ahead of it in view.

    Beside them, the keys of those that give way, the time that comes next, and when that is due.
    """
    new: dict[str, New] = {}
    replaced: list[str] = []
    due = None
    while planned is not None and (due := standing.due_of(planned)) <= now:
        decision = decide_overlap(standing.policies.overlap, ahead)
        for key in decision.replaced:
            if key in new:
                new[key] = replace(new[key], state=State.COALESCED, reason=Reason.REPLACED)
            else:
                replaced.append(key)
        if decision.replaced:
            ahead = [other for other in ahead if other.key not in decision.replaced]
        one = _occurrence(standing, planned, due=due, state=decision.state, reason=decision.reason)
        new[one.key] = one
        if one.state is State.QUEUED:
            ahead.append(_underway(one))
        planned, due = standing.remaining.after(planned), None
    return new.values(), replaced, planned, due


def _skipped(standing: Standing, planned: datetime, now: datetime) -> New | None:
    """The time that a person chose to leave out, once it is due: recorded as that, whatever the policies say."""
    if standing.due_of(planned) > now:
        return None
    return _occurrence(standing, planned, state=State.SKIPPED, reason=Reason.BY_PERSON)


def _occurrence(
    standing: Standing,
    planned: datetime,
    *,
    due: datetime | None = None,
    late: bool = False,
    state: State = State.QUEUED,
    reason: Reason | None = None,
) -> New:
    key = occurrence_key(standing.id, planned, Origin.AUTOMATIC)
    return New(key=key, planned=planned, due=due or standing.due_of(planned), late=late, state=state, reason=reason)


def _underway(new: New) -> Underway:
    return Underway(new.key, Origin.AUTOMATIC, new.state, new.late)
