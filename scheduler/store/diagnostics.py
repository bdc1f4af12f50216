"""A summary of a store for diagnostics: its schema and row counts, no contents."""

import sqlite3
from dataclasses import dataclass

from scheduler.store import migrations

_GROUPED = {"workflows": "status", "runs": "status", "occurrences": "state", "events": "state", "requests": "kind"}
"""Columns that contain only our own enum values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreDescription:
    version: int
    schema: str
    rows: dict[str, int]
    """By table."""
    groups: dict[str, dict[str, int]]
    """By table: the number of rows in each state."""
    kinds: dict[str, int]
    """The number of connections of each kind."""


def describe_store(db: sqlite3.Connection) -> StoreDescription:
    query = (
        "SELECT name, type, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    )
    found = db.execute(query).fetchall()
    tables = [name for name, kind, sql in found if kind == "table" and not sql.startswith("CREATE VIRTUAL")]
    names = [row[0] for row in db.execute("SELECT name FROM connections")]
    return StoreDescription(
        version=migrations.version_of(db),
        schema="\n\n".join(f"{sql};" for _, _, sql in found),
        rows={name: int(db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]) for name in tables},
        groups={
            table: dict(db.execute(f"SELECT {column}, count(*) FROM {table} GROUP BY {column}").fetchall())
            for table, column in _GROUPED.items()
        },
        kinds={kind: sum(name.startswith(f"{kind}:") for name in names) for kind in {_kind(name) for name in names}},
    )


def _kind(name: str) -> str:
    return name.partition(":")[0]
