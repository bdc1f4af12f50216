"""The index behind history. It lags behind the runs; what it has not reached is read anew, with the same result.

SQLite finds a whole word at once among a million, the beginning of a word only by looking at all that begin so.
Therefore the beginnings of words are indexed as words of their own, up to a length that few words pass.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice, product
from typing import Any

from scheduler.store import facts
from scheduler.store.wanted import FOLLOWED, Wanted, read_words

_INDEXED = "history indexed"
"""The fact that keeps the number of the last run that the index has passed."""
_LONGEST_BEGINNING = 12
_WORDS_AT_HAND = 5_000
_MOST_TITLES = 50
_MOST_LETTERS = 4_000
_AT_REST = "(r.status IN ('committed', 'crashed', 'cancelled') OR r.followed = 1)"
_PAUSED = ("paused:transient", "paused:approval", "paused:reconciliation")
_STANDING = f"iif(r.followed = 1 AND r.status LIKE 'paused:%', '{FOLLOWED}', r.status)"
_SOURCE = (
    f"SELECT r.number, r.workflow, w.name, r.handler, r.status, r.summary, r.error, r.prepared, {_AT_REST}, "
    "r.trigger "
    "FROM runs r JOIN workflows w ON w.slug = r.workflow"
)
_MATCHING = "history WHERE history MATCH ? AND rowid >= ? AND rowid < ?"


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


def lag(db: sqlite3.Connection) -> int:
    """By how many runs the index is behind, or a few more: numbers are missing where some were forgotten."""
    last = db.execute("SELECT coalesce(max(number), 0) FROM runs").fetchone()[0]
    return max(int(last) - indexed_up_to(db), 0)


def indexed_up_to(db: sqlite3.Connection) -> int:
    return int(facts.read(db, _INDEXED) or 0)


def find_numbers(db: sqlite3.Connection, wanted: Wanted, first: int, before: int, most: int) -> list[int]:
    """The numbers in [first, before) of runs that are as wanted, the newest first."""
    found = list(islice(_newer(db, wanted, first, before), most))
    if len(found) == most:
        return found
    query = f"SELECT rowid FROM {_MATCHING} ORDER BY rowid DESC LIMIT ?"
    older = [row[0] for row in db.execute(query, (*_match(db, wanted, first, before), most))]
    older += _passed(db, wanted, first, before)
    return found + sorted(older, reverse=True)[: most - len(found)]


def count_numbers(db: sqlite3.Connection, wanted: Wanted, first: int, before: int) -> int:
    """How many there are."""
    query = f"SELECT count(*) FROM {_MATCHING}"
    (indexed,) = db.execute(query, _match(db, wanted, first, before)).fetchone()
    unindexed = (*_newer(db, wanted, first, before), *_passed(db, wanted, first, before))
    return int(indexed) + len(unindexed)


def _match(db: sqlite3.Connection, wanted: Wanted, first: int, before: int) -> tuple[str, int, int]:
    """What to look for in the index, no further than it has come."""
    return " AND ".join(_terms(wanted)), first, min(before, indexed_up_to(db) + 1)


def _newer(db: sqlite3.Connection, wanted: Wanted, first: int, before: int) -> Iterator[int]:
    """Those that the index has not reached, the newest first."""
    return _read_anew(db, wanted, "", max(first, indexed_up_to(db) + 1), before)


def _passed(db: sqlite3.Connection, wanted: Wanted, first: int, before: int) -> Iterator[int]:
    """Those that were not at rest when the index passed them."""
    waiting = "r.number IN (SELECT number FROM history_waiting) AND "
    return _read_anew(db, wanted, waiting, first, min(before, indexed_up_to(db) + 1))


def _read_anew(db: sqlite3.Connection, wanted: Wanted, among: str, first: int, before: int) -> Iterator[int]:
    where, values = f"{among}r.number >= ? AND r.number < ?", [first, before]
    facets = {"workflow": wanted.workflow, "handler": wanted.handler, "trigger": wanted.trigger}
    given = {column: value for column, value in facets.items() if value is not None}
    for column in given:
        where += f" AND r.{column} = ?"
    if wanted.statuses:
        where += f" AND {_STANDING} IN ({', '.join('?' * len(wanted.statuses))})"
    rows = db.execute(f"{_SOURCE} WHERE {where} ORDER BY r.number DESC", (*values, *given.values(), *wanted.statuses))
    return (row[0] for row in rows if _says(db, row, wanted.words))


def _says(db: sqlite3.Connection, row: sqlite3.Row, words: tuple[str, ...]) -> bool:
    known = _words_of(db, row) if words else ()
    return all(any(word.startswith(sought) for word in known) for sought in words)


def _index(db: sqlite3.Connection, row: sqlite3.Row) -> None:
    tokens = {*_facets(row[1], row[4], row[9]), _token("h", row[3])}
    tokens.update(*map(_beginnings, _words_of(db, row)))
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
    taken: dict[str, list[str]] = {}
    for one in (prepared.get("reserve") or [])[:_MOST_TITLES]:
        taken.setdefault(one["topic"], []).append(one["id"])
    query = "SELECT title FROM events WHERE workflow = ? AND topic = ? AND id IN (SELECT value FROM json_each(?))"
    for topic, ids in taken.items():
        yield from (row[0] for row in db.execute(query, (workflow, topic, json.dumps(ids))))


def _terms(wanted: Wanted) -> Iterator[str]:
    if wanted.workflow or wanted.trigger or wanted.statuses:
        facets = [_facet(wanted.workflow, status, wanted.trigger) for status in _indexed_as(wanted.statuses)]
        yield f"({' OR '.join(facets)})"
    if wanted.handler:
        yield _token("h", wanted.handler)
    for word in wanted.words:
        yield _beginning(word) if len(word) <= _LONGEST_BEGINNING else f"{_token('l', word)}*"


def _indexed_as(statuses: tuple[str, ...]) -> tuple[str | None, ...]:
    """Only what is at rest is in the index: what still says there that it waits was followed."""
    if not statuses:
        return (None,)
    others = tuple(status for status in statuses if status not in (*_PAUSED, FOLLOWED))
    return others + _PAUSED if FOLLOWED in statuses else others or ("",)


@lru_cache(_WORDS_AT_HAND)
def _beginnings(word: str) -> tuple[str, ...]:
    """What it can be found by; of a long word also the whole, for those who look for more of it."""
    lengths = range(1, min(len(word), _LONGEST_BEGINNING) + 1)
    whole = (_token("l", word),) if len(word) > _LONGEST_BEGINNING else ()
    return (*(_beginning(word[:length]) for length in lengths), *whole)


def _beginning(letters: str) -> str:
    return f"b{letters}" if letters.isascii() else _token("u", letters)


@lru_cache(_WORDS_AT_HAND)
def _facets(*values: str) -> tuple[str, ...]:
    """Every way to narrow by these is one word: among a million, SQLite is slow to find out that two never meet."""
    ways = product(*((value, None) for value in values))
    return tuple(_facet(*way) for way in ways if any(way))


def _facet(workflow: str | None, status: str | None, trigger: str | None) -> str:
    """Short, since each run has several."""
    given = json.dumps((workflow, status, trigger)).encode()
    return f"f{hashlib.blake2b(given, digest_size=8).hexdigest()}"


def _token(kind: str, value: str) -> str:
    """One word of letters and digits, whatever the value is made of."""
    return f"{kind}x{value.encode().hex()}"
