"""Queues runs outside the regular times, which the user or a deploy starts."""

import sqlite3
from datetime import datetime
from uuid import uuid4

from scheduler.engine.errors import RefusedError
from scheduler.engine.scheduling.schedule_edits import refuse_parallel_runs
from scheduler.store import occurrences
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceState, occurrence_key
from scheduler.timing.overlap import decide_overlap
from scheduler.timing.policies import Overlap
from scheduler.user_text import UserText


def queue_manual_run(
    db: sqlite3.Connection,
    row: ScheduleRow,
    now: datetime,
    *,
    overlap: Overlap | None,
    buffer_limit: int,
    idempotency_key: str | None = None,
) -> str:
    """Queue a run that the user starts; returns the key of its occurrence. Without an overlap policy it waits its turn.

    RefusedError if the policy does not let it wait.
    """
    refuse_parallel_runs(overlap, row.kind)
    others = [one for one in occurrences.list_unfinished(db, row.id) if one.origin is not OccurrenceOrigin.BACKFILL]
    decision = decide_overlap(overlap or Overlap.BUFFER_ALL, others, buffer_limit=buffer_limit)
    if decision.state is OccurrenceState.SKIPPED:
        raise RefusedError("busy", UserText("{schedule} is still running; it was not started again.", schedule=row.id))
    occurrences.coalesce(db, decision.replaced, now)
    return queue_occurrence(db, row.id, now, OccurrenceOrigin.MANUAL, idempotency_key, overlap)


def queue_occurrence(
    db: sqlite3.Connection,
    schedule: str,
    now: datetime,
    origin: OccurrenceOrigin,
    idempotency_key: str | None = None,
    overlap: Overlap | None = None,
) -> str:
    """Returns the key of the new occurrence."""
    key = occurrence_key(schedule, now, origin, idempotency_key or uuid4().hex)
    occurrences.insert(
        db,
        OccurrenceRow(
            key=key,
            schedule=schedule,
            planned=now.replace(microsecond=0),
            due=now,
            origin=origin,
            overlap=overlap,
            created=now,
        ),
    )
    return key
