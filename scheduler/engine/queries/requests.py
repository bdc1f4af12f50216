"""What waits for the person, with exactly what would be done, and how to answer."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Any

from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.views.look import Look
from scheduler.store import lanes, requests, runs, workflows
from scheduler.store.lanes import Block
from scheduler.store.requests import RequestKind, RequestRow

_SHORTEST = 4
_HOW = {
    RequestKind.APPROVAL: ("dayhand approve {id}", "dayhand reject {id}"),
    RequestKind.PERMISSION: ("dayhand approve {id}", "dayhand reject {id}"),
    RequestKind.RECONNECT: ("dayhand connect {subject}",),
    RequestKind.KEYRING: ("dayhand retry {run}",),
    RequestKind.UNSURE: (
        "dayhand resolve {run} happened",
        "dayhand resolve {run} not-happened",
        "dayhand resolve {run} skip",
    ),
    RequestKind.INTERRUPTED: (
        "dayhand resolve {run} happened",
        "dayhand resolve {run} not-happened",
        "dayhand resolve {run} skip",
    ),
    RequestKind.SCRIPT_ERROR: ("dayhand retry {run}",),
    RequestKind.FIX: ("dayhand approve {id}", "dayhand reject {id}"),
    RequestKind.REPAIRED: ("dayhand approve {id}", "dayhand reject {id}"),
    RequestKind.TOO_MANY_FAILURES: ("dayhand retry {run}",),
    RequestKind.INTERNAL: ("dayhand retry {run}",),
}

_ROLL_BACK = "dayhand rollback {workflow}"
_REPAIR = ("dayhand fix {run} --show", "dayhand fix {run}")
"""Where somebody repairs scripts: see what they would be sent, and send it."""
_BLOCKS = {RequestKind.RECONNECT: Block.RECONNECT, RequestKind.KEYRING: Block.RETRYING}
"""What may concern several workflows, with how it closes their lanes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultView:
    """Where a script failed, and what there is to go back to."""

    path: str
    line: int | None
    text: str
    """What stands in that line, if it is one of the script itself."""
    earlier: int | None
    """The version before that worked."""
    version: int | None = None
    """The one that failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    id: str
    kind: str
    workflow: str
    workflows: tuple[str, ...]
    """All that wait for the same thing."""
    run: str | None
    subject: str
    sentence: str
    call: Any
    """Connection, tool and parameters of the outside action, if it is about one."""
    ui: Any
    """What the script adds for the person to see."""
    created: datetime
    answer: str | None
    answered: datetime | None
    how: tuple[str, ...]
    """The commands that answer it."""
    fault: FaultView | None = None
    """Of a script that failed."""


class OpenRequests:
    """The open requests, whose calls are read once: every view of one shares them, and what is answered is let go."""

    def __init__(self) -> None:
        self._known: dict[str, RequestRow] = {}

    def find(self, look: Look) -> list[RequestView]:
        """The oldest first."""
        rows = requests.still_open(look.db, self._known)
        self._known = {row.id: row for row in rows}
        return [view_request(look, row) for row in rows]


def find_one(look: Look, text: str) -> RequestView:
    """By its id, or the beginning of it if no other begins so; one that is open is meant before those answered."""
    row = requests.find(look.db, text)
    if row is None and len(text) >= _SHORTEST:
        found = requests.beginning_with(look.db, text)
        alike = [one for one in found if one.answer is None] or found
        if len(alike) > 1:
            raise RefusedError("ambiguous", f"{text} is the beginning of several requests; write more of it.")
        row = alike[0] if alike else None
    if row is None:
        raise RefusedError("unknown", f"There is no request {text}; dayhand attention lists them.")
    return view_request(look, row)


def view_request(look: Look, row: RequestRow) -> RequestView:
    given = {"id": row.id, "subject": row.subject, "run": row.run, "workflow": row.workflow}
    how, fault = _HOW[row.kind], None
    if row.kind is RequestKind.SCRIPT_ERROR:
        fault = _find_fault(look, row)
        how = how if fault is None or fault.earlier is None else (*how, _ROLL_BACK)
        how = (*how, *_REPAIR) if look.context.settings.fixer.is_on else how
    return RequestView(
        id=row.id,
        kind=row.kind.value.replace(" ", "-"),
        workflow=row.workflow,
        workflows=_workflows(look, row),
        run=row.run,
        subject=row.subject,
        sentence=row.sentence,
        call=row.call,
        ui=row.ui,
        created=row.created,
        answer=row.answer,
        answered=row.answered,
        how=tuple(line.format(**given) for line in how) if row.answer is None else (),
        fault=fault,
    )


def _find_fault(look: Look, row: RequestRow) -> FaultView | None:
    workflow = workflows.find(look.db, row.workflow)
    run = None if row.run is None else runs.find(look.db, row.run)
    if workflow is None or run is None:
        return None
    error = run.error or {}
    line, script = error.get("line"), workflows.find_script(look.db, run.workflow, run.script)
    is_own = PurePath(error.get("file") or "").name == PurePath(workflow.path).name
    lines = script.source.splitlines() if script is not None and is_own else []
    return FaultView(
        path=workflow.path,
        line=line,
        text=lines[line - 1].strip() if line and line <= len(lines) else "",
        earlier=runs.last_committed_script(look.db, run.workflow, before=workflow.script),
        version=run.script,
    )


def _workflows(look: Look, row: RequestRow) -> tuple[str, ...]:
    """A lost account or a locked keyring concerns all workflows that stand still because of it."""
    block = _BLOCKS.get(row.kind)
    if block is None or row.answer is not None:
        return (row.workflow,)
    waiting = {row.workflow}
    for lane in lanes.blocked(look.db):
        run = runs.find(look.db, lane.run) if lane.blocked is block and lane.run else None
        if run is not None and (run.error or {}).get("subject") == row.subject:
            waiting.add(run.workflow)
    return tuple(sorted(waiting))
