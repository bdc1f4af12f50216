"""Waits that became too long because the clock was set back."""

import sqlite3
from datetime import datetime, timedelta

from scheduler.store.database import to_ms


def shorten(
    db: sqlite3.Connection, now: datetime, *, retry: timedelta, wake: timedelta, check: timedelta, to: timedelta
) -> None:
    """What would go on later than it ever waits does so a little from now: attempts, wakes and questions to tools.

    Only after a passing failure does an attempt wait at all; whatever else may go on may do so now. A server may have
    asked for a longer wait, so those are touched only if they were written under a clock that lies ahead.
    """
    soon = to_ms(now + to)
    db.execute("UPDATE runs SET resume_at = ?1 WHERE resume_at > ?1 AND status <> 'paused:transient'", (to_ms(now),))
    db.execute(
        "UPDATE runs SET resume_at = ? WHERE resume_at > ? AND updated > ?", (soon, to_ms(now + retry), to_ms(now))
    )
    shown = "(SELECT resume_at FROM runs WHERE runs.id = lanes.run)"
    db.execute(f"UPDATE lanes SET until = {shown} WHERE until > {shown}")
    db.execute("UPDATE handlers SET wake_at = ? WHERE wake_at > ?", (soon, to_ms(now + wake)))
    db.execute("UPDATE mutations SET check_at = ? WHERE check_at > ?", (soon, to_ms(now + check)))
