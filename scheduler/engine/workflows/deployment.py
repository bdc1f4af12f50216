"""Deploying: in one transaction a new version is stored, and everything that hangs on the old one follows."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scheduler.connections.registry import Registry
from scheduler.engine.context import Context
from scheduler.engine.definition import Definition, schedule_id
from scheduler.engine.dispatch import Dispatch
from scheduler.engine.plans import Handler, Plan, Plans
from scheduler.engine.refusal import RefusedError
from scheduler.engine.runs.workshop import Workshop
from scheduler.engine.workflows import starting
from scheduler.engine.workflows.allowing import allow
from scheduler.engine.workflows.letting_go import let_go
from scheduler.engine.workflows.permissions import is_bolder, list_permissions
from scheduler.engine.workflows.validation import Validated
from scheduler.rules.mutations import Continuation, Mutation, continue_after
from scheduler.rules.phases import HandlerKind, Status
from scheduler.store import (
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
from scheduler.store.lanes import Block
from scheduler.store.requests import Given, RequestKind
from scheduler.store.runs import RunRow
from scheduler.store.workflows import ScriptOrigin, ScriptRow, WorkflowRow, WorkflowStatus
from scheduler.timing.instants import write_instant
from scheduler.timing.occurrences import Origin
from scheduler.timing.spec import Spec
from scheduler.timing.words import say
from scheduler.workers.discovery import ToolUse


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How it is to be deployed."""

    replace: bool = False
    """Take the place of a workflow of the same name from another file."""
    paused: bool = False
    grant: bool = False
    """Allow every tool that it uses."""
    watch: bool | None = None
    origin: ScriptOrigin = ScriptOrigin.AUTHOR
    by_itself: bool = False
    """Nobody said yes to this very script: a repair that is used as the settings say."""

    @property
    def status(self) -> WorkflowStatus:
        """Of a workflow that is new, or comes back."""
        return WorkflowStatus.PAUSED if self.paused else WorkflowStatus.ACTIVE


_FORGIVEN = (Block.SCRIPT_ERROR, Block.TOO_MANY_FAILURES)


