"""The planned times that did not run, each with its reason: narrowed, searched, counted, the newest first."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from scheduler.store.database import to_ms
from scheduler.store.reading import instant
from scheduler.store.wanted import Page, Search, read_words
from scheduler.timing.occurrences import UNDERWAY, Origin, Reason, State

_UNRUN = "began IS NULL AND state NOT IN ('queued', 'started')"
_UNRUN_STATES = frozenset(state.value for state in State if state not in UNDERWAY)
_MOST_WAYS = 150
"""With more stretches than this it is quicker to go by time, where one that fits is never far."""
_BY_TIME = ("WHERE true", ())


class Unrun(NamedTuple):
    """A planned time that did not run, or several of one reason in a row."""

    schedule: str
    planned: datetime
    state: str
    reason: str | None
    detail: str | None
    until: datetime | None = None
    """The last of several."""
    number: int = 1
    more: bool = False
    """There were more than could be counted."""

    @property
    def sentence(self) -> str:
        try:
            said = Reason(self.reason).sentence if self.reason is not None else ""
        except ValueError:
            said = str(self.reason)
        return self.detail or said


def find_unrun(db: sqlite3.Connection, search: Search, page: Page, most: int) -> list[Unrun]:
    """The planned times that did not run, each with its reason, and the gaps that sum up many of them."""
    found = [*_unrun(db, search, page, most), *_gaps(db, search, page, most)]
    return sorted(found, key=lambda one: (one.planned, one.schedule), reverse=True)[:most]


def count_unrun(db: sqlite3.Connection, search: Search) -> int:
    """How many rows that would be, without a limit."""
    times = gaps = 0
    if _can_be_times(search):
        where, values = _narrow_times(search, Page())
        query = f"SELECT count(*) FROM occurrences INDEXED BY occurrences_unrun WHERE {_UNRUN} AND {where}"
        (times,) = db.execute(query, values).fetchone()
    if _can_be_gaps(search):
        where, values = _narrow(search, Page(), "first")
        (gaps,) = db.execute(f"SELECT count(*) FROM gaps WHERE {where}", values).fetchone()
    return int(times + gaps)


def find_time(db: sqlite3.Connection, beginning: str) -> Unrun | None:
    """The planned time whose key begins so: a run of it, if there will be one, has that id."""
    row = db.execute(
        "SELECT schedule, planned, state, reason, detail FROM occurrences WHERE key >= ? AND key < ?",
        (beginning, f"{beginning}g"),
    ).fetchone()
    return None if row is None else Unrun(row[0], instant(row[1]), row[2], row[3], row[4])


def _unrun(db: sqlite3.Connection, search: Search, page: Page, most: int) -> list[Unrun]:
    """Along the index that fits: of a few schedules, of a few reasons, states or origins, or of all by time."""
    where, values = _narrow_times(search, page)
    found: list[Unrun] = []
    for among, given in _ways(db, search):
        rows = db.execute(
            f"SELECT schedule, planned, state, reason, detail FROM occurrences {among} AND {_UNRUN} AND {where} "
            "ORDER BY planned DESC, schedule DESC LIMIT ?",
            (*given, *values, most),
        )
        found += [Unrun(row[0], instant(row[1]), row[2], row[3], row[4]) for row in rows]
    return list(dict.fromkeys(found))


def _ways(db: sqlite3.Connection, search: Search) -> Sequence[tuple[str, tuple[str, ...]]]:
    """What narrows the times that did not run to stretches of an index; none if no time can fit."""
    words = search.wanted.words
    states = [state for state in search.statuses if state in _UNRUN_STATES]
    if not _can_be_times(search):
        return []
    if search.trigger not in (None, Origin.AUTOMATIC):
        return [("INDEXED BY occurrences_unrun_by WHERE origin <> 'automatic'", ())]
    if not words and search.workflow is None and search.handler is None:
        return [("WHERE state = ?", (state,)) for state in states] or [_BY_TIME]
    where, values = _of_handler(search, "id")
    names = [row[0] for row in db.execute(f"SELECT id FROM schedules WHERE {where}", values)]
    fitting = [name for name in names if any(word in name.lower() for word in words)] if words else names
    each = [_reasons_with(word, search.said) for word in words]
    reasons = [reason.value for reason in Reason if all(reason in found for found in each)] if words else []
    by_schedule = [
        ("WHERE schedule = ? AND state = ?", (name, state)) for name in fitting for state in states or _UNRUN_STATES
    ]
    if len(by_schedule) + len(reasons) > _MOST_WAYS:
        return [_BY_TIME]
    return by_schedule + [("WHERE reason = ?", (reason,)) for reason in reasons]


def _gaps(db: sqlite3.Connection, search: Search, page: Page, most: int) -> list[Unrun]:
    if not _can_be_gaps(search):
        return []
    where, values = _narrow(search, page, "first")
    rows = db.execute(
        "SELECT schedule, first, state, reason, last, number, more FROM gaps "
        f"WHERE {where} ORDER BY first DESC, schedule DESC LIMIT ?",
        (*values, most),
    )
    return [Unrun(row[0], instant(row[1]), row[2], row[3], None, instant(row[4]), row[5], bool(row[6])) for row in rows]


def _can_be_times(search: Search) -> bool:
    return (
        (not search.statuses or not _UNRUN_STATES.isdisjoint(search.statuses))
        and (not search.text or bool(search.wanted.words))
        and (search.trigger is None or search.trigger in list(Origin))
    )


def _can_be_gaps(search: Search) -> bool:
    return _can_be_times(search) and search.trigger in (None, Origin.AUTOMATIC)


def _narrow_times(search: Search, page: Page) -> tuple[str, list[Any]]:
    where, values = _narrow(search, page, "planned")
    if search.trigger is not None:
        where, values = f"{where} AND origin = ?", [*values, search.trigger]
    return where, values


def _narrow(search: Search, page: Page, column: str) -> tuple[str, list[Any]]:
    where = [f"{column} <= ?", f"({column} < ? OR schedule < ?)"]
    values: list[Any] = [page.planned, page.planned, page.schedule]
    if search.since is not None:
        where, values = [*where, f"{column} >= ?"], [*values, to_ms(search.since) or 0]
    if search.until is not None:
        where, values = [*where, f"{column} <= ?"], [*values, to_ms(search.until) or 0]
    by_handler, handlers = _of_handler(search, "schedule")
    where, values = [*where, by_handler], [*values, *handlers]
    if search.statuses:
        where.append(f"state IN ({', '.join('?' * len(search.statuses))})")
        values += search.statuses
    for word in search.wanted.words:
        reasons = _reasons_with(word, search.said)
        where.append(f"(instr(lower(schedule), ?) OR reason IN ({', '.join('?' * len(reasons))}))")
        values += [word, *reasons]
    return " AND ".join(where), values


def _reasons_with(word: str, said: tuple[tuple[str, str], ...]) -> list[str]:
    """Those in which it is read, stored or in their sentence."""
    sentences = dict(said)
    written = {one: f"{one.value} {one.sentence} {sentences.get(one.value, '')}" for one in Reason}
    return [one.value for one, text in written.items() if any(word in known for known in read_words(text))]


def _of_handler(search: Search, column: str) -> tuple[str, list[str]]:
    """What narrows a column of schedules to those of one workflow, of one handler, or of both."""
    if search.workflow is not None and search.handler is not None:
        return f"{column} = ?", [f"{search.workflow}/{search.handler}"]
    if search.workflow is not None:
        return f"{column} > ? AND {column} < ?", [f"{search.workflow}/", f"{search.workflow}0"]  # 0 follows the slash
    if search.handler is not None:
        return f"substr({column}, instr({column}, '/') + 1) = ?", [search.handler]
    return "1", []
