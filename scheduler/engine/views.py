"""What people see of schedules: frozen values made by read-only queries."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from scheduler.engine.context import Context
from scheduler.engine.refusal import RefusedError
from scheduler.store import backfills, occurrences, schedules
from scheduler.store.backfills import BackfillRow
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.catchup import Gap
from scheduler.timing.due import owe
from scheduler.timing.occurrences import Reason, State
from scheduler.timing.spec import Spec
from scheduler.timing.words import say

DRIFT_BOUNDS = (10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000)
"""Upper edges of the drift histogram in milliseconds; beyond the last lies everything else."""


class ScheduleState(StrEnum):
    ACTIVE = "active"
    PAUSED = "paused"
    BLOCKED = "blocked"
    """Too many failures: nothing starts until it is resumed."""
    BROKEN = "broken"
    """Set aside: its row makes no sense."""
    FINISHED = "finished"
    """No more times."""
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class ScheduleView:
    """One schedule in a list. What costs to compute is computed when it is asked for."""

    row: ScheduleRow
    now: datetime

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def version(self) -> int:
        return self.row.version

    @property
    def state(self) -> ScheduleState:
        row = self.row
        if row.removed is not None:
            return ScheduleState.REMOVED
        if row.trouble is not None:
            return ScheduleState.BROKEN
        if row.paused:
            return ScheduleState.PAUSED
        if row.blocked is not None:
            return ScheduleState.BLOCKED
        return ScheduleState.FINISHED if row.next_at is None and row.late_next is None else ScheduleState.ACTIVE

    @property
    def spec(self) -> dict[str, Any]:
        written: dict[str, Any] = json.loads(self.row.spec)
        return written

    @property
    def words(self) -> str:
        return say(Spec.read(self.spec, machine_zone="UTC", now=self.now))


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    due: int = 0
    """Planned times that came, whatever became of them."""
    emitted: int = 0
    """Those that were to run."""
    succeeded: int = 0
    failed: int = 0
    failed_to_launch: int = 0
    cancelled: int = 0
    missed: int = 0
    coalesced: int = 0
    dropped: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    """By reason."""
    underway: int = 0
    more: bool = False
    """Some gap was too long to count: the true figures for due and missed are higher."""
    drift: tuple[int, ...] = ()
    """How many automatic runs began within each of `DRIFT_BOUNDS` of their planned time, then beyond."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleDetails:
    view: ScheduleView
    upcoming: list[datetime]
    recent: list[OccurrenceRow]
    gaps: list[tuple[State, Gap]]
    counters: Counters
    backfills: list[BackfillRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumePreview:
    """What resuming would do with the times that passed."""

    passed: int
    runs: int
    more: bool

    @property
    def sentence(self) -> str:
        if self.passed == 0:
            return "No time passed while it was paused."
        times = "1 time" if self.passed == 1 else f"{'more than ' if self.more else ''}{self.passed:,} times"
        runs = (
            "none of them runs"
            if self.runs == 0
            else "1 of them runs now"
            if self.runs == 1
            else f"{self.runs:,} of them run now"
        )
        return f"{times} passed while it was paused; {runs}."


class Views:
    def __init__(self, context: Context) -> None:
        self._context = context

    def schedules(
        self,
        *,
        workflow: str | None = None,
        text: str = "",
        state: ScheduleState | None = None,
    ) -> Iterator[ScheduleView]:
        """All schedules by name, narrowed by workflow, a part of the name, and state."""
        now = self._context.clock.now()
        removed = state is ScheduleState.REMOVED
        rows = schedules.every_one(self._context.database.read(), workflow=workflow, text=text, removed=removed)
        found = (ScheduleView(row, now) for row in rows)
        return found if state is None else (view for view in found if view.state is state)

    def describe(self, schedule: str, *, upcoming: int = 5, recent: int = 10) -> ScheduleDetails:
        db = self._context.database.read()
        row = self._find(schedule)
        return ScheduleDetails(
            view=ScheduleView(row, self._context.clock.now()),
            upcoming=self.upcoming(schedule, upcoming),
            recent=occurrences.recent(db, schedule, recent),
            gaps=occurrences.gaps(db, schedule, recent),
            counters=self.statistics(schedule=schedule),
            backfills=backfills.of_schedule(db, schedule),
        )

    def upcoming(self, schedule: str, number: int) -> list[datetime]:
        """The next times that will fire: without a skipped one, none after the last, none while set aside."""
        row = self._find(schedule)
        if row.trouble is not None or row.next_at is None:
            return []
        spec, times = self._context.compile(row.id, row.spec)
        now = self._context.clock.now()
        start = (
            row.next_at - timedelta(microseconds=1)
            if not row.paused
            else max(now, row.next_at - timedelta(microseconds=1))
        )
        if spec.limit is not None:
            number = min(number, spec.limit - row.runs)
        found = times.upcoming(start, number + (row.skip_at is not None))
        return [at for at in found if at != row.skip_at][:number]

    def resume_preview(self, schedule: str) -> ResumePreview:
        """What the catch-up policy would make of the times that passed during the pause."""
        row = self._find(schedule)
        now = self._context.clock.now()
        if row.trouble is not None or row.next_due is None or row.next_due > now:
            return ResumePreview(passed=0, runs=0, more=False)
        standing = self._context.standing(row)
        assert row.next_at is not None
        owed = owe(standing, row.next_at, occurrences.underway(self._context.database.read(), row.id), now)
        counted = [gap.count for gap in owed.gaps]
        runs = sum(new.state is State.QUEUED for new in owed.new)
        if owed.late is not None:
            runs += owed.late.total
        ended = sum(new.state is not State.QUEUED for new in owed.new)
        passed = sum(count.number for count in counted) + runs + ended
        return ResumePreview(passed=passed, runs=runs, more=any(count.more for count in counted))

    def statistics(self, *, schedule: str | None = None, since: datetime | None = None) -> Counters:
        """Counters over one schedule or all, for times planned since."""
        db = self._context.database.read()
        numbers: dict[State, int] = dict.fromkeys(State, 0)
        skipped: dict[str, int] = {}
        failed_to_launch = 0
        uncounted = False
        for state, reason, number, more in occurrences.tallies(db, schedule, since):
            numbers[State(state)] += number
            uncounted |= bool(more)
            if state == State.SKIPPED and reason is not None:
                skipped[reason] = skipped.get(reason, 0) + number
            if reason == Reason.COULD_NOT_START:
                failed_to_launch += number
        underway = numbers[State.QUEUED] + numbers[State.STARTED]
        return Counters(
            due=sum(numbers.values()),
            emitted=underway + numbers[State.SUCCEEDED] + numbers[State.FAILED] + numbers[State.CANCELLED],
            succeeded=numbers[State.SUCCEEDED],
            failed=numbers[State.FAILED] - failed_to_launch,
            failed_to_launch=failed_to_launch,
            cancelled=numbers[State.CANCELLED],
            missed=numbers[State.MISSED],
            coalesced=numbers[State.COALESCED],
            dropped=numbers[State.DROPPED],
            skipped=skipped,
            underway=underway,
            more=uncounted,
            drift=tuple(occurrences.drifts(db, schedule, since, DRIFT_BOUNDS)),
        )

    def _find(self, schedule: str) -> ScheduleRow:
        row = schedules.find(self._context.database.read(), schedule)
        if row is None:
            raise RefusedError("unknown", f"There is no schedule {schedule}.")
        return row
