"""Dry run of a script in its own folder: reads are real, actions are only recorded."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dayhand._dry_run import MARK

from scheduler.connections.registry import Registry
from scheduler.connections.secrets import Secrets
from scheduler.engine.dry_run.fake_tools import fake_mutating_tools
from scheduler.engine.dry_run.steps import DryRunAction, DryRunResult, DryRunStep, group_similar
from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.runtime import Runtime
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.engine.workflows.validation import ValidatedScript
from scheduler.rules.phases import HandlerKind, RunStatus
from scheduler.rules.questions import parse_questions, sample_answers
from scheduler.rules.requests import REQUESTS, RequestKind
from scheduler.store import connections, logs, mutations, requests, runs
from scheduler.store.opening import close_store, open_store
from scheduler.store.runs import RunRow
from scheduler.user_text import UserText

MAX_RUNS = 10_100
"""A week of one run a minute."""
_PROGRESS_EVERY = 1000
"""Runs between two progress messages."""
_DRY_RUN_IMPORT = "\nimport dayhand._dry_run\n"
_POLL_S = 0.05
"""How often to check for runs that ended without an announcement."""


@dataclass(slots=True)
class DryRunClock:
    """Stops while something runs; moved to the next due time."""

    wall: datetime
    elapsed: float = 0.0

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.elapsed

    def move_to(self, at: datetime) -> None:
        self.elapsed += max((at - self.wall).total_seconds(), 0)
        self.wall = max(at, self.wall)


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRunEnvironment:
    """What a dry run reads from the real runtime, which it does not change."""

    registry: Registry
    secrets: Secrets | None
    connections: Mapping[str, dict[str, Any]]
    machine_zone: str
    now: datetime


@dataclass(slots=True)
class _Record:
    """What happened so far."""

    runs: list[str] = field(default_factory=list)
    asked: dict[str, str] = field(default_factory=dict)
    questions: dict[str, tuple[tuple[str, Any], ...]] = field(default_factory=dict)
    """By run: what its script asked the user, with the answers that were assumed."""
    number: int = 0


def dry_run_script(
    path: str,
    source: str,
    folder: Path,
    environment: DryRunEnvironment,
    *,
    span: timedelta = timedelta(),
    progress: Callable[[str], None] = lambda _: None,
) -> DryRunResult:
    """Deploy it in the (empty) folder and run it once, or on its schedule for `span`.

    InvalidScriptError if it cannot be deployed.
    """
    announced = threading.Event()
    clock = DryRunClock(environment.now)
    database = open_store(folder, clock.now()).database
    runtime = Runtime(
        database,
        folder,
        machine_zone=environment.machine_zone,
        clock=clock,
        registry=fake_mutating_tools(environment.registry),
        secrets=environment.secrets,
        announce=lambda _: announced.set(),
        is_dry_run=True,
    )
    try:
        with database.write() as db:
            for name, settings in environment.connections.items():
                connections.save(db, name, settings, clock.now())
        runtime.recover()
        checked = runtime.validation.validate(path, source, progress)
        return _DryRun(runtime, clock, announced, checked).run(span, progress)
    finally:
        runtime.close()
        close_store(database)


def find_dry_run_error(runtime: Runtime, path: str, source: str) -> str | None:
    """Dry-run a script in a folder of its own; returns an error of its own code. Failed connections do not count."""
    context = runtime.engine.context
    around = DryRunEnvironment(
        registry=runtime.registry,
        secrets=None,
        connections={row.name: row.settings for row in connections.list_all(runtime.database.read())},
        machine_zone=context.machine_zone,
        now=context.clock.now(),
    )
    with TemporaryDirectory(prefix="dayhand-try-") as folder:
        tried = dry_run_script(path, source, Path(folder), around)
    return next((step.error for step in tried.steps if step.status == "failed:logic"), None)


class _DryRun:
    def __init__(
        self, runtime: Runtime, clock: DryRunClock, announced: threading.Event, checked: ValidatedScript
    ) -> None:
        self._runtime = runtime
        self._clock = clock
        self._announced = announced
        self._checked = checked
        self._views = WorkflowQueries(runtime.engine.context, runtime.plans, runtime.registry)
        self._record = _Record(number=self._views.last_run_number())

    def run(self, span: timedelta, progress: Callable[[str], None]) -> DryRunResult:
        runtime, checked, began = self._runtime, self._checked, self._clock.now()
        validated = runtime.validation.validate(checked.path, checked.source + _DRY_RUN_IMPORT, progress)
        runtime.workflow_commands.deploy(validated, DeployOptions(grant=True))
        if not span:
            for handler in validated.plan(1).handlers.values():
                if handler.kind is HandlerKind.JOB:
                    runtime.workflow_commands.run(checked.slug, handler.name)
        self._run_until_idle()
        while span and not self._is_cut and (wake := self._tick()) <= began + span:
            before = len(self._record.runs) // _PROGRESS_EVERY
            self._clock.move_to(wake)
            self._run_until_idle()
            if len(self._record.runs) // _PROGRESS_EVERY > before:
                days = (self._clock.now() - began).days
                progress(
                    UserText(
                        "{count} runs, {days} of {total} days…",
                        count=len(self._record.runs),
                        days=days,
                        total=span.days,
                    )
                )
        if span and not self._is_cut:
            self._clock.move_to(began + span)
        db, details = runtime.database.read(), self._views.workflow(checked.slug)
        return DryRunResult(
            workflow=checked.slug,
            steps=tuple(group_similar(self._step(row) for row in self._rows())),
            waits=tuple(one.sentence for one in requests.list_open(db) if not REQUESTS[one.kind].is_report),
            warnings=checked.warnings,
            began=began,
            ended=self._clock.now(),
            is_cut=self._is_cut,
            goes_on=details.next,
            pending={topic: number for topic, number in details.pending.items() if number},
        )

    @property
    def _is_cut(self) -> bool:
        return len(self._record.runs) >= MAX_RUNS

    def _run_until_idle(self) -> None:
        """Run everything due at this instant, approve whatever is asked, and answer questions with their defaults."""
        while not self._is_cut:
            self._wait_until_idle()
            changes = self._views.changes_since(self._record.number)
            self._record.number = changes.number
            known = set(self._record.runs)  # one that was approved is listed again
            self._record.runs += [run.id for run in changes.runs if run.id not in known]
            if not self._answer_all() and not self._approve_all():
                return

    def _wait_until_idle(self) -> None:
        """Wait until nothing runs and nothing is due."""
        dispatch = self._runtime.engine.dispatch
        # A run that ended after the first check may have made something due.
        while not (self._has_nothing_due() and dispatch.in_flight == 0 and self._has_nothing_due()):
            self._announced.wait(_POLL_S)
            self._announced.clear()

    def _has_nothing_due(self) -> bool:
        return self._tick() > self._clock.now()

    def _tick(self) -> datetime:
        return self._runtime.engine.tick(self._clock.now())

    def _answer_all(self) -> bool:
        """Answer every question with its default, or the simplest valid answer."""
        db = self._runtime.database.read()
        open_ones = [one for one in requests.read_open(db) if one.kind is RequestKind.QUESTION]
        for one in open_ones:
            assert one.run is not None
            questions = parse_questions(one.questions)
            assumed = sample_answers(questions, self._clock.now().date())
            self._record.questions[one.run] = tuple((asked.text, assumed[asked.name]) for asked in questions)
            self._runtime.request_commands.answer(one.id, assumed)
        return bool(open_ones)

    def _approve_all(self) -> bool:
        db = self._runtime.database.read()
        open_ones = [one for one in requests.read_open(db) if one.kind is RequestKind.APPROVAL]
        for one in open_ones:
            if one.run is not None:
                self._record.asked[one.run] = one.sentence
            self._runtime.request_commands.approve(one.id)
        return bool(open_ones)

    def _rows(self) -> list[RunRow]:
        """All runs except consumers that found nothing to do."""
        db = self._runtime.database.read()
        found = (runs.find(db, run) for run in self._record.runs)
        return [row for row in found if row is not None and not _is_idle(row)]

    def _step(self, row: RunRow) -> DryRunStep:
        db = self._runtime.database.read()
        done = mutations.find(db, row.id)
        lines = logs.read(db, row.id).splitlines(keepends=True)
        return DryRunStep(
            at=row.created,
            until=row.created,
            handler=row.handler,
            status=row.status.value,
            summary=row.summary,
            error=None if row.error is None else str(row.error.get("sentence", "")),
            traceback=str((row.error or {}).get("traceback") or ""),
            asked=self._record.asked.get(row.id),
            questions=self._record.questions.get(row.id, ()),
            action=None
            if done is None
            else DryRunAction(connection=done.connection, tool=done.tool, parameters=done.parameters),
            commands=tuple(tuple(json.loads(line[len(MARK) :])) for line in lines if line.startswith(MARK)),
            log="".join(line for line in lines if not line.startswith(MARK)),
        )


def _is_idle(row: RunRow) -> bool:
    return row.kind is HandlerKind.CONSUMER and row.status is RunStatus.COMMITTED and row.prepared is None
