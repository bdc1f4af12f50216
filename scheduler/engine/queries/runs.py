"""Runs: list entries, full details, logs, and changes since the last query."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scheduler.engine.lookup import find_queued, find_run
from scheduler.engine.queries.job_names import find_command, find_job
from scheduler.engine.queries.requests import RequestView, view_request
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.rules.phases import HandlerKind, Refusal, RunPhase, RunStatus
from scheduler.rules.requests import REQUESTS
from scheduler.store import history, logs, mutations, occurrences, requests, runs, workflow_status
from scheduler.store.history import PastRun
from scheduler.store.logs import LogPiece
from scheduler.store.runs import RunRow
from scheduler.timing.occurrences import UNFINISHED_STATES
from scheduler.user_text import UserText

_ENDED = frozenset({RunStatus.COMMITTED, RunStatus.CANCELLED, RunStatus.CRASHED})
_MAX_CHANGES = 1_000


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
    phase: RunPhase
    status: RunStatus
    retry_of: str | None
    attempt: int
    summary: str | None
    error: str | None
    """One sentence."""
    is_followed: bool
    """Whether nothing more happens to it: another attempt replaced it, or what would have followed was cancelled."""
    resumed: datetime | None = None
    """When its last wait for the user ended; None if it did not wait."""
    refusal: Refusal | None = None
    has_acted: bool = False
    """Whether it did something outside, or tried to."""
    job: str = ""
    """The name of the job, if its workflow has more than that."""
    command: str = ""
    """The command line of the job, if it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseView:
    phase: RunPhase
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """The outside action of a run, exactly as made."""

    connection: str
    tool: str
    parameters: Any
    key: str
    status: str
    begun: datetime
    settled: datetime | None
    checks: int
    check_at: datetime | None
    asked: Any = None
    """The parameters that the script asked for, if the user changed them before approving."""
    reason: str | None = None
    """Why it was not done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDetails(RunView):
    version: int
    """The script version."""
    chain: tuple[RunView, ...]
    """All attempts, including this one."""
    phases: tuple[PhaseView, ...]
    """The checkpoints reached, in order."""
    events: tuple[dict[str, Any], ...]
    """The events it reserved."""
    prepared: Any
    call: CallView | None
    result: Any
    failure: Any
    """The stored error with all details."""
    progress: Any
    resume_at: datetime | None
    requests: tuple[RequestView, ...]
    log: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogTime:
    """From this character of the text on, it was printed at this time or a little later."""

    offset: int
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPart:
    run: str
    text: str
    part: int
    """Pass this as `since` next time."""
    is_over: bool
    """Whether nothing will be added."""
    times: tuple[LogTime, ...] = ()
    """In order; empty if they are not known."""
    traceback: str | None = None
    """Where the script failed, once it is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStatusView:
    """The status of a requested run, from the last attempt of its chain."""

    id: str
    status: str
    """The status of the run, or the occurrence's state if there is no run yet."""
    is_over: bool
    needs_person: bool
    summary: str | None = None
    error: str | None = None
    attempt: int = 1
    resume_at: datetime | None = None
    """When the next attempt starts."""
    asked: str | None = None
    """What the user is asked about it."""
    how: tuple[str, ...] = ()
    """The commands that answer it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChanges:
    runs: tuple[RunView, ...]
    """Oldest first."""
    number: int
    """Pass this as `after` next time."""


def view_run(snapshot: Snapshot, row: PastRun | RunRow, planned: datetime | None = None) -> RunView:
    return RunView(
        id=row.id,
        workflow=row.workflow,
        handler=row.handler,
        kind=row.kind,
        trigger=row.trigger,
        planned=row.planned if isinstance(row, PastRun) else planned,
        began=row.began,
        resumed=row.created if row.began is not None and row.created > row.began else None,
        ended=row.ended,
        phase=row.phase,
        status=row.status,
        retry_of=row.retry_of,
        attempt=row.attempt,
        summary=row.summary,
        error=_error_sentence(row.error),
        is_followed=row.followed,
        refusal=row.refusal,
        has_acted=row.mutating_at is not None,
        job=find_job(snapshot, row.workflow, row.handler),
        command=find_command(snapshot, row.workflow, row.handler) if row.kind is HandlerKind.JOB else "",
    )


def describe(snapshot: Snapshot, text: str) -> RunDetails:
    row = find_run(snapshot.db, text)
    one = None if row.occurrence is None else occurrences.find(snapshot.db, row.occurrence)
    planned = None if one is None else one.planned
    view = view_run(snapshot, row, planned)
    mutation = mutations.find(snapshot.db, row.id)
    return RunDetails(
        **{name: getattr(view, name) for name in RunView.__dataclass_fields__},
        version=row.script,
        chain=tuple(view_run(snapshot, attempt, planned) for attempt in runs.list_chain(snapshot.db, row.chain)),
        phases=_phases(row),
        events=_events(snapshot, row),
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
            asked=mutation.asked,
            reason=mutation.reason,
        ),
        result=row.outcome,
        failure=row.error,
        progress=row.progress,
        resume_at=row.resume_at,
        requests=tuple(view_request(snapshot, asked) for asked in requests.of_run(snapshot.db, row.id)),
        log=logs.read(snapshot.db, row.id),
    )


def read_log(snapshot: Snapshot, text: str, since: int) -> LogPart:
    if find_queued(snapshot.db, text) is not None:
        return LogPart(run=text, text="", part=since, is_over=False)
    row = find_run(snapshot.db, text)
    # The status is read before the log: output printed after that is in the next part and never lost.
    pieces = logs.since(snapshot.db, row.id, since)
    return LogPart(
        run=row.id,
        text="".join(piece.text for piece in pieces),
        part=pieces[-1].part if pieces else since,
        is_over=row.status is not RunStatus.ACTIVE,
        times=tuple(_list_times(pieces)),
        traceback=(row.error or {}).get("traceback"),
    )


def _list_times(pieces: Iterable[LogPiece]) -> Iterator[LogTime]:
    offset = 0
    for piece in pieces:
        if piece.at is not None:
            yield LogTime(offset=offset, at=piece.at)
        offset += len(piece.text)


def find_changes(snapshot: Snapshot, after: int, watched: Collection[str]) -> RunChanges:
    """Runs created after that number, plus the watched ones as they are now."""
    fresh = history.find_runs_after(snapshot.db, after, _MAX_CHANGES)
    known = [row for row in (runs.find(snapshot.db, one) for one in watched) if row is not None]
    views = [view_run(snapshot, row) for row in known]
    views += [view_run(snapshot, row) for row in fresh if row.id not in watched]
    return RunChanges(runs=tuple(views), number=fresh[-1].number if fresh else after)


def last_run_number(snapshot: Snapshot) -> int:
    """The number of the newest run."""
    return history.last_run_number(snapshot.db)


def is_idle(snapshot: Snapshot) -> bool:
    """Whether nothing is running, queued or due. While everything is paused, only running runs count."""
    paused = snapshot.everything_paused_until
    if paused is not None and snapshot.now < paused:
        return not runs.list_active(snapshot.db)
    return not workflow_status.has_work(snapshot.db, snapshot.now)


def find_status(snapshot: Snapshot, identity: str) -> RunStatusView:
    """The status of a requested run, which may not have started yet."""
    chain = runs.list_chain(snapshot.db, identity)
    if not chain:
        return _occurrence_status(snapshot, identity)
    last = chain[-1]
    open_requests = (one for one in requests.of_run(snapshot.db, last.id) if one.answer is None)
    asked = next((one for one in open_requests if not REQUESTS[one.kind].is_report), None)
    is_open = last.status is RunStatus.ACTIVE or last.status.is_waiting
    continues = not last.followed and (last.resume_at is not None or is_open)
    failed = last.status in (RunStatus.LOGIC, RunStatus.INTERNAL) and not continues
    needs_person = asked is not None or (last.status is RunStatus.APPROVAL and last.resume_at is None)
    return RunStatusView(
        id=last.id,
        status=last.status.value,
        is_over=failed or (last.status in _ENDED and not continues) or (last.followed and not continues),
        needs_person=needs_person,
        summary=last.summary,
        error=_error_sentence(last.error),
        attempt=last.attempt,
        resume_at=last.resume_at,
        asked=None if asked is None else asked.sentence,
        how=() if asked is None else view_request(snapshot, asked).how,
    )


def _occurrence_status(snapshot: Snapshot, identity: str) -> RunStatusView:
    one = history.find_planned_time(snapshot.db, identity)
    if one is None:
        return RunStatusView(
            id=identity, status="unknown", is_over=True, needs_person=False, error=UserText("There is no such run.")
        )
    is_over = one.state not in UNFINISHED_STATES
    error = snapshot.format_instants(one.sentence) if is_over and one.reason is not None else None
    return RunStatusView(id=identity, status=one.state, is_over=is_over, needs_person=False, error=error)


def _phases(row: RunRow) -> tuple[PhaseView, ...]:
    first = RunPhase.PREPARING if row.kind is HandlerKind.CONSUMER else RunPhase.EXECUTING
    is_continuation = row.began is not None and row.prepared_at is not None and row.prepared_at < row.began
    passed = [
        (first, None if is_continuation else row.began),  # a continuation did not prepare
        (RunPhase.PREPARED, row.prepared_at),
        (RunPhase.MUTATING, row.mutating_at),
        (RunPhase.MUTATED, row.mutated_at),
        (RunPhase.COMMITTED, row.ended if row.phase is RunPhase.COMMITTED else None),
    ]
    return tuple(PhaseView(phase=phase, at=at) for phase, at in passed if at is not None)


def _events(snapshot: Snapshot, row: RunRow) -> tuple[dict[str, Any], ...]:
    reserved = (row.prepared or {}).get("reserve") or []
    return tuple(history.find_event(snapshot.db, row.workflow, one["topic"], one["id"]) for one in reserved)


def _error_sentence(error: Any) -> str | None:
    return None if error is None else str(error.get("sentence", ""))
