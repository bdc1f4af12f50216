"""The upcoming run times of a schedule, as shown to the user and as used by skip-next."""

import sqlite3
from datetime import datetime, timedelta

from scheduler.engine.context import EngineContext
from scheduler.store import occurrences
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.catchup import MAX_EXACT_COUNT
from scheduler.timing.due import ScheduleSnapshot
from scheduler.timing.occurrences import OccurrenceOrigin

_INSTANT = timedelta(microseconds=1)


def upcoming_times(
    context: EngineContext,
    db: sqlite3.Connection,
    row: ScheduleRow,
    count: int,
    now: datetime,
    later_than: datetime | None = None,
) -> list[datetime]:
    """The next regular times, at most `count`, without a skipped one and none beyond the limit of runs.

    Times during a pause do not run, so those of a paused schedule start after the pause, or after now if it is open.
    """
    if row.trouble is not None or row.next_at is None:
        return []
    spec, _ = context.compile(row.id, row.spec)
    standing = context.timing_state(db, row)
    left = None if spec.limit is None else spec.limit - row.runs - count_pending_runs(db, standing)
    if later_than is not None and left is not None:  # those before it use up the limit
        coming = upcoming_times(context, db, row, left, now)
        return [at for at in coming if at > later_than][:count]
    count = count if left is None else min(count, left)
    after = row.next_at - _INSTANT
    if row.paused and row.paused_until is not None and not row.held:
        after = max(after, row.paused_until - _INSTANT)
    elif row.is_suspended or standing.is_missed(row.next_at, now):
        after = max(after, now)
    if later_than is not None:
        after = max(after, later_than)
    found = standing.unrecorded.upcoming(after, count + (row.skip_at is not None))
    return [at for at in found if at != row.skip_at][: max(count, 0)]


def count_pending_runs(db: sqlite3.Connection, standing: ScheduleSnapshot) -> int:
    """How many automatic runs are queued or will be caught up: they count against the limit first."""
    waiting = sum(one.origin is OccurrenceOrigin.AUTOMATIC for one in occurrences.list_queued(db, standing.id))
    late = standing.late
    if late is None:
        return waiting
    return waiting + standing.unrecorded.count(late.next - _INSTANT, late.until, MAX_EXACT_COUNT).number