class Deploying:
    """Belongs to the engine's thread."""

    def __init__(
        self,
        context: Context,
        definition: Definition,
        plans: Plans,
        dispatch: Dispatch,
        workshop: Workshop,
        registry: Registry,
    ) -> None:
        self._context = context
        self._dispatch = dispatch
        self._definition = definition
        self._plans = plans
        self._workshop = workshop
        self._registry = registry

    def deploy(self, db: sqlite3.Connection, new: Validated, wish: Wish, now: datetime) -> dict[str, Any]:
        old = workflows.find(db, new.slug)
        if old is not None and old.path != new.path and not wish.replace:
            raise RefusedError(
                "exists",
                f"There is already a workflow {old.name}, from {old.path}. "
                "Give this one another name, or deploy it with --replace.",
            )
        before = None if old is None else self._plans.find(db, old.slug, old.script)
        is_same = before is not None and (before.source, before.path) == (new.source, new.path)
        if before is not None and is_same and before.find_difference(new.described) is None:
            plan = before
            self._forgive_failures(db, plan, wish, now)
        else:
            plan = self._store(db, old, before, new, wish, now)
        self._settle_status(db, old, plan, wish)
        self._settle_grants(db, before, plan, new.uses, wish, now)
        if wish.watch is not None:
            workflows.set_watching(db, plan.workflow, watching=wish.watch)
        return {
            "workflow": plan.workflow,
            "version": plan.version,
            "schedules": self._schedules(db, plan),
            "permissions": self._permissions(db, plan, new.uses),
            "warnings": [
                *new.warnings,
                *_lost_repair(db, before, plan, wish),
                *self.missing_grants(db, plan, new.uses),
            ],
        }

    def missing_grants(self, db: sqlite3.Connection, plan: Plan, uses: Iterable[ToolUse]) -> list[str]:
        """What it uses and may not yet, in sentences."""
        return [
            f"{plan.name} needs your permission to {self._registry.say_ability(connection, tool)}: "
            f"dayhand grant {plan.workflow} {connection} {tool}"
            for connection, tool in _tools(uses)
            if not grants.has(db, plan.workflow, "", connection, tool, GrantKind.PERMISSION)
        ]

    def _permissions(self, db: sqlite3.Connection, plan: Plan, uses: Iterable[ToolUse]) -> list[dict[str, Any]]:
        return [
            {
                "connection": one.connection,
                "tool": one.tool,
                "sentence": one.sentence,
                "is_allowed": grants.has(db, plan.workflow, "", one.connection, one.tool, GrantKind.PERMISSION),
            }
            for one in list_permissions(self._registry, plan, uses)
        ]

    def _store(
        self,
        db: sqlite3.Connection,
        old: WorkflowRow | None,
        before: Plan | None,
        new: Validated,
        wish: Wish,
        now: datetime,
    ) -> Plan:
        version = 1 if old is None else max(one.number for one in workflows.scripts(db, old.slug)) + 1
        plan = new.plan(version)
        row = WorkflowRow(
            plan.workflow, plan.name, new.path, plan.tags, wish.status, fixing=False, watching=False, script=version,
            sequence=0, version=1, created=now,
        )  # fmt: skip
        workflows.save(db, row)
        script = ScriptRow(plan.workflow, version, new.sha256, new.source, wish.origin, new.described, now)
        workflows.add_script(db, script)
        repairs.end(db, plan.workflow)
        requests.solve(db, now, RequestKind.REPAIRED, plan.workflow)
        self._settle_handlers(db, before, plan)
        self._settle_schedules(db, before, plan, now)
        self._settle_runs(db, runs.unfinished(db, plan.workflow), plan, wish, now, "The script changed.")
        self._settle_lanes(db, plan, now)
        self._settle_topics(db, plan)
        self._workshop.forget(plan.workflow)
        return plan

    def _forgive_failures(self, db: sqlite3.Connection, plan: Plan, wish: Wish, now: datetime) -> None:
        """The same script again: what has failed is over, since what it stumbled over may have been put right."""
        held_up = [one.run for one in lanes.of_workflow(db, plan.workflow) if one.blocked in _FORGIVEN]
        failed = [row for row in runs.unfinished(db, plan.workflow) if row.id in held_up]
        if failed:
            self._settle_runs(db, failed, plan, wish, now, "The script was deployed again.")
            handlers.forgive(db, plan.workflow)

    def _settle_status(self, db: sqlite3.Connection, old: WorkflowRow | None, plan: Plan, wish: Wish) -> None:
        """What was put away comes back. What a person paused stays so."""
        status = wish.status if old is None else old.status
        if status is WorkflowStatus.ARCHIVED:
            status = wish.status
            workflows.set_status(db, plan.workflow, status)
            handlers.look_again(db, plan.workflow)
        schedules.hold(db, plan.workflow, held=status is not WorkflowStatus.ACTIVE)

    def _settle_handlers(self, db: sqlite3.Connection, before: Plan | None, plan: Plan) -> None:
        for handler in plan.handlers.values():
            handlers.put(db, plan.workflow, handler.name, handler.kind, handler.subscribes)
            lanes.put(db, plan.workflow, handler.lane)
        handlers.forgive(db, plan.workflow)
        for gone in set(before.handlers if before else ()) - set(plan.handlers):
            handlers.remove(db, plan.workflow, gone)

    def _settle_schedules(self, db: sqlite3.Connection, before: Plan | None, plan: Plan, now: datetime) -> None:
        """Times that did not change go on; changed ones are computed anew; removed ones go."""
        for handler in plan.handlers.values():
            if handler.schedule is None:
                continue
            identity = schedule_id(plan.workflow, handler.name)
            row = schedules.find(db, identity)
            if row is None or row.removed is not None:
                args = (plan.workflow, handler.name, handler.schedule, handler.policies, handler.kind.value)
                self._definition.add(db, *args, now)
                if handler.kind is HandlerKind.PRODUCER and handler.run_on_deploy:
                    starting.queue(db, identity, now, Origin.DEPLOY)  # it looks once right away
            elif _differs(before, handler):
                self._definition.edit(
                    db, row._replace(kind=handler.kind.value), handler.schedule, handler.policies, now
                )
        kept = {schedule_id(plan.workflow, one.name) for one in plan.handlers.values() if one.schedule is not None}
        for row in schedules.every_one(db, workflow=plan.workflow):
            if row.id not in kept:
                self._definition.remove(db, row, now)

    def _settle_runs(
        self, db: sqlite3.Connection, rows: list[RunRow], plan: Plan, wish: Wish, now: datetime, note: str
    ) -> None:
        """What waits, backs off or has failed follows the new version; what is active finishes on its own."""
        for row in rows:
            if row.status is Status.ACTIVE:
                continue
            way = continue_after(mutations.status_of(db, row.id))
            if way is Continuation.RECONCILE:
                continue
            if way is Continuation.AFRESH and not _is_tried_again(row, plan, wish):
                let_go(db, self._dispatch, row, now, note)
            elif row.handler not in plan.handlers:
                let_go(db, self._dispatch, row, now, _without_consumer(db, row))
            else:
                requests.close(db, now, Given.SOLVED, run=row.id)
                runs.resume(db, row.id, now)

    def _settle_lanes(self, db: sqlite3.Connection, plan: Plan, now: datetime) -> None:
        """Those of jobs that are gone go too, once nothing of theirs is under way; nobody asks about them any more."""
        for lane in lanes.of_workflow(db, plan.workflow):
            if any(one.lane == lane.name for one in plan.handlers.values()):
                continue
            asked = None if lane.run is None else runs.find(db, lane.run)
            if lane.blocked is Block.INTERRUPTED and asked is not None:
                let_go(db, self._dispatch, asked, now, "The job was removed.")
            open_runs = runs.unfinished(db, plan.workflow)
            if not any(lanes.lane_of(row.handler, row.kind) == lane.name for row in open_runs):
                lanes.remove(db, plan.workflow, lane.name)

    def _settle_topics(self, db: sqlite3.Connection, plan: Plan) -> None:
        taken = handlers.topics(db, plan.workflow)
        for topic in events.topics_in_use(db, plan.workflow) - taken:
            events.skip_pending(db, plan.workflow, topic)

    def _settle_grants(
        self,
        db: sqlite3.Connection,
        before: Plan | None,
        plan: Plan,
        uses: tuple[ToolUse, ...],
        wish: Wish,
        now: datetime,
    ) -> None:
        """Allow what it uses if that was wished; where it now asks less often than before, allow again first."""
        if wish.origin is ScriptOrigin.FIX:
            grants.take_back(db, plan.workflow, kind=GrantKind.APPROVAL)
        if wish.grant:
            for connection, tool in _tools(uses):
                allow(db, plan.workflow, connection, tool, now)
            return
        for use in uses:
            if is_bolder(self._registry, before, plan, use):
                grants.take_back(db, plan.workflow, connection=use.connection, tool=use.tool, kind=GrantKind.PERMISSION)

    def _schedules(self, db: sqlite3.Connection, plan: Plan) -> list[dict[str, Any]]:
        told = []
        for handler in plan.handlers.values():
            row = schedules.find(db, schedule_id(plan.workflow, handler.name))
            if handler.schedule is None or row is None:
                continue
            words = say(Spec.read(handler.schedule, machine_zone=self._context.machine_zone, now=row.created))
            next_at = None if row.next_at is None else write_instant(row.next_at)
            told.append({"handler": handler.name, "words": words, "next": next_at})
        return told


