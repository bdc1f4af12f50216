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
    """What is to be done, besides the occurrences and the consumers that a name is enough for."""

    run: RunRow | None = None
    """To be gone on with."""
    check: MutationRow | None = None
    """To be asked after."""


Found = tuple[Candidate, Work]


def find(db: sqlite3.Connection, plans: Plans, now: datetime) -> list[Found]:
    found = [_resumed(db, plans, row, now) for row in runs.resuming(db, now)]
    found += [_checked(db, row) for row in mutations.to_check(db, now)]
    found += [_consumer(one, now) for one in handlers.ready(db, now)]
    return [one for one in found if one is not None]


def _resumed(db: sqlite3.Connection, plans: Plans, row: RunRow, now: datetime) -> Found | None:
    handler = plans.current(db, row.workflow).handlers.get(row.handler)
    ground = lanes.ground(db, row.workflow, lane_of(row.handler, row.kind))
    if handler is not None and (ground is None or not ground.is_open_to(row.id)):
        return None
    continues = row.phase in _CONTINUING or row.status in (Status.APPROVAL, Status.RECONCILIATION)
    one = None if row.occurrence is None else occurrences.find(db, row.occurrence)
    turn = Turn.CONTINUATION if continues else Turn.RETRY
    return Candidate(turn=turn, name=row.id, since=row.resume_at or now), Work(
        key=row.occurrence or row.chain,
        lane=lane_name(row.workflow, row.handler, row.kind),
        subject=f"{row.workflow}/{row.handler}",
        planned=None if one is None else one.planned,
        needs=() if continues or handler is None else handler.needs,
        errand=Errand(run=row),
    )


def _checked(db: sqlite3.Connection, row: MutationRow) -> Found | None:
    run = runs.find(db, row.run)
    if run is None:
        return None
    return Candidate(turn=Turn.CONTINUATION, name=run.id, since=row.check_at or row.begun), Work(
        key=f"check {run.id}",
        lane=lane_name(run.workflow, run.handler, run.kind),
        subject=f"{run.workflow}/{run.handler}",
        errand=Errand(check=row),
    )


def _consumer(one: handlers.ReadyRow, now: datetime) -> Found:
    subject = f"{one.workflow}/{one.name}"
    candidate = Candidate(turn=Turn.CONSUMER, name=subject, since=one.wake_at or now, place=one.place)
    return candidate, Work(key=subject, lane=f"{one.workflow}/", subject=subject)
