"""Repairs stored times after the clock was set back: nothing runs twice, and next times are computed again."""

import sqlite3
from datetime import datetime, timedelta

from scheduler.engine.context import EngineContext, late_columns, read_late
from scheduler.engine.scheduling.decision_log import log_clock_set_back
from scheduler.engine.scheduling.emission import Emission, truncate_late
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.rules.wake_time import MAX_WAKE_DELAY
from scheduler.store import gaps, next_wake, occurrences, schedules
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.backoff import RETRY_DELAYS
from scheduler.timing.catchup import Gap, make_gap
from scheduler.timing.compiled import UnrecordedTimes
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.user_text import UserText

CLOCK_TOLERANCE = timedelta(seconds=60)
"""Clocks are corrected by seconds all the time; that is ignored."""
_FAR_AHEAD = timedelta(hours=1)
_MAX_RETRY_WAIT = RETRY_DELAYS[-1] * 1.1
_MAX_CHECK_WAIT = timedelta(minutes=10)
_INSTANT = timedelta(microseconds=1)


class ClockRollback:
    def __init__(self, context: EngineContext, emission: Emission) -> None:
        self._context = context
        self._emission = emission

    def correct_times(self, now: datetime, *, while_running: bool) -> None:
        """Correct what was written while the clock was ahead of now.

        `while_running`: the clock was set back while the engine ran.
        """
        dropped = 0
        with self._context.database.write() as db:
            rows = schedules.computed_after(db, now + CLOCK_TOLERANCE)
            recomputed = {row.id for row in rows}
            for schedule, gap, written in gaps.list_reaching_past(db, now):
                if schedule in recomputed or written > now + CLOCK_TOLERANCE:
                    self._truncate_gap(db, schedule, gap, now)
            if rows or while_running:
                dropped = self._shorten_waits(db, now)
            next_wake.shorten_waits(
                db, now, retry=_MAX_RETRY_WAIT, wake=MAX_WAKE_DELAY, check=_MAX_CHECK_WAIT, to=RETRY_DELAYS[0]
            )
            for row in rows:
                with self._emission.disabling_on_error(db, row.id):
                    self._recompute_next(db, row, now)
        if rows or dropped:
            sentence = UserText("The clock was set back. The next run times were recalculated.")
            if dropped == 1:
                sentence = UserText("{sentence} 1 run planned too far ahead was dropped.", sentence=sentence)
            elif dropped:
                sentence = UserText(
                    "{sentence} {dropped} runs planned too far ahead were dropped.", sentence=sentence, dropped=dropped
                )
            log_clock_set_back(now, len(rows), dropped)
            self._context.announce(Announcement("clock", sentence, is_warning=True))

    def _truncate_gap(self, db: sqlite3.Connection, schedule: str, gap: Gap, now: datetime) -> None:
        row = schedules.find(db, schedule)
        if row is None:
            return
        try:
            _, times = self._context.compile(row.id, row.spec)
        except BadScheduleError:
            return
        remaining = UnrecordedTimes(times, occurrences.recorded_times(db, schedule, gap.first))
        last = remaining.last(gap.first - _INSTANT, now)
        if last is None:
            gaps.remove(db, schedule, gap)
        else:
            gaps.shorten(db, schedule, make_gap(remaining, gap.first, last, gap.reason), now)

    def _recompute_next(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> None:
        late = read_late(row)
        if late is not None and late.until > now:
            remaining = self._context.timing_state(db, row).unrecorded
            schedules.update(db, row.id, **late_columns(truncate_late(late, remaining, now)))
        if row.next_at is None or row.next_at > now:
            self._emission.set_next_time(db, row, self._emission.next_time(db, row, now), now)
        else:
            schedules.update(db, row.id, computed=now)

    def _shorten_waits(self, db: sqlite3.Connection, now: datetime) -> int:
        """Bring forward, or drop, what waits for an instant that is now far ahead; returns how many are dropped."""
        dropped = 0
        occurrences.bring_retries_forward(db, latest=now + _MAX_RETRY_WAIT, to=now + RETRY_DELAYS[0])
        for one in occurrences.list_queued_since(db, now + CLOCK_TOLERANCE):
            automatic = one.origin is OccurrenceOrigin.AUTOMATIC
            if automatic and one.planned > now + _FAR_AHEAD:
                occurrences.move(
                    db,
                    one.key,
                    OccurrenceState.QUEUED,
                    OccurrenceState.DROPPED,
                    reason=OccurrenceReason.CLOCK,
                    ended=now,
                )
                dropped += 1
            elif not automatic or one.late:
                due = max(one.planned, now) if automatic else now
                occurrences.update_if(db, one.key, OccurrenceState.QUEUED, due=min(one.due, due))
        return dropped
