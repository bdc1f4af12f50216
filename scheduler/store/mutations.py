"""Outside actions: a row is written before the call, its outcome after it. At most one per run."""

import json
import sqlite3
from datetime import datetime
from typing import Any, NamedTuple

from scheduler.rules.mutations import MUTATION_MOVES, MutationStatus
from scheduler.store.database import from_ms, to_ms
from scheduler.store.errors import StaleError


class MutationRow(NamedTuple):
    run: str
    workflow: str
    connection: str
    tool: str
    parameters: Any
    key: str
    """The idempotency key, passed to tools that support one."""
    status: MutationStatus
    begun: datetime
    result: Any = None
    settled: datetime | None = None
    checks: int = 0
    """How often the tool's checker could not find out."""
    check_at: datetime | None = None
    target: Any = None
    """The object it changes, as identified by its tool, if any."""
    endpoint: Any = None
    """What the connection pointed to: the fields that identify the account or folder."""
    asked: Any = None
    """The parameters that the script asked for, if the user changed them before approving."""
    reason: str | None = None
    """Why it was skipped, if the user said so or nobody answered in time."""


_COLUMNS = MutationRow._fields
_ALL = f"SELECT {', '.join(_COLUMNS)} FROM mutations"


def begin(db: sqlite3.Connection, row: MutationRow) -> None:
    """Record it before the outside call is made."""
    values = row._replace(
        parameters=json.dumps(row.parameters),
        result=None if row.result is None else json.dumps(row.result),
        begun=to_ms(row.begun),  # type: ignore[arg-type]
        settled=to_ms(row.settled),  # type: ignore[arg-type]
        check_at=to_ms(row.check_at),  # type: ignore[arg-type]
        target=None if row.target is None else json.dumps(row.target),
        endpoint=None if row.endpoint is None else json.dumps(row.endpoint),
        asked=None if row.asked is None else json.dumps(row.asked),
    )
    db.execute(f"INSERT INTO mutations ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})", values)


def record_outcome(
    db: sqlite3.Connection, run: str, old: MutationStatus, new: MutationStatus, now: datetime, *, result: Any = None
) -> None:
    """Record its outcome; StaleError if that was already done."""
    assert new in MUTATION_MOVES[old], f"{old} → {new} is not a legal move"
    changed = db.execute(
        "UPDATE mutations SET status = ?, result = ?, settled = ?, check_at = NULL WHERE run = ? AND status = ?",
        (new, json.dumps(result), to_ms(now), run, old),
    )
    if changed.rowcount != 1:
        raise StaleError(f"The outside action of the run {run} is no longer {old}.")


def reassign(db: sqlite3.Connection, run: str, successor: str) -> None:
    """Move it to the next attempt."""
    db.execute("UPDATE mutations SET run = ? WHERE run = ?", (successor, run))


def schedule_check(db: sqlite3.Connection, run: str, at: datetime | None, *, counts: bool) -> None:
    """The checker could not find out; check again at that time, or never."""
    query = "UPDATE mutations SET check_at = ?, checks = checks + ? WHERE run = ? AND status IN ('in_flight', 'unsure')"
    db.execute(query, (to_ms(at), counts, run))


def find(db: sqlite3.Connection, run: str) -> MutationRow | None:
    row = db.execute(f"{_ALL} WHERE run = ?", (run,)).fetchone()
    return None if row is None else _from_sql(row)


def status_of(db: sqlite3.Connection, run: str) -> MutationStatus | None:
    row = db.execute("SELECT status FROM mutations WHERE run = ?", (run,)).fetchone()
    return None if row is None else MutationStatus(row[0])


def list_unresolved(db: sqlite3.Connection, workflow: str | None = None) -> list[MutationRow]:
    """In flight or unsure, of one workflow or all."""
    where = "status IN ('in_flight', 'unsure') AND (?1 IS NULL OR workflow = ?1) ORDER BY begun"
    return [_from_sql(row) for row in db.execute(f"{_ALL} WHERE {where}", (workflow,))]


def is_being_checked(db: sqlite3.Connection, workflow: str) -> bool:
    """Whether a tool is still being checked, so the user need not be asked."""
    query = "SELECT EXISTS (SELECT 1 FROM mutations WHERE workflow = ? AND status = 'unsure' AND check_at IS NOT NULL)"
    return bool(db.execute(query, (workflow,)).fetchone()[0])


def list_uncheckable(db: sqlite3.Connection, connection: str) -> list[MutationRow]:
    """Unsure ones that could not be checked over that connection, and about which the user was not asked."""
    query = (
        f"{_ALL} WHERE status = 'unsure' AND check_at IS NULL AND connection = ? AND NOT EXISTS "
        "(SELECT 1 FROM requests q WHERE q.run = mutations.run AND q.kind = 'unsure' AND q.answer IS NULL)"
    )
    return [_from_sql(row) for row in db.execute(query, (connection,))]


def list_due_checks(db: sqlite3.Connection, now: datetime) -> list[MutationRow]:
    """Those whose check is due."""
    rows = db.execute(f"{_ALL} WHERE check_at IS NOT NULL AND check_at <= ? ORDER BY check_at", (to_ms(now),))
    return [_from_sql(row) for row in rows]


def _from_sql(row: sqlite3.Row) -> MutationRow:
    mutation = MutationRow(*row)
    begun = from_ms(row["begun"])
    assert begun is not None
    return mutation._replace(
        parameters=json.loads(row["parameters"]),
        status=MutationStatus(row["status"]),
        result=None if row["result"] is None else json.loads(row["result"]),
        begun=begun,
        settled=from_ms(row["settled"]),
        check_at=from_ms(row["check_at"]),
        target=None if row["target"] is None else json.loads(row["target"]),
        endpoint=None if row["endpoint"] is None else json.loads(row["endpoint"]),
        asked=None if row["asked"] is None else json.loads(row["asked"]),
    )
