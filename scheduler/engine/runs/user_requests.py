"""What is asked of a person about a run: may it, did it, what now."""

import sqlite3
from datetime import datetime
from typing import Any
from uuid import uuid4

from scheduler.connections.connector import Tool
from scheduler.engine.plans import approval_for
from scheduler.engine.runs.attempt import Attempt, OutsideCall
from scheduler.rules.failures import FailureClass
from scheduler.store import grants, mutations, requests, runs
from scheduler.store.grants import GrantKind
from scheduler.store.requests import Given, RequestKind, RequestRow
from scheduler.store.runs import RunRow

KEYRING = "keyring"
"""The subject of what waits for the keyring."""
_SHARED = {
    RequestKind.RECONNECT: FailureClass.AUTH,
    RequestKind.PERMISSION: FailureClass.PERMISSION,
    RequestKind.KEYRING: FailureClass.TRANSIENT,
}
"""What is asked once for all that wait for it, with the failure that makes them wait."""


def needs_approval(db: sqlite3.Connection, attempt: Attempt, tool: Tool, call: OutsideCall) -> bool:
    """Whether the person must say yes to this very call before it is made."""
    if approval_for(attempt.handler, tool) == "never":
        return False
    if requests.is_approved(db, attempt.row.chain, call.hash):
        return False
    return not grants.has(db, attempt.workflow, attempt.handler.name, call.connection, call.tool, GrantKind.APPROVAL)


def ask_approval(db: sqlite3.Connection, attempt: Attempt, call: OutsideCall, now: datetime) -> None:
    prepared = attempt.prepared or {}
    said = prepared.get("say") or f"{attempt.plan.name} wants to use {call.tool} of {call.connection}."
    ask(db, RequestKind.APPROVAL, attempt.row, said, now, call=call, ui=prepared.get("ui"))


def pass_on(db: sqlite3.Connection, run: str, successor: RunRow) -> None:
    """What the next attempt waits for as well is not asked anew: the keyring may be as it was."""
    for one in requests.of_run(db, run):
        if one.answer is None and one.kind is RequestKind.KEYRING:
            requests.hand_over(db, one.id, successor.id, successor.workflow)


def close(db: sqlite3.Connection, run: str, now: datetime, given: Given = Given.WITHDRAWN) -> None:
    """Nobody has to answer about that run any more. What others wait for as well is asked for their sake."""
    for one in requests.of_run(db, run):
        if one.answer is None and one.kind in _SHARED:
            others = runs.waiting_for(db, _SHARED[one.kind], one.subject)
            others += [found for row in mutations.out_of_reach(db, one.subject) if (found := runs.find(db, row.run))]
            for other in [other for other in others if other.id != run][:1]:
                requests.hand_over(db, one.id, other.id, other.workflow)
    requests.close(db, now, given, run=run)


def go_on_with(db: sqlite3.Connection, kind: RequestKind, subject: str, now: datetime) -> None:
    """What was asked for is there: everything that waited for it goes on."""
    requests.solve(db, now, kind, subject)
    for one in runs.waiting_for(db, _SHARED[kind], subject):
        runs.resume(db, one.id, now)


def ask(
    db: sqlite3.Connection,
    kind: RequestKind,
    run: RunRow,
    sentence: str,
    now: datetime,
    *,
    subject: str | None = None,
    **shown: Any,
) -> None:
    """Ask once; an open request of that kind about the same subject (the run, if none is given) stays as it is."""
    call: OutsideCall | None = shown.get("call")
    requests.put(
        db,
        RequestRow(
            id=uuid4().hex[:12],
            kind=kind,
            workflow=run.workflow,
            subject=subject or run.id,
            sentence=sentence,
            created=now,
            run=run.id,
            call=None if call is None else call.write(),
            ui=shown.get("ui"),
            hash=None if call is None else call.hash,
        ),
    )
