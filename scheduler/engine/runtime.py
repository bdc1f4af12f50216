"""Assembles the runtime of one data folder: store, engine, runner, commands and queries."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from scheduler.connections.registry import Registry, builtin_registry
from scheduler.connections.secrets import NoSecrets, Secrets
from scheduler.engine.channels.answers import ChannelAnswers
from scheduler.engine.channels.sender import ChannelSender
from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.connection_setup import ConnectionSetup
from scheduler.engine.monitoring.monitoring import Monitoring, NoMonitoring
from scheduler.engine.monitoring.report_mail import WriteReport
from scheduler.engine.repair.auto_repair import AutoRepair
from scheduler.engine.runs.run_services import RunServices
from scheduler.engine.runs.runner import Runner
from scheduler.engine.runs.script_workers import ScriptWorkers
from scheduler.engine.scheduling.conditions import Conditions
from scheduler.engine.scheduling.engine import Engine, EngineParts
from scheduler.engine.scheduling.launcher import Announce, Announcement
from scheduler.engine.scheduling.schedule_edits import ScheduleEdits
from scheduler.engine.script_plan import ScriptPlans
from scheduler.engine.settings import Settings
from scheduler.engine.workflows.deployment import Deployer
from scheduler.engine.workflows.event_commands import EventCommands
from scheduler.engine.workflows.grants import GrantCommands
from scheduler.engine.workflows.request_commands import RequestCommands
from scheduler.engine.workflows.validation import ScriptValidator
from scheduler.engine.workflows.workflow_commands import WorkflowCommands
from scheduler.store import workflows
from scheduler.store.database import Database
from scheduler.store.workflows import WorkflowStatus
from scheduler.workers.script import Limits


class RepairTest(Protocol):
    """Runs a repaired script without acting and returns its error.

    It needs a runtime of its own, so the caller brings it.
    """

    def __call__(self, runtime: "Runtime", path: str, source: str, /) -> str | None: ...


class Runtime:
    """`engine` and all commands belong to one thread; `validation`, `channels` and `connection_setup` to any other.

    Repairs get to that thread with `run_on_engine_thread`; without it, none is applied.
    """

    def __init__(
        self,
        database: Database,
        folder: Path,
        *,
        machine_zone: str,
        clock: Clock | None = None,
        conditions: Conditions | None = None,
        settings: Settings | None = None,
        registry: Registry | None = None,
        secrets: Secrets | None = None,
        limits: Limits | None = None,
        announce: Announce = lambda _: None,
        notify: Callable[[str, str], None] = lambda *_: None,
        dry_run: RepairTest = lambda *_: None,
        run_on_engine_thread: Callable[[Callable[[], None]], object] = lambda _: None,
        is_dry_run: bool = False,
        write_report: WriteReport | None = None,
    ) -> None:
        """`is_dry_run`: nobody outside learns about its runs. Without `write_report`, no reports are mailed."""
        self.database = database
        self.folder = folder
        self.registry = registry or builtin_registry(notify, self._forward_news)
        self.secrets: Secrets = secrets or NoSecrets()
        self.plans = ScriptPlans()
        self.script_workers = ScriptWorkers(
            folder, limits, max_workers=max(8, 2 * (settings or Settings()).concurrency)
        )
        self._notify = notify
        self._dry_run, self._is_dry_run, self._write_report = dry_run, is_dry_run, write_report
        self._run_on_engine_thread = run_on_engine_thread
        self.engine = Engine(
            database,
            self._make_runner,
            machine_zone=machine_zone,
            clock=clock or SystemClock(),
            conditions=conditions,
            settings=settings,
            announce=announce,
            after_tick=self._after_tick,
        )
        context, lifecycle = self.engine.context, self.engine.lifecycle
        self.schedule_commands = self.engine.commands
        self.workflow_commands = WorkflowCommands(
            context,
            self.plans,
            self.script_workers,
            self.engine.dispatch,
            lifecycle,
            self.schedule_commands,
            self._deployer,
        )
        self.event_commands = EventCommands(context)
        self.grant_commands = GrantCommands(context, self.plans, self.registry)
        self.request_commands = RequestCommands(context, self.plans, lifecycle, self.registry, self.repairs)
        self.channel_answers = ChannelAnswers(context, self.registry, self.request_commands)
        self.channels = ChannelSender(context, self.registry, self.secrets)
        self.connection_setup = ConnectionSetup(database, context.clock, self.registry, self.secrets)

    def _forward_news(self, connection: str, workflow: str, title: str, text: str) -> None:
        self.channels.outbox.queue_news(connection, workflow, title, text)

    def _make_runner(self, parts: EngineParts) -> Runner:
        """The runner, and what it repairs scripts with."""
        context, edits = parts.context, ScheduleEdits(parts.context, parts.emission)
        self.validation = ScriptValidator(context, self.registry, self.script_workers)
        self._deployer = Deployer(context, edits, self.plans, parts.lifecycle, self.script_workers, self.registry)
        self.repairs = AutoRepair(
            context,
            self._deployer,
            self.validation,
            self.secrets,
            dry_run=partial(self._dry_run, self),
            run_on_engine_thread=self._run_on_engine_thread,
        )
        self.monitoring: Monitoring | NoMonitoring = (
            NoMonitoring()
            if self._is_dry_run
            else Monitoring(context, self.plans, self.registry, self.secrets, self._notify, self._write_report)
        )
        self.runner = Runner(
            context,
            parts.in_flight,
            self.registry,
            self.script_workers,
            self.plans,
            self.secrets,
            RunServices(self.repairs, self.monitoring),
        )
        return self.runner

    def _after_tick(self, now: datetime) -> None:
        self.monitoring.tick(now)

    def change_settings(self, change: Callable[[Settings], Settings]) -> None:
        """On the engine's thread."""
        context = self.engine.context
        context.change_settings(change(context.settings))
        context.announce(Announcement("settings"))

    def recover(self) -> None:
        """Once, before the first tick."""
        self.script_workers.end_orphans()
        self.engine.recover()

    def connect(
        self, name: str, given: dict[str, Any], *, test: bool = False, idempotency_key: str | None = None
    ) -> dict[str, Any]:
        """Connect within this thread, for callers without an engine thread."""

        def save(settings: dict[str, Any]) -> dict[str, Any]:
            return self.grant_commands.save_connection(name, settings, idempotency_key=idempotency_key)

        return self.connection_setup.connect(name, given, save, test=test, idempotency_key=idempotency_key)

    def remove_unused_environments(self) -> list[str]:
        """Remove the environments that no script needs any longer; returns what was removed."""
        environments, db = self.script_workers.environments, self.database.read()
        if environments.is_empty():
            return []
        kept = [row for row in workflows.list_all(db) if row.status is not WorkflowStatus.ARCHIVED]
        used = {environments.key_for(self.plans.current(db, row.slug).dependencies) for row in kept}
        return environments.remove_unused(used)

    def close(self) -> None:
        """Stop what runs; the caller closes the store."""
        self.repairs.close()
        self.runner.close()
        self.monitoring.close()
