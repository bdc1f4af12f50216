"""Single values about the app itself, such as until when everything is paused."""

import sqlite3

SET_ASIDE = "set aside"
"""The name of the damaged file that this store replaced; empty if it was missing."""
OFFERED_BACKUP = "offered backup"
"""The name of the backup offered to the user; empty if there is none."""


def read(connection: sqlite3.Connection, name: str) -> str | None:
    row = connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def read_prefix(connection: sqlite3.Connection, beginning: str) -> list[tuple[str, str]]:
    """All names with that prefix, with their values."""
    query = "SELECT name, value FROM facts WHERE name >= ? AND name < ?"
    return [(row[0], row[1]) for row in connection.execute(query, (beginning, f"{beginning}\uffff"))]


def write(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute(
        "INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", (name, value)
    )


def delete(connection: sqlite3.Connection, *names: str) -> None:
    connection.execute(f"DELETE FROM facts WHERE name IN ({', '.join('?' * len(names))})", names)
