"""Deploys a script: stores the new version and updates everything that depends on it, in one transaction."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scheduler.connections.registry import Registry
from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.runs import user_requests
from scheduler.engine.runs.script_workers import ScriptWorkers
from scheduler.engine.scheduling.manual_runs import queue_occurrence
from scheduler.engine.scheduling.occurrence_lifecycle import OccurrenceLifecycle
from scheduler.engine.scheduling.schedule_edits import ScheduleEdits
from scheduler.engine.script_plan import HandlerPlan, ScriptPlan, ScriptPlans
from scheduler.engine.workflows.abandon import abandon_run
from scheduler.engine.workflows.grants import allow
from scheduler.engine.workflows.permissions import asks_less_often, list_granted
from scheduler.engine.workflows.validation import ValidatedScript
from scheduler.rules.handler_ids import handler_id, lane_name
from scheduler.rules.mutations import Continuation, MutationStatus, decide_continuation
from scheduler.rules.phases import HandlerKind, RunStatus
from scheduler.rules.requests import ENDED_BY_DEPLOY, Block, RequestKind
from scheduler.store import (
    connections,
    events,
    grants,
    handlers,
    lanes,
    mutations,
    repairs,
    requests,
    runs,
    schedules,
    workflows,
)
from scheduler.store.grants import GrantKind
from scheduler.store.requests import RequestAnswer
from scheduler.store.runs import RunRow
from scheduler.store.workflows import ScriptOrigin, ScriptRow, WorkflowRow, WorkflowStatus
from scheduler.timing.description import describe_schedule
from scheduler.timing.instants import format_instant
from scheduler.timing.occurrences import OccurrenceOrigin
from scheduler.user_text import UserText
from scheduler.workers.tool_scan import ToolUse


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployOptions:
    """How to deploy."""

    replace: bool = False
    """Replace a workflow of the same name from another file."""
    paused: bool = False
    grant: bool = False
    """Grant every tool that the script uses."""
    watch: bool | None = None
    origin: ScriptOrigin = ScriptOrigin.AUTHOR
    is_automatic: bool = False
    """An automatic repair: no user approved this script."""

    @property
    def status(self) -> WorkflowStatus:
        """The status of a new or restored workflow."""
        return WorkflowStatus.PAUSED if self.paused else WorkflowStatus.ACTIVE


_CLEARED_BLOCKS = (Block.SCRIPT_ERROR, Block.TOO_MANY_FAILURES, Block.BACKING_OFF)


class Deployer:
    """For the engine's thread only."""

    def __init__(
        self,
        context: EngineContext,
        definition: ScheduleEdits,
        plans: ScriptPlans,
        lifecycle: OccurrenceLifecycle,
        script_workers: ScriptWorkers,
        registry: Registry,
    ) -> None:
        self._context = context
        self._lifecycle = lifecycle
        self._definition = definition
        self._plans = plans
        self._script_workers = script_workers
        self._registry = registry

    def deploy(
        self, db: sqlite3.Connection, new: ValidatedScript, options: DeployOptions, now: datetime
    ) -> dict[str, Any]:
        old = workflows.find(db, new.slug)
        if old is not None and old.path != new.path and not options.replace:
            raise RefusedError(
                "exists",
                UserText(
                    "There is already a workflow {old}, from {path}. Give this one another name, or deploy it "
                    "with --replace.",
                    old=old.name,
                    path=old.path,
                ),
            )
        before = None if old is None else self._plans.find(db, old.slug, old.script)
        is_same = before is not None and (before.source, before.path) == (new.source, new.path)
        if before is not None and is_same and before.find_difference(new.described) is None:
            plan = before
            self._clear_failures(db, plan, options, now)
        else:
            plan = self._store(db, old, before, new, options, now)
        self._update_status(db, old, plan, options)
        self._update_grants(db, before, plan, new.uses, options, now)
        if options.watch is not None:
            workflows.set_watching(db, plan.workflow, watching=options.watch)
        return {
            "workflow": plan.workflow,
            "version": plan.version,
            "schedules": self._schedules(db, plan),
            "permissions": list_granted(db, self._registry, plan, new.uses),
            "warnings": [
                *new.warnings,
                *_lost_repair(db, before, plan, options),
                *self.missing_grants(db, plan, new.uses),
            ],
        }

    def missing_grants(self, db: sqlite3.Connection, plan: ScriptPlan, uses: Iterable[ToolUse]) -> list[str]:
        """One sentence per tool that it uses without permission."""
        settings = connections.read_settings(db)
        return [
            UserText(
                "{name} needs your permission to {ability}: dayhand grant {workflow} {connection} {tool}",
                name=plan.name,
                ability=self._registry.describe_ability(connection, tool, settings.get(connection)),
                workflow=plan.workflow,
                connection=connection,
                tool=tool,
            )
            for connection, tool in _tools(uses)
            if not grants.has(db, plan.workflow, "", connection, tool, GrantKind.PERMISSION)
        ]

    def _store(
        self,
        db: sqlite3.Connection,
        old: WorkflowRow | None,
        before: ScriptPlan | None,
        new: ValidatedScript,
        options: DeployOptions,
        now: datetime,
    ) -> ScriptPlan:
        version = 1 if old is None else max(one.number for one in workflows.list_scripts(db, old.slug)) + 1
        plan = new.plan(version)
        row = WorkflowRow(
            plan.workflow, plan.name, new.path, plan.tags, options.status, fixing=False, watching=False, script=version,
            sequence=0, version=1, created=now,
        )  # fmt: skip
        workflows.save(db, row)
        script = ScriptRow(plan.workflow, version, new.sha256, new.source, options.origin, new.described, now)
        workflows.add_script(db, script)
        repairs.end(db, plan.workflow)
        requests.resolve(db, now, RequestKind.REPAIRED, plan.workflow)
        requests.end_problems(db, ENDED_BY_DEPLOY, now, workflow=plan.workflow)
        self._update_handlers(db, before, plan)
        self._update_schedules(db, before, plan, now)
        unfinished = runs.list_unfinished(db, plan.workflow)
        self._update_runs(db, unfinished, plan, options, now, UserText("The script changed."))
        lanes.end_backoffs(db, plan.workflow)
        self._remove_lanes(db, plan, now)
        self._skip_removed_topics(db, plan)
        self._script_workers.forget(plan.workflow)
        return plan

    def _clear_failures(self, db: sqlite3.Connection, plan: ScriptPlan, options: DeployOptions, now: datetime) -> None:
        """The same script again: cancel failed runs, since their cause may have been fixed."""
        blocking = [one.run for one in lanes.of_workflow(db, plan.workflow) if one.blocked in _CLEARED_BLOCKS]
        failed = [row for row in runs.list_unfinished(db, plan.workflow) if row.id in blocking]
        self._update_runs(db, failed, plan, options, now, UserText("The script was deployed again."))
        if lanes.end_backoffs(db, plan.workflow) or failed:
            handlers.reset_failures(db, plan.workflow)

    def _update_status(
        self, db: sqlite3.Connection, old: WorkflowRow | None, plan: ScriptPlan, options: DeployOptions
    ) -> None:
        """Restore an archived workflow; a paused one stays paused."""
        status = options.status if old is None else old.status
        if status is WorkflowStatus.ARCHIVED:
            status = options.status
            workflows.set_status(db, plan.workflow, status)
            handlers.request_check(db, plan.workflow)
        schedules.set_held(db, plan.workflow, held=status is not WorkflowStatus.ACTIVE)

    def _update_handlers(self, db: sqlite3.Connection, before: ScriptPlan | None, plan: ScriptPlan) -> None:
        for handler in plan.handlers.values():
            handlers.save(db, plan.workflow, handler.name, handler.kind, handler.subscribes)
            lanes.ensure(db, plan.workflow, handler.lane)
        handlers.reset_failures(db, plan.workflow)
        for gone in set(before.handlers if before else ()) - set(plan.handlers):
            handlers.remove(db, plan.workflow, gone)

    def _update_schedules(
        self, db: sqlite3.Connection, before: ScriptPlan | None, plan: ScriptPlan, now: datetime
    ) -> None:
        """Keep unchanged schedules, recompute changed ones, remove the others."""
        for handler in plan.handlers.values():
            if handler.schedule is None:
                continue
            identity = handler_id(plan.workflow, handler.name)
            row = schedules.find(db, identity)
            if row is None or row.removed is not None:
                args = (plan.workflow, handler.name, handler.schedule, handler.policies, handler.kind.value)
                self._definition.add(db, *args, now)
                if handler.kind is HandlerKind.PRODUCER and handler.run_on_deploy:
                    queue_occurrence(db, identity, now, OccurrenceOrigin.DEPLOY)  # its first run is due now
            elif _differs(before, handler):
                self._definition.edit(
                    db, row._replace(kind=handler.kind.value), handler.schedule, handler.policies, now
                )
        kept = {handler_id(plan.workflow, one.name) for one in plan.handlers.values() if one.schedule is not None}
        for row in schedules.list_all(db, workflow=plan.workflow):
            if row.id not in kept:
                self._definition.remove(db, row, now)

    def _update_runs(
        self,
        db: sqlite3.Connection,
        rows: list[RunRow],
        plan: ScriptPlan,
        options: DeployOptions,
        now: datetime,
        note: str,
    ) -> None:
        """Move waiting and failed runs to the new version or cancel them; active runs finish on their own version."""
        for row in rows:
            if row.status is RunStatus.ACTIVE:
                continue
            way = decide_continuation(mutations.status_of(db, row.id))
            if way is Continuation.RECONCILE:
                continue
            if way is Continuation.RESTART and not _is_retried(row, plan, options):
                abandon_run(db, self._lifecycle, row, now, note)
            elif row.handler not in plan.handlers:
                abandon_run(db, self._lifecycle, row, now, _removed_handler_note(db, row))
            else:
                requests.close(db, now, RequestAnswer.SOLVED, run=row.id)
                runs.schedule_resume(db, row.id, now)

    def _remove_lanes(self, db: sqlite3.Connection, plan: ScriptPlan, now: datetime) -> None:
        """Remove the lanes of removed jobs once they have no open runs, and withdraw their requests."""
        for lane in lanes.of_workflow(db, plan.workflow):
            if any(one.lane == lane.name for one in plan.handlers.values()):
                continue
            user_requests.close_reports(db, plan.workflow, lane.name, now, RequestAnswer.WITHDRAWN)
            blocking = None if lane.run is None else runs.find(db, lane.run)
            if lane.blocked is Block.INTERRUPTED and blocking is not None:
                abandon_run(db, self._lifecycle, blocking, now, UserText("The job was removed."))
            open_runs = runs.list_unfinished(db, plan.workflow)
            if not any(lane_name(row.handler, row.kind) == lane.name for row in open_runs):
                lanes.remove(db, plan.workflow, lane.name)

    def _skip_removed_topics(self, db: sqlite3.Connection, plan: ScriptPlan) -> None:
        subscribed = handlers.subscribed_topics(db, plan.workflow)
        for topic in events.topics_with_pending(db, plan.workflow) - subscribed:
            events.skip_pending(db, plan.workflow, topic)

    def _update_grants(
        self,
        db: sqlite3.Connection,
        before: ScriptPlan | None,
        plan: ScriptPlan,
        uses: tuple[ToolUse, ...],
        options: DeployOptions,
        now: datetime,
    ) -> None:
        """Grant what it uses if requested; revoke tools about which it now asks less often than before."""
        if options.origin is ScriptOrigin.FIX:
            grants.revoke(db, plan.workflow, kind=GrantKind.APPROVAL)
        if options.grant:
            for connection, tool in _tools(uses):
                allow(db, plan.workflow, connection, tool, now)
            return
        for use in uses:
            if asks_less_often(self._registry, before, plan, use):
                grants.revoke(db, plan.workflow, connection=use.connection, tool=use.tool, kind=GrantKind.PERMISSION)

    def _schedules(self, db: sqlite3.Connection, plan: ScriptPlan) -> list[dict[str, Any]]:
        described = []
        for handler in plan.handlers.values():
            row = schedules.find(db, handler_id(plan.workflow, handler.name))
            if handler.schedule is None or row is None:
                continue
            spec, _ = self._context.compile(row.id, row.spec)  # the user may have changed what the script says
            words = describe_schedule(spec, viewer_zone=self._context.machine_zone)
            next_at = None if row.next_at is None else format_instant(row.next_at)
            described.append({"handler": handler.name, "words": words, "next": next_at, "is_paused": row.is_suspended})
        return described


