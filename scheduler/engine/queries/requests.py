"""What waits for the user, with exactly what would be done, and how to answer."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Any

from scheduler.connections.errors import ConnectionRuleError
from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.job_names import find_command, find_job, name_job
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.engine.queries.status_text import describe_failures
from scheduler.engine.workflows.answer_text import describe_answer
from scheduler.rules.handler_ids import handler_id
from scheduler.rules.questions import list_answer_options
from scheduler.rules.requests import REQUESTS, RequestAction, RequestKind, list_commands
from scheduler.store import handlers, lanes, logs, requests, runs, schedules, workflows
from scheduler.store.requests import RequestRow
from scheduler.user_text import UserText

_MIN_PREFIX = 4
_MAX_OUTPUT_LINES = 8
_MAX_OUTPUT_CHARS = 2_000
_SCRIPT_FAILURES = (RequestKind.SCRIPT_ERROR, RequestKind.RUN_FAILED)
_RUN_FAILURES = (RequestKind.RUN_FAILED, RequestKind.RUN_INTERRUPTED, RequestKind.TOO_MANY_FAILURES)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultView:
    """Where a script failed, and which version to roll back to."""

    path: str
    line: int | None
    text: str
    """That line of the script; empty if the error was raised elsewhere."""
    earlier: int | None
    """The last version that worked."""
    version: int | None = None
    """The version that failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedRunView:
    """A run that failed or was interrupted, and how often in a row that happened."""

    handler: str
    summary: str
    """How often it failed in a row, and since when."""
    failures: int
    since: datetime | None
    reason: str
    command: str
    """The command line that failed, or that the job runs; empty if it is not known."""
    output: str
    """The last lines that it printed."""
    next_at: datetime | None
    """When it runs next; None if it waits for the user or is paused."""
    is_paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    id: str
    kind: RequestKind
    workflow: str
    workflows: tuple[str, ...]
    """All workflows that wait for the same thing."""
    run: str | None
    subject: str
    sentence: str
    call: Any
    """Connection, tool and parameters of the outside action, if it is about one."""
    ui: Any
    """What the script adds for the user to see."""
    created: datetime
    answer: str | None
    answered: datetime | None
    how: tuple[str, ...]
    """The commands that answer it."""
    outcome: str = ""
    """How it was answered, by whom and when; empty while it is open."""
    editable: tuple[str, ...] = ()
    """The parameters of the call that the user may change before approving."""
    edited: Any = None
    """The call that was approved, if the user changed it first."""
    reason: str | None = None
    """Why it was rejected."""
    questions: Any = None
    """What the script asks: name, text, kind, choices and default of each."""
    answers: Any = None
    """The answers by name."""
    expires: datetime | None = None
    on_expiry: str | None = None
    """What follows when it expires: `reject` or `leave`."""
    reminded: datetime | None = None
    """When the user was reminded that it expires."""
    fault: FaultView | None = None
    """Of a script that failed."""
    failed_run: FailedRunView | None = None
    """What a report of a run, or of too many failures, is about."""
    job: str = ""
    """The name of the job that it is about, if its workflow has more than that."""
    handler: str = ""
    """Whose run asks; empty if it is about no run."""
    answered_from: str | None = None
    """The channel through which the user answered, such as ntfy:me; None if they did at this computer."""
    call_hash: str | None = None
    """Identifies the exact call; an answer that carries it is refused for any other call."""


class OpenRequests:
    """The open requests. Their calls are decoded once and shared by every view, until they are answered."""

    def __init__(self) -> None:
        self._known: dict[str, RequestRow] = {}

    def find(self, look: Snapshot) -> list[RequestView]:
        """The oldest first."""
        rows = requests.read_open(look.db, self._known)
        self._known = {row.id: row for row in rows}
        return [view_request(look, row) for row in rows]


def find_one(look: Snapshot, text: str) -> RequestView:
    """By its id or an unambiguous prefix; open requests are preferred over answered ones."""
    row = requests.find(look.db, text)
    if row is None and len(text) >= _MIN_PREFIX:
        found = requests.find_by_prefix(look.db, text)
        alike = [one for one in found if one.answer is None] or found
        if len(alike) > 1:
            raise RefusedError("ambiguous", UserText("{text} matches several requests; type more of it.", text=text))
        row = alike[0] if alike else None
    if row is None:
        raise RefusedError("unknown", UserText("There is no request {text}; dayhand attention lists them.", text=text))
    return view_request(look, row)


