"""How an attempt begins: for a planned time, for a consumer with news, or in place of one that stands still."""

import sqlite3
from datetime import datetime
from typing import Any
from uuid import uuid4

from scheduler.engine.launcher import Reports, Work
from scheduler.engine.plans import Handler, Plan
from scheduler.engine.runs import asking
from scheduler.engine.runs.attempt import Attempt, tell_event
from scheduler.rules.mutations import Mutation, Way, way_on
from scheduler.rules.phases import HandlerKind, Phase, Status, first_phase
from scheduler.store import events, handlers, lanes, mutations, runs
from scheduler.store.lanes import Ground
from scheduler.store.requests import Given
from scheduler.store.runs import RunRow

ID_LENGTH = 16
_HANDED_OVER = 10
_LARGEST_HANDED_OVER = 100_000


class OtherVersionError(Exception):
    """The script was deployed anew meanwhile: begin again with that one."""


def run_id(occurrence: str) -> str:
    """The run of an occurrence is named after it, so that it is known before it begins."""
    return occurrence[:ID_LENGTH]


def begin_occurrence(db: sqlite3.Connection, work: Work, plan: Plan, reports: Reports, now: datetime) -> Attempt | None:
    """In the transaction that marks the occurrence as started; None if it must not begin any longer."""
    handler = plan.handlers.get(work.subject.partition("/")[2])
    if handler is None or _stand(db, plan, handler, None) is None or not reports.begin(db, work, now):
        return None
    assert work.origin is not None
    row = _row(run_id(work.key), plan, handler, str(work.origin), now, occurrence=work.key)
    runs.insert(db, row)
    return _attempt(db, row, plan, handler, work, 0)


def begin_consumer(db: sqlite3.Connection, work: Work, plan: Plan, now: datetime) -> Attempt | None:
    """A consumer looks at what there is; None if it must not begin any longer. The caller stores its row."""
    handler = plan.handlers.get(work.subject.partition("/")[2])
    ground = None if handler is None else _stand(db, plan, handler, None)
    if handler is None or ground is None:
        return None
    row = _row(uuid4().hex[:ID_LENGTH], plan, handler, "event", now)
    return _attempt(db, row, plan, handler, work, ground.sequence)


def go_on(db: sqlite3.Connection, work: Work, plan: Plan, old: RunRow, now: datetime) -> Attempt | None:
    """Take up what stands still: the same attempt where it waited, or another in its place."""
    handler = plan.handlers.get(old.handler)
    found = runs.find(db, old.id)
    if handler is None or found is None or found.resume_at is None or found.resume_at > now:
        return None
    ground = _stand(db, plan, handler, old.id)
    mutation = mutations.status_of(db, old.id)
    waited = found.status is Status.RECONCILIATION or (found.status is Status.APPROVAL and found.error is None)
    way = way_on(waited=waited, mutation=mutation)
    if ground is None or way is None:
        return None
    lanes.open_up(db, old.workflow, handler.lane, run=old.id)
    if way is Way.RESUME:
        runs.move(
            db, old.id, found.status, Status.ACTIVE, now, resume_at=None, script=plan.version, error=None, ended=None
        )
        row = found._replace(status=Status.ACTIVE, resume_at=None, script=plan.version, error=None)
    else:
        row = follow(db, found, plan, handler, way, now)
    attempt = _attempt(db, row, plan, handler, work, ground.sequence)
    if attempt.phase not in (Phase.PREPARING, Phase.EXECUTING):
        _take_up(db, attempt, mutation)
    return attempt


def follow(
    db: sqlite3.Connection, old: RunRow, plan: Plan, handler: Handler, way: Way, now: datetime, **facts: Any
) -> RunRow:
    """Another attempt in the place of one that failed or crashed."""
    row = _row(f"{old.chain}-{old.attempt + 1}", plan, handler, old.trigger, now, occurrence=old.occurrence)
    row = row._replace(chain=old.chain, attempt=old.attempt + 1, retry_of=old.id, crashes=old.crashes, **facts)
    if way is Way.EMIT:
        row = row._replace(
            phase=Phase.MUTATING if old.phase is Phase.MUTATING else Phase.EMITTING,
            prepared=old.prepared,
            outcome=old.outcome,
            prepared_at=old.prepared_at,
            mutating_at=old.mutating_at,
            mutated_at=old.mutated_at,
        )
    asking.pass_on(db, old.id, row)
    asking.close(db, old.id, now, Given.SOLVED)
    runs.follow(db, old.id, row)
    if way is Way.EMIT:
        events.hand_over(db, old.id, row.id)
        mutations.hand_over(db, old.id, row.id)
    else:
        events.release(db, old.id)
    return row


def _stand(db: sqlite3.Connection, plan: Plan, handler: Handler, run: str | None) -> Ground | None:
    ground = lanes.ground(db, plan.workflow, handler.lane)
    if ground is None or not ground.is_open_to(run):
        return None
    if ground.script != plan.version:
        raise OtherVersionError
    return ground


def _row(
    identity: str, plan: Plan, handler: Handler, trigger: str, now: datetime, *, occurrence: str | None = None
) -> RunRow:
    return RunRow(
        id=identity,
        workflow=plan.workflow,
        handler=handler.name,
        kind=handler.kind,
        trigger=trigger,
        script=plan.version,
        chain=identity,
        phase=first_phase(handler.kind),
        status=Status.ACTIVE,
        created=now,
        updated=now,
        began=now,
        occurrence=occurrence,
    )


def _attempt(db: sqlite3.Connection, row: RunRow, plan: Plan, handler: Handler, work: Work, sequence: int) -> Attempt:
    state, last = handlers.begin(db, row.workflow, row.handler)
    return Attempt(
        row=row,
        plan=plan,
        handler=handler,
        work=work,
        state=state,
        last=last,
        sequence=sequence,
        phase=row.phase,
        prepared=row.prepared,
        outcome=row.outcome,
        waiting=_look_ahead(db, plan.workflow, handler) if row.phase is Phase.PREPARING else {},
    )


def _take_up(db: sqlite3.Connection, attempt: Attempt, mutation: Mutation | None) -> None:
    """What the attempt before knew: its events and how its outside action went."""
    if mutation in (Mutation.APPLIED, Mutation.SKIPPED):
        attempt.outcome_word = mutation.value
    if attempt.handler.kind is HandlerKind.CONSUMER and attempt.prepared is not None:
        attempt.prepared = {
            **attempt.prepared,
            "reserve": [tell_event(event) for event in events.reserved_by(db, attempt.id)],
        }


def _look_ahead(db: sqlite3.Connection, workflow: str, handler: Handler) -> dict[str, Any]:
    """The first events of each topic: most scripts then need not ask for them."""
    waiting: dict[str, Any] = {}
    for topic in handler.subscribes:
        found = events.peek(db, workflow, topic, _HANDED_OVER + 1)
        if sum(len(event.written) for event in found) <= _LARGEST_HANDED_OVER:
            told = [tell_event(event) for event in found[:_HANDED_OVER]]
            waiting[topic] = {"events": told, "all": len(found) <= _HANDED_OVER}
    return waiting
