"""Schedules: list entries, details, counters and what a resume would do."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.scheduling.upcoming import count_pending_runs, upcoming_times
from scheduler.store import backfills, gaps, occurrences, schedules, statistics
from scheduler.store.backfills import BackfillRow
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.catchup import MAX_EXACT_COUNT, Gap
from scheduler.timing.description import describe_schedule
from scheduler.timing.due import compute_due
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from scheduler.timing.spec import ScheduleSpec
from scheduler.user_text import UserText

DRIFT_BOUNDS = (10, 100, 1_000, 10_000, 60_000, 600_000, 3_600_000)
"""Upper bounds of the drift histogram in milliseconds; the last bucket holds everything beyond."""

_MICROSECOND = timedelta(microseconds=1)


class ScheduleState(StrEnum):
    """What a schedule as a whole does."""

    ACTIVE = "active"
    PAUSED = "paused"
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
class Counters:
    """What became of planned times, and of manual runs and backfills.

    due: planned times that came, whatever their outcome.
    emitted: occurrences that were to run, including manual ones.
    succeeded: those that succeeded.
    failed: those that failed after they began.
    failed_to_launch: those that could not start.
    cancelled: those that were stopped.
    missed: times that passed, and did not run later.
    coalesced: those that a later one replaced.
    dropped: those that can no longer run.
    skipped: times that did not run, by reason.
    planned: due times by state.
    underway: queued or running.
    more: whether a gap was too long to count: the true `due` and `missed` are higher.
    drift: automatic runs by drift from their planned time: one count per bound of 10 ms, 100 ms, 1 s, 10 s, 1 min,
        10 min and 1 h, then beyond.
    """

    due: int = 0
    emitted: int = 0
    succeeded: int = 0
    failed: int = 0
    failed_to_launch: int = 0
    cancelled: int = 0
    missed: int = 0
    coalesced: int = 0
    dropped: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    planned: dict[str, int] = field(default_factory=dict)
    underway: int = 0
    more: bool = False
    drift: tuple[int, ...] = ()


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
        result = compute_due(standing, occurrences.list_unfinished(db, row.id), now)
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
        db = self._context.database.read()
        numbers: dict[OccurrenceState, int] = dict.fromkeys(OccurrenceState, 0)
        skipped: dict[str, int] = {}
        failed_to_launch = 0
        is_more = False
        planned: dict[str, int] = {}
        for tally in statistics.count_states(db, schedule, since):
            numbers[tally.state] += tally.number
            if tally.is_planned:
                planned[tally.state] = planned.get(tally.state, 0) + tally.number
            is_more |= tally.more
            if tally.state is OccurrenceState.SKIPPED and tally.reason is not None:
                skipped[tally.reason] = skipped.get(tally.reason, 0) + tally.number
            if tally.reason is OccurrenceReason.COULD_NOT_START:
                failed_to_launch += tally.number
        underway = numbers[OccurrenceState.QUEUED] + numbers[OccurrenceState.STARTED]
        return Counters(
            due=sum(planned.values()),
            emitted=underway
            + numbers[OccurrenceState.SUCCEEDED]
            + numbers[OccurrenceState.FAILED]
            + numbers[OccurrenceState.CANCELLED],
            succeeded=numbers[OccurrenceState.SUCCEEDED],
            failed=numbers[OccurrenceState.FAILED] - failed_to_launch,
            failed_to_launch=failed_to_launch,
            cancelled=numbers[OccurrenceState.CANCELLED],
            missed=numbers[OccurrenceState.MISSED],
            coalesced=numbers[OccurrenceState.COALESCED],
            dropped=numbers[OccurrenceState.DROPPED],
            skipped=skipped,
            planned=planned,
            underway=underway,
            more=is_more,
            drift=tuple(statistics.count_drifts(db, schedule, since, DRIFT_BOUNDS)),
        )

    def _view(self, row: ScheduleRow, now: datetime) -> ScheduleView:
        underway = has_no_times(row) and occurrences.count_unfinished(self._context.database.read(), row.id) > 0
        return ScheduleView(row, now, underway)

    def _find(self, schedule: str) -> ScheduleRow:
        row = schedules.find(self._context.database.read(), schedule)
        if row is None:
            raise RefusedError("unknown", UserText("There is no schedule {schedule}.", schedule=schedule))
        return row
