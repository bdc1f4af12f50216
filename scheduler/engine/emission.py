"""Turning due schedules into rows: occurrences and the next time, always in one transaction."""

import sqlite3
from datetime import datetime, timedelta

from scheduler.engine.context import Context, late_columns, late_of
from scheduler.engine.launcher import Announcement
from scheduler.store import occurrences, schedules
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.catchup import Gap, gap_of
from scheduler.timing.due import Late, New, Owed, Standing, advance, owe
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import Origin, Reason, State, occurrence_key
from scheduler.timing.times import Times

BATCH = 50
"""Schedules a transaction: large enough to be cheap, small enough to start the first ones soon."""
_TICK = timedelta(microseconds=1)
_STATE_OF_GAP = {
    Reason.EDITED: State.DROPPED,
    Reason.LIMIT: State.DROPPED,
    Reason.REMOVED: State.DROPPED,
}


class Emission:
    """Records what is due. Returns the keys of started occurrences that must end for a newer one."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def emit_due(self, db: sqlite3.Connection, now: datetime) -> tuple[list[str], bool]:
        """One batch of due schedules; also whether more may be due."""
        stopped: list[str] = []
        rows = schedules.due(db, now, BATCH)
        for row in rows:
            try:
                owed = self._owe(db, row, now)
            except BadScheduleError as error:
                self.set_aside(db, row, error)
            else:
                self._record(db, row, owed, now)
                stopped += owed.stopped
        return stopped, len(rows) == BATCH

    def settle(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> list[str]:
        """Record what one schedule owes before something about it changes."""
        if row.next_due is None or row.next_due > now:
            return []
        owed = self._owe(db, row, now)
        self._record(db, row, owed, now)
        return list(owed.stopped)

    def advance_late(self, db: sqlite3.Connection, now: datetime) -> bool:
        """Record the next missed times that still run; says whether there are more to record at once."""
        more = False
        for row in schedules.catching_up(db, BATCH):
            try:
                more |= self._advance(db, row, now)
            except BadScheduleError as error:
                self.set_aside(db, row, error)
        return more

    def set_aside(self, db: sqlite3.Connection, row: ScheduleRow, error: BadScheduleError) -> None:
        """A row that makes no sense stops nobody else: it keeps its reason and waits to be put right."""
        schedules.update(db, row.id, trouble=error.sentence)
        self._context.announce(Announcement(row.id, f"{row.id} was set aside: {error.sentence}", is_warning=True))

    def drop_late(self, db: sqlite3.Connection, row: ScheduleRow, times: Times, reason: Reason, now: datetime) -> None:
        """Give up the missed times that were still to run."""
        late = late_of(row)
        if late is not None:
            self.add_gap(db, row.id, gap_of(times, late.next, late.until, reason), now)
            schedules.update(db, row.id, **late_columns(None))

    def drop_queued(self, db: sqlite3.Connection, schedule: str, state: State, reason: Reason, now: datetime) -> None:
        """End the automatic occurrences that wait."""
        for one in occurrences.queued(db, schedule):
            if one.origin is Origin.AUTOMATIC:
                occurrences.move(db, one.key, State.QUEUED, state, reason=reason, ended=now)

    def add_gap(self, db: sqlite3.Connection, schedule: str, gap: Gap, now: datetime) -> None:
        occurrences.add_gap(db, schedule, gap, _STATE_OF_GAP.get(gap.reason, State.MISSED), now)

    def first_unrecorded(self, db: sqlite3.Connection, schedule: str, times: Times, after: datetime) -> datetime | None:
        """The first time after the instant that has no row yet."""
        at = times.after(after)
        while at is not None and occurrences.known(db, occurrence_key(schedule, at, Origin.AUTOMATIC)):
            at = times.after(at)
        return at

    def arm(
        self, db: sqlite3.Connection, row: ScheduleRow, standing: Standing, next_at: datetime | None, now: datetime
    ) -> None:
        """Store the next time, and let go of a skip that it has passed or that is no time any more."""
        skip_at = row.skip_at
        if skip_at is not None and (next_at is None or skip_at < next_at):
            skip_at = None
        next_due = None if next_at is None else standing.due_of(next_at)
        schedules.update(db, row.id, next_at=next_at, next_due=next_due, skip_at=skip_at, computed=now)

    def _owe(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> Owed:
        assert row.next_at is not None
        return owe(self._context.standing(row), row.next_at, occurrences.underway(db, row.id), now)

    def _record(self, db: sqlite3.Connection, row: ScheduleRow, owed: Owed, now: datetime) -> None:
        for gap in owed.gaps:
            self.add_gap(db, row.id, gap, now)
        for key in owed.replaced:
            occurrences.move(db, key, State.QUEUED, State.COALESCED, reason=Reason.REPLACED, ended=now)
        for new in owed.new:
            occurrences.insert(db, _row_of(new, row.id, now))
        changes: dict[str, object] = {"next_at": owed.next_at, "next_due": owed.next_due, "computed": now}
        if row.skip_at is not None and owed.late is None and (owed.next_at is None or row.skip_at < owed.next_at):
            changes["skip_at"] = None
        if owed.late is not None:
            changes |= late_columns(owed.late)
        schedules.update(db, row.id, **changes)

    def _advance(self, db: sqlite3.Connection, row: ScheduleRow, now: datetime) -> bool:
        settings = self._context.settings
        room = settings.waiting_at_most - len(occurrences.underway(db, row.id))
        late = late_of(row)
        if late is None or room <= 0:
            return False
        new, rest = advance(self._context.standing(row), late, min(room, settings.catchup_per_tick), settings.lookahead)
        for one in new:
            occurrences.insert(db, _row_of(one, row.id, now))
        schedules.update(db, row.id, **late_columns(rest))
        return rest is not None


def cut_late(late: Late, times: Times, now: datetime) -> Late | None:
    """The cursor without what now lies in the future again."""
    until = times.last(late.next - _TICK, min(late.until, now))
    return (
        None
        if until is None
        else Late(next=late.next, until=until, began=min(late.began, now), total=late.total, made=late.made)
    )


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
