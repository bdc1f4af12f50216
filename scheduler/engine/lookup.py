"""Finds what the user names: a workflow by slug or name, a run by the start of its id. Also sorts names."""

import re
import sqlite3

from dayhand._workflow import make_slug

from scheduler.engine.errors import RefusedError
from scheduler.rules.handler_ids import handler_id, split_handler_id, split_target
from scheduler.store import handlers, occurrences, runs, schedules, workflows
from scheduler.store.runs import RunRow
from scheduler.store.workflows import ScriptRow, WorkflowRow
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


def find_schedules(db: sqlite3.Connection, row: WorkflowRow, handler: str | None) -> list[str]:
    """The schedule of one handler, or all of the workflow; RefusedError if there is none."""
    known = [one.id for one in schedules.list_all(db, workflow=row.slug)]
    found = known if handler is None else [one for one in known if one == handler_id(row.slug, handler)]
    if found:
        return found
    if not known:
        sentence = UserText("{name} has no schedule: it runs when something arrives.", name=row.name)
        raise RefusedError("unknown", sentence)
    names = [split_handler_id(one)[1] for one in known]
    raise RefusedError(
        "unknown",
        UserText("{name} has no schedule {handler}. It has: {known}.", name=row.name, handler=handler, known=names),
    )


def find_schedule(db: sqlite3.Connection, target: str) -> str:
    """The id of the schedule that the user names: WORKFLOW/HANDLER, or WORKFLOW if it has only one."""
    name, handler = split_target(target)
    found = find_schedules(db, find_workflow(db, name), handler)
    if len(found) > 1:
        raise RefusedError("which", UserText("Choose one: {schedules}.", schedules=", ".join(found)))
    return found[0]


def find_handler(db: sqlite3.Connection, row: WorkflowRow, handler: str) -> None:
    """RefusedError if the workflow has no handler of that name."""
    if handlers.find(db, row.slug, handler) is None:
        raise RefusedError(
            "unknown",
            UserText(
                "{name} has no {handler}; dayhand show {slug} lists them.",
                name=row.name,
                handler=handler,
                slug=row.slug,
            ),
        )


def find_script(db: sqlite3.Connection, row: WorkflowRow, version: int | None) -> ScriptRow:
    """That version of its script, or else the last one before the current that committed a run."""
    number = runs.last_committed_script(db, row.slug, before=row.script) if version is None else version
    script = None if number is None else workflows.find_script(db, row.slug, number)
    if script is not None:
        return script
    if version is None:
        what = UserText("no earlier version that worked")
    else:
        what = UserText("no version {version}", version=version)
    raise RefusedError(
        "unknown",
        UserText("{name} has {what}; dayhand versions {slug} lists them.", name=row.name, what=what, slug=row.slug),
    )


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
