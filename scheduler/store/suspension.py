"""A store that comes from another time or computer: nothing in it goes on until the user has looked at it.

What was under way in it went on where it came from, or after it was written, and how is not known here: a yes that was
given there must not count again.
"""

import sqlite3
from datetime import datetime

from scheduler.rules.mutations import Mutation
from scheduler.store import events, grants, mutations, requests, runs, workflows
from scheduler.store.database import to_ms
from scheduler.store.events import EventState


def suspend(db: sqlite3.Connection, now: datetime, why: str) -> None:
    """Pause every workflow, and end what was under way, for that reason. Events wait, and every action asks again."""
    _end_what_is_under_way(db, now, why)
    grants.take_back_approvals(db)  # given for folders and accounts of there, and may have been taken back since
    workflows.pause_active(db)


def _end_what_is_under_way(db: sqlite3.Connection, now: datetime, why: str) -> None:
    at = to_ms(now)
    for workflow in workflows.every_one(db):
        for run in runs.unfinished(db, workflow.slug):
            _settle_events(db, run.id)
        requests.close(db, now, workflow=workflow.slug)
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
        "detail = ?2, ended = ?1 WHERE state IN ('queued', 'started')",
        (at, why),
    )
    db.execute("UPDATE backfills SET ended = ?, cancelled = 1 WHERE ended IS NULL", (at,))
    db.execute("UPDATE lanes SET blocked = NULL, sentence = NULL, run = NULL, until = NULL")


def _settle_events(db: sqlite3.Connection, run: str) -> None:
    """What was acted on, or may have been, is dealt with there; the rest is taken up here."""
    match mutations.status_of(db, run):
        case None | Mutation.FAILED:
            events.release(db, run)
        case Mutation.APPLIED:
            events.settle(db, run, EventState.CONSUMED)
        case _:
            events.settle(db, run, EventState.SKIPPED)
