"""The versions of a script and the differences between them."""

import difflib
from dataclasses import dataclass
from datetime import datetime

from scheduler.engine.errors import RefusedError
from scheduler.engine.lookup import find_workflow
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.store import workflows
from scheduler.store.workflows import ScriptRow, WorkflowRow
from scheduler.user_text import UserText


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionView:
    version: int
    sha256: str
    origin: str
    created: datetime
    current: bool
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionDiff:
    workflow: str
    old: int
    new: int
    difference: str
    """A unified diff; empty if nothing changed."""


def find_all(snapshot: Snapshot, name: str) -> list[VersionView]:
    """Newest first."""
    row = find_workflow(snapshot.db, name)
    return [
        VersionView(
            version=script.number,
            sha256=script.sha256,
            origin=script.origin.value,
            created=script.created,
            current=script.number == row.script,
            lines=len(script.source.splitlines()),
        )
        for script in workflows.list_scripts(snapshot.db, row.slug)
    ]


def find_source(snapshot: Snapshot, workflow: str, version: int) -> str:
    """Empty if there is no such version."""
    script = workflows.find_script(snapshot.db, workflow, version)
    return "" if script is None else script.source


def compare(snapshot: Snapshot, name: str, old: int | None, new: int | None) -> VersionDiff:
    """Compare two versions; by default the current one with the one before."""
    row = find_workflow(snapshot.db, name)
    later = _find(snapshot, row, row.script if new is None else new)
    earlier = _find(snapshot, row, _before(snapshot, row, later.number) if old is None else old)
    lines = difflib.unified_diff(
        earlier.source.splitlines(keepends=True),
        later.source.splitlines(keepends=True),
        f"{row.slug} version {earlier.number}",
        f"{row.slug} version {later.number}",
    )
    diff = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
    return VersionDiff(workflow=row.slug, old=earlier.number, new=later.number, difference=diff)


def _before(snapshot: Snapshot, row: WorkflowRow, number: int) -> int:
    earlier = [script.number for script in workflows.list_scripts(snapshot.db, row.slug) if script.number < number]
    if not earlier:
        raise RefusedError(
            "only version",
            UserText("{name} has no version before {number} to compare with.", name=row.name, number=number),
        )
    return earlier[0]


def _find(snapshot: Snapshot, row: WorkflowRow, number: int) -> ScriptRow:
    script = workflows.find_script(snapshot.db, row.slug, number)
    if script is None:
        raise RefusedError(
            "unknown",
            UserText(
                "{name} has no version {number}; dayhand versions {slug} lists them.",
                name=row.name,
                number=number,
                slug=row.slug,
            ),
        )
    return script
