"""A schedule as the workflow page shows and edits it, and the planned times of a past range."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from scheduler.engine.queries.job_names import find_command, name_job
from scheduler.engine.queries.next_times import is_stopped
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.engine.queries.workflows import BackfillView
from scheduler.engine.scheduling.backfill import count_missing
from scheduler.engine.scheduling.upcoming import upcoming_times
from scheduler.rules.phases import HandlerKind
from scheduler.store import backfills, schedules
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.description import describe_schedule
from scheduler.timing.errors import BadScheduleError

SHOWN_TIMES = 5
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleData:
    id: str
    handler: str
    version: int
    description: str
    zone: str
    spec: dict[str, Any]
    run_count: int
    """Runs that count towards its limit."""
    next_times: tuple[datetime, ...]
    is_paused: bool
    is_stopped: bool = False
    """It failed too often and waits for the user."""
    skipped_time: datetime | None
    backfills: tuple[BackfillView, ...]
    """Those still running."""
    job: str = ""
    """What the job is called; empty for anything else than a job."""
    command: str = ""
    """The command line of the job, if it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeCount:
    number: int
    """In the range, counted up to the given maximum."""
    missing: int
    """Those that have not run."""


def find_all(snapshot: Snapshot, workflow: str) -> list[ScheduleData]:
    return [_read(snapshot, row) for row in schedules.list_all(snapshot.db, workflow=workflow)]


def find(snapshot: Snapshot, schedule: str) -> ScheduleData | None:
    """The current state; None if it was removed."""
    row = schedules.find(snapshot.db, schedule)
    return None if row is None or row.removed is not None else _read(snapshot, row)


def count_times(snapshot: Snapshot, schedule: str, start: datetime, end: datetime, limit: int) -> RangeCount:
    """Count the planned times in a past range."""
    row, last = schedules.find(snapshot.db, schedule), min(end, snapshot.now)
    if row is None or last < start:
        return RangeCount(number=0, missing=0)
    _, times = snapshot.context.compile(row.id, row.spec)
    number = times.count(start - _MICROSECOND, last, limit).number
    missing = count_missing(snapshot.db, row.id, times, start, last) if number < limit else number
    return RangeCount(number=number, missing=missing)


def _read(snapshot: Snapshot, row: ScheduleRow) -> ScheduleData:
    context = snapshot.context
    try:
        spec, _ = context.compile(row.id, row.spec)
        words, zone = describe_schedule(spec, viewer_zone=context.machine_zone), spec.timezone
        coming = tuple(upcoming_times(context, snapshot.db, row, SHOWN_TIMES, snapshot.now))
    except BadScheduleError as error:
        words, zone, coming = error.sentence, context.machine_zone, ()
    try:
        written = json.loads(row.spec)
    except ValueError:
        written = {}
    return ScheduleData(
        id=row.id,
        handler=row.handler,
        version=row.version,
        description=row.trouble or words,
        zone=zone,
        spec=written if isinstance(written, dict) else {},
        run_count=row.runs,
        next_times=() if is_stopped(snapshot, row) else coming,
        is_paused=row.is_suspended,
        is_stopped=is_stopped(snapshot, row),
        skipped_time=row.skip_at,
        backfills=tuple(
            BackfillView(handler=row.handler, backfill=one.id, made=one.made, total=one.total)
            for one in backfills.list_unfinished(snapshot.db, row.id)
        ),
        job=name_job(snapshot, row.workflow, row.handler) if row.kind == HandlerKind.JOB else "",
        command=find_command(snapshot, row.workflow, row.handler),
    )
