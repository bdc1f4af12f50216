"""Finding what a person names: a workflow by its slug or its name, a run by the beginning of its id.

And the order in which people expect names.
"""

import re
import sqlite3

from dayhand._workflow import make_slug

from scheduler.engine.refusal import RefusedError
from scheduler.store import occurrences, runs, workflows
from scheduler.store.runs import RunRow
from scheduler.store.workflows import WorkflowRow

_SHORTEST = 4


def find_workflow(db: sqlite3.Connection, text: str) -> WorkflowRow:
    row = workflows.find(db, text) or workflows.find(db, make_slug(text))
    if row is None:
        known = [one.slug for one in workflows.every_one(db)]
        hint = f" There are: {', '.join(known[:10])}." if known else " Deploy one first: dayhand deploy FILE"
        raise RefusedError("unknown", f"There is no workflow {text}.{hint}")
    return row


def find_run(db: sqlite3.Connection, text: str) -> RunRow:
    exact = runs.find(db, text)
    if exact is not None:
        return exact
    found = runs.beginning_with(db, text) if len(text) >= _SHORTEST else []
    chains = {row.chain for row in found}
    if len(chains) == 1:
        return max(found, key=lambda row: row.attempt)
    if chains:
        raise RefusedError("ambiguous", f"{text} is the beginning of several runs; write more of it.")
    if find_waiting(db, text) is not None:
        raise RefusedError("not begun", f"{text} has not begun yet; it waits for its turn.")
    raise RefusedError("unknown", f"There is no run {text}; dayhand history lists them.")


def find_waiting(db: sqlite3.Connection, text: str) -> str | None:
    """The key of the occurrence whose run that will be, once its turn has come."""
    if len(text) < _SHORTEST or runs.beginning_with(db, text):
        return None
    return occurrences.find_queued(db, text)


def as_people_count(name: str) -> list[tuple[int, int, str]]:
    """A key to sort names by: capitals do not matter, and Chore 2 comes before Chore 10."""
    parts = re.findall(r"\d+|\D+", name.casefold())
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]


def split_target(text: str) -> tuple[str, str | None]:
    """A workflow, and the handler after the slash if one is named."""
    workflow, _, handler = text.partition("/")
    return workflow, handler or None
