"""A table in a SQLite file: rows and their key are written in one transaction."""

import base64
import json
import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from scheduler.connections.connector import Checked
from scheduler.connections.connectors.table.rows import arrange_rows
from scheduler.connections.connectors.table.sqlite_errors import explained_database
from scheduler.connections.errors import logic_failure
from scheduler.user_text import UserText

_KEYS = "CREATE TABLE IF NOT EXISTS dayhand_keys (key TEXT PRIMARY KEY, result TEXT NOT NULL)"
_MAX_INTEGER = 1 << 63


def append(path: Path, table: str, rows: Sequence[Any], key: str, seconds: float) -> Any:
    """Append the rows, creating table and columns as needed, or return the earlier result for a known key."""
    with _connect(path, seconds, "rwc") as db:
        db.execute("PRAGMA synchronous = EXTRA")
        db.execute("BEGIN IMMEDIATE")
        db.execute(_KEYS)
        known = _find_key(db, key)
        if known.happened:
            return known.result
        _add(db, table, rows)
        result = {"added": len(rows)}
        db.execute("INSERT INTO dayhand_keys (key, result) VALUES (?, ?)", (key, json.dumps(result)))
        with explained_database(path, perhaps_done=True):
            db.execute("COMMIT")
        return result


def check(path: Path, key: str, seconds: float) -> Checked:
    """Whether the rows with that key were added."""
    if not path.exists():
        return Checked(happened=False)
    with _connect(path, seconds, "rw") as db:
        has_keys = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'dayhand_keys'").fetchone()
        return _find_key(db, key) if has_keys else Checked(happened=False)


def read(path: Path, table: str, where: Mapping[str, Any], limit: int, seconds: float) -> list[dict[str, Any]]:
    """The first rows that match `where`."""
    if not path.exists():
        raise logic_failure(UserText("{path} does not exist.", path=path))
    with _connect(path, seconds, "rw") as db:
        columns = _columns(db, table)
        for name in where:
            if name.lower() not in map(str.lower, columns):
                raise logic_failure(
                    UserText(
                        'The table {table} has no column "{name}". It has: {columns}.',
                        table=table,
                        name=name,
                        columns=", ".join(columns) or "none",
                    )
                )
        if not columns:
            return []
        condition = " AND ".join(f"{_quote(name)} IS ?" for name in where) or "1"
        query = f"SELECT * FROM {_quote(table)} WHERE {condition} LIMIT ?"  # noqa: S608  names are quoted
        found = db.execute(query, (*map(_to_sqlite, where.values()), limit))
        names = [column[0] for column in found.description]
        return [dict(zip(names, map(_to_json, row), strict=True)) for row in found]


def _add(db: sqlite3.Connection, table: str, rows: Sequence[Any]) -> None:
    before = _columns(db, table)
    columns, values = arrange_rows(rows, before, str.lower)
    if not before and columns:
        db.execute(f"CREATE TABLE {_quote(table)} ({', '.join(map(_quote, columns))})")
    elif before:
        for column in columns[len(before) :]:
            db.execute(f"ALTER TABLE {_quote(table)} ADD COLUMN {_quote(column)}")
    for row in values:
        given = {name: _to_sqlite(cell) for name, cell in zip(columns, row, strict=True) if cell is not None}
        names, marks = ", ".join(map(_quote, given)), ", ".join("?" * len(given))
        what = f"({names}) VALUES ({marks})" if given else "DEFAULT VALUES"
        db.execute(f"INSERT INTO {_quote(table)} {what}", list(given.values()))


def _find_key(db: sqlite3.Connection, key: str) -> Checked:
    row = db.execute("SELECT result FROM dayhand_keys WHERE key = ?", (key,)).fetchone()
    return Checked(happened=row is not None, result=json.loads(row[0]) if row else None)


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    return [row[0] for row in db.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def _to_sqlite(value: Any) -> Any:
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int) and not -_MAX_INTEGER <= value < _MAX_INTEGER:
        return str(value)
    return value


def _to_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _quote(name: str) -> str:
    if "\0" in name:
        raise logic_failure(
            UserText("The name of a table or column contains a character that SQLite does not support.")
        )
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _connect(path: Path, seconds: float, mode: str) -> Iterator[sqlite3.Connection]:
    """A connection that is closed at the end; uncommitted changes are lost."""
    place = f"file:{quote(str(path))}?mode={mode}"
    try:
        with (
            explained_database(path),
            closing(sqlite3.connect(place, uri=True, timeout=seconds, isolation_level=None)) as db,
        ):
            yield db
    except UnicodeEncodeError as error:
        raise logic_failure(UserText('"rows" contains characters that cannot be encoded as UTF-8.')) from error
