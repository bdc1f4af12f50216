"""Every verb on workflows, once. A command answers with JSON values, or refuses with a sentence."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from scheduler.engine.commands import Answer, Commands
from scheduler.engine.context import Context
from scheduler.engine.definition import schedule_id
from scheduler.engine.dispatch import Dispatch
from scheduler.engine.engine import PAUSED
from scheduler.engine.launcher import lane_name
from scheduler.engine.once import Act, carry_out
from scheduler.engine.plans import Plans
from scheduler.engine.refusal import RefusedError
from scheduler.engine.runs.beginning import run_id
from scheduler.engine.runs.layer import RunLayer
from scheduler.engine.workflows import starting
from scheduler.engine.workflows.deploying import Deploying, Wish
from scheduler.engine.workflows.letting_go import let_all_go, let_go
from scheduler.engine.workflows.names import find_run, find_waiting, find_workflow, split_target
from scheduler.engine.workflows.validation import Validated
from scheduler.rules.mutations import Mutation
from scheduler.rules.phases import HandlerKind, Status
from scheduler.store import backfills, facts, handlers, mutations, occurrences, runs, schedules, workflows
from scheduler.store.runs import RunRow
from scheduler.store.workflows import ScriptOrigin, WorkflowRow, WorkflowStatus
from scheduler.timing.instants import write_instant
from scheduler.timing.occurrences import Origin, Reason, State
from scheduler.timing.policies import Overlap
from scheduler.workers.discovery import find_tools

_FOR_EVER = datetime(9999, 1, 1, tzinfo=UTC)


class WorkflowCommands:
    """All take an optional request id: the same id again gets the first answer. They belong to the engine's thread."""

    def __init__(
        self,
        context: Context,
        plans: Plans,
        layer: RunLayer,
        dispatch: Dispatch,
        schedule_commands: Commands,
        deploying: Deploying,
    ) -> None:
        self._context = context
        self._plans = plans
        self._layer = layer
        self._dispatch = dispatch
        self._schedules = schedule_commands
        self._deploying = deploying

    def deploy(self, new: Validated, wish: Wish, *, request: str | None = None) -> dict[str, Any]:
        return self._do("deploy", new.slug, request, lambda db, now: self._deploying.deploy(db, new, wish, now))

    def rollback(
        self, workflow: str, version: int | None = None, *, current: int | None = None, request: str | None = None
    ) -> dict[str, Any]:
        """Deploy an earlier version anew: the one named, or the last that committed a run. State stays as it is.

        `current` is the version that the user wants to get away from; a newer one is not what they were shown.
        """

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            if current is not None and row.script != current:
                raise RefusedError(
                    "changed", f"{row.name} uses version {row.script} by now, not {current}; nothing was changed."
                )
            number = runs.last_committed_script(db, row.slug, before=row.script) if version is None else version
            script = None if number is None else workflows.find_script(db, row.slug, number)
            if script is None:
                what = "no earlier version that worked" if version is None else f"no version {version}"
                raise RefusedError("unknown", f"{row.name} has {what}; dayhand versions {row.slug} lists them.")
            uses = tuple(find_tools(script.source))
            old = Validated(path=row.path, source=script.source, described=script.described, uses=uses)
            return self._deploying.deploy(db, old, Wish(origin=ScriptOrigin.ROLLBACK), now)

        return self._do("rollback", workflow, request, act)

    def run(
        self, workflow: str, handler: str | None = None, *, when_finished: bool = False, request: str | None = None
    ) -> dict[str, Any]:
        """Start now every producer, or the one job or handler named; the regular times do not move."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            plan = self._plans.current(db, row.slug)
            if self._context.is_paused(now):
                raise RefusedError("paused", "Everything is paused; first: dayhand resume --all")
            names = starting.choose(plan, handler)
            for name in names:
                starting.refuse_if_held_up(db, row, plan.handlers[name], when_finished=when_finished)
            wanted = [schedule_id(row.slug, name) for name in names]
            return {"runs": [run_id(starting.queue(db, one, now, Origin.MANUAL, request)) for one in wanted]}

        return self._do("run", workflow, request, act)

    def stop(self, target: str, *, kill: bool = False, request: str | None = None) -> dict[str, Any]:
        """End what runs or waits: of a workflow, of one of its handlers, or one run."""
        flying: list[str] = []

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            waiting = find_waiting(db, target)
            if waiting is not None and workflows.find(db, target) is None:
                occurrences.move(db, waiting, State.QUEUED, State.CANCELLED, reason=Reason.STOPPED, ended=now)
                return {"stopped": [run_id(waiting)]}
            stopped = []
            for row in self._open_runs(db, target):
                if row.status is Status.RECONCILIATION:
                    raise RefusedError("answer first", "Say first whether it happened: dayhand attention")
                if row.status is Status.ACTIVE:
                    key = self._dispatch.flight_of(row.occurrence, lane_name(row.workflow, row.handler, row.kind))
                    flying.extend([] if key is None else [key])
                else:
                    let_go(db, self._dispatch, row, now, "It was stopped.")
                    if row.kind is HandlerKind.CONSUMER:
                        handlers.calm(db, row.workflow, row.handler, now)
                stopped.append(row.id)
            if not stopped:
                raise RefusedError("not running", f"Nothing of {target} is running or waiting.")
            return {"stopped": stopped}

        answer = self._do("stop", target, request, act)
        for key in flying:
            self._dispatch.stop(key, kill=kill)
        return answer

    def pause(
        self,
        workflow: str,
        handler: str | None = None,
        *,
        note: str | None = None,
        until: datetime | None = None,
        request: str | None = None,
    ) -> dict[str, Any]:
        """Let times pass without running: of the workflow, or of one handler (for a time, if one is given)."""
        row = find_workflow(self._context.database.read(), workflow)
        if handler is not None or until is not None:
            return self._each_schedule(
                row, handler, request, lambda one, own: self._schedules.pause(one, note=note, until=until, request=own)
            )

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            if row.status is not WorkflowStatus.ACTIVE:
                raise RefusedError("not active", f"{row.name} is {row.status.value} already.")
            self._schedules.settle_all(db, row.slug, now)
            workflows.set_status(db, row.slug, WorkflowStatus.PAUSED)
            schedules.hold(db, row.slug, held=True)
            return {"workflow": row.slug, "state": "paused"}

        return self._do("pause", row.slug, request, act)

    def resume(self, workflow: str, handler: str | None = None, *, request: str | None = None) -> dict[str, Any]:
        """Go on; the catch-up policy decides over the times that passed, and failures are forgiven."""
        row = find_workflow(self._context.database.read(), workflow)
        if handler is not None:
            return self._each_schedule(row, handler, request, lambda one, own: self._schedules.resume(one, request=own))

        def act(db: sqlite3.Connection, _: datetime) -> dict[str, Any]:
            paused = [one for one in schedules.every_one(db, workflow=row.slug) if one.paused]
            if row.status is WorkflowStatus.ACTIVE and not paused:
                raise RefusedError("not paused", f"{row.name} is not paused.")
            workflows.set_status(db, row.slug, WorkflowStatus.ACTIVE)
            schedules.hold(db, row.slug, held=False)
            if row.status is WorkflowStatus.ACTIVE:
                for one in paused:
                    facts = {"paused": False, "paused_until": None, "pause_note": None, "version": one.version + 1}
                    schedules.update(db, one.id, **facts)
            handlers.look_again(db, row.slug)
            handlers.forgive(db, row.slug)
            return {"workflow": row.slug, "state": "active"}

        return self._do("resume", row.slug, request, act)

    def skip_next(self, workflow: str, handler: str | None = None, *, request: str | None = None) -> dict[str, Any]:
        row = find_workflow(self._context.database.read(), workflow)
        return self._each_schedule(row, handler, request, lambda one, own: self._schedules.skip_next(one, request=own))

    def backfill(
        self,
        workflow: str,
        handler: str | None,
        start: datetime,
        end: datetime,
        *,
        overlap: Overlap | None = None,
        missing: bool = False,
        request: str | None = None,
    ) -> dict[str, Any]:
        """Run the times of a past range, inclusive."""
        row = find_workflow(self._context.database.read(), workflow)
        chosen = overlap or Overlap.BUFFER_ALL
        return self._each_schedule(
            row,
            handler,
            request,
            lambda one, own: self._schedules.backfill(
                one, [(start, end)], overlap=chosen, missing=missing, request=own
            ),
        )

    def cancel_backfill(
        self, workflow: str, handler: str | None = None, *, request: str | None = None
    ) -> dict[str, Any]:
        """Run no more past times; what runs may finish."""
        db = self._context.database.read()
        row = find_workflow(db, workflow)
        going = [one for schedule in self._schedules_of(row, handler) for one in backfills.going_on(db, schedule)]
        if not going:
            raise RefusedError("not running", f"No past times of {row.name} are being run.")
        ended = [self._schedules.cancel_backfill(one.id, request=request and f"{request} {one.id}") for one in going]
        return {"workflow": row.slug, "cancelled": [one.backfill for one in ended]}

    def pause_all(self, until: datetime | None = None, *, request: str | None = None) -> dict[str, Any]:
        """Start nothing at all, for a time or until told otherwise; each workflow keeps its own state."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            if until is not None and until <= now:
                raise RefusedError("past", "That time has passed; choose a later one, or pause without an end.")
            end = until or _FOR_EVER
            facts.write(db, PAUSED, end.isoformat())
            self._context.paused_until = end
            return {"paused_until": None if until is None else write_instant(until)}

        return self._do("pause all", "app", request, act)

    def resume_all(self, *, request: str | None = None) -> dict[str, Any]:
        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            if not self._context.is_paused(now):
                raise RefusedError("not paused", "Dayhand is not paused.")
            facts.forget(db, PAUSED)
            self._context.paused_until = None
            return {"paused_until": None}

        return self._do("resume all", "app", request, act)

    def archive(self, workflow: str, *, request: str | None = None) -> dict[str, Any]:
        """Put it away: nothing of it runs, nobody is asked anything, its history stays."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            self._leave_nothing_open(db, row, now)
            self._schedules.settle_all(db, row.slug, now)
            workflows.set_status(db, row.slug, WorkflowStatus.ARCHIVED)
            schedules.hold(db, row.slug, held=True)
            return {"workflow": row.slug, "state": "archived"}

        return self._do("archive", workflow, request, act)

    def remove(self, workflow: str, *, request: str | None = None) -> dict[str, Any]:
        """Forget it with its history."""

        def act(db: sqlite3.Connection, now: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            self._leave_nothing_open(db, row, now)
            for one in schedules.every_one(db, workflow=row.slug):
                self._schedules.remove_in(db, one, now)
            workflows.remove(db, row.slug)
            self._plans.forget(row.slug)
            self._layer.workshop.forget(row.slug)
            return {"workflow": row.slug, "state": "removed"}

        return self._do("remove", workflow, request, act)

    def watch(self, workflow: str, *, on: bool, request: str | None = None) -> dict[str, Any]:
        """Deploy again whenever its file changes, or no longer."""

        def act(db: sqlite3.Connection, _: datetime) -> dict[str, Any]:
            row = find_workflow(db, workflow)
            workflows.set_watching(db, row.slug, watching=on)
            return {"workflow": row.slug, "watching": on}

        return self._do("watch", workflow, request, act)

    def _do(self, verb: str, subject: str, request: str | None, act: Act) -> dict[str, Any]:
        return carry_out(self._context, verb, subject, request, act)

    def _each_schedule(
        self,
        row: WorkflowRow,
        handler: str | None,
        request: str | None,
        act: Callable[[str, str | None], Answer],
    ) -> dict[str, Any]:
        """The schedule of one handler, or all of the workflow for which it makes sense."""
        chosen = self._schedules_of(row, handler)
        answers, refused = [], None
        for one in chosen:
            try:
                answers.append(act(one, None if request is None else f"{request} {one}"))
            except RefusedError as error:
                refused = refused or error
        if refused is not None and not answers:
            raise refused
        return {
            "workflow": row.slug,
            "schedules": [
                {"schedule": one.schedule, "version": one.version, "backfill": one.backfill, "total": one.total}
                for one in answers
            ],
        }

    def _schedules_of(self, row: WorkflowRow, handler: str | None) -> list[str]:
        names = [one.id for one in schedules.every_one(self._context.database.read(), workflow=row.slug)]
        chosen = names if handler is None else [one for one in names if one == schedule_id(row.slug, handler)]
        if not chosen:
            known = ", ".join(one.partition("/")[2] for one in names)
            if not known:
                raise RefusedError("unknown", f"{row.name} has no schedule: it runs by itself when something arrives.")
            raise RefusedError("unknown", f"{row.name} has no schedule {handler}. It has: {known}.")
        return chosen

    def _open_runs(self, db: sqlite3.Connection, target: str) -> list[RunRow]:
        workflow, handler = split_target(target)
        try:
            row = find_workflow(db, workflow)
        except RefusedError:
            return [run for run in [find_run(db, target)] if run in runs.unfinished(db, run.workflow)]
        return [run for run in runs.unfinished(db, row.slug) if handler in (None, run.handler)]

    def _leave_nothing_open(self, db: sqlite3.Connection, row: WorkflowRow, now: datetime) -> None:
        unsettled = mutations.unsettled(db, row.slug)
        if any(one.status is Mutation.IN_FLIGHT for one in unsettled):
            sentence = f"{row.name} is in the middle of an outside action; wait until that has ended."
            raise RefusedError("acting", sentence)
        if unsettled and all(one.check_at is not None for one in unsettled):
            raise RefusedError("unsure", f"{row.name} acted, and what came of it is open. {starting.CHECKING}")
        if unsettled:
            raise RefusedError("unsure", f"Say first whether what {row.name} did happened: dayhand attention")
        if runs.active(db, row.slug):
            raise RefusedError("busy", f"{row.name} is running now; first: dayhand stop {row.slug}")
        let_all_go(db, self._dispatch, row.slug, now, "The workflow was put away.")
