"""Records the occurrences of due schedules together with their next time, always in one transaction."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from datetime import datetime, timedelta

from scheduler.engine.context import EngineContext, late_columns, read_late
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.rules.handler_ids import lane_name
from scheduler.rules.hold_up import describe_hold_up
from scheduler.store import gaps, lanes, occurrences, schedules
from scheduler.store.errors import StoreError
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.catchup import Gap, make_gap
from scheduler.timing.compiled import UnrecordedTimes
from scheduler.timing.due import CatchupCursor, DueResult, NewOccurrence, advance_catchup, compute_due, decide_catchup
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState, occurrence_key
from scheduler.user_text import UserText

BATCH_SIZE = 50
"""Schedules per transaction: large enough to be cheap, small enough to start the first ones soon."""
_INSTANT = timedelta(microseconds=1)
_GAP_STATES = {
    OccurrenceReason.EDITED: OccurrenceState.DROPPED,
    OccurrenceReason.LIMIT: OccurrenceState.DROPPED,
    OccurrenceReason.REMOVED: OccurrenceState.DROPPED,
    OccurrenceReason.ZONE: OccurrenceState.DROPPED,
}


class Emission:
    """Records what is due, within the caller's transaction."""

    def __init__(self, context: EngineContext) -> None:
        self._context = context

    def emit_due(self, db: sqlite3.Connection, now: datetime) -> bool:
        """Record one batch of due schedules; returns whether more may be due."""
        found = schedules.list_due(db, now, BATCH_SIZE)
        self._record_due(db, found, now, self.disabling_on_error)
        return len(found) == BATCH_SIZE

    def emit_catch_up(self, db: sqlite3.Connection, now: datetime) -> bool:
        """Record the next missed times that will be caught up; returns whether there were any."""
        more = False
        for row in schedules.list_catching_up(db, BATCH_SIZE, self._context.settings.waiting_at_most):
            with self.disabling_on_error(db, row.id):
                more |= self._record_some_late(db, row, now)
        return more

    def record_due(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> ScheduleRow:
        """Record what is due of one schedule before it changes; returns the updated row."""
        if row.next_due is None or row.next_due > now:
            return row
        self._record_due(db, [(row, True)], now, lambda *_: nullcontext())
        return self._reload(db, row)

    def record_paused(self, db: sqlite3.Connection, row: ScheduleRow, until: datetime, now: datetime) -> None:
        """Record what became due during a pause that ended then; the catch-up policy decides what still runs."""
        if not self._context.is_paused(now) and row.next_due is not None and row.next_due <= now:
            self._record_due(db, [(row, True)], now, self.disabling_on_error, until)

    def record_late(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> ScheduleRow:
        """Record as many missed times to be caught up as may wait at once."""
        while self._record_some_late(db, row, now):
            row = self._reload(db, row)
        return self._reload(db, row)

    def record_gap(
        self, db: sqlite3.Connection, row: ScheduleRow, reason: OccurrenceReason, now: datetime
    ) -> ScheduleRow:
        """Record the times up to now without a row as a gap: none of them will run."""
        standing = self._context.timing_state(db, row)
        remaining, late = standing.unrecorded, standing.late
        until = now if late is None else max(now, late.until)
        first = None if standing.first_unrecorded is None else remaining.after(standing.first_unrecorded - _INSTANT)
        last = None if first is None else remaining.last(first - _INSTANT, until)
        if first is not None and last is not None:
            self.add_gap(db, row.id, make_gap(remaining, first, last, reason), now)
        schedules.update(db, row.id, next_at=None, next_due=None, **late_columns(None))
        return self._reload(db, row)

    def finish(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> None:
        """The limit of runs is reached: remove the next time and drop what is queued."""
        self.record_gap(db, row, OccurrenceReason.LIMIT, now)
        self._drop_queued(db, row.id, OccurrenceReason.LIMIT, now)

    def reapply_catchup(self, db: sqlite3.Connection, schedule: str, now: datetime) -> None:
        """Apply the current catch-up policy to missed times that are still to be caught up."""
        row = schedules.find(db, schedule)
        assert row is not None
        standing = self._context.timing_state(db, row)
        if standing.late is not None:
            has_regular = any(one.is_replaceable for one in occurrences.list_unfinished(db, row.id))
            result = decide_catchup(standing, standing.late.until, now, has_regular=has_regular)
            new = self._record(db, row, replace(result, next_at=row.next_at), now)
            occurrences.insert_all(db, new)

    def _drop_queued(self, db: sqlite3.Connection, schedule: str, reason: OccurrenceReason, now: datetime) -> None:
        """Drop the queued automatic occurrences."""
        for one in occurrences.list_queued(db, schedule):
            if one.origin is OccurrenceOrigin.AUTOMATIC:
                occurrences.move(db, one.key, OccurrenceState.QUEUED, OccurrenceState.DROPPED, reason=reason, ended=now)

    def add_gap(self, db: sqlite3.Connection, schedule: str, gap: Gap, now: datetime) -> None:
        gaps.add(db, schedule, gap, _GAP_STATES.get(gap.reason, OccurrenceState.MISSED), now)

    def has_reached_limit(self, row: ScheduleRow) -> bool:
        """Whether the limit of runs is reached."""
        limit = self._context.compile(row.id, row.spec)[0].limit
        return limit is not None and row.runs >= limit

    def next_time(self, db: sqlite3.Connection, row: ScheduleRow, after: datetime) -> datetime | None:
        """The first time after the instant without a row; None once the limit of runs is reached."""
        if self.has_reached_limit(row):
            return None
        _, times = self._context.compile(row.id, row.spec)
        at = times.after(after)
        while at is not None and occurrences.is_recorded(db, occurrence_key(row.id, at, OccurrenceOrigin.AUTOMATIC)):
            at = times.after(at)
        return at

    def set_next_time(self, db: sqlite3.Connection, row: ScheduleRow, next_at: datetime | None, now: datetime) -> None:
        armed = self.with_next_time(db, row, next_at, now)
        schedules.update(
            db, row.id, next_at=armed.next_at, next_due=armed.next_due, skip_at=armed.skip_at, computed=armed.computed
        )

    def with_next_time(
        self, db: sqlite3.Connection, row: ScheduleRow, next_at: datetime | None, now: datetime
    ) -> ScheduleRow:
        """The row with its next time, and without a skip that has passed or is no longer one of its times."""
        standing = self._context.timing_state(db, row)
        skip_at = row.skip_at
        if skip_at is not None and (next_at is None or skip_at < next_at or not standing.unrecorded.includes(skip_at)):
            skip_at = None
        next_due = None if next_at is None else standing.due_time_when_armed(next_at, now)
        return row._replace(next_at=next_at, next_due=next_due, skip_at=skip_at, computed=now)

    def disabling_on_error(self, db: sqlite3.Connection, schedule: str) -> "_DisableOnError":
        """Disable the schedule with the reason if the block raises, so that one bad row never stops the others."""
        return _DisableOnError(self, db, schedule)

    def disable(self, db: sqlite3.Connection, schedule: str, sentence: str) -> None:
        schedules.update(db, schedule, trouble=sentence)
        self._context.announce(
            Announcement(
                schedule,
                UserText("{schedule} cannot run: {sentence}", schedule=schedule, sentence=sentence),
                is_warning=True,
            )
        )

    def enable_valid(self, now: datetime) -> None:
        """Enable disabled schedules that are valid again, in this version of Dayhand or with these zones.

        Also compute the next time of those that have an unreadable one.
        """
        with self._context.database.write() as db:
            for row in schedules.list_set_aside(db):
                with suppress(BadScheduleError):
                    self._context.timing_state(db, row)
                    schedules.update(db, row.id, trouble=None)
            for row in schedules.list_never_due(db):
                with self.disabling_on_error(db, row.id):
                    self.set_next_time(db, row, self.next_time(db, row, now), now)

    def _record_due(
        self,
        db: sqlite3.Connection,
        rows: Sequence[tuple[ScheduleRow, bool]],
        now: datetime,
        guard: Callable[[sqlite3.Connection, str], AbstractContextManager[None]],
        paused_until: datetime | None = None,
    ) -> None:
        """Record what is due of many schedules in few statements; few of them have other occurrences underway."""
        new: list[OccurrenceRow] = []
        plans: list[schedules.NextTime] = []
        for row, has_others in rows:
            with guard(db, row.id):
                held_up = None
                if has_others:
                    state, others = self._context.timing_state(db, row), occurrences.list_unfinished(db, row.id)
                    if paused_until is not None:
                        state = replace(state, paused_until=max(paused_until, state.paused_until or paused_until))
                    held_up = find_hold_up(db, row) if others else None
                    result = compute_due(state, others, now, is_held_up=held_up is not None)
                else:
                    result = compute_due(self._context.build_timing_state(row), (), now)
                new += self._record(db, row, result, now, held_up)
                plans.append((row.id, result.next_at, result.next_due))
        occurrences.insert_all(db, new)
        schedules.save_next_times(db, plans, now)

    def _record(
        self,
        db: sqlite3.Connection,
        row: ScheduleRow,
        result: DueResult,
        now: datetime,
        held_up: str | None = None,
    ) -> list[OccurrenceRow]:
        """Write gaps, replaced occurrences, skip and catch-up state; returns the new occurrences, not yet written.

        `held_up`: what keeps the schedule from starting.
        """
        for gap in result.gaps:
            self.add_gap(db, row.id, gap, now)
        occurrences.coalesce(db, result.replaced, now, held_up)
        if row.skip_at is not None and (result.next_at is None or row.skip_at < result.next_at):
            schedules.update(db, row.id, skip_at=None)
        if result.late != read_late(row):
            schedules.update(db, row.id, **late_columns(result.late))
        return [_row_of(new, row.id, now, held_up) for new in result.new]

    def _record_some_late(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> bool:
        settings = self._context.settings
        late = read_late(row)
        if late is None:
            return False
        room = settings.waiting_at_most - occurrences.count_recorded_ahead(db, row.id)
        if room <= 0:
            return False
        standing = self._context.timing_state(db, row)
        new, rest = advance_catchup(standing, late, min(room, settings.catchup_per_tick), settings.lookahead)
        occurrences.insert_all(db, [_row_of(one, row.id, now) for one in new])
        schedules.update(db, row.id, **late_columns(rest))
        return True

    def _reload(self, db: sqlite3.Connection, row: ScheduleRow) -> ScheduleRow:
        found = schedules.find(db, row.id)
        assert found is not None
        return found


class _DisableOnError:
    def __init__(self, emission: Emission, db: sqlite3.Connection, schedule: str) -> None:
        self._emission, self._db, self._schedule = emission, db, schedule

    def __enter__(self) -> None:
        return

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        """The outermost frame of one schedule: an error is recorded as its trouble, unless the store raised it."""
        if not isinstance(error, Exception) or isinstance(error, (sqlite3.Error, StoreError)):
            return False
        sentence = error.sentence if isinstance(error, BadScheduleError) else f"{type(error).__name__}: {error}"
        self._emission.disable(self._db, self._schedule, sentence)
        return True


def truncate_late(late: CatchupCursor, remaining: UnrecordedTimes, now: datetime) -> CatchupCursor | None:
    """The catch-up cursor without the times that are in the future again."""
    until = remaining.last(late.next - _INSTANT, min(late.until, now))
    return None if until is None else replace(late, until=until, began=min(late.began, now))


def find_hold_up(db: sqlite3.Connection, row: ScheduleRow) -> str | None:
    """Why nothing of the schedule's lane can start; None if the lane is not blocked."""
    block = lanes.find_block(db, row.workflow, lane_name(row.handler, row.kind))
    if block is None:
        return None
    return describe_hold_up(
        block.blocked,
        failed_at=block.failed_at,
        until=block.until,
        handler=None if block.handler == row.handler else block.handler,
        is_checking=block.is_checking,
    )


def _row_of(new: NewOccurrence, schedule: str, now: datetime, held_up: str | None = None) -> OccurrenceRow:
    return OccurrenceRow(
        key=new.key,
        schedule=schedule,
        planned=new.planned,
        due=new.due,
        origin=OccurrenceOrigin.AUTOMATIC,
        late=new.late,
        state=new.state,
        reason=new.reason,
        detail=held_up if new.reason is OccurrenceReason.HELD_UP else None,
        created=now,
        ended=None if new.state is OccurrenceState.QUEUED else now,
    )
