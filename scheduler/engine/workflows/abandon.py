"""Cancels runs that wait for an answer or a retry, together with their occurrences."""

import sqlite3
from datetime import datetime

from scheduler.engine.errors import RefusedError
from scheduler.engine.lookup import find_run, find_workflow
from scheduler.engine.runs.recovery import cancel_waiting_run
from scheduler.engine.scheduling.occurrence_lifecycle import OccurrenceLifecycle
from scheduler.engine.workflows.run_now import CHECKING
from scheduler.rules.handler_ids import split_target
from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import HandlerKind
from scheduler.rules.requests import REQUESTS, Block
from scheduler.store import handlers, lanes, mutations, requests, runs
from scheduler.store.requests import RequestAnswer
from scheduler.store.runs import RunRow
from scheduler.store.workflows import WorkflowRow
from scheduler.timing.occurrences import OccurrenceReason
from scheduler.user_text import UserText


def abandon_run(db: sqlite3.Connection, lifecycle: OccurrenceLifecycle, row: RunRow, now: datetime, note: str) -> None:
    cancel_waiting_run(db, row, now, note)
    if row.occurrence is not None:
        lifecycle.cancel(db, row.occurrence, OccurrenceReason.STOPPED, now, note)


def abandon_all_runs(
    db: sqlite3.Connection, lifecycle: OccurrenceLifecycle, workflow: str, now: datetime, note: str
) -> None:
    """All waiting runs of a workflow, including interrupted jobs that wait for an answer."""
    for row in runs.list_unfinished(db, workflow):
        abandon_run(db, lifecycle, row, now, note)
    for lane in lanes.of_workflow(db, workflow):
        blocking = None if lane.run is None else runs.find(db, lane.run)
        if blocking is not None:
            abandon_run(db, lifecycle, blocking, now, note)


def list_open_runs(db: sqlite3.Connection, target: str) -> list[RunRow]:
    """The runs that are active or wait, of a workflow, of one of its handlers, or the run with that id."""
    workflow, handler = split_target(target)
    try:
        row = find_workflow(db, workflow)
    except RefusedError:
        run = find_run(db, target)
        return [one for one in _list_open(db, run.workflow) if one.id == run.id]
    return [run for run in _list_open(db, row.slug) if handler in (None, run.handler)]


def _list_open(db: sqlite3.Connection, workflow: str) -> list[RunRow]:
    """Without failed runs that nothing waits for and that are only reported."""
    reported = {one.run for one in requests.list_open(db) if REQUESTS[one.kind].is_report}
    return [row for row in runs.list_unfinished(db, workflow) if row.resume_at is not None or row.id not in reported]


def enable_failing(db: sqlite3.Connection, workflow: str, now: datetime, handler: str | None = None) -> bool:
    """Let jobs run again that were stopped after too many failures; other failed runs are retried.

    Of the whole workflow or of one handler; returns whether there were any.
    """
    found = False
    for lane in lanes.of_workflow(db, workflow):
        run = None if lane.run is None else runs.find(db, lane.run)
        if lane.blocked is not Block.TOO_MANY_FAILURES or run is None or handler not in (None, run.handler):
            continue
        found = True
        requests.close(db, now, RequestAnswer.SOLVED, run=run.id)
        handlers.reset_failures(db, workflow, run.handler)
        if run.kind is HandlerKind.JOB:
            lanes.unblock(db, workflow, lane.name)
            runs.close_earlier_failed(db, workflow, run.handler)
        else:
            runs.schedule_resume(db, run.id, now)
    return found


def close_open_runs(db: sqlite3.Connection, lifecycle: OccurrenceLifecycle, row: WorkflowRow, now: datetime) -> None:
    """Before a workflow is archived or removed; refused while it acts, runs, or the outcome of an action is unknown."""
    unresolved = mutations.list_unresolved(db, row.slug)
    if any(one.status is MutationStatus.IN_FLIGHT for one in unresolved):
        raise RefusedError(
            "acting", UserText("{name} is in the middle of an outside action; wait until it has ended.", name=row.name)
        )
    if unresolved and all(one.check_at is not None for one in unresolved):
        raise RefusedError(
            "unsure",
            UserText(
                "The outcome of the last action of {name} is unknown. {checking}", name=row.name, checking=CHECKING
            ),
        )
    if unresolved:
        raise RefusedError(
            "unsure",
            UserText("First answer whether the last action of {name} happened: dayhand attention", name=row.name),
        )
    if runs.list_active(db, row.slug):
        raise RefusedError(
            "busy", UserText("{name} is running now; first: dayhand stop {slug}", name=row.name, slug=row.slug)
        )
    abandon_all_runs(db, lifecycle, row.slug, now, UserText("The workflow was archived."))
    lanes.end_backoffs(db, row.slug)
    requests.close(db, now, workflow=row.slug)
