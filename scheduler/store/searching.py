"""The index behind history. It lags behind the runs; what it has not reached is read anew, with the same result.

SQLite finds a whole word at once among a million, the beginning of a word only by looking at all that begin so.
Therefore the beginnings of words are indexed as words of their own.
"""

import json
import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from scheduler.store import facts

_INDEXED = "history indexed"
"""The fact that keeps the number of the last run that the index has passed."""
_LONGEST_BEGINNING = 6
_MOST_TITLES = 50
_MOST_LETTERS = 4_000
_WORD = re.compile(r"[^\W_]+")
_AT_REST = "(r.status IN ('committed', 'crashed', 'cancelled') OR r.followed = 1)"
_SOURCE = (
    f"SELECT r.number, r.workflow, w.name, r.handler, r.status, r.summary, r.error, r.prepared, {_AT_REST}, "
    "r.trigger "
    "FROM runs r JOIN workflows w ON w.slug = r.workflow"
)


class Wanted(NamedTuple):
    """What a run must be like to be found; empty means whatever."""

    workflow: str | None = None
    handler: str | None = None
    statuses: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Each must begin a word of the run."""
    trigger: str | None = None
    """What made it start."""

    @property
    def needs_index(self) -> bool:
        return bool(self.handler or self.statuses or self.words or self.trigger)


def read_words(text: str) -> tuple[str, ...]:
    """The words in a text, without case and accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return tuple(_WORD.findall("".join(letter for letter in plain if not unicodedata.combining(letter))))


def index_some(db: sqlite3.Connection, most: int) -> bool:
    """Let the index follow by at most so many runs, in a transaction of the caller's; says whether there are more."""
    cursor = indexed_up_to(db)
    rows = db.execute(f"{_SOURCE} WHERE r.number > ? ORDER BY r.number LIMIT ?", (cursor, most)).fetchall()
    for row in rows:
        if row[8]:
            _index(db, row)
        else:
            db.execute("INSERT OR IGNORE INTO history_waiting VALUES (?)", (row[0],))
    settled = db.execute(f"{_SOURCE} JOIN history_waiting h ON h.number = r.number WHERE {_AT_REST} LIMIT ?", (most,))
    for row in settled.fetchall():
        _index(db, row)
        db.execute("DELETE FROM history_waiting WHERE number = ?", (row[0],))
    if rows:
        facts.write(db, _INDEXED, str(rows[-1][0]))
    return len(rows) == most


def is_behind(db: sqlite3.Connection) -> bool:
    """Whether there are runs that the index has not reached."""
    last = db.execute("SELECT coalesce(max(number), 0) FROM runs").fetchone()[0]
    return bool(last > indexed_up_to(db))


def indexed_up_to(db: sqlite3.Connection) -> int:
    return int(facts.read(db, _INDEXED) or 0)


def find_numbers(db: sqlite3.Connection, wanted: Wanted, first: int, before: int, most: int) -> list[int]:
    """The numbers in [first, before) of runs that are as wanted, the newest first."""
    tail = f"{_SOURCE} WHERE r.number >= ? AND r.number < ? ORDER BY r.number DESC"
    newer = db.execute(tail, (max(first, indexed_up_to(db) + 1), before))
    found = _take(most, (row[0] for row in newer if _fits(db, row, wanted)))
    if len(found) == most:
        return found
    passed = db.execute(
        f"{_SOURCE} JOIN history_waiting h ON h.number = r.number WHERE r.number >= ? AND r.number < ?", (first, before)
    )
    older = {row[0] for row in passed.fetchall() if _fits(db, row, wanted)}
    older.update(_take(most, _indexed(db, wanted, first, before)))
    return found + sorted(older, reverse=True)[: most - len(found)]


def _indexed(db: sqlite3.Connection, wanted: Wanted, first: int, before: int) -> Iterator[int]:
    query = "SELECT rowid FROM history WHERE history MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC"
    is_exact = all(len(word) <= _LONGEST_BEGINNING for word in wanted.words)
    for (number,) in db.execute(query, (" AND ".join(_terms(wanted)), first, before)):
        row = None if is_exact else db.execute(f"{_SOURCE} WHERE r.number = ?", (number,)).fetchone()
        if is_exact or (row is not None and _fits(db, row, wanted)):
            yield number


def _take(most: int, numbers: Iterable[int]) -> list[int]:
    return [number for _, number in zip(range(most), numbers, strict=False)]


def _fits(db: sqlite3.Connection, row: sqlite3.Row, wanted: Wanted) -> bool:
    if wanted.workflow not in (None, row[1]) or wanted.handler not in (None, row[3]):
        return False
    if wanted.trigger not in (None, row[9]) or (wanted.statuses and row[4] not in wanted.statuses):
        return False
    known = _words_of(db, row) if wanted.words else ()
    return all(any(word.startswith(sought) for word in known) for sought in wanted.words)


def _index(db: sqlite3.Connection, row: sqlite3.Row) -> None:
    tokens = {_facet("w", row[1]), _facet("h", row[3]), _facet("s", row[4]), _facet("t", row[9])}
    for word in _words_of(db, row):
        tokens.update(_beginning(word[:length]) for length in range(1, min(len(word), _LONGEST_BEGINNING) + 1))
    db.execute("INSERT OR REPLACE INTO history (rowid, tokens) VALUES (?, ?)", (row[0], " ".join(tokens)))


def _words_of(db: sqlite3.Connection, row: sqlite3.Row) -> set[str]:
    """Everything about a run that a person may look for."""
    _, workflow, name, handler, _, summary, error, prepared, _, _ = row
    parts = [workflow, name, handler, summary or ""]
    if error is not None:
        parts.append(str(json.loads(error).get("sentence", "")))
    if prepared is not None:
        parts += _titles(db, workflow, json.loads(prepared))
    return set(read_words("\n".join(parts)[:_MOST_LETTERS]))


def _titles(db: sqlite3.Connection, workflow: str, prepared: Any) -> Iterable[str]:
    """What the run was to do, and the titles of its events."""
    yield str(prepared.get("say") or "")
    query = "SELECT title FROM events WHERE workflow = ? AND topic = ? AND id = ?"
    for one in (prepared.get("reserve") or [])[:_MOST_TITLES]:
        row = db.execute(query, (workflow, one["topic"], one["id"])).fetchone()
        yield "" if row is None else row[0]


def _terms(wanted: Wanted) -> Iterator[str]:
    if wanted.workflow:
        yield _facet("w", wanted.workflow)
    if wanted.handler:
        yield _facet("h", wanted.handler)
    if wanted.trigger:
        yield _facet("t", wanted.trigger)
    if wanted.statuses:
        yield f"({' OR '.join(_facet('s', status) for status in wanted.statuses)})"
    for word in wanted.words:
        yield _beginning(word[:_LONGEST_BEGINNING])


def _beginning(letters: str) -> str:
    return f"b{letters}" if letters.isascii() else _facet("u", letters)


def _facet(kind: str, value: str) -> str:
    """One word of letters and digits, whatever the value is made of."""
    return f"{kind}x{value.encode().hex()}"
