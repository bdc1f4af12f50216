"""Runs in a list, and one attempt with everything that is known of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scheduler.engine.workflows.names import find_run, find_waiting
from scheduler.engine.workflows.views.look import Look
from scheduler.engine.workflows.views.requests import RequestView, view_request
from scheduler.rules.phases import HandlerKind, Phase, Status
from scheduler.store import history, logs, mutations, occurrences, requests, runs
from scheduler.store.history import PastRun
from scheduler.store.runs import RunRow
from scheduler.timing.occurrences import UNDERWAY

_ENDS = frozenset({Status.COMMITTED, Status.CANCELLED, Status.CRASHED})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    id: str
    workflow: str
    handler: str
    kind: HandlerKind
    trigger: str
    planned: datetime | None
    began: datetime | None
    ended: datetime | None
    phase: Phase
    status: Status
    retry_of: str | None
    attempt: int
    summary: str | None
    error: str | None
    """What went wrong, in a sentence."""
    is_followed: bool
    """Another attempt took its place, whatever its status says it waits for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseView:
    phase: Phase
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """The outside action, exactly as it was made."""

    connection: str
    tool: str
    parameters: Any
    key: str
    status: str
    begun: datetime
    settled: datetime | None
    checks: int
    check_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDetails(RunView):
    version: int
    """Of the script."""
    chain: tuple[RunView, ...]
    """All attempts, this one among them."""
    phases: tuple[PhaseView, ...]
    """The checkpoints it passed, in order."""
    events: tuple[dict[str, Any], ...]
    """What it took to work on."""
    prepared: Any
    call: CallView | None
    result: Any
    failure: Any
    """Everything that was kept about what went wrong."""
    progress: Any
    resume_at: datetime | None
    requests: tuple[RequestView, ...]
    log: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPart:
    run: str
    text: str
    part: int
    """Where to go on."""
    is_over: bool
    """Nothing will be added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a run that was asked for stands: of its chain, the last attempt."""

    id: str
    status: str
    """Of the run, or of its planned time if there is no run yet."""
    is_over: bool
    needs_person: bool
    summary: str | None = None
    error: str | None = None


def view_run(row: PastRun | RunRow, planned: datetime | None = None) -> RunView:
    return RunView(
        id=row.id,
        workflow=row.workflow,
        handler=row.handler,
        kind=row.kind,
        trigger=row.trigger,
        planned=row.planned if isinstance(row, PastRun) else planned,
        began=row.began,
        ended=row.ended,
        phase=row.phase,
        status=row.status,
        retry_of=row.retry_of,
        attempt=row.attempt,
        summary=row.summary,
        error=_say_error(row.error),
        is_followed=row.followed,
    )


def describe(look: Look, text: str) -> RunDetails:
    row = find_run(look.db, text)
    one = None if row.occurrence is None else occurrences.find(look.db, row.occurrence)
    planned = None if one is None else one.planned
    view = view_run(row, planned)
    mutation = mutations.find(look.db, row.id)
    return RunDetails(
        **{name: getattr(view, name) for name in RunView.__dataclass_fields__},
        version=row.script,
        chain=tuple(view_run(attempt, planned) for attempt in runs.chain(look.db, row.chain)),
        phases=_phases(row),
        events=_events(look, row),
        prepared=None if row.prepared is None else row.prepared.get("data"),
        call=None
        if mutation is None
        else CallView(
            connection=mutation.connection,
            tool=mutation.tool,
            parameters=mutation.parameters,
            key=mutation.key,
            status=mutation.status.value,
            begun=mutation.begun,
            settled=mutation.settled,
            checks=mutation.checks,
            check_at=mutation.check_at,
        ),
        result=row.outcome,
        failure=row.error,
        progress=row.progress,
        resume_at=row.resume_at,
        requests=tuple(view_request(look, asked) for asked in requests.of_run(look.db, row.id)),
        log=logs.read(look.db, row.id),
    )


def read_log(look: Look, text: str, since: int) -> LogPart:
    if find_waiting(look.db, text) is not None:
        return LogPart(run=text, text="", part=since, is_over=False)
    row = find_run(look.db, text)
    # How it stands is read first: what is printed afterwards is then in the next part, never lost.
    pieces = logs.since(look.db, row.id, since)
    return LogPart(
        run=row.id,
        text="".join(piece.text for piece in pieces),
        part=pieces[-1].part if pieces else since,
        is_over=row.status is not Status.ACTIVE,
    )


def look_at(look: Look, identity: str) -> Ended:
    """Of a run that was asked for: it may not have begun yet."""
    chain = runs.chain(look.db, identity)
    if not chain:
        return _look_at_time(look, identity)
    last = chain[-1]
    asked = any(one.answer is None for one in requests.of_run(look.db, last.id))
    goes_on = last.resume_at is not None or last.status is Status.ACTIVE or last.status.is_waiting
    failed = last.status in (Status.LOGIC, Status.INTERNAL)
    needs_person = asked or (last.status is Status.APPROVAL and last.resume_at is None)
    return Ended(
        id=last.id,
        status=last.status.value,
        is_over=failed or (last.status in _ENDS and not goes_on) or (last.followed and not goes_on),
        needs_person=needs_person,
        summary=last.summary,
        error=_say_error(last.error),
    )


def _look_at_time(look: Look, identity: str) -> Ended:
    one = history.find_time(look.db, identity)
    if one is None:
        return Ended(id=identity, status="unknown", is_over=True, needs_person=False, error="It is not known.")
    is_over = one.state not in UNDERWAY
    error = one.sentence if is_over and one.reason is not None else None
    return Ended(id=identity, status=one.state, is_over=is_over, needs_person=False, error=error)


def _phases(row: RunRow) -> tuple[PhaseView, ...]:
    first = Phase.PREPARING if row.kind is HandlerKind.CONSUMER else Phase.EXECUTING
    goes_on = row.began is not None and row.prepared_at is not None and row.prepared_at < row.began
    passed = [
        (first, None if goes_on else row.began),  # one that goes on after another did not prepare
        (Phase.PREPARED, row.prepared_at),
        (Phase.MUTATING, row.mutating_at),
        (Phase.MUTATED, row.mutated_at),
        (Phase.COMMITTED, row.ended if row.phase is Phase.COMMITTED else None),
    ]
    return tuple(PhaseView(phase=phase, at=at) for phase, at in passed if at is not None)


def _events(look: Look, row: RunRow) -> tuple[dict[str, Any], ...]:
    taken = (row.prepared or {}).get("reserve") or []
    return tuple(history.find_event(look.db, row.workflow, one["topic"], one["id"]) for one in taken)


def _say_error(error: Any) -> str | None:
    return None if error is None else str(error.get("sentence", ""))
