"""Numbered migrations from an empty file to the current schema, each in one transaction with its number."""

import sqlite3
from collections.abc import Iterator
from importlib.resources import files

from scheduler.store.errors import MigrationError, NewerStoreError


def latest() -> int:
    return max(number for number, _ in _steps())


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def refuse_newer(connection: sqlite3.Connection) -> None:
    if version_of(connection) > latest():
        raise NewerStoreError(version_of(connection), latest())


def migrate(connection: sqlite3.Connection, last: int | None = None) -> None:
    """Apply the missing steps, up to `last`; an interrupted step leaves no trace."""
    refuse_newer(connection)
    # A step may rebuild a table that others reference; references are checked at its end.
    connection.execute("PRAGMA foreign_keys = OFF")
    for number, script in _steps():
        if version_of(connection) < number <= (number if last is None else last):
            try:
                _apply(connection, number, script)
            except sqlite3.Error as error:
                raise MigrationError(number, str(error)) from error
    connection.execute("PRAGMA foreign_keys = ON")


def _apply(connection: sqlite3.Connection, number: int, script: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement in _statements(script):
            connection.execute(statement)
        if (broken := connection.execute("PRAGMA foreign_key_check").fetchone()) is not None:
            raise MigrationError(number, f"a row of {broken[0]} refers to a row of {broken[2]} that is gone")
        connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
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
    yield statement  # empty, a comment, or one that lacks its semicolon
