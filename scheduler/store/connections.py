"""Connections: accounts and places that workflows use. What is secret about them is in the keyring, never here."""

import json
import sqlite3
from datetime import datetime
from typing import Any, NamedTuple

from scheduler.store import facts
from scheduler.store.database import from_ms, to_ms
from scheduler.store.reading import instant

_USED = "used "


class ConnectionRow(NamedTuple):
    name: str
    """Kind and name, such as table:expenses."""
    settings: dict[str, Any]
    trouble: str | None
    """Why it must be connected again."""
    created: datetime


def save(db: sqlite3.Connection, name: str, settings: dict[str, Any], now: datetime) -> None:
    """Add it, or make it so; whatever was wrong with it is over."""
    db.execute(
        "INSERT INTO connections VALUES (?, ?, NULL, ?) "
        "ON CONFLICT DO UPDATE SET settings = excluded.settings, trouble = NULL",
        (name, json.dumps(settings), to_ms(now)),
    )


def set_trouble(db: sqlite3.Connection, name: str, trouble: str | None) -> None:
    db.execute("UPDATE connections SET trouble = ? WHERE name = ?", (trouble, name))


def note_use(db: sqlite3.Connection, name: str, now: datetime) -> None:
    """Somebody called something of it."""
    facts.write(db, f"{_USED}{name}", str(to_ms(now)))


def last_uses(db: sqlite3.Connection) -> dict[str, datetime]:
    """When each was used last, of those that ever were."""
    return {name.removeprefix(_USED): instant(int(value)) for name, value in facts.beginning_with(db, _USED)}


def remove(db: sqlite3.Connection, name: str) -> bool:
    facts.forget(db, f"{_USED}{name}")
    return db.execute("DELETE FROM connections WHERE name = ?", (name,)).rowcount == 1


def find(db: sqlite3.Connection, name: str) -> ConnectionRow | None:
    row = db.execute("SELECT * FROM connections WHERE name = ?", (name,)).fetchone()
    return None if row is None else _from_sql(row)


def every_one(db: sqlite3.Connection) -> list[ConnectionRow]:
    return [_from_sql(row) for row in db.execute("SELECT * FROM connections ORDER BY name")]


def _from_sql(row: sqlite3.Row) -> ConnectionRow:
    created = from_ms(row[3])
    assert created is not None
    return ConnectionRow(row[0], json.loads(row[1]), row[2], created)
