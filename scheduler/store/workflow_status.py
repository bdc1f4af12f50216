"""The stored status of all workflows, in a few grouped queries however many there are."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from scheduler.rules.requests import WAITS_FOR_TIME, Block
from scheduler.store import handlers, lanes, requests, runs, schedules, workflows
from scheduler.store.database import from_ms, to_instant, to_ms
from scheduler.store.handlers import FailingRow
from scheduler.store.lanes import LaneRow
from scheduler.store.requests import RequestRow
from scheduler.store.runs import RunRow
from scheduler.store.schedules import ScheduleRow
from scheduler.store.workflows import WorkflowRow
from scheduler.timing.occurrences import OccurrenceReason

# What waits in an open lane, of a schedule that may run.
_WAITING = """
SELECT s.workflow, s.handler, min(o.due) FROM occurrences o JOIN schedules s ON s.id = o.schedule
WHERE o.state = 'queued' AND s.trouble IS NULL AND s.removed IS NULL AND s.held = 0
    AND (s.paused = 0 OR o.origin IN ('manual', 'backfill'))
    AND NOT EXISTS (SELECT 1 FROM lanes l WHERE l.workflow = s.workflow
        AND l.name = CASE s.kind WHEN 'job' THEN s.handler ELSE '' END AND l.blocked IS NOT NULL)
GROUP BY s.workflow, s.handler
"""
_CHECKING = "SELECT workflow, run, check_at FROM mutations WHERE check_at IS NOT NULL"
# Lanes that wait for the user because of a run whose report was dismissed.
_DISMISSED = """
SELECT l.workflow, l.name FROM lanes l WHERE l.blocked NOT IN ('retrying', 'backing off')
    AND EXISTS (SELECT 1 FROM requests r WHERE r.run = l.run AND r.answer = 'dismissed')
"""
_WAKES = "SELECT workflow, name, wake_at FROM handlers WHERE removed = 0 AND wake_at IS NOT NULL"
# What was missed since the schedule last ran, apart from times that a later run caught up. CROSS JOIN: schedules first,
# else SQLite would read every time that was ever missed.
_MISSED = """
SELECT workflow, handler, sum(number), min(first), max(last) FROM (
    SELECT s.workflow, s.handler, 1 AS number, o.planned AS first, o.planned AS last
    FROM schedules s CROSS JOIN occurrences o INDEXED BY occurrences_unrun_of ON o.schedule = s.id
    WHERE s.removed IS NULL AND o.state = 'missed' AND o.began IS NULL AND o.state NOT IN ('queued', 'started')
        AND o.planned > coalesce(s.last_run, 0) AND coalesce(o.reason, '') <> ?1
    UNION ALL
    SELECT s.workflow, s.handler, g.number, g.first, g.last FROM schedules s CROSS JOIN gaps g ON g.schedule = s.id
    WHERE s.removed IS NULL AND g.state = 'missed' AND g.last > coalesce(s.last_run, 0) AND g.reason <> ?1
) GROUP BY workflow, handler
"""


class MissedTimes(NamedTuple):
    """The planned times of a schedule that nothing ran since it last ran."""

    workflow: str
    handler: str
    number: int
    first: datetime
    last: datetime


@dataclass(slots=True)
class StoredWorkflow:
    """What is stored about one workflow, as far as a list shows it."""

    row: WorkflowRow
    schedules: list[ScheduleRow] = field(default_factory=list)
    requests: list[RequestRow] = field(default_factory=list)
    blocked: list[LaneRow] = field(default_factory=list)
    active: list[RunRow] = field(default_factory=list)
    waiting: dict[str, datetime] = field(default_factory=dict)
    """By handler: since when it has been waiting and could start."""
    checks: dict[str, datetime] = field(default_factory=dict)
    """By run: when the tool's next check is."""
    wakes: dict[str, datetime] = field(default_factory=dict)
    """By consumer: when it wakes."""
    failing: list[FailingRow] = field(default_factory=list)
    missed: list[MissedTimes] = field(default_factory=list)
    dismissed: set[str] = field(default_factory=set)
    """Blocked lanes of which the user dismissed the report."""

    def has_request_for(self, lane: LaneRow) -> bool:
        """Whether an open request explains why the lane is blocked."""
        return any(one.run == lane.run or one.kind.value == str(lane.blocked) for one in self.requests)

    def resolves_itself(self, lane: LaneRow) -> bool:
        """Whether it unblocks automatically: by a retry, or by a tool's check."""
        return lane.blocked in WAITS_FOR_TIME or (lane.blocked is Block.UNSURE and lane.run in self.checks)


