"""Finds what the user names: a workflow by slug or name, a run by the start of its id. Also sorts names."""

import re
import sqlite3

from dayhand._workflow import make_slug

from scheduler.engine.errors import RefusedError
from scheduler.store import occurrences, runs, workflows
from scheduler.store.runs import RunRow
from scheduler.store.workflows import WorkflowRow
from scheduler.user_text import UserText

_MIN_PREFIX = 4


def find_workflow(db: sqlite3.Connection, text: str) -> WorkflowRow:
    row = workflows.find(db, text) or workflows.find(db, make_slug(text))
    if row is None:
        known = [one.slug for one in workflows.list_all(db)]
        if known:
            hint = UserText("There are: {known}.", known=known[:10])
        else:
            hint = UserText("Deploy one first: dayhand deploy FILE")
        raise RefusedError("unknown", UserText("There is no workflow {text}. {hint}", text=text, hint=hint))
    return row


def find_run(db: sqlite3.Connection, text: str) -> RunRow:
    exact = runs.find(db, text)
    if exact is not None:
        return exact
    found = runs.find_by_prefix(db, text) if len(text) >= _MIN_PREFIX else []
    chains = {row.chain for row in found}
    if len(chains) == 1:
        return max(found, key=lambda row: row.attempt)
    if chains:
        raise RefusedError("ambiguous", UserText("Several runs start with {text}; type more of the id.", text=text))
    if find_queued(db, text) is not None:
        raise RefusedError("not begun", UserText("{text} has not started yet; it is queued.", text=text))
    raise RefusedError("unknown", UserText("There is no run {text}; dayhand history lists them.", text=text))


def find_queued(db: sqlite3.Connection, text: str) -> str | None:
    """The key of the queued occurrence whose run will have that id."""
    if len(text) < _MIN_PREFIX or runs.find_by_prefix(db, text):
        return None
    return occurrences.find_queued(db, text)


def natural_sort_key(name: str) -> list[tuple[int, int, str]]:
    """A sort key that ignores case and puts Chore 2 before Chore 10."""
    parts = re.findall(r"\d+|\D+", name.casefold())
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]
