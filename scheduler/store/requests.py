"""What Dayhand asks of a person. The first answer counts; the same again changes nothing, another is refused."""

import json
import sqlite3
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from scheduler.store.database import from_ms, to_ms


class RequestKind(StrEnum):
    APPROVAL = "approval"
    PERMISSION = "permission"
    RECONNECT = "reconnect"
    KEYRING = "keyring"
    """The keyring is locked or away; everything that waits goes on by itself when it is back."""
    UNSURE = "unsure"
    """The outside action may or may not have happened."""
    INTERRUPTED = "interrupted"
    """Dayhand ended in the middle of a job."""
    SCRIPT_ERROR = "script error"
    FIX = "fix"
    """A repair of a script that failed waits for a yes."""
    REPAIRED = "repaired"
    """A repair was used without asking, as the person wished; it can be kept or taken back."""
    TOO_MANY_FAILURES = "too many failures"
    INTERNAL = "internal"
    """Dayhand made a mistake."""


class Given(StrEnum):
    """The answers that requests have had."""

    YES = "yes"
    NO = "no"
    HAPPENED = "happened"
    NOT_HAPPENED = "not-happened"
    SKIP = "skip"
    SOLVED = "solved"
    """By something else: a retry, a deploy, a reconnect."""
    WITHDRAWN = "withdrawn"
    """Nobody needs to answer it any more."""


class Answered(StrEnum):
    """What became of an answer."""

    TAKEN = "taken"
    SAME = "same"
    """It had been given before."""
    TOO_LATE = "too late"
    """Another one had been given, or the request is gone."""


class RequestRow(NamedTuple):
    id: str
    kind: RequestKind
    workflow: str
    subject: str
    """What it is about: there is one open request of a kind for each subject."""
    sentence: str
    created: datetime
    run: str | None = None
    call: Any = None
    """Connection, tool and parameters, exactly as they would be used."""
    ui: Any = None
    """What the script adds for the person to see."""
    hash: str | None = None
    answer: str | None = None
    answered: datetime | None = None


_COLUMNS = RequestRow._fields
_ALL = f"SELECT {', '.join(_COLUMNS)} FROM requests"
_LARGE = ("call", "ui")
_LIGHT = f"SELECT {', '.join(f'NULL AS {name}' if name in _LARGE else name for name in _COLUMNS)} FROM requests"


def put(db: sqlite3.Connection, row: RequestRow) -> bool:
    """Ask, unless the same is asked already; says whether it is new."""
    values = row._replace(
        created=to_ms(row.created),  # type: ignore[arg-type]
        call=None if row.call is None else json.dumps(row.call),
        ui=None if row.ui is None else json.dumps(row.ui),
    )
    marks = ", ".join("?" * len(_COLUMNS))
    query = f"INSERT INTO requests ({', '.join(_COLUMNS)}) VALUES ({marks}) ON CONFLICT DO NOTHING"
    return db.execute(query, values).rowcount == 1


def answer(db: sqlite3.Connection, request: str, given: str, now: datetime) -> Answered:
    """Take the answer if nobody has given one."""
    query = "UPDATE requests SET answer = ?, answered = ? WHERE id = ? AND answer IS NULL"
    if db.execute(query, (given, to_ms(now), request)).rowcount == 1:
        return Answered.TAKEN
    row = find(db, request)
    return Answered.SAME if row is not None and row.answer == given else Answered.TOO_LATE


def close(
    db: sqlite3.Connection,
    now: datetime,
    given: Given = Given.WITHDRAWN,
    *,
    run: str | None = None,
    workflow: str | None = None,
) -> int:
    """Answer the open requests of a run or a workflow in the person's place; says how many."""
    column, value = ("run", run) if run is not None else ("workflow", workflow)
    query = f"UPDATE requests SET answer = ?, answered = ? WHERE answer IS NULL AND {column} = ?"
    return db.execute(query, (given, to_ms(now), value)).rowcount


def solve(db: sqlite3.Connection, now: datetime, kind: RequestKind, subject: str) -> list[str]:
    """What it asked about is settled; the ids of those that were open."""
    query = (
        "UPDATE requests SET answer = ?, answered = ? WHERE answer IS NULL AND kind = ? AND subject = ? RETURNING id"
    )
    return [row[0] for row in db.execute(query, (Given.SOLVED, to_ms(now), kind, subject)).fetchall()]


def hand_over(db: sqlite3.Connection, request: str, run: str, workflow: str) -> None:
    """It is asked for the sake of another run now."""
    db.execute("UPDATE requests SET run = ?, workflow = ? WHERE id = ?", (run, workflow, request))


def is_approved(db: sqlite3.Connection, chain: str, wanted: str) -> bool:
    """Whether the person said yes to exactly that, for an attempt of that chain."""
    query = (
        "SELECT 1 FROM requests WHERE run IN (SELECT ?1 UNION ALL SELECT id FROM runs WHERE chain = ?1 AND attempt > 1)"
        " AND kind = 'approval' AND answer = 'yes' AND hash = ?2"
    )
    return db.execute(query, (chain, wanted)).fetchone() is not None


def of_run(db: sqlite3.Connection, run: str) -> list[RequestRow]:
    """All that was asked about it; what is still open comes last."""
    query = f"{_ALL} WHERE run = ? ORDER BY answer IS NULL, created"
    return [_from_sql(row) for row in db.execute(query, (run,))]


def find(db: sqlite3.Connection, request: str) -> RequestRow | None:
    row = db.execute(f"{_ALL} WHERE id = ?", (request,)).fetchone()
    return None if row is None else _from_sql(row)


def beginning_with(db: sqlite3.Connection, text: str) -> list[RequestRow]:
    """Those whose id begins so, answered or not."""
    query = f"{_ALL} WHERE id >= ?1 AND id < ?1 || char(0x10FFFF) ORDER BY created"
    return [_from_sql(row) for row in db.execute(query, (text,))]


def list_open(db: sqlite3.Connection) -> list[RequestRow]:
    """Without call and ui, which may be large and are not even read."""
    return [_from_sql(row) for row in db.execute(f"{_LIGHT} WHERE answer IS NULL ORDER BY created")]


def still_open(db: sqlite3.Connection, known: Mapping[str, RequestRow] | None = None) -> list[RequestRow]:
    """`known` are rows that were read before: they share their call and ui, which never change, with the new ones."""
    found = []
    for row in list_open(db):
        before = (known or {}).get(row.id) or find(db, row.id)
        if before is not None:
            found.append(row._replace(call=before.call, ui=before.ui))
    return found


def _from_sql(row: sqlite3.Row) -> RequestRow:
    created = from_ms(row["created"])
    assert created is not None
    return RequestRow(*row)._replace(
        kind=RequestKind(row["kind"]),
        created=created,
        call=None if row["call"] is None else json.loads(row["call"]),
        ui=None if row["ui"] is None else json.loads(row["ui"]),
        answered=from_ms(row["answered"]),
    )
