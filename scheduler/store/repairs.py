"""Which workflows are being repaired, for the sake of which run; and repairs that did not help."""

import sqlite3

from scheduler.store import facts
from scheduler.store.lanes import Block

_IN_VAIN = (
    "SELECT s.origin, EXISTS (SELECT 1 FROM runs r WHERE r.workflow = s.workflow AND r.script = s.number "
    "AND r.handler = ? AND r.status = 'committed') FROM scripts s WHERE s.workflow = ? AND s.number <= ? "
    "ORDER BY s.number DESC"
)


def begin(db: sqlite3.Connection, workflow: str, run: str) -> None:
    """Its lanes rest from now on."""
    _set(db, workflow, fixing=True)
    facts.write(db, _fact(workflow), run)


def end(db: sqlite3.Connection, workflow: str) -> bool:
    """Whether it was being repaired until now."""
    was = _set(db, workflow, fixing=False)
    facts.forget(db, _fact(workflow))
    return was


def run_of(db: sqlite3.Connection, workflow: str) -> str | None:
    """The run whose failure is being repaired; None if nothing of the workflow is."""
    row = db.execute("SELECT fixing FROM workflows WHERE slug = ?", (workflow,)).fetchone()
    if row is None or not row[0]:
        return None
    run = facts.read(db, _fact(workflow))
    if run is None:  # a copy of a store may hold no facts
        query = "SELECT run FROM lanes WHERE workflow = ? AND blocked = ? AND run IS NOT NULL ORDER BY name"
        found = db.execute(query, (workflow, Block.SCRIPT_ERROR)).fetchone()
        run = None if found is None else str(found[0])
    return run


def under_way(db: sqlite3.Connection) -> list[str]:
    """The workflows that are being repaired."""
    return [row[0] for row in db.execute("SELECT slug FROM workflows WHERE fixing ORDER BY slug")]


def in_vain(db: sqlite3.Connection, workflow: str, handler: str, script: int) -> int:
    """How many repairs, one after the other up to this version, did not let the handler finish a single run."""
    number = 0
    for origin, has_committed in db.execute(_IN_VAIN, (handler, workflow, script)):
        if origin != "fix" or has_committed:
            break
        number += 1
    return number


def _set(db: sqlite3.Connection, workflow: str, *, fixing: bool) -> bool:
    query = "UPDATE workflows SET fixing = ?1 WHERE slug = ?2 AND fixing <> ?1"
    return db.execute(query, (fixing, workflow)).rowcount == 1


def _fact(workflow: str) -> str:
    return f"fixing {workflow}"
