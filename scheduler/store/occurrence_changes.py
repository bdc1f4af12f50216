"""Reports which occurrences and gaps a transaction changed, after its commit; a rollback reports nothing.

Temporary triggers on the writing connection see every change, whoever makes it, without another statement.
"""

import sqlite3
from collections.abc import Callable
from typing import Any, NamedTuple

from scheduler.store.database import Database


class OccurrenceChange(NamedTuple):
    """One changed row as SQLite gives it: times are milliseconds, states and reasons are stored values."""

    key: str | None
    """None for a gap."""
    schedule: str
    planned: int
    last: int
    """The last planned time of a gap; otherwise the planned time."""
    number: int
    more: int
    """Whether a gap is longer than it was counted."""
    origin: str
    late: int
    old_state: str | None
    """None for a new row, also for a gap."""
    state: str
    reason: str | None
    retry_at: int | None
    """When it is launched again, if it could not be launched."""


_REPORT = "report_occurrence_change"
_NEW = "NEW.key, NEW.schedule, NEW.planned, NEW.planned, 1, 0, NEW.origin, NEW.late"
_REST = "NEW.state, NEW.reason, NEW.retry_at"
_TRIGGERS = f"""
CREATE TEMP TRIGGER occurrence_added AFTER INSERT ON main.occurrences
BEGIN SELECT {_REPORT}({_NEW}, NULL, {_REST}); END;

CREATE TEMP TRIGGER occurrence_changed AFTER UPDATE OF state, unlaunched ON main.occurrences
WHEN NEW.state <> OLD.state OR NEW.unlaunched > OLD.unlaunched
BEGIN SELECT {_REPORT}({_NEW}, OLD.state, {_REST}); END;

CREATE TEMP TRIGGER gap_added AFTER INSERT ON main.gaps
BEGIN SELECT {_REPORT}(
    NULL, NEW.schedule, NEW.first, NEW.last, NEW.number, NEW.more, 'automatic', 0, NULL, NEW.state, NEW.reason, NULL
); END;
"""


def watch(database: Database, listener: Callable[[list[Any]], None]) -> None:
    """Call `listener` with the changes of each transaction, each a tuple like OccurrenceChange, on its thread."""
    database.collect_changes(_install, listener)


def _install(db: sqlite3.Connection, add: Callable[[Any], None]) -> None:
    db.create_function(_REPORT, len(OccurrenceChange._fields), lambda *row: add(row))
    for trigger in _TRIGGERS.strip().split("\n\n"):  # not as one script, whose errors are not converted
        db.execute(trigger)
