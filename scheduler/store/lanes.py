"""Lanes: whether one may run anything, and if not, why, because of which run, and who can change that."""

import sqlite3
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from scheduler.rules.phases import HandlerKind
from scheduler.store.database import from_ms, to_ms


class Block(StrEnum):
    """Why nothing of a lane may start. All but the first need a person."""

    RETRYING = "retrying"
    """A passing failure: it tries again by itself."""
    RECONNECT = "reconnect"
    PERMISSION = "permission"
    UNSURE = "unsure"
    """Nobody knows whether the outside action happened."""
    INTERRUPTED = "interrupted"
    """Dayhand ended in the middle of a job."""
    SCRIPT_ERROR = "script error"
    TOO_MANY_FAILURES = "too many failures"
    INTERNAL = "internal"


class LaneRow(NamedTuple):
    workflow: str
    name: str
    blocked: Block | None = None
    sentence: str | None = None
    run: str | None = None
    """The attempt that closed it; whatever follows that one may run."""
    until: datetime | None = None


_ALL = "SELECT workflow, name, blocked, sentence, run, until FROM lanes"


def lane_of(handler: str, kind: HandlerKind) -> str:
    """A job has a lane of its own; producers and consumers share the one without a name."""
    return handler if kind is HandlerKind.JOB else ""


def put(db: sqlite3.Connection, workflow: str, name: str) -> None:
    db.execute("INSERT INTO lanes (workflow, name) VALUES (?, ?) ON CONFLICT DO NOTHING", (workflow, name))


def remove(db: sqlite3.Connection, workflow: str, name: str) -> None:
    db.execute("DELETE FROM lanes WHERE workflow = ? AND name = ?", (workflow, name))


def block(db: sqlite3.Connection, row: LaneRow) -> None:
    """Close it; the first reason stays until it is dealt with."""
    db.execute(
        "UPDATE lanes SET blocked = ?, sentence = ?, run = ?, until = ? "
        "WHERE workflow = ? AND name = ? AND (blocked IS NULL OR run = ? OR blocked = 'retrying')",
        (row.blocked, row.sentence, row.run, to_ms(row.until), row.workflow, row.name, row.run),
    )


def open_up(db: sqlite3.Connection, workflow: str, name: str, *, run: str | None = None) -> bool:
    """Let it go on, if `run` is given only where that one had closed it; says whether it had been closed."""
    query = (
        "UPDATE lanes SET blocked = NULL, sentence = NULL, run = NULL, until = NULL "
        "WHERE workflow = ?1 AND name = ?2 AND blocked IS NOT NULL AND (?3 IS NULL OR run = ?3)"
    )
    return db.execute(query, (workflow, name, run)).rowcount == 1


class Ground(NamedTuple):
    """What a run must know before it begins."""

    is_active: bool
    """The person wants the workflow to run, and nobody repairs it."""
    script: int
    sequence: int
    blocked: str | None
    run: str | None

    def is_open_to(self, run: str | None) -> bool:
        """Whether something may start here: anything if nothing closed it, else what follows the one that did."""
        return self.is_active and (self.blocked is None or (run is not None and self.run == run))


def ground(db: sqlite3.Connection, workflow: str, name: str) -> Ground | None:
    row = db.execute(
        "SELECT w.status = 'active' AND NOT w.fixing, w.script, w.sequence, l.blocked, l.run FROM workflows w "
        "JOIN lanes l ON l.workflow = w.slug AND l.name = ? WHERE w.slug = ?",
        (name, workflow),
    ).fetchone()
    return None if row is None else Ground(bool(row[0]), *row[1:])


def find(db: sqlite3.Connection, workflow: str, name: str) -> LaneRow | None:
    row = db.execute(f"{_ALL} WHERE workflow = ? AND name = ?", (workflow, name)).fetchone()
    return None if row is None else _from_sql(row)


def of_workflow(db: sqlite3.Connection, workflow: str) -> list[LaneRow]:
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE workflow = ? ORDER BY name", (workflow,))]


def blocked(db: sqlite3.Connection) -> list[LaneRow]:
    """Every lane that is closed."""
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE blocked IS NOT NULL ORDER BY workflow, name")]


def _from_sql(row: sqlite3.Row) -> LaneRow:
    blocked = None if row[2] is None else Block(row[2])
    return LaneRow(row[0], row[1], blocked, row[3], row[4], from_ms(row[5]))
