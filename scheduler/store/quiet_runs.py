"""Runs in short: when, and whether there is anything to report. Enough to fold a long history without reading it."""

import json
import sqlite3
from typing import Any, NamedTuple

from scheduler.rules.history_query import HistoryCursor, HistoryQuery
from scheduler.store.history import number_range
from scheduler.store.history_index import find_numbers, needs_index

IS_QUIET = (
    "r.status = 'committed' AND coalesce(r.summary, '') = '' AND r.error IS NULL AND r.mutating_at IS NULL "
    "AND r.refusal IS NULL AND r.trigger <> 'manual'"
)
"""It went well, did nothing outside and has nothing to say; a run that the user started is always worth a row."""
_MARK = f"SELECT r.number, r.created, r.workflow, {IS_QUIET} FROM runs r"


class RunMark(NamedTuple):
    number: int
    created: int
    """In milliseconds."""
    workflow: str
    is_quiet: bool


def scan(db: sqlite3.Connection, query: HistoryQuery, page: HistoryCursor, most: int) -> list[RunMark]:
    """The runs that `history.find_runs` would find, in short; newest first."""
    if query.matches_nothing:
        return []
    first, before = number_range(db, query, page)
    values: tuple[Any, ...]
    if needs_index(query):
        numbers = find_numbers(db, query, first, before, most)
        where, values = "r.number IN (SELECT value FROM json_each(?))", (json.dumps(numbers),)
    else:
        where, values = "r.number >= ? AND r.number < ?", (first, before)
        if query.workflow is not None:
            where, values = f"r.workflow = ? AND {where}", (query.workflow, *values)
    rows = db.execute(f"{_MARK} WHERE {where} ORDER BY r.number DESC LIMIT ?", (*values, most))
    return list(map(RunMark._make, rows))
