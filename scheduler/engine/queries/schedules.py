"""Schedules: list entries, details, counters and what a resume would do."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.counters import Counters, count
from scheduler.engine.scheduling.emission import find_hold_up
from scheduler.engine.scheduling.upcoming import count_pending_runs, upcoming_times
from scheduler.store import backfills, gaps, occurrences, schedules
from scheduler.store.backfills import BackfillRow
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.catchup import MAX_EXACT_COUNT, Gap
from scheduler.timing.description import describe_schedule
from scheduler.timing.due import compute_due
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import OccurrenceState
from scheduler.timing.spec import ScheduleSpec
from scheduler.user_text import UserText

_MICROSECOND = timedelta(microseconds=1)


class ScheduleState(StrEnum):
    """What a schedule as a whole does."""

    ACTIVE = "active"
    PAUSED = "paused"
    STOPPED = "stopped"
    """It failed too often and waits for the user."""
    BROKEN = "broken"
    """Set aside because its row cannot be read."""
    FINISHED = "finished"
    """No more times, and the last run has ended."""
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class ScheduleView:
    """One schedule in a list. Expensive values are properties, computed on demand."""

    row: ScheduleRow
    now: datetime
    is_underway: bool = False
    """Whether an occurrence is queued or running; only set if there are no more times."""

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
        if row.is_suspended:
            return ScheduleState.PAUSED
        return ScheduleState.ACTIVE if self.is_underway or not has_no_times(row) else ScheduleState.FINISHED

    @property
    def spec(self) -> dict[str, Any]:
        """The stored spec, empty if it cannot be read."""
        try:
            written = json.loads(self.row.spec)
        except ValueError:
            return {}
        return written if isinstance(written, dict) else {}

    @property
    def words(self) -> str:
        """The schedule in words, or what is wrong with it."""
        try:
            return describe_schedule(ScheduleSpec.read(self.spec, machine_zone="UTC", now=self.now))
        except BadScheduleError as error:
            return error.sentence


def has_no_times(row: ScheduleRow) -> bool:
    return row.next_at is None and row.late_next is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleDetails:
    view: ScheduleView
    upcoming: list[datetime]
    recent: list[OccurrenceRow]
    gaps: list[tuple[OccurrenceState, Gap]]
    counters: Counters
    backfills: list[BackfillRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumePreview:
    """What resuming would do with the missed times."""

    passed: int
    runs: int
    more: bool

    @property
    def sentence(self) -> str:
        if self.passed == 0:
            return UserText("No runs were missed during the pause.")
        missed = (
            UserText("1 run was")
            if self.passed == 1
            else (
                UserText("more than {passed} runs were", passed=f"{self.passed:,}")
                if self.more
                else UserText("{passed} runs were", passed=f"{self.passed:,}")
            )
        )
        runs = (
            UserText("none will run")
            if self.runs == 0
            else UserText("1 will run now")
            if self.runs == 1
            else UserText("{runs} will run now", runs=f"{self.runs:,}")
        )
        return UserText("{missed} missed during the pause; {runs}.", missed=missed, runs=runs)


class ScheduleQueries:
    def __init__(self, context: EngineContext) -> None:
        self._context = context

    def schedules(
        self,
        *,
        workflow: str | None = None,
        text: str = "",
        state: ScheduleState | None = None,
    ) -> Iterator[ScheduleView]:
        """All schedules by name, filtered by workflow, part of the name and state."""
        now = self._context.clock.now()
        removed = state is ScheduleState.REMOVED
        rows = schedules.list_all(self._context.database.read(), workflow=workflow, text=text, removed=removed)
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
        """The next times as things stand."""
        try:
            return upcoming_times(
                self._context, self._context.database.read(), self._find(schedule), number, self._context.clock.now()
            )
        except BadScheduleError:
            return []

    def resume_preview(self, schedule: str) -> ResumePreview:
        """What the catch-up policy would do with the times missed during the pause."""
        db, now = self._context.database.read(), self._context.clock.now()
        row = self._find(schedule)
        nothing = ResumePreview(passed=0, runs=0, more=False)
        if row.trouble is not None or row.next_due is None or row.next_due > now:
            return nothing
        try:
            spec, _ = self._context.compile(row.id, row.spec)
            standing = self._context.timing_state(db, row._replace(late_next=None))
        except BadScheduleError:
            return nothing
        is_held_up = find_hold_up(db, row) is not None
        result = compute_due(standing, occurrences.list_unfinished(db, row.id), now, is_held_up=is_held_up)
        runs, counts = (
            sum(new.state is OccurrenceState.QUEUED for new in result.new),
            [gap.count for gap in result.gaps],
        )
        if result.late is not None:
            late = standing.unrecorded.count(result.late.next - _MICROSECOND, result.late.until, MAX_EXACT_COUNT)
            runs, counts = runs + late.number, [*counts, late]
        if spec.limit is not None:
            runs = min(
                runs, max(spec.limit - row.runs - count_pending_runs(db, self._context.timing_state(db, row)), 0)
            )
        passed = len(result.new) + sum(count.number for count in counts)
        return ResumePreview(passed=passed, runs=runs, more=any(count.more for count in counts))

    def statistics(self, *, schedule: str | None = None, since: datetime | None = None) -> Counters:
        """Counters of one schedule or all, for times planned since then."""
        return count(self._context, schedule, since)

    def _view(self, row: ScheduleRow, now: datetime) -> ScheduleView:
        underway = has_no_times(row) and occurrences.count_unfinished(self._context.database.read(), row.id) > 0
        return ScheduleView(row, now, underway)

    def _find(self, schedule: str) -> ScheduleRow:
        row = schedules.find(self._context.database.read(), schedule)
        if row is None:
            raise RefusedError("unknown", UserText("There is no schedule {schedule}.", schedule=schedule))
        return row
