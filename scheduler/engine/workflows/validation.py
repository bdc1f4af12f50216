"""Whether a script can be deployed: loaded in a worker, never here; each error names file, line and what to write."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry, parse_name
from scheduler.engine.context import Context
from scheduler.engine.definition import refuse_side_by_side
from scheduler.engine.plans import Handler, Plan
from scheduler.engine.runs.workshop import BadScriptError, NoWorkerError, Workshop
from scheduler.engine.workflows.views.connections import find_unconnected
from scheduler.rules.phases import HandlerKind
from scheduler.store import workflows
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.policies import Policies
from scheduler.timing.words import say
from scheduler.workers.dependencies import BadDependenciesError, Dependencies, read_dependencies
from scheduler.workers.discovery import ToolUse, find_tools

LARGEST = 1_000_000


class NotValidError(Exception):
    """The script cannot be deployed; each sentence says where and what to write instead."""

    def __init__(self, sentences: list[str]) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """A script that can be deployed."""

    path: str
    source: str
    described: dict[str, Any]
    uses: tuple[ToolUse, ...]
    warnings: tuple[str, ...] = ()
    schedules: tuple[dict[str, Any], ...] = ()
    """Of each handler with times: what they mean, and when the next would be."""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.source.encode()).hexdigest()

    @property
    def slug(self) -> str:
        return str(self.described["slug"])

    def plan(self, version: int) -> Plan:
        return Plan.read(self.slug, version, self.path, self.source, self.described)


class Validation:
    """Runs on any thread but the engine's: it starts a process, and may have to install packages first."""

    def __init__(self, context: Context, registry: Registry, workshop: Workshop) -> None:
        self._context = context
        self._registry = registry
        self._workshop = workshop

    def validate(self, path: str, source: str, progress: Callable[[str], None] = lambda _: None) -> Validated:
        file = PurePath(path).name
        if len(source) > LARGEST:
            raise NotValidError([f"{file}: a script has at most {LARGEST:,} letters; move data into files."])
        needs = self._read_needs(file, source)
        try:
            described = self._workshop.describe(path, source, needs, progress)
        except BadScriptError as error:
            raise NotValidError([error.failure.sentence]) from error
        except NoWorkerError as error:
            raise NotValidError([f"{file}: {error}"]) from error
        if unreadable := [*_read_handlers(file, described)]:
            raise NotValidError(unreadable)
        plan = Plan.read(described["slug"], 0, path, source, described)
        uses = tuple(find_tools(source))
        sentences = [*self._check_handlers(file, plan), *self._check_connections(file, plan, described, uses)]
        if sentences:
            raise NotValidError(sentences)
        warnings = (*_competing(plan), *self._not_connected(plan))
        return Validated(
            path=path,
            source=source,
            described=described,
            uses=uses,
            warnings=warnings,
            schedules=tuple(self._preview(plan)),
        )

    def _read_needs(self, file: str, source: str) -> Dependencies:
        try:
            return read_dependencies(source)
        except BadDependenciesError as error:
            raise NotValidError([f"{file}, line {error.line}: {error.sentence}"]) from error

    def _check_handlers(self, file: str, plan: Plan) -> list[str]:
        found = []
        for handler in plan.handlers.values():
            try:
                self._check_times(plan, handler)
            except BadScheduleError as error:
                found.append(f"{file}, line {handler.line}: {error.sentence}")
        return found

    def _check_times(self, plan: Plan, handler: Handler) -> None:
        if handler.kind is HandlerKind.CONSUMER or handler.schedule is None:
            return
        now = self._context.clock.now()
        times = self._context.read_spec(handler.schedule, now).times(self._context.machine_zone)
        if times.after(now) is None and not self._is_deployed(plan, handler):
            raise BadScheduleError("schedule", "schedule: it has no time after now; give it a later or wider one.")
        policies = Policies.read(handler.policies, self._context.settings.policies(handler.kind))
        refuse_side_by_side(policies.overlap, handler.kind)

    def _preview(self, plan: Plan) -> Iterator[dict[str, Any]]:
        now = self._context.clock.now()
        for handler in plan.handlers.values():
            if handler.schedule is not None:
                spec = self._context.read_spec(handler.schedule, now)
                at = spec.times(self._context.machine_zone).after(now)
                yield {"handler": handler.name, "words": say(spec), "next": at}

    def _is_deployed(self, plan: Plan, handler: Handler) -> bool:
        """Whether it has these times already; they may have passed since."""
        db = self._context.database.read()
        row = workflows.find(db, plan.workflow)
        script = None if row is None else workflows.find_script(db, row.slug, row.script)
        known = () if script is None else script.described["handlers"]
        return any((one["name"], one["schedule"]) == (handler.name, handler.schedule) for one in known)

    def _check_connections(
        self, file: str, plan: Plan, described: dict[str, Any], uses: tuple[ToolUse, ...]
    ) -> list[str]:
        found = []
        for name in plan.connections:
            try:
                self._registry.connector(parse_name(name)[0])
            except ConnectionRuleError as error:
                found.append(f"{file}, line {described['line']}: {error.sentence}")
        for use in uses:
            sentence = self._check_use(plan, use)
            if sentence is not None:
                found.append(f"{file}, line {use.line}: {sentence}")
        return found

    def _check_use(self, plan: Plan, use: ToolUse) -> str | None:
        if use.connection is None:
            return None  # known only when it runs
        if use.connection not in plan.connections:
            return (
                f"{use.connection} is not among the connections of {plan.name}; "
                f"write dayhand.Workflow({plan.name!r}, connections=[…, {use.connection!r}])."
            )
        if use.tool is None:
            return None
        try:
            tool = self._registry.tool(use.connection, use.tool)
        except ConnectionRuleError as error:
            return error.sentence
        if tool.mutating and use.phase != "mutate":
            return f"{use.tool} of {use.connection} acts, and {use.phase} may only read; call it in mutate."
        if not tool.mutating and use.phase == "mutate":
            return f"{use.tool} of {use.connection} only reads; call it in prepare, and let mutate act."
        return None

    def _not_connected(self, plan: Plan) -> list[str]:
        missing = find_unconnected(self._context.database.read(), self._registry, plan.connections)
        return [f"{name} is not connected yet: dayhand connect {name}" for name in missing]


def _read_handlers(file: str, described: dict[str, Any]) -> Iterator[str]:
    for told in described["handlers"]:
        try:
            Handler.read(told)
        except BadScheduleError as error:
            yield f"{file}, line {told['line']}: {error.sentence}"


def _competing(plan: Plan) -> list[str]:
    takers: dict[str, list[str]] = {}
    for handler in plan.handlers.values():
        for topic in handler.subscribes:
            takers.setdefault(topic, []).append(handler.name)
    return [
        f"{' and '.join(names)} both take events from {topic}: each event goes to the one that reserves it first."
        for topic, names in takers.items()
        if len(names) > 1
    ]