def view_request(look: Snapshot, row: RequestRow) -> RequestView:
    job = _find_job(look, row)
    fault = _find_fault(look, row) if row.kind in _SCRIPT_FAILURES else None
    actions = [action for action in REQUESTS[row.kind].actions if _is_possible(look, action, fault)]
    return RequestView(
        id=row.id,
        kind=row.kind,
        workflow=row.workflow,
        workflows=_waiting_workflows(look, row),
        run=row.run,
        subject=row.subject,
        sentence=row.sentence,
        call=row.call,
        ui=row.ui,
        created=row.created,
        answer=row.answer,
        answered=row.answered,
        how=_list_commands(row, job, actions) if row.answer is None else (),
        outcome=describe_answer(row, look.context, look.now),
        editable=_list_editable(look, row),
        edited=row.edited,
        reason=row.reason,
        questions=row.questions,
        answers=row.answers,
        expires=row.expires,
        on_expiry=row.on_expiry,
        reminded=row.reminded,
        fault=fault,
        failed_run=_view_failed_run(look, row) if row.kind in _RUN_FAILURES else None,
        job=job,
        handler=("" if row.run is None else runs.find_handler(look.db, row.run)) or "",
        answered_from=row.answered_from,
        call_hash=row.hash,
    )


def _find_job(look: Snapshot, row: RequestRow) -> str:
    run = None if row.run is None else runs.find(look.db, row.run)
    return "" if run is None else find_job(look, run.workflow, run.handler)


def _list_commands(row: RequestRow, job: str, actions: list[RequestAction]) -> tuple[str, ...]:
    target = handler_id(row.workflow, job) if job else row.workflow
    fields = {"id": row.id, "subject": row.subject, "run": row.run, "workflow": row.workflow, "target": target}
    commands = [line.format(**fields) for line in list_commands(actions)]
    if row.kind is RequestKind.QUESTION and len(row.questions or ()) > 1:
        commands[0] = f"dayhand answer {row.id} {list_answer_options([one['name'] for one in row.questions])}"
    return tuple(commands)


def _list_editable(look: Snapshot, row: RequestRow) -> tuple[str, ...]:
    if row.kind is not RequestKind.APPROVAL or row.answer is not None or not row.call:
        return ()
    try:
        return look.registry.tool(row.call["connection"], row.call["tool"]).editable
    except (ConnectionRuleError, KeyError, TypeError):
        return ()


def _view_failed_run(look: Snapshot, row: RequestRow) -> FailedRunView | None:
    run = None if row.run is None else runs.find(look.db, row.run)
    if run is None:
        return None
    handler = handlers.find(look.db, run.workflow, run.handler)
    error = run.error or {}
    lines = logs.read_end(look.db, run.id, _MAX_OUTPUT_CHARS).splitlines()
    failures, since = (0, None) if handler is None else (handler.failures, handler.failing_since)
    schedule = schedules.find(look.db, handler_id(run.workflow, run.handler))
    is_stopped = row.kind is RequestKind.TOO_MANY_FAILURES
    is_interrupted = row.kind is RequestKind.RUN_INTERRUPTED or since is None
    name = name_job(look, run.workflow, run.handler)
    return FailedRunView(
        handler=run.handler,
        summary=row.sentence if is_interrupted else describe_failures(look, name, failures, since or look.now),
        failures=failures,
        since=since,
        reason="" if is_interrupted else str(error.get("sentence") or row.sentence),
        command=str(error.get("command") or find_command(look, run.workflow, run.handler)),
        output="\n".join(lines[-_MAX_OUTPUT_LINES:]),
        next_at=None if schedule is None or is_stopped or schedule.is_suspended else schedule.next_at,
        is_paused=schedule is not None and schedule.is_suspended,
    )


def _is_possible(look: Snapshot, action: RequestAction, fault: FaultView | None) -> bool:
    match action:
        case RequestAction.ROLLBACK:
            return fault is not None and fault.earlier is not None
        case RequestAction.REPAIR:
            return look.context.settings.fixer.is_on and fault is not None
        case RequestAction.EDIT:
            return fault is not None
        case _:
            return True


def _find_fault(look: Snapshot, row: RequestRow) -> FaultView | None:
    workflow = workflows.find(look.db, row.workflow)
    run = None if row.run is None else runs.find(look.db, row.run)
    error = {} if run is None else run.error or {}
    if workflow is None or run is None or error.get("command"):  # the command failed, not the script
        return None
    line, script = error.get("line"), workflows.find_script(look.db, run.workflow, run.script)
    is_own = PurePath(error.get("file") or "").name == PurePath(workflow.path).name
    lines = script.source.splitlines() if script is not None and is_own else []
    return FaultView(
        path=workflow.path,
        line=line,
        text=lines[line - 1].strip() if line and line <= len(lines) else "",
        earlier=runs.last_committed_script(look.db, run.workflow, before=workflow.script),
        version=run.script,
    )


def _waiting_workflows(look: Snapshot, row: RequestRow) -> tuple[str, ...]:
    """An expired sign-in or a locked keyring concerns every workflow that is blocked by it."""
    if row.kind not in (RequestKind.RECONNECT, RequestKind.KEYRING) or row.answer is not None:
        return (row.workflow,)
    block = REQUESTS[row.kind].blocks
    waiting = {row.workflow}
    for lane in lanes.list_blocked(look.db):
        run = runs.find(look.db, lane.run) if lane.blocked is block and lane.run else None
        if run is not None and (run.error or {}).get("subject") == row.subject:
            waiting.add(run.workflow)
    return tuple(sorted(waiting))