def _is_tried_again(row: RunRow, plan: Plan, wish: Wish) -> bool:
    """A repair is made for the run that failed. A job may have done half of it: then somebody must have said yes."""
    handler = plan.handlers.get(row.handler)
    if wish.origin is not ScriptOrigin.FIX or row.status is not Status.LOGIC or handler is None:
        return False
    return row.kind is not HandlerKind.JOB or not wish.by_itself or handler.after_crash == "again"


def _lost_repair(db: sqlite3.Connection, before: Plan | None, plan: Plan, wish: Wish) -> list[str]:
    """A repair is in no file of the author's until they take it over; an editor may end it with another line."""
    if before is None or wish.origin is not ScriptOrigin.AUTHOR or before.source.strip() == plan.source.strip():
        return []
    script = workflows.find_script(db, before.workflow, before.version)
    if script is None or script.origin is not ScriptOrigin.FIX:
        return []
    return [f"Version {before.version} was a repair. See that it is in your file too: dayhand diff {before.workflow}"]


def _without_consumer(db: sqlite3.Connection, row: RunRow) -> str:
    """What is said of one whose outside action is settled, and of which nobody is left to say what follows."""
    settled = "It was left out" if mutations.status_of(db, row.id) is Mutation.SKIPPED else "It was done"
    return f"{settled}; the part that would have gone on was removed."


def _differs(before: Plan | None, handler: Handler) -> bool:
    """Whether the author changed its times or policies; what a person changed stays as long as he did not."""
    old = None if before is None else before.handlers.get(handler.name)
    return old is None or (old.schedule, old.policies, old.kind) != (handler.schedule, handler.policies, handler.kind)


def _tools(uses: Iterable[ToolUse]) -> list[tuple[str, str]]:
    return sorted({(use.connection, use.tool) for use in uses if use.connection is not None and use.tool is not None})
