"""Runs: one row per attempt. Phases only move forward, statuses only along their table."""

import json
import sqlite3
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from scheduler.rules.phases import PHASE_MOVES, STATUS_MOVES, HandlerKind, Refusal, RunPhase, RunStatus
from scheduler.store.database import from_ms, to_ms
from scheduler.store.errors import StaleError
from scheduler.user_text import pack, unpack


class RunRow(NamedTuple):
    id: str
    workflow: str
    handler: str
    kind: HandlerKind
    trigger: str
    script: int
    chain: str
    """The id of its first attempt."""
    phase: RunPhase
    status: RunStatus
    created: datetime
    """When it took its place in the history: at its start, or when its last wait for the user ended."""
    updated: datetime
    began: datetime | None = None
    occurrence: str | None = None
    retry_of: str | None = None
    attempt: int = 1
    crashes: int = 0
    """How often Dayhand crashed during this chain without any progress."""
    prepared: Any = None
    """What prepare returned, as JSON values."""
    outcome: Any = None
    """What the outside action, or the job, returned."""
    summary: str | None = None
    """The sentence shown to the user."""
    error: Any = None
    progress: Any = None
    resume_at: datetime | None = None
    """When it resumes automatically; None if it has ended or waits for the user."""
    followed: bool = False
    """Nothing more happens to it: another attempt replaced it, or what would have followed was cancelled."""
    refusal: Refusal | None = None
    prepared_at: datetime | None = None
    mutating_at: datetime | None = None
    mutated_at: datetime | None = None
    ended: datetime | None = None


_COLUMNS = RunRow._fields
_ALL = f"SELECT {', '.join(_COLUMNS)} FROM runs"
_INSERT = f"INSERT INTO runs ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_INSTANTS = frozenset(("created", "updated", "began", "resume_at", "prepared_at", "mutating_at", "mutated_at", "ended"))
_JSON = frozenset(("prepared", "outcome", "progress"))
_INSTANT_PLACES = tuple(place for place, name in enumerate(_COLUMNS) if name in _INSTANTS)
_JSON_PLACES = tuple(place for place, name in enumerate(_COLUMNS) if name in _JSON)
_ENUM_PLACES: tuple[tuple[int, Callable[[Any], Any]], ...] = tuple(
    (_COLUMNS.index(name), enum) for name, enum in (("kind", HandlerKind), ("phase", RunPhase), ("status", RunStatus))
)
_FOLLOWED, _REFUSAL, _ERROR, _SUMMARY = map(_COLUMNS.index, ("followed", "refusal", "error", "summary"))
_OPEN = "status NOT IN ('committed', 'crashed', 'cancelled') AND followed = 0"
# Indexes are named, because SQLite would read a million ended runs in order rather than sort the few open ones.
_ALL_OPEN = f"{_ALL} INDEXED BY runs_open WHERE {_OPEN}"
_ALL_RESUMING = f"{_ALL} INDEXED BY runs_resuming WHERE resume_at IS NOT NULL"
_PHASE_TIMES = {RunPhase.PREPARED: "prepared_at", RunPhase.MUTATING: "mutating_at", RunPhase.MUTATED: "mutated_at"}


def insert(db: sqlite3.Connection, row: RunRow) -> None:
    values: list[Any] = list(row)
    for place in _INSTANT_PLACES:
        values[place] = to_ms(values[place])
    for place in _JSON_PLACES:
        if values[place] is not None:
            values[place] = json.dumps(values[place])
    values[_ERROR] = write_error(row.error)
    db.execute(_INSERT, values)


def advance(db: sqlite3.Connection, run: str, old: RunPhase, new: RunPhase, now: datetime, **changes: Any) -> None:
    """Pass a checkpoint; StaleError if the run is not active at `old`."""
    assert new in PHASE_MOVES[old], f"{old} → {new} is not a legal move"
    if new in _PHASE_TIMES:
        changes[_PHASE_TIMES[new]] = now
    if new is RunPhase.COMMITTED:
        changes |= {"status": RunStatus.COMMITTED, "ended": now}
    if not _change(db, run, "phase = ? AND status = 'active'", (old,), phase=new, updated=now, **changes):
        raise StaleError(f"The run {run} is no longer active and {old}.")


def advance_to_emitting(db: sqlite3.Connection, run: str, old: RunPhase, now: datetime) -> None:
    """`next` runs. After an outside action this is progress: earlier crashes of the chain no longer count."""
    progress = {"crashes": 0} if old is RunPhase.MUTATED else {}
    advance(db, run, old, RunPhase.EMITTING, now, **progress)


