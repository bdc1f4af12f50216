"""What is due for one schedule now: the rows to write, the rows they replace, and the next time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from scheduler.timing.catchup import (
    MAX_EXACT_COUNT,
    MAX_GRACE,
    MIN_GRACE,
    Gap,
    grace_after,
    plan_catchup,
    spread_due,
)
from scheduler.timing.compiled import PlannedTimes, UnrecordedTimes
from scheduler.timing.jitter import MAX_JITTER, Jitter
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState, occurrence_key
from scheduler.timing.overlap import UnfinishedOccurrence, decide_held_up, decide_overlap
from scheduler.timing.policies import Catchup, Policies

_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchupCursor:
    """A cursor over the missed times from `next` to `until` that still run."""

    next: datetime
    until: datetime
    began: datetime
    total: int
    made: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleSnapshot:
    """A schedule as stored, at one instant."""

    id: str
    times: PlannedTimes
    jitter: Jitter | None
    policies: Policies
    next_at: datetime | None = None
    """The first planned time without a row, apart from those left to the late cursor."""
    next_due: datetime | None = None
    skip_at: datetime | None = None
    late: CatchupCursor | None = None
    taken: frozenset[datetime] = frozenset()
    """Planned times after the first unrecorded one that already have a row."""
    paused_until: datetime | None = None
    """The end of a pause: what was due before it passed without running, however little time has gone by."""
    buffer_limit: int = 1_000
    """How many of its times may wait under `buffer_all`."""

    @property
    def unrecorded(self) -> UnrecordedTimes:
        return UnrecordedTimes(self.times, self.taken)

    @property
    def first_unrecorded(self) -> datetime | None:
        """The first planned time without a row."""
        return self.next_at if self.late is None else self.late.next

    def due_time(self, planned: datetime) -> datetime:
        # A due time further from its planned time than jitter can shift it was edited by hand.
        if planned == self.next_at and self.next_due is not None and abs(self.next_due - planned) <= MAX_JITTER:
            return self.next_due
        if self.jitter is None:
            return planned
        return self.jitter.due_time(planned, occurrence_key(self.id, planned, OccurrenceOrigin.AUTOMATIC), self.times)

    def grace(self, planned: datetime) -> timedelta:
        """How long after it is due a time is regular."""
        return grace_after(planned, self.times.after(planned))

    def is_missed(self, planned: datetime, now: datetime) -> bool:
        """Whether it is too late to record it as a regular time."""
        due = self.due_time(planned)
        if self.paused_until is not None and due < min(self.paused_until, now):
            return True
        delay = now - due
        # The gap to the next time is only computed where it matters: almost every time is recorded at once.
        return delay > MIN_GRACE and (delay > MAX_GRACE or delay > self.grace(planned))

    def due_time_when_armed(self, planned: datetime, now: datetime) -> datetime:
        """When a future time is due if it is armed only now: jitter cannot move it before now."""
        due = self.due_time(planned)
        return due if planned <= now else max(due, now)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOccurrence:
    """An automatic occurrence to record."""

    key: str
    planned: datetime
    due: datetime
    late: bool = False
    state: OccurrenceState = OccurrenceState.QUEUED
    reason: OccurrenceReason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DueResult:
    new: tuple[NewOccurrence, ...] = ()
    gaps: tuple[Gap, ...] = ()
    replaced: tuple[str, ...] = ()
    """The keys of queued occurrences that a newer one replaces."""
    late: CatchupCursor | None = None
    next_at: datetime | None = None
    next_due: datetime | None = None


def compute_due(
    schedule: ScheduleSnapshot,
    underway: Sequence[UnfinishedOccurrence],
    now: datetime,
    *,
    is_held_up: bool = False,
) -> DueResult:
    """Everything that became due up to `now` and has no row.

    `is_held_up`: nothing of the schedule can start for now, so that only the latest of its times waits.
    """
    skipped = None if schedule.skip_at is None else _skipped(schedule, schedule.skip_at, now)
    if skipped is not None:
        schedule = replace(schedule, taken=schedule.taken | {skipped.planned})
    assert schedule.next_at is not None
    planned = schedule.unrecorded.at_or_after(schedule.next_at)
    missed = None
    if planned is not None and schedule.is_missed(planned, now):
        missed = _last_missed(schedule, planned, now)
        planned = schedule.unrecorded.after(missed)
    ahead = [one for one in underway if one.origin is not OccurrenceOrigin.BACKFILL]
    regular, replaced, next_at, next_due = _regular(schedule, planned, ahead, now, is_held_up=is_held_up)
    caught_up = DueResult(late=schedule.late)
    if missed is not None:
        has_regular = any(one.state is OccurrenceState.QUEUED for one in regular)
        caught_up = decide_catchup(schedule, missed, now, has_regular=has_regular)
        if is_held_up and caught_up.new:
            policies = schedule.policies
            keep_late, limit = policies.catchup.runs_all, schedule.buffer_limit
            decision = decide_held_up(policies.overlap, ahead, buffer_limit=limit, keep_late=keep_late)
            replaced += [key for key in decision.replaced if key not in replaced]
    return DueResult(
        new=(*(() if skipped is None else (skipped,)), *caught_up.new, *regular),
        gaps=caught_up.gaps,
        replaced=tuple(replaced),
        late=caught_up.late,
        next_at=next_at,
        next_due=next_due,
    )


def decide_catchup(
    schedule: ScheduleSnapshot, last: datetime, now: datetime, *, has_regular: bool = False
) -> DueResult:
    """Apply the policy to the missed times up to `last`, including those an earlier catch-up did not reach.

    `has_regular`: a regular time after them runs now, too.
    """
    policies, remaining = schedule.policies, schedule.unrecorded
    assert schedule.first_unrecorded is not None
    first = remaining.after(schedule.first_unrecorded - _TICK)
    if first is None or first > last:
        return DueResult()
    plan = plan_catchup(
        remaining,
        first,
        last,
        mode=policies.catchup,
        window=policies.catchup_window,
        now=now,
        has_regular=has_regular,
    )
    if plan.late is None:
        return DueResult(gaps=plan.gaps)
    begin, end = plan.late
    if policies.catchup is Catchup.ONE:
        return DueResult(gaps=plan.gaps, new=(_occurrence(schedule, end, late=True),))
    total = remaining.count(begin - _TICK, end, MAX_EXACT_COUNT).number
    return DueResult(gaps=plan.gaps, late=CatchupCursor(next=begin, until=end, began=now, total=total))


def advance_catchup(
    schedule: ScheduleSnapshot, late: CatchupCursor, most: int, lookahead: timedelta
) -> tuple[tuple[NewOccurrence, ...], CatchupCursor | None]:
    """The next missed times that still run, at most `most`, and the remaining cursor."""
    spread = schedule.policies.catchup is Catchup.SPREAD
    found = list(islice(schedule.unrecorded.between(late.next - _TICK, late.until), most))
    new = tuple(
        _occurrence(
            schedule,
            planned,
            due=spread_due(late.began, late.made + place, late.total, lookahead) if spread else None,
            late=True,
        )
        for place, planned in enumerate(found)
    )
    following = schedule.unrecorded.after(found[-1]) if found else None
    if following is None or following > late.until:
        return new, None
    return new, replace(late, next=following, made=late.made + len(new))


def _last_missed(schedule: ScheduleSnapshot, first: datetime, now: datetime) -> datetime:
    """The latest missed planned time, given a missed first one. Jitter keeps the order of neighbours."""
    remaining = schedule.unrecorded
    last = remaining.last(first - _TICK, now) or first
    following = remaining.after(last)
    if following is not None and schedule.is_missed(following, now):
        return following
    while last > first and not schedule.is_missed(last, now):
        last = remaining.last(first - _TICK, last - _TICK) or first
    return last


def _regular(
    schedule: ScheduleSnapshot,
    planned: datetime | None,
    ahead: list[UnfinishedOccurrence],
    now: datetime,
    *,
    is_held_up: bool,
) -> tuple[Iterable[NewOccurrence], list[str], datetime | None, datetime | None]:
    """The times from `planned` on that are due now, each decided in view of those ahead of it.

    Also the keys of the occurrences they replace, the next planned time, and when that is due.
    """
    policies = schedule.policies
    new: dict[str, NewOccurrence] = {}
    replaced: list[str] = []
    due = None
    while planned is not None and (due := schedule.due_time(planned)) <= now:
        limit = schedule.buffer_limit
        if is_held_up:
            keep_late = policies.catchup.runs_all
            decision = decide_held_up(policies.overlap, ahead, buffer_limit=limit, keep_late=keep_late)
        else:
            decision = decide_overlap(policies.overlap, ahead, buffer_limit=limit)
        for key in decision.replaced:
            if key in new:
                new[key] = replace(new[key], state=OccurrenceState.COALESCED, reason=decision.replaced_reason)
            else:
                replaced.append(key)
        if decision.replaced:
            ahead = [other for other in ahead if other.key not in decision.replaced]
        one = _occurrence(schedule, planned, due=due, state=decision.state, reason=decision.reason)
        new[one.key] = one
        if one.state is OccurrenceState.QUEUED:
            ahead = [*ahead, _underway(one)]
        planned, due = schedule.unrecorded.after(planned), None
    return new.values(), replaced, planned, due


def _skipped(schedule: ScheduleSnapshot, planned: datetime, now: datetime) -> NewOccurrence | None:
    """The time the user chose to skip, once it is due; recorded as skipped whatever the policies."""
    if schedule.due_time(planned) > now:
        return None
    return _occurrence(schedule, planned, state=OccurrenceState.SKIPPED, reason=OccurrenceReason.BY_USER)


def _occurrence(
    schedule: ScheduleSnapshot,
    planned: datetime,
    *,
    due: datetime | None = None,
    late: bool = False,
    state: OccurrenceState = OccurrenceState.QUEUED,
    reason: OccurrenceReason | None = None,
) -> NewOccurrence:
    key = occurrence_key(schedule.id, planned, OccurrenceOrigin.AUTOMATIC)
    return NewOccurrence(
        key=key, planned=planned, due=due or schedule.due_time(planned), late=late, state=state, reason=reason
    )


def _underway(new: NewOccurrence) -> UnfinishedOccurrence:
    return UnfinishedOccurrence(new.key, OccurrenceOrigin.AUTOMATIC, new.state, new.late)
