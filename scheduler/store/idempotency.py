"""Stored results of commands, so that a repeated idempotency key returns the first result."""

import json
import sqlite3
from datetime import datetime
from typing import Any

from scheduler.store.database import to_ms


def find(db: sqlite3.Connection, idempotency_key: str) -> tuple[str, dict[str, Any]] | None:
    """The command that was sent with that key, and its result."""
    row = db.execute("SELECT verb, answer FROM answers WHERE request = ?", (idempotency_key,)).fetchone()
    return None if row is None else (row[0], json.loads(row[1]))


def save(db: sqlite3.Connection, idempotency_key: str, verb: str, answer: dict[str, Any], now: datetime) -> None:
    db.execute("INSERT INTO answers VALUES (?, ?, ?, ?)", (idempotency_key, verb, json.dumps(answer), to_ms(now)))


def delete_before(db: sqlite3.Connection, instant: datetime) -> None:
    db.execute("DELETE FROM answers WHERE at < ?", (to_ms(instant),))
