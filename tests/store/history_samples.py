"""Adds runs, events and planned times to a real store file."""

import sqlite3
from datetime import datetime, timedelta
from typing import Any

from scheduler.rules.handler_ids import split_handler_id
from scheduler.rules.phases import RunPhase, RunStatus
from scheduler.store import events, occurrences, runs, schedules
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from tests.store.workflow_rows import NOW, make_run

MINUTE = timedelta(minutes=1)


def add_ended_run(
    db: sqlite3.Connection,
    name: str,
    *,
    at: datetime = NOW,
    status: RunStatus = RunStatus.COMMITTED,
    handler: str = "file",
    **facts: Any,
) -> None:
    """A run that began and ended at that time."""
    row = make_run(
        name, workflow=facts.pop("workflow", "w"), phase=facts.pop("phase", RunPhase.COMMITTED), status=status
    )
    given = {"created": at, "updated": at, "began": at, "ended": at, "handler": handler} | facts
    runs.insert(db, row._replace(**given))


def publish(db: sqlite3.Connection, identity: str, title: str, data: Any = None) -> None:
    events.publish(db, "w", "mails", identity, title, data, NOW)


def add_schedule(db: sqlite3.Connection, name: str = "w/poll", **facts: Any) -> None:
    workflow, handler = split_handler_id(name)
    row = ScheduleRow(
        id=name,
        workflow=workflow,
        handler=handler,
        kind="producer",
        spec='{"every": "5m", "timezone": "UTC"}',
        policies="{}",
        version=1,
        next_at=NOW + MINUTE,
        next_due=NOW + MINUTE,
        computed=NOW,
        created=NOW,
    )
    schedules.save(db, row._replace(**facts))


def add_occurrence(
    db: sqlite3.Connection,
    key: str,
    planned: datetime,
    state: OccurrenceState = OccurrenceState.SKIPPED,
    reason: OccurrenceReason | None = OccurrenceReason.OVERLAP,
    **facts: Any,
) -> None:
    """A planned time of w/poll, ended unless it is queued or started."""
    is_over = state not in (OccurrenceState.QUEUED, OccurrenceState.STARTED)
    row = OccurrenceRow(
        key=key,
        schedule=facts.pop("schedule", "w/poll"),
        planned=planned,
        due=planned,
        created=planned,
        origin=OccurrenceOrigin.AUTOMATIC,
        state=state,
        reason=reason,
        ended=planned if is_over else None,
    )
    occurrences.insert(db, row._replace(**facts))
