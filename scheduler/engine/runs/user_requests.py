"""Creates, hands over and closes the requests to the user about a run."""

import hashlib
import json
import sqlite3
from datetime import datetime
from typing import Any
from uuid import uuid4

from scheduler.connections.connector import Tool
from scheduler.engine.runs.attempt import Attempt, OutsideCall
from scheduler.engine.script_plan import approval_for
from scheduler.rules.expiry import EXPIRED, find_reminder_time
from scheduler.rules.handler_ids import handler_id, report_subject
from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import Refusal, RunPhase
from scheduler.rules.requests import REQUESTS, RequestKind
from scheduler.store import grants, mutations, requests, runs
from scheduler.store.grants import GrantKind
from scheduler.store.requests import RequestAnswer, RequestRow
from scheduler.store.runs import RunRow
from scheduler.user_text import UserText

KEYRING_SUBJECT = "keyring"
"""The request subject of everything that waits for the keyring."""


def find_allowed_call(db: sqlite3.Connection, attempt: Attempt, tool: Tool, asked: OutsideCall) -> OutsideCall | None:
    """The call to make: as asked, or as the user changed it before approving. None if the user must approve it first.

    An approval counts for the exact call that the script asked for, whatever the user made of it.
    """
    approved = requests.find_approval(db, attempt.row.chain, asked.hash)
    if approved is not None:
        call = asked if approved.edited is None else OutsideCall.from_stored(approved.edited)
        return call if call.hash == (approved.edited_hash or asked.hash) else None
    if approval_for(attempt.handler, tool) == "never":
        return asked
    has_grant = grants.has(db, attempt.workflow, attempt.handler.name, asked.connection, asked.tool, GrantKind.APPROVAL)
    return asked if has_grant else None


def ask_approval(db: sqlite3.Connection, attempt: Attempt, call: OutsideCall, now: datetime) -> None:
    prepared = attempt.prepared or {}
    sentence = prepared.get("say") or UserText(
        "{name} wants to use {tool} of {connection}.",
        name=attempt.plan.name,
        tool=call.tool,
        connection=call.connection,
    )
    asked = {"call": call, "ui": prepared.get("ui"), **_expiry(attempt, now)}
    ask(db, RequestKind.APPROVAL, attempt.row, sentence, now, **asked)


def ask_questions(db: sqlite3.Connection, attempt: Attempt, now: datetime) -> None:
    """Ask what prepare wants to know."""
    prepared = attempt.prepared or {}
    sentence = prepared.get("say") or UserText("{name} has a question.", name=attempt.plan.name)
    asked = {"ui": prepared.get("ui"), "questions": prepared["ask"], "hash": _hash_decision(attempt)}
    ask(db, RequestKind.QUESTION, attempt.row, sentence, now, **asked, **_expiry(attempt, now))


def _expiry(attempt: Attempt, now: datetime) -> dict[str, Any]:
    """When its consumer lets a request expire."""
    if attempt.handler.expires is None:
        return {}
    expires = now + attempt.handler.expires
    wake_at = find_reminder_time(now, expires)
    return {"expires": expires, "on_expiry": attempt.handler.on_expiry.value, "wake_at": wake_at}


def apply_answers(db: sqlite3.Connection, attempt: Attempt) -> bool:
    """Give the attempt the user's answers to what prepare asks; False if there are none yet.

    They hold for the chain as long as prepare decides exactly the same; a rejection means that nothing is done.
    """
    if attempt.prepared is None or not attempt.prepared.get("ask"):
        return True
    found = requests.find_answers(db, attempt.row.chain, _hash_decision(attempt))
    if found is None:
        return False
    if found.answer == RequestAnswer.ANSWERED:
        attempt.prepared = {**attempt.prepared, "answers": found.answers}
    else:
        apply_rejection(attempt, found.reason)
    return True


def apply_rejection(attempt: Attempt, reason: str | None) -> None:
    """Its action was rejected, or nobody answered in time: nothing is done, and `next` learns why."""
    attempt.action_status, attempt.reason = MutationStatus.SKIPPED.value, reason
    attempt.refusal = Refusal.EXPIRED if reason == EXPIRED else Refusal.REJECTED


def _hash_decision(attempt: Attempt) -> str:
    """What answers are for: the questions together with everything else that prepare decided."""
    prepared = attempt.prepared or {}
    decided = {name: prepared.get(name) for name in ("data", "say", "ui", "ask")}
    decided["reserve"] = sorted([one["topic"], one["id"]] for one in prepared.get("reserve", ()))
    return hashlib.sha256(json.dumps(decided, sort_keys=True).encode()).hexdigest()


def skip(db: sqlite3.Connection, row: RequestRow, reason: str | None, now: datetime) -> None:
    """A call or a question was rejected: the run continues without acting. The answer is recorded already."""
    assert row.run is not None
    run = runs.find(db, row.run)
    assert run is not None
    if row.kind is RequestKind.APPROVAL:
        call = OutsideCall.from_stored(row.call)
        key = call.make_idempotency_key(run.chain)
        mutations.begin(db, call.to_mutation_row(run, key, MutationStatus.SKIPPED, now, reason=reason))
        runs.advance_waiting(db, run.id, RunPhase.PREPARED, RunPhase.MUTATED, now)
    runs.schedule_resume(db, run.id, now)


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


def report_problem(db: sqlite3.Connection, attempt: Attempt, sentence: str, now: datetime) -> None:
    """Ask the user to look at what the script found; empty if it is over."""
    if sentence:
        report(db, RequestKind.PROBLEM, attempt.workflow, attempt.subject, sentence, now)
    else:
        end_report(db, RequestKind.PROBLEM, attempt.subject, now)


def report(
    db: sqlite3.Connection, kind: RequestKind, workflow: str, subject: str, sentence: str, now: datetime
) -> None:
    """Ask the user to look at something until it is over. The same sentence is asked only once."""
    if is_reported(db, kind, subject, sentence):
        return
    row = RequestRow(id=uuid4().hex[:12], kind=kind, workflow=workflow, subject=subject, sentence=sentence, created=now)
    requests.replace_problem(db, row)


def is_reported(db: sqlite3.Connection, kind: RequestKind, subject: str, sentence: str | None = None) -> bool:
    """Whether it is asked, with that sentence or any, or the user dismissed it and it is not over."""
    found = requests.find_problem(db, kind, subject)
    is_open = found is not None and found.answer in (None, RequestAnswer.DISMISSED)
    return is_open and (sentence is None or (found is not None and found.sentence == sentence))


def end_report(db: sqlite3.Connection, kind: RequestKind, subject: str, now: datetime) -> None:
    requests.end_problems(db, (kind,), now, subject=subject)


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
            hash=shown.get("hash") if call is None else call.hash,
            questions=shown.get("questions"),
            expires=shown.get("expires"),
            on_expiry=shown.get("on_expiry"),
            wake_at=shown.get("wake_at"),
        ),
    )
