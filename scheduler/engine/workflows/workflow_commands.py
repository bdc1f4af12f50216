"""The commands on workflows. Each returns JSON values or raises RefusedError."""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError, refuse_past
from scheduler.engine.idempotency import Act, run_once
from scheduler.engine.lookup import find_queued, find_schedules, find_script, find_workflow
from scheduler.engine.runs.script_workers import ScriptWorkers
from scheduler.engine.runs.start import run_id
from scheduler.engine.scheduling.dispatch import Dispatch
from scheduler.engine.scheduling.engine import PAUSE_NOTE_KEY, PAUSED_UNTIL_KEY
from scheduler.engine.scheduling.occurrence_lifecycle import OccurrenceLifecycle
from scheduler.engine.scheduling.schedule_commands import ScheduleCommands
from scheduler.engine.script_plan import ScriptPlans
from scheduler.engine.workflows import run_now
from scheduler.engine.workflows.abandon import abandon_run, close_open_runs, enable_failing, list_open_runs
from scheduler.engine.workflows.deployment import Deployer, DeployOptions
from scheduler.engine.workflows.schedule_targets import apply_to_schedules
from scheduler.engine.workflows.validation import ValidatedScript
from scheduler.rules.handler_ids import handler_id, lane_id
from scheduler.rules.phases import HandlerKind, RunStatus
from scheduler.store import backfills, handlers, key_values, occurrences, schedules, workflows
from scheduler.store.workflows import ScriptOrigin, WorkflowRow, WorkflowStatus
from scheduler.timing.instants import format_instant
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Overlap
from scheduler.user_text import UserText
from scheduler.workers.tool_scan import find_tool_uses

_NO_END = datetime(9999, 1, 1, tzinfo=UTC)


