"""A proposed repair in the store: offered, applied, kept unused or declined, in the caller's transaction."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from scheduler.engine.runs import user_requests
from scheduler.engine.workflows.deployment import Deployer, DeployOptions
from scheduler.engine.workflows.validation import ValidatedScript
from scheduler.rules.phases import HandlerKind
from scheduler.rules.requests import RequestKind
from scheduler.store import repairs, requests, workflows
from scheduler.store.requests import RequestRow
from scheduler.store.runs import RunRow
from scheduler.store.workflows import ScriptOrigin, ScriptRow
from scheduler.user_text import UserText, add_full_stop, join_texts
from scheduler.workers.tool_scan import find_tool_uses


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    workflow: str
    run: str
    base: int
    """The script version that it repairs."""
    before: str
    validated: ValidatedScript
    difference: str
    asks: tuple[str, ...]
    """What needs approval even where repairs are applied automatically."""
    sent: str = ""
    """Exactly what was sent to the fixer."""

    def write(self, row: RunRow) -> dict[str, Any]:
        return {
            "error": error_sentence(row),
            "base": self.base,
            "before": self.before,
            "source": self.validated.source,
            "described": self.validated.described,
            "difference": self.difference,
            "asks": list(self.asks),
            "sent": self.sent,
        }


def offer(db: sqlite3.Connection, proposal: Proposal, row: RunRow, now: datetime) -> None:
    """Ask the user whether to apply it."""
    sentence = join_texts(
        [error_sentence(row), UserText("A repair is ready: review its changes."), *proposal.asks], " "
    )
    user_requests.ask(db, RequestKind.FIX, row, sentence, now, ui=proposal.write(row))


def apply_automatically(
    db: sqlite3.Connection, deployment: Deployer, proposal: Proposal, row: RunRow, now: datetime
) -> int:
    """Apply it without asking and notify the user, who can undo it; returns the new version."""
    answer = deployment.deploy(db, proposal.validated, DeployOptions(origin=ScriptOrigin.FIX, is_automatic=True), now)
    flow = workflows.find(db, proposal.workflow)
    assert flow is not None
    requests.add(
        db,
        RequestRow(
            id=uuid4().hex[:12],
            kind=RequestKind.REPAIRED,
            workflow=proposal.workflow,
            subject=proposal.workflow,
            sentence=UserText(
                "{flow} failed and was repaired. It continues with version {version}.",
                flow=flow.name,
                version=answer["version"],
            ),
            created=now,
            ui={**proposal.write(row), "version": answer["version"]},
        ),
    )
    return int(answer["version"])


def apply_approved(db: sqlite3.Connection, deployment: Deployer, row: RequestRow, now: datetime) -> None:
    """Apply it after the user's approval. It was checked before it was shown, and exactly that is applied."""
    flow = workflows.find(db, row.workflow)
    assert flow is not None
    source = row.ui["source"]
    uses = tuple(find_tool_uses(source))
    new = ValidatedScript(path=flow.path, source=source, described=row.ui["described"], uses=uses)
    if flow.script == row.ui["base"]:
        deployment.deploy(db, new, DeployOptions(origin=ScriptOrigin.FIX), now)
    else:
        store_unused(db, row.workflow, new, now)


def undo(db: sqlite3.Connection, deployment: Deployer, row: RequestRow, now: datetime) -> None:
    """Go back to the version that was repaired."""
    flow = workflows.find(db, row.workflow)
    script = workflows.find_script(db, row.workflow, row.ui["base"])
    assert flow is not None and script is not None
    uses = tuple(find_tool_uses(script.source))
    old = ValidatedScript(path=flow.path, source=script.source, described=script.described, uses=uses)
    deployment.deploy(db, old, DeployOptions(origin=ScriptOrigin.ROLLBACK), now)


def store_unused(db: sqlite3.Connection, workflow: str, new: ValidatedScript, now: datetime) -> int:
    """The author was faster: store it as a version that is not in use."""
    number = max(one.number for one in workflows.list_scripts(db, workflow)) + 1
    row = ScriptRow(workflow, number, new.sha256, new.source, ScriptOrigin.FIX, new.described, now)
    workflows.add_script(db, row)
    return number


def ask_before_sending(db: sqlite3.Connection, row: RunRow, now: datetime, *, sent: str) -> None:
    """Let the user review what would be sent to the fixer."""
    _ask_about_failure(db, row, error_sentence(row), now, ui={"sends": sent})


def leave_to_user(db: sqlite3.Connection, row: RunRow, why: str, now: datetime) -> None:
    """No repair: ask the user about the script error, with the reason why there is no repair."""
    repairs.end(db, row.workflow)
    sentence = join_texts([error_sentence(row), why], " ") if why else error_sentence(row)
    _ask_about_failure(db, row, sentence, now)


def _ask_about_failure(
    db: sqlite3.Connection, row: RunRow, sentence: str, now: datetime, *, ui: dict[str, Any] | None = None
) -> None:
    """Replaces what was asked about the run; a job does not wait for the answer."""
    user_requests.close(db, row.id, now)
    if row.kind is HandlerKind.JOB:
        user_requests.report_run(db, RequestKind.RUN_FAILED, row, sentence, now, ui=ui)
    else:
        user_requests.ask(db, RequestKind.SCRIPT_ERROR, row, sentence, now, ui=ui)


def error_sentence(row: RunRow) -> str:
    """Ends with a full stop, which script errors rarely have, so that another sentence can follow."""
    sentence = str(
        (row.error or {}).get("sentence") or UserText("The script of {handler} failed.", handler=row.handler)
    )
    return add_full_stop(sentence)
