"""Turning due schedules into rows: occurrences and the next time, always in one transaction."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from datetime import datetime, timedelta

from scheduler.engine.context import Context, late_columns, late_of
from scheduler.engine.launcher import Announcement
from scheduler.store import gaps, occurrences, schedules
from scheduler.store.errors import StoreError
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.catchup import Gap, gap_of
from scheduler.timing.due import Late, New, Owed, advance, catch_up, owe
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import Origin, Reason, State, occurrence_key
from scheduler.timing.remaining import Remaining

BATCH = 50
"""Schedules a transaction: large enough to be cheap, small enough to start the first ones soon."""
_TICK = timedelta(microseconds=1)
_STATE_OF_GAP = {
    Reason.EDITED: State.DROPPED,
    Reason.LIMIT: State.DROPPED,
    Reason.REMOVED: State.DROPPED,
}


class Emission:
    """Records what is due, inside a transaction of the caller's."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def emit_due(self, db: sqlite3.Connection, now: datetime) -> bool:
        """One batch of due schedules; says whether more may be due."""
        found = schedules.due(db, now, BATCH)
        self._settle(db, found, now, self.setting_aside)
        return len(found) == BATCH

    def advance_late(self, db: sqlite3.Connection, now: datetime) -> bool:
        """Record the next missed times that still run; says whether there were any."""
        more = False
        for row in schedules.catching_up(db, BATCH, self._context.settings.waiting_at_most):
            with self.setting_aside(db, row.id):
                more |= self._advance(db, row, now)
        return more

    def settle(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> ScheduleRow:
        """Record what one schedule owes before something about it changes; gives the row as it then is."""
        if row.next_due is None or row.next_due > now:
            return row
        self._settle(db, [(row, True)], now, lambda *_: nullcontext())
        return self._again(db, row)

    def record_late(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> ScheduleRow:
        """Record at once as many of the missed times that still run as may wait."""
        while self._advance(db, row, now):
            row = self._again(db, row)
        return self._again(db, row)

    def give_up(self, db: sqlite3.Connection, row: ScheduleRow, reason: Reason, now: datetime) -> ScheduleRow:
        """Account for the times up to now that nobody has recorded: none of them will run."""
        standing = self._context.standing(db, row)
        remaining, late = standing.remaining, standing.late
        until = now if late is None else max(now, late.until)
        first = None if standing.first is None else remaining.after(standing.first - _TICK)
        last = None if first is None else remaining.last(first - _TICK, until)
        if first is not None and last is not None:
            self.add_gap(db, row.id, gap_of(remaining, first, last, reason), now)
        schedules.update(db, row.id, next_at=None, next_due=None, **late_columns(None))
        return self._again(db, row)

    def finish(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> None:
        """The limit of runs is reached: no more times, and nothing that waits will run."""
        self.give_up(db, row, Reason.LIMIT, now)
        self._drop_queued(db, row.id, Reason.LIMIT, now)

    def plan_again(self, db: sqlite3.Connection, schedule: str, now: datetime) -> None:
        """Decide anew, by the policy that holds now, over the missed times that an earlier one had called for."""
        row = schedules.find(db, schedule)
        assert row is not None
        standing = self._context.standing(db, row)
        if standing.late is not None:
            owed = catch_up(standing, standing.late.until, now)
            new = self._record(db, row, replace(owed, next_at=row.next_at), now)
            occurrences.insert_all(db, new)

    def _drop_queued(self, db: sqlite3.Connection, schedule: str, reason: Reason, now: datetime) -> None:
        """End the automatic occurrences that wait."""
        for one in occurrences.queued(db, schedule):
            if one.origin is Origin.AUTOMATIC:
                occurrences.move(db, one.key, State.QUEUED, State.DROPPED, reason=reason, ended=now)

    def add_gap(self, db: sqlite3.Connection, schedule: str, gap: Gap, now: datetime) -> None:
        gaps.add(db, schedule, gap, _STATE_OF_GAP.get(gap.reason, State.MISSED), now)

    def is_spent(self, row: ScheduleRow) -> bool:
        """Whether the limit of runs is reached."""
        limit = self._context.compile(row.id, row.spec)[0].limit
        return limit is not None and row.runs >= limit

    def next_time(self, db: sqlite3.Connection, row: ScheduleRow, after: datetime) -> datetime | None:
        """The first time after the instant that has no row yet; none once the limit of runs is reached."""
        if self.is_spent(row):
            return None
        _, times = self._context.compile(row.id, row.spec)
        at = times.after(after)
        while at is not None and occurrences.known(db, occurrence_key(row.id, at, Origin.AUTOMATIC)):
            at = times.after(at)
        return at

    def arm(self, db: sqlite3.Connection, row: ScheduleRow, next_at: datetime | None, now: datetime) -> None:
        """Store the next time."""
        armed = self.armed(db, row, next_at, now)
        schedules.update(
            db, row.id, next_at=armed.next_at, next_due=armed.next_due, skip_at=armed.skip_at, computed=armed.computed
        )

    def armed(self, db: sqlite3.Connection, row: ScheduleRow, next_at: datetime | None, now: datetime) -> ScheduleRow:
        """The row with its next time, without a skip that it has passed or that is no time any more."""
        standing = self._context.standing(db, row)
        skip_at = row.skip_at
        if skip_at is not None and (next_at is None or skip_at < next_at or not standing.remaining.names(skip_at)):
            skip_at = None
        next_due = None if next_at is None else standing.due_when_armed(next_at, now)
        return row._replace(next_at=next_at, next_due=next_due, skip_at=skip_at, computed=now)

    def setting_aside(self, db: sqlite3.Connection, schedule: str) -> "_SettingAside":
        """A schedule that cannot be understood keeps the reason and waits to be put right; it stops no other."""
        return _SettingAside(self, db, schedule)

    def set_aside(self, db: sqlite3.Connection, schedule: str, sentence: str) -> None:
        schedules.update(db, schedule, trouble=sentence)
        self._context.announce(Announcement(schedule, f"{schedule} was set aside: {sentence}", is_warning=True))

    def take_back(self, now: datetime) -> None:
        """Schedules that were set aside and make sense again, in this version or with these zones, go on.

        So do those whose next time makes no sense: it follows from the rest.
        """
        with self._context.database.write() as db:
            for row in schedules.set_aside(db):
                with suppress(BadScheduleError):
                    self._context.standing(db, row)
                    schedules.update(db, row.id, trouble=None)
            for row in schedules.never_due(db):
                with self.setting_aside(db, row.id):
                    self.arm(db, row, self.next_time(db, row, now), now)

    def _settle(
        self,
        db: sqlite3.Connection,
        rows: Sequence[tuple[ScheduleRow, bool]],
        now: datetime,
        guard: Callable[[sqlite3.Connection, str], AbstractContextManager[None]],
    ) -> None:
        """Record what schedules owe, in as few statements as many of them need; few have company."""
        new: list[OccurrenceRow] = []
        plans: list[schedules.Plan] = []
        for row, has_company in rows:
            with guard(db, row.id):
                if has_company:
                    owed = owe(self._context.standing(db, row), occurrences.underway(db, row.id), now)
                else:
                    owed = owe(self._context.standing_alone(row), (), now)
                new += self._record(db, row, owed, now)
                plans.append((row.id, owed.next_at, owed.next_due))
        occurrences.insert_all(db, new)
        schedules.plan_all(db, plans, now)

    def _record(self, db: sqlite3.Connection, row: ScheduleRow, owed: Owed, now: datetime) -> list[OccurrenceRow]:
        """Note all but the new occurrences, which it gives, and the next time."""
        for gap in owed.gaps:
            self.add_gap(db, row.id, gap, now)
        for key in owed.replaced:
            occurrences.move(db, key, State.QUEUED, State.COALESCED, reason=Reason.REPLACED, ended=now)
        if row.skip_at is not None and (owed.next_at is None or row.skip_at < owed.next_at):
            schedules.update(db, row.id, skip_at=None)
        if owed.late != late_of(row):
            schedules.update(db, row.id, **late_columns(owed.late))
        return [_row_of(new, row.id, now) for new in owed.new]

    def _advance(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> bool:
        settings = self._context.settings
        late = late_of(row)
        if late is None:
            return False
        room = settings.waiting_at_most - occurrences.number_underway(db, row.id)
        if room <= 0:
            return False
        standing = self._context.standing(db, row)
        new, rest = advance(standing, late, min(room, settings.catchup_per_tick), settings.lookahead)
        occurrences.insert_all(db, [_row_of(one, row.id, now) for one in new])
        schedules.update(db, row.id, **late_columns(rest))
        return True

    def _again(self, db: sqlite3.Connection, row: ScheduleRow) -> ScheduleRow:
        found = schedules.find(db, row.id)
        assert found is not None
        return found


class _SettingAside:
    def __init__(self, emission: Emission, db: sqlite3.Connection, schedule: str) -> None:
        self._emission, self._db, self._schedule = emission, db, schedule

    def __enter__(self) -> None:
        return

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        """The outermost frame of one schedule: what it raises is recorded as its trouble, unless the store did."""
        if not isinstance(error, Exception) or isinstance(error, (sqlite3.Error, StoreError)):
            return False
        sentence = error.sentence if isinstance(error, BadScheduleError) else f"{type(error).__name__}: {error}"
        self._emission.set_aside(self._db, self._schedule, sentence)
        return True


def cut_late(late: Late, remaining: Remaining, now: datetime) -> Late | None:
    """The cursor without what now lies in the future again."""
    until = remaining.last(late.next - _TICK, min(late.until, now))
    return None if until is None else replace(late, until=until, began=min(late.began, now))


def _row_of(new: New, schedule: str, now: datetime) -> OccurrenceRow:
    return OccurrenceRow(
        key=new.key,
        schedule=schedule,
        planned=new.planned,
        due=new.due,
        origin=Origin.AUTOMATIC,
        late=new.late,
        state=new.state,
        reason=new.reason,
        created=now,
        ended=None if new.state is State.QUEUED else now,
    )
