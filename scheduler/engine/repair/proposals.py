"""A repair in the store: asked about, used, kept for later or turned down, each in a transaction of the caller's."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from scheduler.engine.runs import asking
from scheduler.engine.workflows.deploying import Deploying, Wish
from scheduler.engine.workflows.validation import Validated
from scheduler.store import repairs, requests, workflows
from scheduler.store.requests import RequestKind, RequestRow
from scheduler.store.runs import RunRow
from scheduler.store.workflows import ScriptOrigin, ScriptRow
from scheduler.workers.discovery import find_tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    workflow: str
    run: str
    base: int
    """The version that it repairs."""
    before: str
    validated: Validated
    difference: str
    asks: tuple[str, ...]
    """What needs a yes even where fixes are applied by themselves."""
    sent: str = ""
    """Exactly what the fixer was told."""

    def write(self, row: RunRow) -> dict[str, Any]:
        return {
            "error": error_of(row),
            "base": self.base,
            "before": self.before,
            "source": self.validated.source,
            "described": self.validated.described,
            "difference": self.difference,
            "asks": list(self.asks),
            "sent": self.sent,
        }


def offer(db: sqlite3.Connection, proposal: Proposal, row: RunRow, now: datetime) -> None:
    """The person looks at it and decides."""
    sentence = " ".join([error_of(row), "A repair is ready: look at what it changes.", *proposal.asks])
    asking.ask(db, RequestKind.FIX, row, sentence, now, ui=proposal.write(row))


def use(db: sqlite3.Connection, deploying: Deploying, proposal: Proposal, row: RunRow, now: datetime) -> int:
    """Go on with it without asking, and say so; the person can go back with one word. The new version."""
    answer = deploying.deploy(db, proposal.validated, Wish(origin=ScriptOrigin.FIX, by_itself=True), now)
    flow = workflows.find(db, proposal.workflow)
    assert flow is not None
    requests.put(
        db,
        RequestRow(
            id=uuid4().hex[:12],
            kind=RequestKind.REPAIRED,
            workflow=proposal.workflow,
            subject=proposal.workflow,
            sentence=f"{flow.name} failed and was repaired. It goes on with version {answer['version']}.",
            created=now,
            ui={**proposal.write(row), "version": answer["version"]},
        ),
    )
    return int(answer["version"])


def apply(db: sqlite3.Connection, deploying: Deploying, row: RequestRow, now: datetime) -> None:
    """After the person's yes. It was checked before it was shown; what was shown is what is used."""
    flow = workflows.find(db, row.workflow)
    assert flow is not None
    source = row.ui["source"]
    uses = tuple(find_tools(source))
    new = Validated(path=flow.path, source=source, described=row.ui["described"], uses=uses)
    if flow.script == row.ui["base"]:
        deploying.deploy(db, new, Wish(origin=ScriptOrigin.FIX), now)
    else:
        keep_unused(db, row.workflow, new, now)


def take_back(db: sqlite3.Connection, deploying: Deploying, row: RequestRow, now: datetime) -> None:
    """To the version that was repaired."""
    flow = workflows.find(db, row.workflow)
    script = workflows.find_script(db, row.workflow, row.ui["base"])
    assert flow is not None and script is not None
    uses = tuple(find_tools(script.source))
    old = Validated(path=flow.path, source=script.source, described=script.described, uses=uses)
    deploying.deploy(db, old, Wish(origin=ScriptOrigin.ROLLBACK), now)


def keep_unused(db: sqlite3.Connection, workflow: str, new: Validated, now: datetime) -> int:
    """The author was quicker: stored as a version that nothing uses."""
    number = max(one.number for one in workflows.scripts(db, workflow)) + 1
    row = ScriptRow(workflow, number, new.sha256, new.source, ScriptOrigin.FIX, new.described, now)
    workflows.add_script(db, row)
    return number


def ask_first(db: sqlite3.Connection, row: RunRow, now: datetime, *, sent: str) -> None:
    """The person looks at what would be sent, and has it sent or not."""
    asking.close(db, row.id, now)
    asking.ask(db, RequestKind.SCRIPT_ERROR, row, error_of(row), now, ui={"sends": sent})


def leave(db: sqlite3.Connection, row: RunRow, why: str, now: datetime) -> None:
    """No repair: the person is asked as if nobody had tried one, and told why there is none."""
    repairs.end(db, row.workflow)
    asking.close(db, row.id, now)
    asking.ask(db, RequestKind.SCRIPT_ERROR, row, f"{error_of(row)} {why}".strip(), now)


def error_of(row: RunRow) -> str:
    """As a sentence, so that another can follow: what a script raises rarely ends with a full stop."""
    said = str((row.error or {}).get("sentence") or f"The script of {row.handler} failed.")
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."
