"""What ran, failed and was missed in a span of time, by workflow."""

import sqlite3
from datetime import datetime, timedelta
from typing import NamedTuple

from scheduler.rules.handler_ids import split_handler_id
from scheduler.store.database import to_ms
from scheduler.store.history import first_number_since
from scheduler.timing.occurrences import OccurrenceReason

_MILLISECOND = timedelta(milliseconds=1)
_RUNS = """
SELECT r.workflow, sum(r.status = 'committed' AND r.refusal IS NULL),
    sum(r.status IN ('failed:logic', 'failed:internal', 'crashed') AND NOT EXISTS (
        SELECT 1 FROM runs n INDEXED BY runs_of_chain
        WHERE n.chain = r.chain AND n.attempt > 1 AND n.attempt > r.attempt))
FROM runs r WHERE r.number >= ? AND r.number < ? GROUP BY r.workflow
"""
"""Of several attempts only the last one counts as failed."""
_MISSED = """
SELECT schedule, sum(number) FROM (
    SELECT schedule, 1 AS number FROM occurrences INDEXED BY occurrences_unrun_as
    WHERE began IS NULL AND state NOT IN ('queued', 'started') AND state = 'missed' AND planned BETWEEN ?1 AND ?2
        AND coalesce(reason, '') <> ?3
    UNION ALL
    SELECT schedule, number FROM gaps WHERE first <= ?2 AND last >= ?1 AND state = 'missed' AND reason <> ?3
) GROUP BY schedule
"""
"""Without the times that a later run caught up."""


class RunTotals(NamedTuple):
    workflow: str
    succeeded: int
    failed: int


def count_runs(db: sqlite3.Connection, since: datetime, until: datetime) -> list[RunTotals]:
    numbers = first_number_since(db, since), first_number_since(db, until + _MILLISECOND)
    return [RunTotals(*row) for row in db.execute(_RUNS, numbers)]


def count_missed(db: sqlite3.Connection, since: datetime, until: datetime) -> dict[str, int]:
    """By workflow: the planned times that nothing ran."""
    found: dict[str, int] = {}
    for schedule, number in db.execute(_MISSED, (to_ms(since), to_ms(until), OccurrenceReason.CAUGHT_UP)):
        workflow, _ = split_handler_id(schedule)
        found[workflow] = found.get(workflow, 0) + number
    return found
