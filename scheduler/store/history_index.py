"""The full-text index of the history. It lags behind the runs; those not yet indexed are searched directly.

SQLite finds a whole word quickly among a million, but a prefix only by visiting every word that has it.
So the prefixes of words are indexed as words of their own, up to a length that few words exceed.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice, product
from typing import Any

from scheduler.rules.history_query import FOLLOWED, HistoryQuery, split_words
from scheduler.store import key_values
from scheduler.store.runs import read_error
from scheduler.user_text import unpack

_LAST_INDEXED = "history indexed"
"""The key of the number of the last indexed run."""
_MAX_PREFIX_CHARS = 12
_CACHED_WORDS = 5_000
_MAX_TITLES = 50
_MAX_CHARS = 4_000
_IS_FINAL = "(r.status IN ('committed', 'crashed', 'cancelled') OR r.followed = 1)"
_PAUSED = ("paused:transient", "paused:approval", "paused:reconciliation")
_SHOWN_STATUS = f"iif(r.followed = 1 AND r.status LIKE 'paused:%', '{FOLLOWED}', coalesce(r.refusal, r.status))"
_SOURCE = (
    "SELECT r.number, r.workflow, w.name, r.handler, coalesce(r.refusal, r.status), r.summary, r.error, r.prepared, "
    f"{_IS_FINAL}, r.trigger "
    "FROM runs r JOIN workflows w ON w.slug = r.workflow"
)
_MATCHING = "history WHERE history MATCH ? AND rowid >= ? AND rowid < ?"


def index_batch(db: sqlite3.Connection, most: int) -> bool:
    """Index at most `most` further runs, in the caller's transaction; returns whether there are more."""
    cursor = last_indexed(db)
    rows = db.execute(f"{_SOURCE} WHERE r.number > ? ORDER BY r.number LIMIT ?", (cursor, most)).fetchall()
    for row in rows:
        if row[8]:
            _index(db, row)
        else:
            db.execute("INSERT OR IGNORE INTO history_waiting VALUES (?)", (row[0],))
    ended = db.execute(f"{_SOURCE} JOIN history_waiting h ON h.number = r.number WHERE {_IS_FINAL} LIMIT ?", (most,))
    for row in ended.fetchall():
        _index(db, row)
        db.execute("DELETE FROM history_waiting WHERE number = ?", (row[0],))
    if rows:
        key_values.write(db, _LAST_INDEXED, str(rows[-1][0]))
    return len(rows) == most


def count_unindexed(db: sqlite3.Connection) -> int:
    """How many runs are not indexed, or slightly more: deleted runs leave gaps in the numbers."""
    last = db.execute("SELECT coalesce(max(number), 0) FROM runs").fetchone()[0]
    return max(int(last) - last_indexed(db), 0)


def last_indexed(db: sqlite3.Connection) -> int:
    return int(key_values.read(db, _LAST_INDEXED) or 0)


def needs_index(query: HistoryQuery) -> bool:
    """Whether a table of the store alone cannot answer it."""
    return bool(query.handler or query.statuses or query.words or query.trigger)


def find_numbers(db: sqlite3.Connection, query: HistoryQuery, first: int, before: int, most: int) -> list[int]:
    """The matching run numbers in [first, before), newest first."""
    found = list(islice(_newer(db, query, first, before), most))
    if len(found) == most:
        return found
    statement = f"SELECT rowid FROM {_MATCHING} ORDER BY rowid DESC LIMIT ?"
    older = [row[0] for row in db.execute(statement, (*_match(db, query, first, before), most))]
    older += _unfinished(db, query, first, before)
    return found + sorted(older, reverse=True)[: most - len(found)]


def count_numbers(db: sqlite3.Connection, query: HistoryQuery, first: int, before: int) -> int:
    (indexed,) = db.execute(f"SELECT count(*) FROM {_MATCHING}", _match(db, query, first, before)).fetchone()
    unindexed = (*_newer(db, query, first, before), *_unfinished(db, query, first, before))
    return int(indexed) + len(unindexed)


def _match(db: sqlite3.Connection, query: HistoryQuery, first: int, before: int) -> tuple[str, int, int]:
    """The query for the index, limited to indexed runs."""
    return " AND ".join(_terms(query)), first, min(before, last_indexed(db) + 1)


def _newer(db: sqlite3.Connection, query: HistoryQuery, first: int, before: int) -> Iterator[int]:
    """Matching runs that are not indexed yet, newest first."""
    return _scan(db, query, "", max(first, last_indexed(db) + 1), before)


def _unfinished(db: sqlite3.Connection, query: HistoryQuery, first: int, before: int) -> Iterator[int]:
    """Matching runs that had not ended when the index reached them."""
    waiting = "r.number IN (SELECT number FROM history_waiting) AND "
    return _scan(db, query, waiting, first, min(before, last_indexed(db) + 1))


