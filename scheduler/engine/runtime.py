"""One installation, put together: store, engine, run layer, commands and answers over one data folder."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from scheduler.connections.registry import Registry, builtin_registry
from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.conditions import Conditions
from scheduler.engine.connecting import Connecting
from scheduler.engine.context import Context
from scheduler.engine.engine import Engine
from scheduler.engine.fixing.repairs import Repairs
from scheduler.engine.launcher import Announce
from scheduler.engine.plans import Plans
from scheduler.engine.runs.layer import RunLayer
from scheduler.engine.runs.tools import NoSecrets, Secrets
from scheduler.engine.runs.workshop import Workshop
from scheduler.engine.settings import Settings
from scheduler.engine.workflows.allowing import Allowing
from scheduler.engine.workflows.answering import Answering
from scheduler.engine.workflows.commands import WorkflowCommands
from scheduler.engine.workflows.deploying import Deploying
from scheduler.engine.workflows.events import EventCommands
from scheduler.engine.workflows.validation import Validation
from scheduler.store import workflows
from scheduler.store.database import Database
from scheduler.store.workflows import WorkflowStatus
from scheduler.workers.limits import Limits


class House:
    """`engine` and all commands (`answering` too) belong to one thread; `validation` and `connecting` to any other."""

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
        tell: Callable[[str, str], None] = lambda *_: None,
    ) -> None:
        self.database = database
        self.folder = folder
        self.registry = registry or builtin_registry(tell)
        self.plans = Plans()
        self.workshop = Workshop(folder, limits, cap=max(8, 2 * (settings or Settings()).concurrency))

        def make(context: Context) -> RunLayer:
            return RunLayer(context, self.registry, self.workshop, self.plans, secrets)

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
        assert isinstance(layer, RunLayer)
        self.layer = layer
        layer.may_go_on = dispatch.may_go_on
        self.schedules = self.engine.commands
        self.validation = Validation(context, self.registry, self.workshop)
        deploying = Deploying(context, self.schedules.definition, self.plans, dispatch, self.workshop, self.registry)
        self.commands = WorkflowCommands(context, self.plans, layer, dispatch, self.schedules, deploying)
        self.events = EventCommands(context)
        self.allowing = Allowing(context, self.plans, self.registry)
        self.answering = Answering(context, self.plans, dispatch, self.registry)
        self.secrets: Secrets = secrets or NoSecrets()
        self.repairs = layer.repairs = self.answering.repairs = Repairs(self, context, deploying)
        self.connecting = Connecting(context, self.registry, self.secrets)

    def recover(self) -> None:
        """Once, before the first tick."""
        self.workshop.end_orphans()
        self.engine.recover()

    def connect(
        self, name: str, given: dict[str, Any], *, test: bool = False, request_id: str | None = None
    ) -> dict[str, Any]:
        """All of it in this thread: for whoever is the only one."""

        def save(settings: dict[str, Any]) -> dict[str, Any]:
            return self.allowing.connected(name, settings, request_id=request_id)

        return self.connecting.connect(name, given, save, test=test, request_id=request_id)

    def remove_unused_environments(self) -> list[str]:
        """Remove the packages that no script needs any longer; what was removed."""
        environments, db = self.workshop.environments, self.database.read()
        if environments.is_empty():
            return []
        kept = [row for row in workflows.every_one(db) if row.status is not WorkflowStatus.ARCHIVED]
        used = {environments.key_of(self.plans.current(db, row.slug).needs) for row in kept}
        return environments.remove_unused(used)

    def close(self) -> None:
        """End what runs; the store is the caller's to close."""
        self.repairs.close()
        self.layer.close()
