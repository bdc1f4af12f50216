"""What of the run layer could go on now: runs that stand still, outside actions to look after, consumers with news."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from scheduler.engine.launcher import Work, lane_name
from scheduler.engine.plans import Plans
from scheduler.rules.lanes import Candidate, Turn
from scheduler.rules.phases import Phase, Status
from scheduler.store import handlers, lanes, mutations, occurrences, runs
from scheduler.store.lanes import lane_of
from scheduler.store.mutations import MutationRow
from scheduler.store.runs import RunRow

_CONTINUING = (Phase.MUTATED, Phase.EMITTING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One thing that could be done now."""

    candidate: Candidate
    work: Work
    run: RunRow | None = None
    """To be gone on with."""
    check: MutationRow | None = None
    """To be asked after."""


def find(db: sqlite3.Connection, plans: Plans, now: datetime) -> list[Errand]:
    found = [_resumed(db, plans, row, now) for row in runs.resuming(db, now)]
    found += [_checked(db, row) for row in mutations.to_check(db, now)]
    found += [_consumer(one, now) for one in handlers.ready(db, now)]
    return [errand for errand in found if errand is not None]


def _resumed(db: sqlite3.Connection, plans: Plans, row: RunRow, now: datetime) -> Errand | None:
    ground = lanes.ground(db, row.workflow, lane_of(row.handler, row.kind))
    if ground is None or not ground.is_open_to(row.id):
        return None
    handler = plans.current(db, row.workflow).handlers.get(row.handler)
    if handler is None:
        return None
    continues = row.phase in _CONTINUING or row.status in (Status.APPROVAL, Status.RECONCILIATION)
    one = None if row.occurrence is None else occurrences.find(db, row.occurrence)
    return Errand(
        candidate=Candidate(
            turn=Turn.CONTINUATION if continues else Turn.RETRY, name=row.id, since=row.resume_at or now
        ),
        work=Work(
            key=row.occurrence or row.chain,
            lane=lane_name(row.workflow, row.handler, row.kind),
            subject=f"{row.workflow}/{row.handler}",
            planned=None if one is None else one.planned,
            needs=() if continues else handler.needs,
        ),
        run=row,
    )


def _checked(db: sqlite3.Connection, row: MutationRow) -> Errand | None:
    run = runs.find(db, row.run)
    if run is None:
        return None
    return Errand(
        candidate=Candidate(turn=Turn.CONTINUATION, name=run.id, since=row.check_at or row.begun),
        work=Work(
            key=f"check {run.id}",
            lane=lane_name(run.workflow, run.handler, run.kind),
            subject=f"{run.workflow}/{run.handler}",
        ),
        check=row,
    )


def _consumer(one: handlers.ReadyRow, now: datetime) -> Errand:
    subject = f"{one.workflow}/{one.name}"
    return Errand(
        candidate=Candidate(turn=Turn.CONSUMER, name=subject, since=one.wake_at or now, place=one.place),
        work=Work(key=subject, lane=f"{one.workflow}/", subject=subject),
    )