def _is_retried(row: RunRow, plan: ScriptPlan, options: DeployOptions) -> bool:
    """A repair retries the run that failed. A job may have done half its work, so that needs the user's approval."""
    handler = plan.handlers.get(row.handler)
    if options.origin is not ScriptOrigin.FIX or row.status is not RunStatus.LOGIC or handler is None:
        return False
    return row.kind is not HandlerKind.JOB or not options.is_automatic or handler.after_crash == "again"


def _lost_repair(
    db: sqlite3.Connection, before: ScriptPlan | None, plan: ScriptPlan, options: DeployOptions
) -> list[str]:
    """Warn when the author's file replaces a repair that it does not contain; trailing blank lines do not matter."""
    if before is None or options.origin is not ScriptOrigin.AUTHOR or before.source.strip() == plan.source.strip():
        return []
    script = workflows.find_script(db, before.workflow, before.version)
    if script is None or script.origin is not ScriptOrigin.FIX:
        return []
    return [
        UserText(
            "Version {version} was a repair. Check that your file contains it too: dayhand diff {workflow}",
            version=before.version,
            workflow=before.workflow,
        )
    ]


def _removed_handler_note(db: sqlite3.Connection, row: RunRow) -> str:
    """The note on a run that acted and whose handler is gone."""
    was_skipped = mutations.status_of(db, row.id) is MutationStatus.SKIPPED
    outcome = UserText("It was skipped") if was_skipped else UserText("It was done")
    return UserText("{outcome}; the part of the script that would have continued was removed.", outcome=outcome)


def _differs(before: ScriptPlan | None, handler: HandlerPlan) -> bool:
    """Whether the author changed its schedule or policies; the user's changes stay otherwise."""
    old = None if before is None else before.handlers.get(handler.name)
    return old is None or (old.schedule, old.policies, old.kind) != (handler.schedule, handler.policies, handler.kind)


def _tools(uses: Iterable[ToolUse]) -> list[tuple[str, str]]:
    return sorted({(use.connection, use.tool) for use in uses if use.connection is not None and use.tool is not None})
