"""Which jobs of other schedulers were imported before."""

from dataclasses import dataclass

from scheduler.engine.queries.snapshot import Snapshot
from scheduler.job_import.script import find_key
from scheduler.store import workflows

IMPORTED_TAG = "imported"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedJob:
    key: str
    workflow: str
    name: str


def find_all(snapshot: Snapshot) -> list[ImportedJob]:
    """Those whose workflow still exists, also if it is archived."""
    found = []
    for row in workflows.list_all(snapshot.db):
        script = workflows.find_script(snapshot.db, row.slug, row.script) if IMPORTED_TAG in row.tags else None
        key = None if script is None else find_key(script.source)
        if key is not None:
            found.append(ImportedJob(key=key, workflow=row.slug, name=row.name))
    return found