class WorkflowCommands:
    """For the engine's thread only. The same idempotency key again returns the first answer."""

    def __init__(
        self,
        context: EngineContext,
        plans: ScriptPlans,
        script_workers: ScriptWorkers,
        dispatch: Dispatch,
        lifecycle: OccurrenceLifecycle,
        schedule_commands: ScheduleCommands,
        deployer: Deployer,
    ) -> None:
        self._context = context
        self._plans = plans
        self._script_workers = script_workers
        self._dispatch = dispatch
        self._lifecycle = lifecycle
        self._schedules = schedule_commands
        self._deployer = deployer

    def deploy(
        self, new: ValidatedScript, options: DeployOptions, *, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        return self._do(
            "deploy", new.slug, idempotency_key, lambda db, now: self._deployer.deploy(db, new, options, now)
        )

    def rollback(
        self,
        workflow: str,
        version: int | None = None,
        *,
        current: int | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Deploy an earlier version again: the given one, or the last that committed a run. State is kept.

        `current` is the version shown to the user; if another one is in use by now, the command is refused.
        """

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            if current is not None and row.script != current:
                raise RefusedError(
                    "changed",
                    UserText(
                        "{name} now uses version {script}, not {current}; nothing was changed.",
                        name=row.name,
                        script=row.script,
                        current=current,
                    ),
                )
            script = find_script(db, row, version)
            uses = tuple(find_tool_uses(script.source))
            old = ValidatedScript(path=row.path, source=script.source, described=script.described, uses=uses)
            return self._deployer.deploy(db, old, DeployOptions(origin=ScriptOrigin.ROLLBACK), now)

        return self._do("rollback", workflow, idempotency_key, act)

    def run(
        self,
        workflow: str,
        handler: str | None = None,
        *,
        when_finished: bool = False,
        overlap: Overlap | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Start all producers, the only job or the given handler now; the regular times do not move.

        `overlap` says what happens if the previous one is still going; without it and `when_finished`, it is refused.
        """
        may_wait = when_finished or overlap not in (None, Overlap.SKIP)

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            plan = self._plans.current(db, row.slug)
            if self._context.is_paused(now):
                raise RefusedError("paused", UserText("Everything is paused; first: dayhand resume --all"))
            names = run_now.choose_handlers(plan, handler)
            chosen = [plan.handlers[name] for name in names]
            for one in chosen:
                run_now.refuse_if_blocked(db, row, one, may_wait=may_wait)
            return run_now.queue_runs(self._context, db, row, chosen, overlap, idempotency_key, now)

        return self._do("run", workflow, idempotency_key, act)

    def stop(self, target: str, *, kill: bool = False, idempotency_key: str | None = None) -> dict[str, Any]:
        """Stop what runs or waits: of a workflow, of one of its handlers, or one run."""
        active_keys: list[str] = []

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            waiting = find_queued(db, target)
            if waiting is not None and workflows.find(db, target) is None:
                queued, cancelled = OccurrenceState.QUEUED, OccurrenceState.CANCELLED
                occurrences.move(db, waiting, queued, cancelled, reason=OccurrenceReason.STOPPED, ended=now)
                return {"stopped": [run_id(waiting)]}
            stopped = []
            for row in list_open_runs(db, target):
                if row.status is RunStatus.RECONCILIATION:
                    raise RefusedError("answer first", UserText("First answer whether it happened: dayhand attention"))
                if row.status is RunStatus.ACTIVE:
                    key = self._dispatch.find_running(row.occurrence, lane_id(row.workflow, row.handler, row.kind))
                    active_keys.extend([] if key is None else [key])
                else:
                    abandon_run(db, self._lifecycle, row, now, UserText("It was stopped."))
                    if row.kind is HandlerKind.CONSUMER:
                        handlers.reset_after_stop(db, row.workflow, row.handler, now)
                stopped.append(row.id)
            if not stopped:
                raise RefusedError("not running", UserText("Nothing of {target} is running or waiting.", target=target))
            return {"stopped": stopped}

        answer = self._do("stop", target, idempotency_key, act)
        for key in active_keys:
            self._dispatch.stop(key, kill=kill)
        return answer

    def pause(
        self,
        workflow: str,
        handler: str | None = None,
        *,
        note: str | None = None,
        until: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Pause the workflow, or the schedule of one handler, until it is resumed or that time has come."""
        row = find_workflow(self._context.database.read(), workflow)
        if handler is not None:
            return apply_to_schedules(
                self._context,
                row,
                handler,
                idempotency_key,
                lambda one, own: self._schedules.pause(one, note=note, until=until, idempotency_key=own),
            )

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            if row.status is not WorkflowStatus.ACTIVE:
                raise RefusedError(
                    "not active", UserText("{name} is {status} already.", name=row.name, status=row.status.value)
                )
            refuse_past(until, now)
            self._schedules.record_all_due(db, row.slug, now)
            workflows.set_status(db, row.slug, WorkflowStatus.PAUSED, until=until, note=note)
            return {"workflow": row.slug, "state": "paused", "paused_until": until and format_instant(until)}

        return self._do("pause", row.slug, idempotency_key, act)

    def resume(
        self, workflow: str, handler: str | None = None, *, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        """Resume and reset failure counts; the catch-up policy decides about missed times."""
        row = find_workflow(self._context.database.read(), workflow)
        if handler is not None:
            return self._resume_handler(row, handler, idempotency_key)

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            is_active = row.status is WorkflowStatus.ACTIVE
            resumed = [one for one in schedules.list_all(db, workflow=row.slug) if one.paused == is_active]
            enabled = enable_failing(db, row.slug, now)
            if is_active and not resumed and not enabled:
                raise RefusedError("not paused", UserText("{name} is not paused.", name=row.name))
            for one in resumed:
                self._schedules.record_paused(db, one, now)
                if is_active:
                    facts = {"paused": False, "paused_until": None, "pause_note": None, "version": one.version + 1}
                    schedules.update(db, one.id, **facts)
            workflows.set_status(db, row.slug, WorkflowStatus.ACTIVE)
            handlers.request_check(db, row.slug)
            handlers.reset_failures(db, row.slug)
            return {"workflow": row.slug, "state": "active"}

        return self._do("resume", row.slug, idempotency_key, act)

    def _resume_handler(self, row: WorkflowRow, handler: str, idempotency_key: str | None) -> dict[str, Any]:
        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            return {"enabled": enable_failing(db, row.slug, now, handler)}

        enabled = self._do("enable", handler_id(row.slug, handler), idempotency_key, act)["enabled"]
        try:
            return apply_to_schedules(
                self._context,
                row,
                handler,
                idempotency_key,
                lambda one, own: self._schedules.resume(one, idempotency_key=own),
            )
        except RefusedError as error:
            if not enabled or error.code != "not paused":
                raise
            return {"workflow": row.slug, "schedules": []}

    def skip_next(
        self, workflow: str, handler: str | None = None, *, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        row = find_workflow(self._context.database.read(), workflow)
        return apply_to_schedules(
            self._context,
            row,
            handler,
            idempotency_key,
            lambda one, own: self._schedules.skip_next(one, idempotency_key=own),
        )

    def backfill(
        self,
        workflow: str,
        handler: str | None,
        ranges: Sequence[tuple[datetime, datetime]],
        *,
        overlap: Overlap | None = None,
        missing: bool = False,
        idempotency_key: str | None = None,
    ) -> dict[str, Any]:
        """Run the times of past ranges, inclusive at both ends."""
        row = find_workflow(self._context.database.read(), workflow)
        chosen = overlap or Overlap.BUFFER_ALL
        return apply_to_schedules(
            self._context,
            row,
            handler,
            idempotency_key,
            lambda one, own: self._schedules.backfill(
                one, ranges, overlap=chosen, missing=missing, idempotency_key=own
            ),
        )

    def cancel_backfill(
        self, workflow: str, handler: str | None = None, *, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        """Queue no more past times; active runs may finish."""
        db = self._context.database.read()
        row = find_workflow(db, workflow)
        running = [
            one for schedule in find_schedules(db, row, handler) for one in backfills.list_unfinished(db, schedule)
        ]
        if not running:
            raise RefusedError("not running", UserText("No backfill of {name} is running.", name=row.name))
        ended = [
            self._schedules.cancel_backfill(one.id, idempotency_key=idempotency_key and f"{idempotency_key} {one.id}")
            for one in running
        ]
        return {"workflow": row.slug, "cancelled": [one.backfill for one in ended]}

    def pause_all(
        self, until: datetime | None = None, *, note: str | None = None, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        """Start nothing until then or until resumed; each workflow keeps its own state."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            refuse_past(until, now)
            end = until or _NO_END
            self._schedules.record_all_due(db, None, now)
            key_values.write(db, PAUSED_UNTIL_KEY, end.isoformat())
            key_values.write(db, PAUSE_NOTE_KEY, note or "")
            self._context.paused_until = end
            return {"paused_until": None if until is None else format_instant(until)}

        return self._do("pause all", "app", idempotency_key, act)

    def resume_all(self, *, idempotency_key: str | None = None) -> dict[str, Any]:
        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            if not self._context.is_paused(now):
                raise RefusedError("not paused", UserText("Not everything is paused; name the workflows to resume."))
            self._schedules.record_all_due(db, None, now)
            key_values.delete(db, PAUSED_UNTIL_KEY)
            key_values.delete(db, PAUSE_NOTE_KEY)
            self._context.paused_until = None
            return {"paused_until": None}

        return self._do("resume all", "app", idempotency_key, act)

    def archive(self, workflow: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Cancel its waiting runs and withdraw its requests; its history is kept."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            close_open_runs(db, self._lifecycle, row, now)
            self._schedules.record_all_due(db, row.slug, now)
            workflows.set_status(db, row.slug, WorkflowStatus.ARCHIVED)
            return {"workflow": row.slug, "state": "archived"}

        return self._do("archive", workflow, idempotency_key, act)

    def remove(self, workflow: str, *, idempotency_key: str | None = None) -> dict[str, Any]:
        """Delete the workflow and its history."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            close_open_runs(db, self._lifecycle, row, now)
            for one in schedules.list_all(db, workflow=row.slug):
                self._schedules.remove_in_transaction(db, one, now)
            workflows.remove(db, row.slug)
            self._plans.forget(row.slug)
            self._script_workers.forget(row.slug)
            return {"workflow": row.slug, "state": "removed"}

        return self._do("remove", workflow, idempotency_key, act)

    def watch(self, workflow: str, *, on: bool, idempotency_key: str | None = None) -> dict[str, Any]:
        """Turn deploying on every change of its file on or off."""

        def act(db: sqlite3.Connection, _: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            workflows.set_watching(db, row.slug, watching=on)
            return {"workflow": row.slug, "watching": on}

        return self._do("watch", workflow, idempotency_key, act)

    def _do(self, verb: str, subject: str, idempotency_key: str | None, act: Act) -> dict[str, Any]:
        return run_once(self._context, verb, subject, idempotency_key, act)
