"""Connections: accounts and services that workflows use. Their secrets are in the keyring, never here."""

import json
import sqlite3
from datetime import datetime
from typing import Any, NamedTuple

from scheduler.store import key_values
from scheduler.store.database import from_ms, to_instant, to_ms
from scheduler.user_text import unpack

_LAST_USED_PREFIX = "used "


class ConnectionRow(NamedTuple):
    name: str
    """Kind and name, such as table:expenses."""
    settings: dict[str, Any]
    trouble: str | None
    """Why it must be connected again."""
    created: datetime


def save(db: sqlite3.Connection, name: str, settings: dict[str, Any], now: datetime) -> None:
    """Add or update it; this clears its trouble."""
    db.execute(
        "INSERT INTO connections VALUES (?, ?, NULL, ?) "
        "ON CONFLICT DO UPDATE SET settings = excluded.settings, trouble = NULL",
        (name, json.dumps(settings), to_ms(now)),
    )


def set_trouble(db: sqlite3.Connection, name: str, trouble: str | None) -> None:
    db.execute("UPDATE connections SET trouble = ? WHERE name = ?", (trouble, name))


def note_use(db: sqlite3.Connection, name: str, now: datetime) -> None:
    key_values.write(db, f"{_LAST_USED_PREFIX}{name}", str(to_ms(now)))


def last_uses(db: sqlite3.Connection) -> dict[str, datetime]:
    """When each connection was last used, if ever."""
    return {
        name.removeprefix(_LAST_USED_PREFIX): to_instant(int(value))
        for name, value in key_values.read_prefix(db, _LAST_USED_PREFIX)
    }


def remove(db: sqlite3.Connection, name: str) -> bool:
    key_values.delete(db, f"{_LAST_USED_PREFIX}{name}")
    return db.execute("DELETE FROM connections WHERE name = ?", (name,)).rowcount == 1


def find(db: sqlite3.Connection, name: str) -> ConnectionRow | None:
    row = db.execute("SELECT * FROM connections WHERE name = ?", (name,)).fetchone()
    return None if row is None else _from_sql(row)


def read_settings(db: sqlite3.Connection) -> dict[str, dict[str, Any]]:
    """The settings of all connections, by name."""
    return {row.name: row.settings for row in list_all(db)}


def list_all(db: sqlite3.Connection) -> list[ConnectionRow]:
    return [_from_sql(row) for row in db.execute("SELECT * FROM connections ORDER BY name")]


def _from_sql(row: sqlite3.Row) -> ConnectionRow:
    created = from_ms(row[3])
    assert created is not None
    return ConnectionRow(row[0], json.loads(row[1]), unpack(row[2]), created)
