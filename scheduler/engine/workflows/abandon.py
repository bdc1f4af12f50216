"""Cancels runs that wait for an answer or a retry, together with their occurrences."""

import sqlite3
from datetime import datetime

from scheduler.engine.errors import RefusedError
from scheduler.engine.runs.recovery import cancel_waiting_run
from scheduler.engine.scheduling.dispatch import Dispatch
from scheduler.engine.workflows.lookup import find_run, find_workflow
from scheduler.engine.workflows.run_now import CHECKING
from scheduler.rules.handler_ids import split_target
from scheduler.rules.mutations import MutationStatus
from scheduler.store import lanes, mutations, runs
from scheduler.store.runs import RunRow
from scheduler.store.workflows import WorkflowRow


def abandon_run(db: sqlite3.Connection, dispatch: Dispatch, row: RunRow, now: datetime, note: str) -> None:
    cancel_waiting_run(db, row, now, note)
    if row.occurrence is not None:
        dispatch.cancel_occurrence(db, row.occurrence, now, detail=note)


def abandon_all_runs(db: sqlite3.Connection, dispatch: Dispatch, workflow: str, now: datetime, note: str) -> None:
    """All waiting runs of a workflow, including interrupted jobs that wait for an answer."""
    for row in runs.list_unfinished(db, workflow):
        abandon_run(db, dispatch, row, now, note)
    for lane in lanes.of_workflow(db, workflow):
        blocking = None if lane.run is None else runs.find(db, lane.run)
        if blocking is not None:
            abandon_run(db, dispatch, blocking, now, note)


def list_open_runs(db: sqlite3.Connection, target: str) -> list[RunRow]:
    """The unfinished runs of a workflow, of one of its handlers, or the run with that id."""
    workflow, handler = split_target(target)
    try:
        row = find_workflow(db, workflow)
    except RefusedError:
        return [run for run in [find_run(db, target)] if run in runs.list_unfinished(db, run.workflow)]
    return [run for run in runs.list_unfinished(db, row.slug) if handler in (None, run.handler)]


def close_open_runs(db: sqlite3.Connection, dispatch: Dispatch, row: WorkflowRow, now: datetime) -> None:
    """Before a workflow is archived or removed; refused while it acts, runs, or the outcome of an action is unknown."""
    unresolved = mutations.list_unresolved(db, row.slug)
    if any(one.status is MutationStatus.IN_FLIGHT for one in unresolved):
        raise RefusedError("acting", f"{row.name} is in the middle of an outside action; wait until it has ended.")
    if unresolved and all(one.check_at is not None for one in unresolved):
        raise RefusedError("unsure", f"The outcome of the last action of {row.name} is unknown. {CHECKING}")
    if unresolved:
        raise RefusedError("unsure", f"First answer whether the last action of {row.name} happened: dayhand attention")
    if runs.list_active(db, row.slug):
        raise RefusedError("busy", f"{row.name} is running now; first: dayhand stop {row.slug}")
    abandon_all_runs(db, dispatch, row.slug, now, "The workflow was archived.")
