"""Which workflows are being repaired because of which run, and how many repairs did not help."""

import sqlite3

from scheduler.rules.requests import Block
from scheduler.store import key_values

_REPAIRS_WITHOUT_SUCCESS = (
    "SELECT s.origin, EXISTS (SELECT 1 FROM runs r WHERE r.workflow = s.workflow AND r.script = s.number "
    "AND r.handler = ? AND r.status = 'committed') FROM scripts s WHERE s.workflow = ? AND s.number <= ? "
    "ORDER BY s.number DESC"
)


def begin(db: sqlite3.Connection, workflow: str, run: str) -> None:
    """Its lanes are blocked until the repair ends."""
    _set_fixing(db, workflow, fixing=True)
    key_values.write(db, _key(workflow), run)


def end(db: sqlite3.Connection, workflow: str) -> bool:
    """Returns whether it was being repaired."""
    was = _set_fixing(db, workflow, fixing=False)
    key_values.delete(db, _key(workflow))
    return was


def failed_run(db: sqlite3.Connection, workflow: str) -> str | None:
    """The run whose failure is being repaired; None if the workflow is not being repaired."""
    row = db.execute("SELECT fixing FROM workflows WHERE slug = ?", (workflow,)).fetchone()
    if row is None or not row[0]:
        return None
    run = key_values.read(db, _key(workflow))
    if run is None:  # an imported store has no key-values
        query = "SELECT run FROM lanes WHERE workflow = ? AND blocked = ? AND run IS NOT NULL ORDER BY name"
        found = db.execute(query, (workflow, Block.SCRIPT_ERROR)).fetchone()
        run = None if found is None else str(found[0])
    return run


def list_repairing(db: sqlite3.Connection) -> list[str]:
    """The workflows that are being repaired."""
    return [row[0] for row in db.execute("SELECT slug FROM workflows WHERE fixing ORDER BY slug")]


def count_failed_repairs(db: sqlite3.Connection, workflow: str, handler: str, script: int) -> int:
    """How many consecutive repairs up to this version did not let the handler commit a single run."""
    number = 0
    for origin, has_committed in db.execute(_REPAIRS_WITHOUT_SUCCESS, (handler, workflow, script)):
        if origin != "fix" or has_committed:
            break
        number += 1
    return number


def _set_fixing(db: sqlite3.Connection, workflow: str, *, fixing: bool) -> bool:
    query = "UPDATE workflows SET fixing = ?1 WHERE slug = ?2 AND fixing <> ?1"
    return db.execute(query, (fixing, workflow)).rowcount == 1


def _key(workflow: str) -> str:
    return f"fixing {workflow}"
