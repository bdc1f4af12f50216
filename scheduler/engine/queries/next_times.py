"""The next times of schedules."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from heapq import nsmallest

from scheduler.engine.lookup import find_schedules, find_workflow
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.engine.queries.status_text import describe_schedule
from scheduler.engine.scheduling.upcoming import upcoming_times
from scheduler.rules.handler_ids import lane_name, split_target
from scheduler.rules.requests import WAITS_FOR_TIME, Block
from scheduler.store import lanes, schedules, workflows
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.errors import BadScheduleError

_MAX_NEXT_TIMES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NextTime:
    at: datetime
    workflow: str
    name: str
    handler: str
    words: str


def find_next_times(
    snapshot: Snapshot,
    target: str | None,
    number: int,
    after: datetime | None = None,
    *,
    will_run: bool = False,
) -> list[NextTime]:
    """The next times of one handler, one workflow or all, earliest first; only those after `after` if it is given.

    With `will_run`, without those that will not run as things stand: what is blocked until the user acts, and what
    falls into a pause of everything.
    """
    number = min(max(number, 1), _MAX_NEXT_TIMES)
    rows = schedules.list_all(snapshot.db)
    if target is not None:
        name, handler = split_target(target)
        workflow = find_workflow(snapshot.db, name)
        chosen = None if handler is None else find_schedules(snapshot.db, workflow, handler)
        rows = [one for one in rows if one.workflow == workflow.slug and (chosen is None or one.id in chosen)]
    if will_run:
        if snapshot.is_paused_without_end:
            return []
        rows = _remove_blocked(snapshot, rows)
        after = _after_pause(snapshot, after)
    names = {row.slug: row.name for row in workflows.list_all(snapshot.db)}
    ends = {row.slug: row.paused_until for row in workflows.list_all(snapshot.db) if row.paused_until is not None}
    found = [
        (at, row)
        for row in (_with_pause_end(one, ends) for one in rows)
        if (not row.is_suspended or row.paused_until is not None) and not is_stopped(snapshot, row)
        for at in _upcoming(snapshot, row, number, after)
    ]
    return [
        NextTime(
            at=at,
            workflow=row.workflow,
            name=names.get(row.workflow, row.workflow),
            handler=row.handler,
            words=describe_schedule(snapshot, row),
        )
        for at, row in nsmallest(number, found, key=lambda one: (one[0], one[1].id))
    ]


def _remove_blocked(snapshot: Snapshot, rows: list[ScheduleRow]) -> list[ScheduleRow]:
    blocked = {(one.workflow, one.name) for one in lanes.list_blocked(snapshot.db) if one.blocked not in WAITS_FOR_TIME}
    return [one for one in rows if (one.workflow, lane_name(one.handler, one.kind)) not in blocked]


def _after_pause(snapshot: Snapshot, after: datetime | None) -> datetime | None:
    """The later of the instant and the end of a pause of everything."""
    end = snapshot.everything_paused_until
    if end is None or end <= snapshot.now:
        return after
    return end if after is None else max(after, end)


def _with_pause_end(row: ScheduleRow, ends: Mapping[str, datetime]) -> ScheduleRow:
    """A schedule whose workflow is paused for a while, as if only the schedule were."""
    end = ends.get(row.workflow)
    return row if end is None else row._replace(held=False, paused=True, paused_until=max(end, row.paused_until or end))


def is_stopped(snapshot: Snapshot, row: ScheduleRow) -> bool:
    """Whether it failed too often and waits for the user."""
    lane = lanes.find(snapshot.db, row.workflow, lane_name(row.handler, row.kind))
    return lane is not None and lane.blocked is Block.TOO_MANY_FAILURES


def next_time(snapshot: Snapshot, row: ScheduleRow) -> datetime | None:
    """The next time as things stand."""
    if row.is_suspended and row.paused_until is None:
        return None
    is_plain = not row.is_suspended and row.skip_at is None and row.trouble is None and '"limit"' not in row.spec
    if is_plain and (row.next_due is None or row.next_due > snapshot.now):
        return row.next_at
    return next(iter(_upcoming(snapshot, row, 1)), None)


def _upcoming(snapshot: Snapshot, row: ScheduleRow, number: int, after: datetime | None = None) -> list[datetime]:
    try:
        return upcoming_times(snapshot.context, snapshot.db, row, number, snapshot.now, after)
    except BadScheduleError:
        return []
