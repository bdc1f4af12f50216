"""Numbered steps from an empty file to today's schema, each in one transaction with its number."""

import sqlite3
from collections.abc import Iterator
from importlib.resources import files

from scheduler.store.errors import NewerStoreError


def latest() -> int:
    return max(number for number, _ in _steps())


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Apply the steps that this file has not seen; an interrupted one leaves no trace."""
    version = version_of(connection)
    if version > latest():
        raise NewerStoreError(version, latest())
    for number, script in _steps():
        if number <= version:
            continue
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise


def _steps() -> list[tuple[int, str]]:
    scripts = (file for file in files(__package__).iterdir() if file.name.endswith(".sql"))
    return sorted((int(file.name.partition("_")[0]), file.read_text("utf-8")) for file in scripts)


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
