"""The output of runs, in pieces as it arrived."""

import sqlite3
from typing import NamedTuple


class LogPiece(NamedTuple):
    part: int
    text: str


def append(db: sqlite3.Connection, run: str, text: str) -> None:
    db.execute(
        "INSERT INTO logs SELECT ?1, coalesce((SELECT max(part) FROM logs WHERE run = ?1), 0) + 1, ?2", (run, text)
    )


def since(db: sqlite3.Connection, run: str, part: int = 0) -> list[LogPiece]:
    """The pieces after `part`."""
    rows = db.execute("SELECT part, text FROM logs WHERE run = ? AND part > ? ORDER BY part", (run, part))
    return [LogPiece(row[0], row[1]) for row in rows]


def read_end(db: sqlite3.Connection, run: str, max_chars: int) -> str:
    """The end of it, without reading more than needed."""
    found, size = [], 0
    for (text,) in db.execute("SELECT text FROM logs WHERE run = ? ORDER BY part DESC", (run,)):
        found.append(text)
        size += len(text)
        if size >= max_chars:
            break
    return "".join(reversed(found))[-max_chars:]


def read(db: sqlite3.Connection, run: str) -> str:
    return "".join(piece.text for piece in since(db, run))
