"""What commands answered, so that the same request asked again gets the first answer."""

import json
import sqlite3
from datetime import datetime
from typing import Any

from scheduler.store.database import to_ms


def find(db: sqlite3.Connection, request: str) -> tuple[str, dict[str, Any]] | None:
    """The command that came with that request id, and its answer."""
    row = db.execute("SELECT verb, answer FROM answers WHERE request = ?", (request,)).fetchone()
    return None if row is None else (row[0], json.loads(row[1]))


def keep(db: sqlite3.Connection, request: str, verb: str, answer: dict[str, Any], now: datetime) -> None:
    db.execute("INSERT INTO answers VALUES (?, ?, ?, ?)", (request, verb, json.dumps(answer), to_ms(now)))


def forget_before(db: sqlite3.Connection, instant: datetime) -> None:
    db.execute("DELETE FROM answers WHERE at < ?", (to_ms(instant),))
