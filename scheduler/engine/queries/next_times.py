"""The next times of schedules."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
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
_FEW = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class NextTime:
    at: datetime
    workflow: str
    name: str
    handler: str
    words: str


def find_next_times(
    snapshot: Snapshot, target: str | None, number: int, after: datetime | None = None
) -> list[NextTime]:
    """The next times of one handler, one workflow or all, earliest first; only those after `after` if it is given.

    Like times in a pause of their workflow, those in a pause of everything are left out.
    """
    if snapshot.is_paused_without_end:
        return []
    after = max(filter(None, (after, _find_pause_end(snapshot))), default=None)
    number = min(max(number, 1), _MAX_NEXT_TIMES)
    rows = schedules.list_all(snapshot.db)
    if target is not None:
        name, handler = split_target(target)
        workflow = find_workflow(snapshot.db, name)
        chosen = None if handler is None else find_schedules(snapshot.db, workflow, handler)
        rows = [one for one in rows if one.workflow == workflow.slug and (chosen is None or one.id in chosen)]
    found = [
        (at, row)
        for row in _list_active(snapshot, rows)
        if not is_stopped(snapshot, row)
        for at in _upcoming(snapshot, row, number, after)
    ]
    names = {row.slug: row.name for row in workflows.list_all(snapshot.db)}
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


def find_times_until(snapshot: Snapshot, end: datetime, number: int) -> dict[str, list[datetime]]:
    """By workflow, the first times before `end`, up to that many for each; those without any are left out.

    Only times that will run as things stand: neither what is blocked until the user acts, nor what falls into a pause
    of everything.
    """
    if snapshot.is_paused_without_end:
        return {}
    after, found = _find_pause_end(snapshot), defaultdict[str, list[datetime]](list)
    for row in _list_active(snapshot, _remove_blocked(snapshot, schedules.list_all(snapshot.db))):
        found[row.workflow] += _list_until(snapshot, row, end, number, after)
    return {workflow: sorted(times)[:number] for workflow, times in found.items() if times}


def _list_until(
    snapshot: Snapshot, row: ScheduleRow, end: datetime, number: int, after: datetime | None
) -> list[datetime]:
    """Ask for a few first: most schedules run rarely, and distant times are expensive to compute."""
    wanted = min(_FEW, number)
    times = _upcoming(snapshot, row, wanted, after)
    while len(times) == wanted < number and times[-1] < end:
        wanted = min(wanted * 8, number)
        times = _upcoming(snapshot, row, wanted, after)
    return [at for at in times if at < end]


def _list_active(snapshot: Snapshot, rows: list[ScheduleRow]) -> Iterator[ScheduleRow]:
    """Without those that are paused until the user resumes them."""
    ends = {row.slug: row.paused_until for row in workflows.list_all(snapshot.db) if row.paused_until is not None}
    for row in (_with_pause_end(one, ends) for one in rows):
        if not row.is_suspended or row.paused_until is not None:
            yield row


def _remove_blocked(snapshot: Snapshot, rows: list[ScheduleRow]) -> list[ScheduleRow]:
    blocked = {(one.workflow, one.name) for one in lanes.list_blocked(snapshot.db) if one.blocked not in WAITS_FOR_TIME}
    return [one for one in rows if (one.workflow, lane_name(one.handler, one.kind)) not in blocked]


def _find_pause_end(snapshot: Snapshot) -> datetime | None:
    """The end of a pause of everything; None if there is none."""
    end = snapshot.everything_paused_until
    return None if end is None or end <= snapshot.now else end


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