def move(db: sqlite3.Connection, run: str, old: RunStatus, new: RunStatus, now: datetime, **changes: Any) -> None:
    """Change its status; StaleError if it is not `old`. One that has waited becomes the latest of the history."""
    assert new in STATUS_MOVES[old], f"{old} → {new} is not a legal move"
    if old.is_waiting:
        changes |= {"number": db.execute("SELECT max(number) + 1 FROM runs").fetchone()[0], "created": now}
    if not _change(db, run, "status = ?", (old,), status=new, updated=now, **changes):
        raise StaleError(f"The run {run} is no longer {old}.")


def advance_waiting(
    db: sqlite3.Connection, run: str, old: RunPhase, new: RunPhase, now: datetime, **changes: Any
) -> None:
    """An answer moves a waiting run past a checkpoint; StaleError if it is not at `old`."""
    assert new in PHASE_MOVES[old], f"{old} → {new} is not a legal move"
    changes = {"phase": new, "updated": now, _PHASE_TIMES.get(new, "updated"): now, **changes}
    if not _change(db, run, "phase = ? AND status IN ('paused:approval', 'paused:reconciliation')", (old,), **changes):
        raise StaleError(f"The run {run} no longer waits {old}.")


def schedule_resume(db: sqlite3.Connection, run: str, at: datetime | None) -> None:
    """Set when it resumes; None means not automatically."""
    db.execute("UPDATE runs SET resume_at = ?1, updated = coalesce(?1, updated) WHERE id = ?2", (to_ms(at), run))


def supersede(db: sqlite3.Connection, run: str, successor: RunRow) -> None:
    """Replace it with the next attempt."""
    query = "UPDATE runs SET followed = 1, resume_at = NULL, ended = coalesce(ended, ?) WHERE id = ?"
    db.execute(query, (to_ms(successor.created), run))
    insert(db, successor)


def close_failed(db: sqlite3.Connection, run: str, note: str) -> None:
    """No attempt follows it, as the note says; how and when it failed stays."""
    db.execute("UPDATE runs SET followed = 1, resume_at = NULL, summary = ? WHERE id = ?", (pack(note), run))


def close_earlier_failed(db: sqlite3.Connection, workflow: str, handler: str, *, but: Iterable[str] = ()) -> None:
    """Later runs of the handler followed its failed ones, which need nothing any more."""
    query = (
        f"UPDATE runs INDEXED BY runs_open SET followed = 1 WHERE {_OPEN} AND workflow = ? AND handler = ? "
        "AND status IN ('failed:logic', 'paused:transient') AND resume_at IS NULL "
        "AND id NOT IN (SELECT value FROM json_each(?))"
    )
    db.execute(query, (workflow, handler, json.dumps(list(but))))


def save_progress(db: sqlite3.Connection, run: str, progress: Any) -> None:
    db.execute("UPDATE runs SET progress = ? WHERE id = ?", (json.dumps(progress), run))


def reset_crashes(db: sqlite3.Connection, run: str) -> None:
    """It made progress, so its chain does not keep crashing at the same point."""
    db.execute("UPDATE runs SET crashes = 0 WHERE id = ?", (run,))


def find(db: sqlite3.Connection, run: str) -> RunRow | None:
    row = db.execute(f"{_ALL} WHERE id = ?", (run,)).fetchone()
    return None if row is None else _from_sql(row)


def find_handler(db: sqlite3.Connection, run: str) -> str | None:
    """The name of its handler, without reading the rest, which may be large."""
    row = db.execute("SELECT handler FROM runs WHERE id = ?", (run,)).fetchone()
    return None if row is None else str(row[0])


def find_by_prefix(db: sqlite3.Connection, text: str) -> list[RunRow]:
    """Those whose id has that prefix, at most ten."""
    rows = db.execute(f"{_ALL} WHERE id >= ? AND id < ? ORDER BY id LIMIT 10", (text, text + "\uffff"))
    return [_from_sql(row) for row in rows]


def list_active(db: sqlite3.Connection, workflow: str | None = None) -> list[RunRow]:
    """Active runs of one workflow or all."""
    query = f"{_ALL_OPEN} AND status = 'active' AND (?1 IS NULL OR workflow = ?1) ORDER BY number"
    return [_from_sql(row) for row in db.execute(query, (workflow,))]


def list_unfinished(db: sqlite3.Connection, workflow: str) -> list[RunRow]:
    """Active, waiting, failed and unresolved, or crashed and to be continued; oldest first."""
    query = f"{_ALL_OPEN} AND workflow = ?1 UNION {_ALL_RESUMING} AND workflow = ?1"
    found = [_from_sql(row) for row in db.execute(query, (workflow,))]
    return sorted(found, key=lambda row: (row.created, row.attempt))


