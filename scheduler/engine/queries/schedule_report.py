"""Schedules as the command line lists them, and one of them in full."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scheduler.engine.lookup import find_schedule, find_schedules, find_workflow
from scheduler.engine.queries.counters import Counters
from scheduler.engine.queries.next_times import is_stopped, next_time
from scheduler.engine.queries.schedules import ScheduleQueries, ScheduleState, ScheduleView
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.engine.queries.status_text import describe_schedule
from scheduler.rules.handler_ids import split_target
from scheduler.store import occurrences, schedules
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceState

_UPCOMING, _RECENT = 5, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleEntry:
    schedule: str
    workflow: str
    handler: str
    kind: str
    words: str
    next: datetime | None
    state: ScheduleState
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OccurrenceView:
    planned: datetime
    due: datetime
    began: datetime | None
    ended: datetime | None
    origin: OccurrenceOrigin
    state: OccurrenceState
    late: bool
    reason: str | None
    """A sentence that says why it did not run, or how it ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleBackfill:
    backfill: str
    made: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleReport:
    schedule: str
    workflow: str
    handler: str
    kind: str
    version: int
    state: ScheduleState
    words: str
    timezone: str
    spec: Mapping[str, Any]
    policies: Mapping[str, Any]
    """As they apply now, with the defaults."""
    own_policies: tuple[str, ...]
    """Those set for this schedule; the others are the defaults."""
    trouble: str | None
    paused_until: datetime | None
    pause_note: str | None
    skipped: datetime | None
    last_run: datetime | None
    runs: int
    """Automatic runs, which count towards its limit."""
    next: tuple[datetime, ...]
    recent: tuple[OccurrenceView, ...]
    counters: Counters
    backfills: tuple[ScheduleBackfill, ...]


def list_entries(snapshot: Snapshot, target: str | None) -> list[ScheduleEntry]:
    rows = schedules.list_all(snapshot.db)
    if target is not None:
        name, handler = split_target(target)
        chosen = find_schedules(snapshot.db, find_workflow(snapshot.db, name), handler)
        rows = [one for one in rows if one.id in chosen]
    return [
        ScheduleEntry(
            schedule=row.id,
            workflow=row.workflow,
            handler=row.handler,
            kind=row.kind,
            words=row.trouble or describe_schedule(snapshot, row),
            next=None if is_stopped(snapshot, row) else next_time(snapshot, row),
            state=_state(snapshot, row),
            version=row.version,
        )
        for row in rows
    ]


def describe(snapshot: Snapshot, target: str) -> ScheduleReport:
    identity = find_schedule(snapshot.db, target)
    details = ScheduleQueries(snapshot.context).describe(identity, upcoming=_UPCOMING, recent=_RECENT)
    row, spec = details.view.row, details.view.spec
    policies, own = _read_policies(snapshot, row)
    return ScheduleReport(
        schedule=row.id,
        workflow=row.workflow,
        handler=row.handler,
        kind=row.kind,
        version=row.version,
        state=ScheduleState.STOPPED if is_stopped(snapshot, row) else details.view.state,
        words=describe_schedule(snapshot, row),
        timezone=str(spec.get("timezone", snapshot.context.machine_zone)),
        spec=spec,
        policies=policies,
        own_policies=own,
        trouble=row.trouble,
        paused_until=row.paused_until,
        pause_note=row.pause_note,
        skipped=row.skip_at,
        last_run=row.last_run,
        runs=row.runs,
        next=() if is_stopped(snapshot, row) else tuple(details.upcoming),
        recent=tuple(
            OccurrenceView(
                planned=one.planned,
                due=one.due,
                began=one.began,
                ended=one.ended,
                origin=one.origin,
                state=one.state,
                late=one.late,
                reason=_explain(snapshot, one),
            )
            for one in details.recent
        ),
        counters=details.counters,
        backfills=tuple(
            ScheduleBackfill(backfill=one.id, made=one.made, total=one.total)
            for one in details.backfills
            if one.ended is None
        ),
    )


def _explain(snapshot: Snapshot, one: OccurrenceRow) -> str | None:
    if one.detail:
        return snapshot.format_instants(one.detail)
    return None if one.reason is None else one.reason.sentence


def _state(snapshot: Snapshot, row: ScheduleRow) -> ScheduleState:
    if is_stopped(snapshot, row):
        return ScheduleState.STOPPED
    has_ended = row.next_at is None and row.late_next is None
    is_underway = has_ended and occurrences.count_unfinished(snapshot.db, row.id) > 0
    return ScheduleView(row, snapshot.now, is_underway).state


def _read_policies(snapshot: Snapshot, row: ScheduleRow) -> tuple[dict[str, Any], tuple[str, ...]]:
    """As they apply, and the names of those that were set; empty if they cannot be read."""
    try:
        return snapshot.context.policies(row).write(), tuple(json.loads(row.policies))
    except BadScheduleError:
        return {}, ()
