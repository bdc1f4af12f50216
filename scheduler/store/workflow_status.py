"""How workflows stand, in one look over all of them: a few grouped queries, however many there are."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from scheduler.store import handlers, lanes, requests, runs, schedules, workflows
from scheduler.store.database import from_ms, to_ms
from scheduler.store.lanes import Block, LaneRow
from scheduler.store.requests import RequestRow
from scheduler.store.runs import RunRow
from scheduler.store.schedules import ScheduleRow
from scheduler.store.workflows import WorkflowRow

# What waits in a lane that is open, of a schedule that may run.
_WAITING = """
SELECT s.workflow, s.handler, min(o.due) FROM occurrences o JOIN schedules s ON s.id = o.schedule
WHERE o.state = 'queued' AND s.trouble IS NULL AND s.removed IS NULL AND s.held = 0
    AND (s.paused = 0 OR o.origin IN ('manual', 'backfill'))
    AND NOT EXISTS (SELECT 1 FROM lanes l WHERE l.workflow = s.workflow
        AND l.name = CASE s.kind WHEN 'job' THEN s.handler ELSE '' END AND l.blocked IS NOT NULL)
GROUP BY s.workflow, s.handler
"""
_CHECKING = "SELECT workflow, run, check_at FROM mutations WHERE check_at IS NOT NULL"
_WAKES = "SELECT workflow, name, wake_at FROM handlers WHERE removed = 0 AND wake_at IS NOT NULL"


@dataclass(slots=True)
class Standing:
    """What is stored about one workflow, as far as it shows in a list."""

    row: WorkflowRow
    schedules: list[ScheduleRow] = field(default_factory=list)
    requests: list[RequestRow] = field(default_factory=list)
    blocked: list[LaneRow] = field(default_factory=list)
    active: list[RunRow] = field(default_factory=list)
    waiting: dict[str, datetime] = field(default_factory=dict)
    """By handler: since when something of it waits that is free to start."""
    checks: dict[str, datetime] = field(default_factory=dict)
    """By run: when its tool is asked whether it happened."""
    wakes: dict[str, datetime] = field(default_factory=dict)
    """By consumer: when it looks again."""

    def is_asked_about(self, lane: LaneRow) -> bool:
        """Whether an open request of this workflow says what closed the lane."""
        return any(one.run == lane.run or one.kind.value == str(lane.blocked) for one in self.requests)

    def finds_out_alone(self, lane: LaneRow) -> bool:
        """Whether it opens by itself: another try, or a tool that is asked whether it happened."""
        return lane.blocked is Block.RETRYING or (lane.blocked is Block.UNSURE and lane.run in self.checks)


def gather(db: sqlite3.Connection, now: datetime, workflow: str | None = None) -> list[Standing]:
    """Of one workflow or all, by slug."""
    rows = workflows.every_one(db) if workflow is None else [workflows.find(db, workflow)]
    found = {row.slug: Standing(row) for row in rows if row is not None}

    def share(things: Iterable[Any], name: str) -> None:
        for thing in things:
            if thing.workflow in found:
                getattr(found[thing.workflow], name).append(thing)

    share(schedules.every_one(db, workflow=workflow), "schedules")
    share(requests.list_open(db), "requests")
    share(lanes.blocked(db), "blocked")
    share(runs.active(db, workflow), "active")
    times: dict[str, list[tuple[str, str, datetime]]] = defaultdict(list)
    for name, query in (("waiting", _WAITING), ("checks", _CHECKING), ("wakes", _WAKES)):
        times[name] = [(row[0], row[1], at) for row in db.execute(query) if (at := from_ms(row[2]))]
    times["waiting"] += [(one.workflow, one.name, now) for one in handlers.ready(db, now)]
    times["waiting"] += _resuming(db, now)
    for name, instants in times.items():
        for slug, key, at in instants:
            if slug in found:
                getattr(found[slug], name)[key] = at
    return list(found.values())


def _resuming(db: sqlite3.Connection, now: datetime) -> list[tuple[str, str, datetime]]:
    """Runs whose time to go on has come, and whose lane lets them."""
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


def is_anything_to_do(db: sqlite3.Connection, now: datetime) -> bool:
    """Whether something runs, waits to run, or is due; what comes later or waits for a person does not count."""
    if runs.active(db) or db.execute(_UNFINISHED, (to_ms(now),)).fetchone()[0]:
        return True
    return bool(db.execute(_WAITING).fetchone() or handlers.ready(db, now) or _resuming(db, now))
