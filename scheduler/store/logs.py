"""The output of runs, in pieces as it arrived. The number of a piece is the millisecond in which it began to arrive.

If that was already taken, as after the clock was set back, it is the next free number. A piece without a known time
has the number after the last one.
"""

import sqlite3
from datetime import datetime
from typing import NamedTuple

from scheduler.store.database import from_ms, to_ms

_MIN_TIME_MS = 10**11
"""In 1973: smaller numbers only count the pieces."""


class LogPiece(NamedTuple):
    part: int
    text: str

    @property
    def at(self) -> datetime | None:
        """When it was printed, if known."""
        return from_ms(self.part) if self.part >= _MIN_TIME_MS else None


def append(db: sqlite3.Connection, run: str, text: str, at: datetime | None = None) -> None:
    db.execute(
        "INSERT INTO logs SELECT ?1, max(coalesce((SELECT max(part) FROM logs WHERE run = ?1), 0) + 1, ?3), ?2",
        (run, text, to_ms(at) or 0),
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
