"""The times that a schedule will fire if nobody does anything: what is shown, what is skipped and what fires."""

import sqlite3
from datetime import datetime, timedelta

from scheduler.engine.context import Context
from scheduler.store import occurrences
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.catchup import EXACT_UP_TO, GRACE
from scheduler.timing.due import Standing
from scheduler.timing.occurrences import Origin

_TICK = timedelta(microseconds=1)


def upcoming_times(
    context: Context, db: sqlite3.Connection, row: ScheduleRow, number: int, now: datetime
) -> list[datetime]:
    """The next regular times, at most `number`: without a skipped one, and none beyond the limit of runs.

    A paused schedule lets its times pass, so its next ones lie after its pause, or after now if that has no end.
    """
    if row.trouble is not None or row.next_at is None:
        return []
    spec, _ = context.compile(row.id, row.spec)
    standing = context.standing(db, row)
    if spec.limit is not None:
        number = min(number, spec.limit - row.runs - promised(db, standing))
    after = row.next_at - _TICK
    if row.paused and row.paused_until is not None and not row.held:
        after = max(after, row.paused_until - _TICK)
    elif row.rests or (row.next_due is not None and row.next_due < now - GRACE):
        after = max(after, now)
    found = standing.remaining.upcoming(after, number + (row.skip_at is not None))
    return [at for at in found if at != row.skip_at][: max(number, 0)]


def promised(db: sqlite3.Connection, standing: Standing) -> int:
    """How many automatic runs wait or will be made up for: they count against the limit first."""
    waiting = sum(one.origin is Origin.AUTOMATIC for one in occurrences.queued(db, standing.id))
    late = standing.late
    if late is None:
        return waiting
    return waiting + standing.remaining.count(late.next - _TICK, late.until, EXACT_UP_TO).number