def list_resumable(db: sqlite3.Connection, now: datetime, workflow: str | None = None) -> list[RunRow]:
    """Those due to resume."""
    query = f"{_ALL_RESUMING} AND resume_at <= ?1 AND (?2 IS NULL OR workflow = ?2) ORDER BY number"
    return [_from_sql(row) for row in db.execute(query, (to_ms(now), workflow))]


def list_waiting_for(db: sqlite3.Connection, failure: str, subject: str) -> list[RunRow]:
    """Those waiting until a failure of that class about that subject is resolved."""
    query = (
        f"{_ALL_OPEN} AND status IN ('paused:approval', 'paused:transient') "
        "AND error ->> 'class' = ? AND error ->> 'subject' = ? ORDER BY number"
    )
    return [_from_sql(row) for row in db.execute(query, (failure, subject))]


def list_chain(db: sqlite3.Connection, first: str) -> list[RunRow]:
    """All attempts of a chain, given the first, in order."""
    query = f"{_ALL} WHERE id = ?1 UNION ALL {_ALL} WHERE chain = ?1 AND attempt > 1 ORDER BY attempt"
    return [_from_sql(row) for row in db.execute(query, (first,))]


def of_occurrence(db: sqlite3.Connection, key: str) -> list[RunRow]:
    """The attempts at one planned time, in order."""
    rows = db.execute(f"{_ALL} WHERE occurrence = ? ORDER BY attempt", (key,))
    return [_from_sql(row) for row in rows]


def unfinished_occurrences(db: sqlite3.Connection) -> set[str]:
    """Occurrences whose last attempt is not final: it waits, will be continued, or needs the user."""
    query = (
        f"SELECT occurrence FROM runs WHERE {_OPEN} AND status LIKE 'paused:%' UNION "
        "SELECT occurrence FROM runs WHERE resume_at IS NOT NULL UNION "
        "SELECT r.occurrence FROM runs r JOIN lanes l ON l.run = r.id AND l.blocked IS NOT NULL UNION "
        "SELECT r.occurrence FROM runs r JOIN requests q ON q.run = r.id AND q.answer IS NULL "
        "AND q.kind NOT IN ('run failed', 'run interrupted')"
    )
    return {row[0] for row in db.execute(query) if row[0] is not None}


def last_committed_script(db: sqlite3.Connection, workflow: str, *, before: int) -> int | None:
    """The script version below `before` with the most recent committed run."""
    if before <= 1:  # avoids a scan of many runs
        return None
    query = (
        "SELECT script FROM runs WHERE workflow = ? AND status = 'committed' AND script < ? "
        "ORDER BY number DESC LIMIT 1"
    )
    found = db.execute(query, (workflow, before)).fetchone()
    return None if found is None else int(found[0])


def _change(db: sqlite3.Connection, run: str, where: str, values: tuple[str, ...], **changes: Any) -> bool:
    assignments = ", ".join(f"{name} = ?" for name in changes)
    new = [_to_sql(name, value) for name, value in changes.items()]
    return db.execute(f"UPDATE runs SET {assignments} WHERE id = ? AND {where}", (*new, run, *values)).rowcount == 1


def _to_sql(name: str, value: Any) -> Any:
    if name in _INSTANTS:
        return to_ms(value)
    if name == "error":
        return write_error(value)
    return json.dumps(value) if name in _JSON and value is not None else value


def write_error(error: dict[str, Any] | None) -> str | None:
    """As JSON; its sentence can still be translated."""
    if error is not None and "sentence" in error:
        error = {**error, "sentence": pack(error["sentence"])}
    return None if error is None else json.dumps(error)


def read_error(written: str | None) -> Any:
    error = None if written is None else json.loads(written)
    if isinstance(error, dict) and isinstance(error.get("sentence"), str):
        error["sentence"] = unpack(error["sentence"])
    return error


def _from_sql(row: sqlite3.Row) -> RunRow:
    values = list(row)
    for place in _INSTANT_PLACES:
        if values[place] is not None:
            values[place] = from_ms(values[place])
    for place in _JSON_PLACES:
        if values[place] is not None:
            values[place] = json.loads(values[place])
    values[_ERROR] = read_error(values[_ERROR])
    values[_SUMMARY] = unpack(values[_SUMMARY])
    for place, enum in _ENUM_PLACES:
        values[place] = enum(values[place])
    values[_FOLLOWED] = bool(values[_FOLLOWED])
    values[_REFUSAL] = None if values[_REFUSAL] is None else Refusal(values[_REFUSAL])
    return RunRow._make(values)
