"""Assembles the runtime of one data folder: store, engine, runner, commands and queries."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from scheduler.connections.registry import Registry, builtin_registry
from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.connection_setup import ConnectionSetup
from scheduler.engine.context import EngineContext
from scheduler.engine.repair.auto_repair import AutoRepair
from scheduler.engine.runs.runner import Runner
from scheduler.engine.runs.script_workers import ScriptWorkers
from scheduler.engine.runs.tool_calls import NoSecrets, Secrets
from scheduler.engine.scheduling.conditions import Conditions
from scheduler.engine.scheduling.engine import Engine
from scheduler.engine.scheduling.in_flight import InFlight
from scheduler.engine.scheduling.launcher import Announce
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


class Runtime:
    """`engine` and all commands belong to one thread; `validation` and `connection_setup` to any other."""

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
    ) -> None:
        self.database = database
        self.folder = folder
        self.registry = registry or builtin_registry(notify)
        self.plans = ScriptPlans()
        self.script_workers = ScriptWorkers(
            folder, limits, max_workers=max(8, 2 * (settings or Settings()).concurrency)
        )

        def make(context: EngineContext, in_flight: InFlight) -> Runner:
            return Runner(context, in_flight, self.registry, self.script_workers, self.plans, secrets)

        self.engine = Engine(
            database,
            make,
            machine_zone=machine_zone,
            clock=clock or SystemClock(),
            conditions=conditions,
            settings=settings,
            announce=announce,
        )
        context, dispatch = self.engine.context, self.engine.dispatch
        layer = self.engine.launcher
        assert isinstance(layer, Runner)
        self.runner = layer
        self.schedule_commands = self.engine.commands
        self.validation = ScriptValidator(context, self.registry, self.script_workers)
        deploying = Deployer(
            context, self.schedule_commands.edits, self.plans, dispatch, self.script_workers, self.registry
        )
        self.workflow_commands = WorkflowCommands(
            context, self.plans, layer, dispatch, self.schedule_commands, deploying
        )
        self.event_commands = EventCommands(context)
        self.grant_commands = GrantCommands(context, self.plans, self.registry)
        self.request_commands = RequestCommands(context, self.plans, dispatch, self.registry)
        self.secrets: Secrets = secrets or NoSecrets()
        self.repairs = layer.repairs = self.request_commands.repairs = AutoRepair(self, context, deploying)
        self.connection_setup = ConnectionSetup(context, self.registry, self.secrets)

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