def _scan(db: sqlite3.Connection, query: HistoryQuery, among: str, first: int, before: int) -> Iterator[int]:
    statuses, words = query.stored_statuses, query.words
    where, values = f"{among}r.number >= ? AND r.number < ?", [first, before]
    facets = {"workflow": query.workflow, "handler": query.handler, "trigger": query.trigger}
    given = {column: value for column, value in facets.items() if value is not None}
    for column in given:
        where += f" AND r.{column} = ?"
    if statuses:
        where += f" AND {_SHOWN_STATUS} IN ({', '.join('?' * len(statuses))})"
    rows = db.execute(f"{_SOURCE} WHERE {where} ORDER BY r.number DESC", (*values, *given.values(), *statuses))
    return (row[0] for row in rows if _matches_words(db, row, words))


def _matches_words(db: sqlite3.Connection, row: sqlite3.Row, words: tuple[str, ...]) -> bool:
    known = _words_of(db, row) if words else ()
    return all(any(word.startswith(sought) for word in known) for sought in words)


def _index(db: sqlite3.Connection, row: sqlite3.Row) -> None:
    tokens = {*_facets(row[1], row[4], row[9]), _token("h", row[3])}
    tokens.update(*map(_prefix_tokens, _words_of(db, row)))
    db.execute("INSERT OR REPLACE INTO history (rowid, tokens) VALUES (?, ?)", (row[0], " ".join(tokens)))


def _words_of(db: sqlite3.Connection, row: sqlite3.Row) -> set[str]:
    """Every word of a run that the user may search for."""
    _, workflow, name, handler, _, summary, error, prepared, _, _ = row
    parts = [workflow, name, handler, unpack(summary) or ""]
    if error is not None:
        parts.append(str(read_error(error).get("sentence", "")))
    if prepared is not None:
        parts += _titles(db, workflow, json.loads(prepared))
    return set(split_words("\n".join(parts)[:_MAX_CHARS]))


def _titles(db: sqlite3.Connection, workflow: str, prepared: Any) -> Iterable[str]:
    """What the run was going to do, and the titles of its events."""
    yield str(prepared.get("say") or "")
    taken: dict[str, list[str]] = {}
    for one in (prepared.get("reserve") or [])[:_MAX_TITLES]:
        taken.setdefault(one["topic"], []).append(one["id"])
    query = "SELECT title FROM events WHERE workflow = ? AND topic = ? AND id IN (SELECT value FROM json_each(?))"
    for topic, ids in taken.items():
        yield from (row[0] for row in db.execute(query, (workflow, topic, json.dumps(ids))))


def _terms(query: HistoryQuery) -> Iterator[str]:
    statuses = query.stored_statuses
    if query.workflow or query.trigger or statuses:
        facets = [_facet(query.workflow, status, query.trigger) for status in _indexed_as(statuses)]
        yield f"({' OR '.join(facets)})"
    if query.handler:
        yield _token("h", query.handler)
    for word in query.words:
        yield _prefix_token(word) if len(word) <= _MAX_PREFIX_CHARS else f"{_token('l', word)}*"


def _indexed_as(statuses: tuple[str, ...]) -> tuple[str | None, ...]:
    """Only final runs are indexed, so one that is indexed as paused was superseded."""
    if not statuses:
        return (None,)
    others = tuple(status for status in statuses if status not in (*_PAUSED, FOLLOWED))
    return others + _PAUSED if FOLLOWED in statuses else others or ("",)


@lru_cache(_CACHED_WORDS)
def _prefix_tokens(word: str) -> tuple[str, ...]:
    """The tokens it is found by: its prefixes, and for a long word also the whole word."""
    lengths = range(1, min(len(word), _MAX_PREFIX_CHARS) + 1)
    whole = (_token("l", word),) if len(word) > _MAX_PREFIX_CHARS else ()
    return (*(_prefix_token(word[:length]) for length in lengths), *whole)


def _prefix_token(letters: str) -> str:
    return f"b{letters}" if letters.isascii() else _token("u", letters)


@lru_cache(_CACHED_WORDS)
def _facets(*values: str) -> tuple[str, ...]:
    """One token for every combination of filters: SQLite is slow to intersect two large sets."""
    combinations = product(*((value, None) for value in values))
    return tuple(_facet(*combination) for combination in combinations if any(combination))


def _facet(workflow: str | None, status: str | None, trigger: str | None) -> str:
    """A short hash, since each run has several."""
    given = json.dumps((workflow, status, trigger)).encode()
    return f"f{hashlib.blake2b(given, digest_size=8).hexdigest()}"


def _token(kind: str, value: str) -> str:
    """The value as one word of letters and digits."""
    return f"{kind}x{value.encode().hex()}"