def load(db: sqlite3.Connection, now: datetime, workflow: str | None = None) -> list[StoredWorkflow]:
    rows = workflows.list_all(db) if workflow is None else [workflows.find(db, workflow)]
    found = {row.slug: StoredWorkflow(row) for row in rows if row is not None}

    def assign(items: Iterable[Any], name: str) -> None:
        for item in items:
            if item.workflow in found:
                getattr(found[item.workflow], name).append(item)

    assign(schedules.list_all(db, workflow=workflow), "schedules")
    assign(requests.list_open(db), "requests")
    assign(lanes.list_blocked(db), "blocked")
    assign(runs.list_active(db, workflow), "active")
    assign(handlers.list_failing(db), "failing")
    assign(_list_missed(db), "missed")
    for slug, lane in db.execute(_DISMISSED):
        if slug in found:
            found[slug].dismissed.add(lane)
    times: dict[str, list[tuple[str, str, datetime]]] = defaultdict(list)
    for name, query in (("waiting", _WAITING), ("checks", _CHECKING), ("wakes", _WAKES)):
        times[name] = [(row[0], row[1], at) for row in db.execute(query) if (at := from_ms(row[2]))]
    times["waiting"] += [(one.workflow, one.name, now) for one in handlers.list_ready(db, now)]
    times["waiting"] += _resuming(db, now)
    for name, instants in times.items():
        for slug, key, at in instants:
            if slug in found:
                getattr(found[slug], name)[key] = at
    return list(found.values())


def _list_missed(db: sqlite3.Connection) -> list[MissedTimes]:
    rows = db.execute(_MISSED, (OccurrenceReason.CAUGHT_UP,))
    return [MissedTimes(row[0], row[1], row[2], to_instant(row[3]), to_instant(row[4])) for row in rows]


def _resuming(db: sqlite3.Connection, now: datetime) -> list[tuple[str, str, datetime]]:
    """Runs due to resume in a lane that lets them."""
    rows = db.execute(
        "SELECT r.workflow, r.handler, r.resume_at FROM runs r JOIN lanes l ON l.workflow = r.workflow "
        "AND l.name = CASE r.kind WHEN 'job' THEN r.handler ELSE '' END "
        "WHERE r.resume_at IS NOT NULL AND r.resume_at <= ? AND (l.blocked IS NULL OR l.run = r.id)",
        (to_ms(now),),
    )
    return [(row[0], row[1], at) for row in rows if (at := from_ms(row[2]))]


_UNFINISHED = """
SELECT EXISTS (SELECT 1 FROM schedules WHERE paused = 0 AND held = 0 AND trouble IS NULL AND removed IS NULL
        AND (next_due <= ?1 OR late_next IS NOT NULL))
    OR EXISTS (SELECT 1 FROM backfills b JOIN schedules s ON s.id = b.schedule
        WHERE b.ended IS NULL AND s.held = 0 AND s.trouble IS NULL AND s.removed IS NULL)
    OR EXISTS (SELECT 1 FROM mutations WHERE check_at <= ?1)
"""


def has_work(db: sqlite3.Connection, now: datetime) -> bool:
    """Whether something runs, waits to run, or is due; future work and work waiting for the user do not count."""
    if runs.list_active(db) or db.execute(_UNFINISHED, (to_ms(now),)).fetchone()[0]:
        return True
    return bool(db.execute(_WAITING).fetchone() or handlers.list_ready(db, now) or _resuming(db, now))
