"""The versions of a script, and what changed from one to another."""

import difflib
from dataclasses import dataclass
from datetime import datetime

from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.names import find_workflow
from scheduler.engine.workflows.views.look import Look
from scheduler.store import workflows
from scheduler.store.workflows import ScriptRow, WorkflowRow


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionView:
    version: int
    sha256: str
    origin: str
    created: datetime
    current: bool
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    workflow: str
    old: int
    new: int
    difference: str
    """As a unified diff; empty if nothing changed."""


def find_all(look: Look, name: str) -> list[VersionView]:
    """The newest first."""
    row = find_workflow(look.db, name)
    return [
        VersionView(
            version=script.number,
            sha256=script.sha256,
            origin=script.origin.value,
            created=script.created,
            current=script.number == row.script,
            lines=len(script.source.splitlines()),
        )
        for script in workflows.scripts(look.db, row.slug)
    ]


def compare(look: Look, name: str, old: int | None, new: int | None) -> Difference:
    """From one version to another; without numbers, from the last but one to the one in use."""
    row = find_workflow(look.db, name)
    later = _find(look, row, row.script if new is None else new)
    earlier = _find(look, row, _before(look, row, later.number) if old is None else old)
    lines = difflib.unified_diff(
        earlier.source.splitlines(keepends=True),
        later.source.splitlines(keepends=True),
        f"{row.slug} version {earlier.number}",
        f"{row.slug} version {later.number}",
    )
    whole = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
    return Difference(workflow=row.slug, old=earlier.number, new=later.number, difference=whole)


def _before(look: Look, row: WorkflowRow, number: int) -> int:
    earlier = [script.number for script in workflows.scripts(look.db, row.slug) if script.number < number]
    if not earlier:
        raise RefusedError("only version", f"{row.name} has no version before {number} to compare with.")
    return earlier[0]


def _find(look: Look, row: WorkflowRow, number: int) -> ScriptRow:
    script = workflows.find_script(look.db, row.slug, number)
    if script is None:
        raise RefusedError("unknown", f"{row.name} has no version {number}; dayhand versions {row.slug} lists them.")
    return script
