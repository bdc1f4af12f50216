"""Creates, hands over and closes the requests to the user about a run."""

import sqlite3
from datetime import datetime
from typing import Any
from uuid import uuid4

from scheduler.connections.connector import Tool
from scheduler.engine.runs.attempt import Attempt, OutsideCall
from scheduler.engine.script_plan import approval_for
from scheduler.rules.handler_ids import handler_id, report_subject
from scheduler.rules.requests import REQUESTS, RequestKind
from scheduler.store import grants, mutations, requests, runs
from scheduler.store.grants import GrantKind
from scheduler.store.requests import RequestAnswer, RequestRow
from scheduler.store.runs import RunRow
from scheduler.user_text import UserText

KEYRING_SUBJECT = "keyring"
"""The request subject of everything that waits for the keyring."""


def needs_approval(db: sqlite3.Connection, attempt: Attempt, tool: Tool, call: OutsideCall) -> bool:
    """Whether the user must approve this exact call before it is made."""
    if approval_for(attempt.handler, tool) == "never":
        return False
    if requests.is_approved(db, attempt.row.chain, call.hash):
        return False
    return not grants.has(db, attempt.workflow, attempt.handler.name, call.connection, call.tool, GrantKind.APPROVAL)


def ask_approval(db: sqlite3.Connection, attempt: Attempt, call: OutsideCall, now: datetime) -> None:
    prepared = attempt.prepared or {}
    sentence = prepared.get("say") or UserText(
        "{name} wants to use {tool} of {connection}.",
        name=attempt.plan.name,
        tool=call.tool,
        connection=call.connection,
    )
    ask(db, RequestKind.APPROVAL, attempt.row, sentence, now, call=call, ui=prepared.get("ui"))


def hand_over_keyring_request(db: sqlite3.Connection, run: str, successor: RunRow) -> None:
    """Keep an open keyring request for the next attempt instead of asking again."""
    for one in requests.of_run(db, run):
        if one.answer is None and one.kind is RequestKind.KEYRING:
            requests.reassign(db, one.id, successor.id, successor.workflow)


def close(db: sqlite3.Connection, run: str, now: datetime, given: RequestAnswer = RequestAnswer.WITHDRAWN) -> None:
    """Close the open requests of a run; shared ones are handed to another run that waits for the same thing."""
    for one in requests.of_run(db, run):
        shared_by = REQUESTS[one.kind].shared_by
        if one.answer is None and shared_by is not None:
            others = runs.list_waiting_for(db, shared_by, one.subject)
            others += [
                found for row in mutations.list_uncheckable(db, one.subject) if (found := runs.find(db, row.run))
            ]
            for other in [other for other in others if other.id != run][:1]:
                requests.reassign(db, one.id, other.id, other.workflow)
    requests.close(db, now, given, run=run)


def resume_waiting(db: sqlite3.Connection, kind: RequestKind, subject: str, now: datetime) -> None:
    """Resolve a shared request and resume every run that waited for it."""
    requests.resolve(db, now, kind, subject)
    shared_by = REQUESTS[kind].shared_by
    assert shared_by is not None
    for one in runs.list_waiting_for(db, shared_by, subject):
        runs.schedule_resume(db, one.id, now)


def report_run(
    db: sqlite3.Connection, kind: RequestKind, run: RunRow, sentence: str, now: datetime, *, ui: Any = None
) -> None:
    """Report a run that failed or was interrupted and that nothing waits for.

    It replaces the report of an earlier run, but not of one that ran at the same time.
    """
    subject = handler_id(run.workflow, run.handler)
    beside = []
    for one in requests.list_reports(db, kind, subject):
        if _ran_beside(db, one.run, run):
            beside.append(one)
        elif one.subject != subject:
            requests.resolve(db, now, kind, one.subject)
    if any(one.subject == subject for one in beside):
        subject = report_subject(subject, run.chain)
    requests.put(
        db,
        RequestRow(
            id=uuid4().hex[:12],
            kind=kind,
            workflow=run.workflow,
            subject=subject,
            sentence=sentence,
            created=now,
            run=run.id,
            ui=ui,
        ),
    )
    others = [one.run for one in beside if one.run is not None]
    runs.close_earlier_failed(db, run.workflow, run.handler, but=[run.id, *others])


def _ran_beside(db: sqlite3.Connection, other: str | None, run: RunRow) -> bool:
    """Whether another run had not ended when this one began, as happens to `allow_all` jobs."""
    found = None if other is None else runs.find(db, other)
    if found is None or found.chain == run.chain or found.ended is None or run.began is None:
        return False
    return found.ended >= run.began


def close_reports(
    db: sqlite3.Connection, workflow: str, handler: str, now: datetime, given: RequestAnswer = RequestAnswer.SOLVED
) -> None:
    """The handler succeeded, or the user resumed or dismissed it: its failed run needs nothing any more."""
    subject = handler_id(workflow, handler)
    kinds = (RequestKind.RUN_FAILED, RequestKind.RUN_INTERRUPTED)
    reports = [one for kind in kinds for one in requests.list_reports(db, kind, subject)]
    for one in reports:
        requests.resolve(db, now, one.kind, one.subject, given)
    if reports:
        runs.close_earlier_failed(db, workflow, handler)


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
    """Create a request unless one of that kind about the same subject (default: the run) is open."""
    call: OutsideCall | None = shown.get("call")
    requests.add(
        db,
        RequestRow(
            id=uuid4().hex[:12],
            kind=kind,
            workflow=run.workflow,
            subject=subject or run.id,
            sentence=sentence,
            created=now,
            run=run.id,
            call=None if call is None else call.to_json(),
            ui=shown.get("ui"),
            hash=None if call is None else call.hash,
        ),
    )
