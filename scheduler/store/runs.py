"""Runs: one row per attempt. A phase only goes forward, a status only along its table."""

import json
import sqlite3
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from scheduler.rules.phases import PHASES, STATUSES, HandlerKind, Phase, Status
from scheduler.store.database import from_ms, to_ms
from scheduler.store.errors import StaleError


class RunRow(NamedTuple):
    id: str
    workflow: str
    handler: str
    kind: HandlerKind
    trigger: str
    script: int
    phase: Phase
    status: Status
    created: datetime
    updated: datetime
    occurrence: str | None = None
    retry_of: str | None = None
    attempt: int = 1
    prepared: Any = None
    """What prepare returned, as JSON values."""
    outcome: Any = None
    """What the outside action returned."""
    summary: str | None = None
    """The sentence that people see."""
    error: Any = None
    began: datetime | None = None
    ended: datetime | None = None


_COLUMNS = RunRow._fields
_ALL = f"SELECT {', '.join(_COLUMNS)} FROM runs"
_INSERT = f"INSERT INTO runs ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_INSTANTS = ("created", "updated", "began", "ended")
_JSON = ("prepared", "outcome", "error")
_FROM_SQL: dict[str, Callable[[Any], Any]] = (
    dict.fromkeys(_INSTANTS, from_ms)
    | dict.fromkeys(_JSON, lambda text: None if text is None else json.loads(text))
    | {"kind": HandlerKind, "phase": Phase, "status": Status}
)
_OPEN = "status NOT IN ('committed', 'crashed', 'cancelled')"


def insert(db: sqlite3.Connection, row: RunRow) -> None:
    db.execute(_INSERT, [_to_sql(name, value) for name, value in zip(_COLUMNS, row, strict=True)])


def advance(db: sqlite3.Connection, run: str, old: Phase, new: Phase, now: datetime, **changes: Any) -> None:
    """Pass a checkpoint; StaleError if the run is not active at `old`."""
    assert new in PHASES[old], f"{old} → {new} is not a way forward"
    if not _change(db, run, "phase = ? AND status = 'active'", (old,), phase=new, updated=now, **changes):
        raise StaleError(f"The run {run} is no longer active and {old}.")


def move(db: sqlite3.Connection, run: str, old: Status, new: Status, now: datetime, **changes: Any) -> None:
    """Change how it stands; StaleError if it stands otherwise than `old`."""
    assert new in STATUSES[old], f"{old} → {new} is not a legal move"
    if not _change(db, run, "status = ?", (old,), status=new, updated=now, **changes):
        raise StaleError(f"The run {run} is no longer {old}.")


def find(db: sqlite3.Connection, run: str) -> RunRow | None:
    row = db.execute(f"{_ALL} WHERE id = ?", (run,)).fetchone()
    return None if row is None else _from_sql(row)


def active(db: sqlite3.Connection, workflow: str | None = None) -> list[RunRow]:
    """Those that run now, of one workflow or all."""
    query = f"{_ALL} WHERE {_OPEN} AND status = 'active' AND (?1 IS NULL OR workflow = ?1) ORDER BY created"
    return [_from_sql(row) for row in db.execute(query, (workflow,))]


def unfinished(db: sqlite3.Connection, workflow: str) -> list[RunRow]:
    """Active, waiting, or failed and not yet dealt with; oldest first."""
    return [
        _from_sql(row) for row in db.execute(f"{_ALL} WHERE workflow = ? AND {_OPEN} ORDER BY created", (workflow,))
    ]


def chain(db: sqlite3.Connection, run: str) -> list[RunRow]:
    """All attempts that this one belongs to, the first one first."""
    rows = db.execute(
        "WITH RECURSIVE back (id, retry_of) AS ("
        "SELECT id, retry_of FROM runs WHERE id = ? "
        "UNION SELECT r.id, r.retry_of FROM runs r JOIN back b ON r.id = b.retry_of"
        "), forth (id) AS ("
        "SELECT id FROM back WHERE retry_of IS NULL UNION SELECT r.id FROM runs r JOIN forth f ON r.retry_of = f.id"
        f") {_ALL} WHERE id IN (SELECT id FROM forth) ORDER BY attempt, created",
        (run,),
    )
    return [_from_sql(row) for row in rows]


def recent(db: sqlite3.Connection, workflow: str, most: int) -> list[RunRow]:
    rows = db.execute(f"{_ALL} WHERE workflow = ? ORDER BY created DESC LIMIT ?", (workflow, most))
    return [_from_sql(row) for row in rows]


def _change(db: sqlite3.Connection, run: str, where: str, values: tuple[str, ...], **changes: Any) -> bool:
    assignments = ", ".join(f"{name} = ?" for name in changes)
    new = [_to_sql(name, value) for name, value in changes.items()]
    return db.execute(f"UPDATE runs SET {assignments} WHERE id = ? AND {where}", (*new, run, *values)).rowcount == 1


def _to_sql(name: str, value: Any) -> Any:
    if name in _INSTANTS:
        return to_ms(value)
    return json.dumps(value) if name in _JSON and value is not None else value


def _from_sql(row: sqlite3.Row) -> RunRow:
    values = {name: row[place] for place, name in enumerate(_COLUMNS)}
    return RunRow(**values | {name: convert(values[name]) for name, convert in _FROM_SQL.items()})
