"""The values that the library returns, and their conversion from stored rows. All instants are aware, in UTC."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from scheduler.engine.queries.counters import Counters
from scheduler.engine.queries.schedules import ScheduleDetails, ScheduleState, ScheduleView
from scheduler.library.errors import StopRequestedError
from scheduler.store.backfills import BackfillRow
from scheduler.store.occurrences import OccurrenceRow
from scheduler.timing.catchup import Gap
from scheduler.timing.occurrences import UNFINISHED_STATES, OccurrenceOrigin, OccurrenceReason, OccurrenceState


@dataclass(slots=True)
class StopFlag:
    """Set by the scheduler when a run must stop; a callable has to look at it."""

    is_set: bool = False

    def stop(self, *, kill: bool) -> None:  # noqa: ARG002  a thread cannot be killed
        self.is_set = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DueRun:
    """What a handler gets: which run this is.

    name: the name of the schedule.
    planned: the planned time. For a manual run, the time of `trigger`.
    due: when it was to start: the planned time, shifted by the jitter.
    key: identifies the run; the same planned time always has the same key, so it can serve as an idempotency key.
    origin: `automatic`, `manual` or `backfill`.
    is_late: whether its time was missed and is being caught up.
    attempt: 1, or more if it could not be started before, for example because its handler was not registered.
    """

    name: str
    planned: datetime
    due: datetime
    key: str
    origin: OccurrenceOrigin
    is_late: bool
    attempt: int
    _stop: StopFlag = field(default_factory=StopFlag, repr=False, compare=False)

    @property
    def stop_requested(self) -> bool:
        """Whether the run should end early, because of `stop_running`, an overlap policy or `close`."""
        return self._stop.is_set

    def stop_if_requested(self) -> None:
        """Leave the handler with StopRequestedError if the run should end early."""
        if self._stop.is_set:
            raise StopRequestedError("The handler ended early, as requested.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One entry of the run log: a run, or planned times that did not run.

    name: the name of the schedule.
    key: identifies the run; None for a range of times that did not run.
    planned: the planned time, or the first of the range.
    until: the last planned time of the range; the same as `planned` for a run.
    times: how many planned times this entry stands for; 1 for a run.
    state: `queued`, `started`, `succeeded`, `failed`, `cancelled`, `skipped`, `coalesced`, `missed` or `dropped`.
    reason: why it did not run, or why it ended: `overlap`, `replaced`, `buffer_full`, `passed`, `caught_up`, `expired`,
        `by_user`, `limit`, `edited`, `clock`, `removed`, `backfill_cancelled`, `could_not_start`, `stopped`,
        `overtaken`, `interrupted`, `error` or `unreadable`; None if it succeeded or has not ended.
    message: what went wrong, such as the exception; None if nothing did.
    origin: `automatic`, `manual` or `backfill`.
    is_late: whether its time was missed and was caught up.
    began: when it began; None if it did not.
    ended: when it ended; None if it has not.
    output: the last 64,000 bytes that a command printed.
    """

    name: str
    key: str | None
    planned: datetime
    until: datetime
    times: int
    state: OccurrenceState
    reason: str | None
    message: str | None
    origin: OccurrenceOrigin
    is_late: bool
    began: datetime | None
    ended: datetime | None
    output: str

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.state not in UNFINISHED_STATES


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillProgress:
    """A backfill and how far it is.

    id: for `cancel_backfill`.
    total: how many runs it has.
    made: how many of them were put into the queue so far.
    created: when it was requested.
    ended: when all of them were put into the queue, or it was cancelled; None before.
    is_cancelled: whether it was cancelled.
    """

    id: str
    total: int
    made: int
    created: datetime
    ended: datetime | None
    is_cancelled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleSummary:
    """A schedule in a list.

    name: its name.
    state: `active`, `paused`, `finished` or `broken`.
    version: for `if_version`; it grows with every change by a command, not with runs.
    next_time: the next planned time; None if there is none, or while it is paused.
    last_run: when its last run began.
    """

    name: str
    state: ScheduleState
    version: int
    next_time: datetime | None
    last_run: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleInfo(ScheduleSummary):
    """Everything about a schedule.

    description: its times in words.
    next_times: the next five planned times.
    times: its times as stored: `every`, `cron`, `calendar` or `once`, with zone, limits and jitter.
    policies: its policies as stored.
    paused_until: when a pause ends by itself.
    pause_note: the note given to `pause`.
    trouble: why it is `broken`.
    skipped_time: the time that `skip_next` skips.
    automatic_runs: how many automatic runs have begun; they count towards `limit`.
    counters: what became of its planned times.
    backfills: its backfills, the latest first.
    """

    description: str
    next_times: tuple[datetime, ...]
    times: Mapping[str, Any]
    policies: Mapping[str, Any]
    paused_until: datetime | None
    pause_note: str | None
    trouble: str | None
    skipped_time: datetime | None
    automatic_runs: int
    counters: Counters
    backfills: tuple[BackfillProgress, ...]


def summarize(view: ScheduleView, name: str, next_time: datetime | None) -> ScheduleSummary:
    return ScheduleSummary(**_summary_fields(view, name, next_time))


def describe(details: ScheduleDetails, name: str) -> ScheduleInfo:
    row = details.view.row
    next_time = details.upcoming[0] if details.upcoming and details.view.state is ScheduleState.ACTIVE else None
    return ScheduleInfo(
        **_summary_fields(details.view, name, next_time),
        description=details.view.words,
        next_times=tuple(details.upcoming),
        times=details.view.spec,
        policies=json.loads(row.policies) if row.trouble is None else {},
        paused_until=row.paused_until,
        pause_note=row.pause_note,
        trouble=row.trouble,
        skipped_time=row.skip_at,
        automatic_runs=row.runs,
        counters=rename_reasons(details.counters),
        backfills=tuple(map(backfill_progress, details.backfills)),
    )


def rename_reasons(counters: Counters) -> Counters:
    """With the reasons as in `RunRecord`."""
    return replace(counters, skipped={_reason(OccurrenceReason(one)): n for one, n in counters.skipped.items()})


def backfill_progress(row: BackfillRow) -> BackfillProgress:
    return BackfillProgress(
        id=row.id, total=row.total, made=row.made, created=row.created, ended=row.ended, is_cancelled=row.cancelled
    )


def record_of_run(row: OccurrenceRow, name: str, output: str) -> RunRecord:
    return RunRecord(
        name=name,
        key=row.key,
        planned=row.planned,
        until=row.planned,
        times=1,
        state=row.state,
        reason=None if row.reason is None else _reason(row.reason),
        message=row.detail,
        origin=row.origin,
        is_late=bool(row.late),
        began=row.began,
        ended=row.ended,
        output=output,
    )


def record_of_gap(state: OccurrenceState, gap: Gap, name: str) -> RunRecord:
    return RunRecord(
        name=name,
        key=None,
        planned=gap.first,
        until=gap.last,
        times=gap.count.number,
        state=state,
        reason=_reason(gap.reason),
        message=None,
        origin=OccurrenceOrigin.AUTOMATIC,
        is_late=False,
        began=None,
        ended=None,
        output="",
    )


def _summary_fields(view: ScheduleView, name: str, next_time: datetime | None) -> dict[str, Any]:
    return {
        "name": name,
        "state": view.state,
        "version": view.version,
        "next_time": next_time,
        "last_run": view.row.last_run,
    }


def _reason(reason: OccurrenceReason) -> str:
    return reason.name.lower()
