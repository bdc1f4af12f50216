"""Single facts about the app itself, such as until when everything is paused."""

import sqlite3

SET_ASIDE = "set aside"
"""The name of the damaged file that this store took the place of; empty if there was none."""
OFFERED = "offered backup"
"""The name of the backup that could take this store's place; empty if there is none."""


def read(connection: sqlite3.Connection, name: str) -> str | None:
    row = connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def write(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute(
        "INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", (name, value)
    )


def forget(connection: sqlite3.Connection, *names: str) -> None:
    connection.execute(f"DELETE FROM facts WHERE name IN ({', '.join('?' * len(names))})", names)
