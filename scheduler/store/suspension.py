"""Pauses everything in a store that does not know what ran last."""

import sqlite3
from datetime import datetime

from scheduler.rules.mutations import MutationStatus
from scheduler.store import events, grants, mutations, requests, runs, workflows
from scheduler.store.database import to_ms
from scheduler.store.events import EventState


def suspend_everything(db: sqlite3.Connection, now: datetime, why: str) -> None:
    """Pause every workflow and cancel unfinished runs, for a store from another time or computer.

    How those runs continued there is not known here. Events stay pending, and every action needs approval again.
    """
    _cancel_unfinished(db, now, why)
    grants.revoke_approvals(db)  # given for folders and accounts there, and may have been revoked since
    workflows.pause_active(db)


def _cancel_unfinished(db: sqlite3.Connection, now: datetime, why: str) -> None:
    at = to_ms(now)
    for workflow in workflows.list_all(db):
        for run in runs.list_unfinished(db, workflow.slug):
            _close_events(db, run.id)
        requests.close(db, now, workflow=workflow.slug)
    has_failed = "status IN ('failed:logic', 'failed:internal', 'paused:transient')"
    db.execute(f"UPDATE runs SET followed = 1, summary = ? WHERE {has_failed} AND followed = 0", (why,))
    db.execute(
        "UPDATE runs SET status = 'cancelled', ended = ?1, updated = ?1, resume_at = NULL, summary = ?2 "
        "WHERE status NOT IN ('committed', 'crashed', 'cancelled') AND followed = 0",
        (at, why),
    )
    db.execute("UPDATE runs SET resume_at = NULL WHERE resume_at IS NOT NULL")
    db.execute(
        "UPDATE mutations SET status = 'skipped', settled = ?, check_at = NULL WHERE status IN ('in_flight', 'unsure')",
        (at,),
    )
    db.execute(
        "UPDATE occurrences SET state = iif(state = 'started', 'cancelled', 'dropped'), reason = 'stopped', "
        "detail = ?2, retry_at = NULL, ended = ?1 WHERE state IN ('queued', 'started')",
        (at, why),
    )
    db.execute("UPDATE backfills SET ended = ?, cancelled = 1 WHERE ended IS NULL", (at,))
    db.execute("UPDATE lanes SET blocked = NULL, sentence = NULL, run = NULL, until = NULL")


def _close_events(db: sqlite3.Connection, run: str) -> None:
    """Events that were, or may have been, acted on stay closed; the rest become pending again."""
    match mutations.status_of(db, run):
        case None | MutationStatus.FAILED:
            events.release(db, run)
        case MutationStatus.APPLIED:
            events.close_reserved(db, run, EventState.CONSUMED)
        case _:
            events.close_reserved(db, run, EventState.SKIPPED)
