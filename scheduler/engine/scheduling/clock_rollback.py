"""The clock was set back: nothing recorded fires again, and nothing ahead is taken for granted."""

import logging
import sqlite3
from datetime import datetime, timedelta

from scheduler.engine.context import Context, late_columns, late_of
from scheduler.engine.emission import Emission, cut_late
from scheduler.engine.launcher import Announcement
from scheduler.rules.consumers import LATEST
from scheduler.store import gaps, occurrences, schedules, waits
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.backoff import RETRIES
from scheduler.timing.catchup import Gap, gap_of
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.remaining import Remaining

log = logging.getLogger(__name__)

TOLERANCE = timedelta(seconds=60)
"""A clock is corrected by seconds all the time; that changes nothing."""
_FAR_AHEAD = timedelta(hours=1)
_LONGEST_WAIT = RETRIES[-1] * 1.1
_LONGEST_CHECK = timedelta(minutes=10)
_TICK = timedelta(microseconds=1)


class Rewinding:
    def __init__(self, context: Context, emission: Emission) -> None:
        self._context = context
        self._emission = emission

    def rewind(self, now: datetime, *, seen: bool) -> None:
        """Put right what was written under a clock that lies ahead of now; `seen` if that was noticed as it ran."""
        dropped = 0
        with self._context.database.write() as db:
            for schedule, gap in gaps.reaching(db, now, written_after=now + TOLERANCE):
                self._cut(db, schedule, gap, now)
            rows = schedules.computed_after(db, now + TOLERANCE)
            if rows or seen:
                dropped = self._bring_back(db, now)
            waits.shorten(db, now, retry=_LONGEST_WAIT, wake=LATEST, check=_LONGEST_CHECK, to=RETRIES[0])
            for row in rows:
                with self._emission.setting_aside(db, row.id):
                    self._compute_again(db, row, now)
        if rows or dropped:
            sentence = "The clock was set back. The next times were computed again."
            if dropped == 1:
                sentence = f"{sentence} 1 run that was planned too far ahead was dropped."
            elif dropped:
                sentence = f"{sentence} {dropped} runs that were planned too far ahead were dropped."
            log.info(sentence)
            self._context.announce(Announcement("clock", sentence, is_warning=True))

    def _cut(self, db: sqlite3.Connection, schedule: str, gap: Gap, now: datetime) -> None:
        row = schedules.find(db, schedule)
        if row is None:
            return
        try:
            _, times = self._context.compile(row.id, row.spec)
        except BadScheduleError:
            return
        remaining = Remaining(times, occurrences.recorded(db, schedule, gap.first))
        last = remaining.last(gap.first - _TICK, now)
        gaps.remove(db, schedule, gap)
        if last is not None:
            self._emission.add_gap(db, schedule, gap_of(remaining, gap.first, last, gap.reason), now)

    def _compute_again(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> None:
        late = late_of(row)
        if late is not None and late.until > now:
            remaining = self._context.standing(db, row).remaining
            schedules.update(db, row.id, **late_columns(cut_late(late, remaining, now)))
        if row.next_at is None or row.next_at > now:
            self._emission.arm(db, row, self._emission.next_time(db, row, now), now)
        else:
            schedules.update(db, row.id, computed=now)

    def _bring_back(self, db: sqlite3.Connection, now: datetime) -> int:
        """What waits for an instant that was near and now is far: not at all, or no longer than its own time.

        How many are dropped.
        """
        dropped = 0
        occurrences.hasten(db, latest=now + _LONGEST_WAIT, to=now + RETRIES[0])
        for one in occurrences.queued_since(db, now + TOLERANCE):
            automatic = one.origin is Origin.AUTOMATIC
            if automatic and one.planned > now + _FAR_AHEAD:
                occurrences.move(db, one.key, State.QUEUED, State.DROPPED, reason=Reason.CLOCK, ended=now)
                dropped += 1
            elif not automatic or one.late:
                due = max(one.planned, now) if automatic else now
                occurrences.adjust(db, one.key, State.QUEUED, due=min(one.due, due))
        return dropped
