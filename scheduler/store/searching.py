"""The index behind history: words of each run, and facets to narrow by. It lags behind; what it lacks is read anew."""

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from scheduler.store import facts

_INDEXED = "history indexed"
"""The fact that keeps the number of the last run that the index has passed."""
_MOST_TITLES = 50
_WORD = re.compile(r"[^\W_]+")
_AT_REST = "(r.status IN ('committed', 'crashed', 'cancelled') OR r.followed = 1)"
_SOURCE = (
    f"SELECT r.number, r.workflow, w.name, r.handler, r.status, r.summary, r.error, r.prepared, {_AT_REST} "
    "FROM runs r JOIN workflows w ON w.slug = r.workflow"
)


class Wanted(NamedTuple):
    """What a run must be like to be found; empty means whatever."""

    workflow: str | None = None
    handler: str | None = None
    statuses: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Each must begin a word of the run."""

    @property
    def needs_index(self) -> bool:
        return bool(self.handler or self.statuses or self.words)


def read_words(text: str) -> tuple[str, ...]:
    """The words of what a person typed."""
    return tuple(_WORD.findall(text.lower()))


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


def indexed_up_to(db: sqlite3.Connection) -> int:
    return int(facts.read(db, _INDEXED) or 0)


def find_numbers(db: sqlite3.Connection, wanted: Wanted, first: int, before: int, most: int) -> list[int]:
    """The numbers in [first, before) of runs that are as wanted, the newest first."""
    cursor = indexed_up_to(db)
    found = _match_tail(db, wanted, max(first, cursor + 1), before, most)
    if len(found) == most:
        return found
    query = "SELECT rowid FROM history WHERE history MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ?"
    rows = db.execute(query, (_write_match(wanted), first, before, most)).fetchall()
    waiting = db.execute(
        f"{_SOURCE} JOIN history_waiting h ON h.number = r.number WHERE r.number >= ? AND r.number < ?", (first, before)
    )
    older = {row[0] for row in rows} | {row[0] for row in waiting.fetchall() if _fits(db, row, wanted)}
    return found + sorted(older, reverse=True)[: most - len(found)]


def _match_tail(db: sqlite3.Connection, wanted: Wanted, first: int, before: int, most: int) -> list[int]:
    """Those that the index has not reached yet."""
    found: list[int] = []
    for row in db.execute(f"{_SOURCE} WHERE r.number >= ? AND r.number < ? ORDER BY r.number DESC", (first, before)):
        if _fits(db, row, wanted):
            found.append(row[0])
            if len(found) == most:
                break
    return found


def _fits(db: sqlite3.Connection, row: sqlite3.Row, wanted: Wanted) -> bool:
    if wanted.workflow not in (None, row[1]) or wanted.handler not in (None, row[3]):
        return False
    if wanted.statuses and row[4] not in wanted.statuses:
        return False
    if not wanted.words:
        return True
    known = read_words(_words_of(db, row))
    return all(any(word.startswith(sought) for word in known) for sought in wanted.words)


def _index(db: sqlite3.Connection, row: sqlite3.Row) -> None:
    facets = (_facet("w", row[1]), _facet("h", row[3]), _facet("s", row[4]))
    db.execute(
        "INSERT OR REPLACE INTO history (rowid, facets, words) VALUES (?, ?, ?)",
        (row[0], " ".join(facets), _words_of(db, row)),
    )


def _words_of(db: sqlite3.Connection, row: sqlite3.Row) -> str:
    """Everything about a run that a person may look for."""
    _, workflow, name, handler, _, summary, error, prepared, _ = row
    parts = [workflow, name, handler, summary or ""]
    if error is not None:
        parts.append(str(json.loads(error).get("sentence", "")))
    if prepared is not None:
        parts += _titles(db, workflow, json.loads(prepared))
    return "\n".join(parts)


def _titles(db: sqlite3.Connection, workflow: str, prepared: Any) -> Iterable[str]:
    """What the run was to do, and the titles of its events."""
    yield str(prepared.get("say") or "")
    query = "SELECT title FROM events WHERE workflow = ? AND topic = ? AND id = ?"
    for one in (prepared.get("reserve") or [])[:_MOST_TITLES]:
        row = db.execute(query, (workflow, one["topic"], one["id"])).fetchone()
        yield "" if row is None else row[0]


def _write_match(wanted: Wanted) -> str:
    parts = []
    if wanted.workflow:
        parts.append(f"facets : {_facet('w', wanted.workflow)}")
    if wanted.handler:
        parts.append(f"facets : {_facet('h', wanted.handler)}")
    if wanted.statuses:
        parts.append(f"facets : ({_either([_facet('s', status) for status in wanted.statuses])})")
    parts += [f'words : "{word}" *' for word in wanted.words]
    return " AND ".join(parts)


def _either(words: Sequence[str]) -> str:
    return " OR ".join(words)


def _facet(kind: str, value: str) -> str:
    """One word of letters and digits, whatever the value is made of."""
    return f"{kind}x{value.encode().hex()}"
