"""Counts of runs by status, of planned times by state, and of how late runs began."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from scheduler.rules.handler_ids import split_handler_id
from scheduler.rules.phases import RunStatus
from scheduler.store.database import parse_enum, to_ms
from scheduler.store.history import first_number_since
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState


@dataclass(frozen=True, slots=True)
class StateCount:
    """The number of planned times with one state and reason."""

    state: OccurrenceState
    reason: OccurrenceReason | None
    is_planned: bool
    """Whether they are the schedule's own times."""
    number: int
    more: bool


class RunCount(NamedTuple):
    workflow: str
    status: RunStatus
    number: int
    timed: int
    """How many of them began and ended."""
    milliseconds: int
    """How long those took in total."""
    retried: int = 0
    """How many of them failed and were retried without the user."""
    refused: int = 0
    """How many of them were rejected, or expired without an answer."""


RETRIED = "(status = 'paused:transient' OR (status = 'failed:logic' AND coalesce(json_extract(error, '$.retried'), 0)))"
"""An attempt that failed and was retried without the user."""


def count_runs_by_status(
    db: sqlite3.Connection, workflow: str | None, since: datetime, handler: str | None = None
) -> list[RunCount]:
    """The number of runs since then, by workflow and status: of all, of a workflow, or of one of its handlers."""
    of_workflow = "" if workflow is None else "workflow = ?2 AND "
    of_workflow += "" if handler is None else "handler = ?3 AND "
    values = [one for one in (first_number_since(db, since), workflow, handler) if one is not None]
    rows = db.execute(
        "SELECT workflow, status, count(*), sum(ended IS NOT NULL AND began IS NOT NULL), "
        f"coalesce(sum(max(ended - max(began, created), 0)), 0), sum({RETRIED}), sum(refusal IS NOT NULL) "
        f"FROM runs WHERE {of_workflow}number >= ?1 GROUP BY workflow, status",
        values,
    )
    return [RunCount(row[0], RunStatus(row[1]), *row[2:]) for row in rows]


def count_states(db: sqlite3.Connection, schedule: str | None, since: datetime | None) -> list[StateCount]:
    """Counts of occurrences and gaps of one schedule or all, planned since then."""
    where, values = "planned >= ?", [to_ms(since) or 0]
    gaps_where = "last >= ?"
    if schedule is not None:
        where, gaps_where = f"schedule = ? AND {where}", f"schedule = ? AND {gaps_where}"
        values.insert(0, schedule)  # type: ignore[arg-type]
    query = (
        "SELECT state, reason, origin = 'automatic', count(*), 0 FROM occurrences "
        f"WHERE {where} GROUP BY 1, 2, 3 UNION ALL "
        f"SELECT state, reason, 1, sum(number), max(more) FROM gaps WHERE {gaps_where} GROUP BY 1, 2"
    )
    return [
        StateCount(
            parse_enum(OccurrenceState, state, OccurrenceState.DROPPED),
            None if reason is None else parse_enum(OccurrenceReason, reason, OccurrenceReason.UNREADABLE),
            bool(planned),
            number,
            bool(more),
        )
        for state, reason, planned, number, more in db.execute(query, values * 2)
    ]


def count_transient_failures(db: sqlite3.Connection, schedule: str | None, since: datetime | None) -> int:
    """How many attempts of one schedule or of all failed and were retried without the user."""
    where = f"{RETRIED} AND occurrence IS NOT NULL AND number >= ?"
    values: list[str | int] = [0 if since is None else first_number_since(db, since)]
    if schedule is not None:
        where = f"{where} AND workflow = ? AND handler = ?"
        values += split_handler_id(schedule)
    return int(db.execute(f"SELECT count(*) FROM runs WHERE {where}", values).fetchone()[0])


def count_drifts(
    db: sqlite3.Connection, schedule: str | None, since: datetime | None, bounds: tuple[int, ...]
) -> list[int]:
    """How many automatic runs began within each bound (milliseconds) of their planned time; the last is beyond all."""
    cases = " ".join(f"WHEN abs(began - planned) <= {bound} THEN {place}" for place, bound in enumerate(bounds))
    where, values = "began IS NOT NULL AND origin = 'automatic' AND planned >= ?", [to_ms(since) or 0]
    if schedule is not None:
        where = f"schedule = ? AND {where}"
        values.insert(0, schedule)  # type: ignore[arg-type]
    counts = [0] * (len(bounds) + 1)
    query = f"SELECT CASE {cases} ELSE {len(bounds)} END, count(*) FROM occurrences WHERE {where} GROUP BY 1"
    for place, number in db.execute(query, values):
        counts[place] = number
    return counts
