"""When a schedule last succeeded, since when it runs, and when it should have run since."""

import sqlite3
from datetime import datetime
from typing import NamedTuple

from scheduler.store.database import from_ms, to_instant, to_ms

_LAST_SUCCESS = (
    "SELECT began, ended FROM occurrences WHERE schedule = ? AND state = 'succeeded' ORDER BY planned DESC LIMIT 1"
)
_RUNNING = (
    "SELECT min(began) FROM occurrences INDEXED BY occurrences_underway "
    "WHERE state IN ('queued', 'started') AND state = 'started' AND schedule = ?"
)
# What was skipped was not expected: the user skipped it, or an earlier run was still going and counts itself.
_EXPECTED = (
    "SELECT min(planned) FROM occurrences WHERE schedule = ? AND planned > ? AND origin IN ('automatic', 'deploy') "
    "AND state NOT IN ('succeeded', 'skipped', 'dropped')"
)
_MISSED = "SELECT min(first) FROM gaps WHERE schedule = ? AND last > ? AND state = 'missed'"


class RunTimes(NamedTuple):
    """Of the last run that succeeded, and of the one that is running."""

    began: datetime | None
    ended: datetime | None
    running_since: datetime | None


def read_run_times(db: sqlite3.Connection, schedule: str) -> RunTimes:
    last = db.execute(_LAST_SUCCESS, (schedule,)).fetchone() or (None, None)
    running = db.execute(_RUNNING, (schedule,)).fetchone()
    return RunTimes(from_ms(last[0]), from_ms(last[1]), from_ms(running[0]))


def find_expected(db: sqlite3.Connection, schedule: str, since: datetime) -> datetime | None:
    """The first time after `since` at which it should have run."""
    values = (schedule, to_ms(since))
    found = [row[0] for query in (_EXPECTED, _MISSED) for row in db.execute(query, values) if row[0] is not None]
    return max(to_instant(min(found)), since) if found else None
