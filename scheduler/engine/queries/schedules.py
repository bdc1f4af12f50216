"""What people see of schedules: frozen values made by read-only queries."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from scheduler.engine.context import Context
from scheduler.engine.refusal import RefusedError
from scheduler.engine.upcoming import promised, upcoming_times
from scheduler.store import backfills, gaps, occurrences, schedules, tallies
from scheduler.store.backfills import BackfillRow
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.catchup import EXACT_UP_TO, Gap
from scheduler.timing.due import owe
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import Reason, State
from scheduler.timing.spec import Spec
from scheduler.timing.words import say

DRIFT_BOUNDS = (10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000)
"""Upper edges of the drift histogram in milliseconds; beyond the last lies everything else."""

_TICK = timedelta(microseconds=1)


class ScheduleState(StrEnum):
    ACTIVE = "active"
    PAUSED = "paused"
    BROKEN = "broken"
    """Set aside: its row makes no sense."""
    FINISHED = "finished"
    """No more times, and the last one has ended."""
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class ScheduleView:
    """One schedule in a list. What costs to compute is computed when it is asked for."""

    row: ScheduleRow
    now: datetime
    is_underway: bool = False
    """Whether anything of it waits or runs; known where it makes a difference."""

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
        if row.rests:
            return ScheduleState.PAUSED
        return ScheduleState.ACTIVE if self.is_underway or not has_no_times(row) else ScheduleState.FINISHED

    @property
    def spec(self) -> dict[str, Any]:
        """What is stored, empty if it cannot be read."""
        try:
            written = json.loads(self.row.spec)
        except ValueError:
            return {}
        return written if isinstance(written, dict) else {}

    @property
    def words(self) -> str:
        """Its times as people say them, or what is wrong with them."""
        try:
            return say(Spec.read(self.spec, machine_zone="UTC", now=self.now))
        except BadScheduleError as error:
            return error.sentence


def has_no_times(row: ScheduleRow) -> bool:
    return row.next_at is None and row.late_next is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    due: int = 0
    """Planned times that came, whatever became of them."""
    emitted: int = 0
    """Those that were to run, with what a person asked for."""
    succeeded: int = 0
    failed: int = 0
    failed_to_launch: int = 0
    cancelled: int = 0
    missed: int = 0
    coalesced: int = 0
    dropped: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    """By reason."""
    planned: dict[str, int] = field(default_factory=dict)
    """What became of those that were due, by state."""
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
        found = (self._view(row, now) for row in rows)
        return found if state is None else (view for view in found if view.state is state)

    def describe(self, schedule: str, *, upcoming: int = 5, recent: int = 10) -> ScheduleDetails:
        db = self._context.database.read()
        row = self._find(schedule)
        return ScheduleDetails(
            view=self._view(row, self._context.clock.now()),
            upcoming=self.upcoming(schedule, upcoming),
            recent=occurrences.recent(db, schedule, recent),
            gaps=gaps.of_schedule(db, schedule, recent),
            counters=self.statistics(schedule=schedule),
            backfills=backfills.of_schedule(db, schedule),
        )

    def upcoming(self, schedule: str, number: int) -> list[datetime]:
        """The next times that will fire if nobody does anything."""
        try:
            return upcoming_times(
                self._context, self._context.database.read(), self._find(schedule), number, self._context.clock.now()
            )
        except BadScheduleError:
            return []

    def resume_preview(self, schedule: str) -> ResumePreview:
        """What the catch-up policy would make of the times that passed during the pause."""
        db, now = self._context.database.read(), self._context.clock.now()
        row = self._find(schedule)
        nothing = ResumePreview(passed=0, runs=0, more=False)
        if row.trouble is not None or row.next_due is None or row.next_due > now:
            return nothing
        try:
            spec, _ = self._context.compile(row.id, row.spec)
            standing = self._context.standing(db, row._replace(late_next=None))
        except BadScheduleError:
            return nothing
        owed = owe(standing, occurrences.underway(db, row.id), now)
        runs, counts = sum(new.state is State.QUEUED for new in owed.new), [gap.count for gap in owed.gaps]
        if owed.late is not None:
            late = standing.remaining.count(owed.late.next - _TICK, owed.late.until, EXACT_UP_TO)
            runs, counts = runs + late.number, [*counts, late]
        if spec.limit is not None:
            runs = min(runs, max(spec.limit - row.runs - promised(db, self._context.standing(db, row)), 0))
        passed = len(owed.new) + sum(count.number for count in counts)
        return ResumePreview(passed=passed, runs=runs, more=any(count.more for count in counts))

    def statistics(self, *, schedule: str | None = None, since: datetime | None = None) -> Counters:
        """Counters over one schedule or all, for times planned since."""
        db = self._context.database.read()
        numbers: dict[State, int] = dict.fromkeys(State, 0)
        skipped: dict[str, int] = {}
        failed_to_launch = 0
        uncounted = False
        planned: dict[str, int] = {}
        for tally in tallies.of_states(db, schedule, since):
            numbers[tally.state] += tally.number
            if tally.is_planned:
                planned[tally.state] = planned.get(tally.state, 0) + tally.number
            uncounted |= tally.more
            if tally.state is State.SKIPPED and tally.reason is not None:
                skipped[tally.reason] = skipped.get(tally.reason, 0) + tally.number
            if tally.reason is Reason.COULD_NOT_START:
                failed_to_launch += tally.number
        underway = numbers[State.QUEUED] + numbers[State.STARTED]
        return Counters(
            due=sum(planned.values()),
            emitted=underway + numbers[State.SUCCEEDED] + numbers[State.FAILED] + numbers[State.CANCELLED],
            succeeded=numbers[State.SUCCEEDED],
            failed=numbers[State.FAILED] - failed_to_launch,
            failed_to_launch=failed_to_launch,
            cancelled=numbers[State.CANCELLED],
            missed=numbers[State.MISSED],
            coalesced=numbers[State.COALESCED],
            dropped=numbers[State.DROPPED],
            skipped=skipped,
            planned=planned,
            underway=underway,
            more=uncounted,
            drift=tuple(tallies.drifts(db, schedule, since, DRIFT_BOUNDS)),
        )

    def _view(self, row: ScheduleRow, now: datetime) -> ScheduleView:
        underway = has_no_times(row) and occurrences.number_underway(self._context.database.read(), row.id) > 0
        return ScheduleView(row, now, underway)

    def _find(self, schedule: str) -> ScheduleRow:
        row = schedules.find(self._context.database.read(), schedule)
        if row is None:
            raise RefusedError("unknown", f"There is no schedule {schedule}.")
        return row
