"""Lanes: whether each is blocked, why, and by which run."""

import sqlite3
from datetime import datetime
from typing import NamedTuple

from scheduler.rules.requests import Block
from scheduler.store.database import from_ms, to_ms
from scheduler.user_text import unpack


class LaneRow(NamedTuple):
    workflow: str
    name: str
    blocked: Block | None = None
    sentence: str | None = None
    run: str | None = None
    """The attempt that blocked it; its successors may still run."""
    until: datetime | None = None


_ALL = "SELECT workflow, name, blocked, sentence, run, until FROM lanes"
_WAITS = "('retrying', 'backing off')"


def ensure(db: sqlite3.Connection, workflow: str, name: str) -> None:
    db.execute("INSERT INTO lanes (workflow, name) VALUES (?, ?) ON CONFLICT DO NOTHING", (workflow, name))


def remove(db: sqlite3.Connection, workflow: str, name: str) -> None:
    db.execute("DELETE FROM lanes WHERE workflow = ? AND name = ?", (workflow, name))


def block(db: sqlite3.Connection, row: LaneRow) -> None:
    """Block it; the first reason stays until it is resolved, and a longer wait of a run beside it until it is over."""
    db.execute(
        "UPDATE lanes SET blocked = ?1, sentence = ?2, run = ?3, until = ?4 WHERE workflow = ?5 AND name = ?6 "
        f"AND (blocked IS NULL OR run = ?3 OR (blocked IN {_WAITS} AND NOT (?1 IN {_WAITS} AND until > ?4)))",
        (row.blocked, row.sentence, row.run, to_ms(row.until), row.workflow, row.name),
    )


def unblock(db: sqlite3.Connection, workflow: str, name: str, *, run: str | None = None) -> bool:
    """Unblock it, with `run` only if that run blocked it; returns whether it was blocked."""
    query = (
        "UPDATE lanes SET blocked = NULL, sentence = NULL, run = NULL, until = NULL "
        "WHERE workflow = ?1 AND name = ?2 AND blocked IS NOT NULL AND (?3 IS NULL OR run = ?3)"
    )
    return db.execute(query, (workflow, name, run)).rowcount == 1


def release_backed_off(db: sqlite3.Connection, now: datetime) -> list[str]:
    """Unblock those that have waited long enough after a failed job; returns their workflows."""
    query = (
        "UPDATE lanes SET blocked = NULL, sentence = NULL, run = NULL, until = NULL "
        "WHERE blocked = 'backing off' AND until <= ? RETURNING workflow"
    )
    return [row[0] for row in db.execute(query, (to_ms(now),)).fetchall()]


def end_backoffs(db: sqlite3.Connection, workflow: str) -> bool:
    """No failed job of the workflow delays its next run any more; returns whether one did."""
    query = (
        "UPDATE lanes SET blocked = NULL, sentence = NULL, run = NULL, until = NULL "
        "WHERE blocked = 'backing off' AND workflow = ?"
    )
    return db.execute(query, (workflow,)).rowcount > 0


class LaneBlock(NamedTuple):
    """What blocks a lane, as far as those behind it are told."""

    blocked: Block
    until: datetime | None
    handler: str | None
    """Whose run blocks it."""
    failed_at: datetime | None
    is_checking: bool
    """A tool finds out whether its action happened."""


def find_block(db: sqlite3.Connection, workflow: str, name: str) -> LaneBlock | None:
    row = db.execute(
        "SELECT l.blocked, l.until, r.handler, coalesce(r.ended, r.updated), m.check_at IS NOT NULL FROM lanes l "
        "LEFT JOIN runs r ON r.id = l.run LEFT JOIN mutations m ON m.run = l.run "
        "WHERE l.workflow = ? AND l.name = ? AND l.blocked IS NOT NULL",
        (workflow, name),
    ).fetchone()
    return None if row is None else LaneBlock(Block(row[0]), from_ms(row[1]), row[2], from_ms(row[3]), bool(row[4]))


class StartConditions(NamedTuple):
    """What decides whether a run may start, and with which script."""

    is_active: bool
    """The workflow is active and not being repaired."""
    script: int
    sequence: int
    blocked: str | None
    run: str | None

    def can_start(self, run: str | None) -> bool:
        """Whether a run may start: any run in an unblocked lane, otherwise only successors of the blocking run."""
        return self.is_active and (self.blocked is None or (run is not None and self.run == run))


def read_start_conditions(db: sqlite3.Connection, workflow: str, name: str) -> StartConditions | None:
    row = db.execute(
        "SELECT w.status = 'active' AND NOT w.fixing, w.script, w.sequence, l.blocked, l.run FROM workflows w "
        "JOIN lanes l ON l.workflow = w.slug AND l.name = ? WHERE w.slug = ?",
        (name, workflow),
    ).fetchone()
    return None if row is None else StartConditions(bool(row[0]), *row[1:])


def find(db: sqlite3.Connection, workflow: str, name: str) -> LaneRow | None:
    row = db.execute(f"{_ALL} WHERE workflow = ? AND name = ?", (workflow, name)).fetchone()
    return None if row is None else _from_sql(row)


def of_workflow(db: sqlite3.Connection, workflow: str) -> list[LaneRow]:
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE workflow = ? ORDER BY name", (workflow,))]


def list_blocked(db: sqlite3.Connection) -> list[LaneRow]:
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE blocked IS NOT NULL ORDER BY workflow, name")]


def _from_sql(row: sqlite3.Row) -> LaneRow:
    blocked = None if row[2] is None else Block(row[2])
    return LaneRow(row[0], row[1], blocked, unpack(row[3]), row[4], from_ms(row[5]))
