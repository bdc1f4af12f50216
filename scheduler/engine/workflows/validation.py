"""Checks whether a script can be deployed. Loads it in a worker, never here; each error names file, line and fix."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from scheduler.connections.connector import Tool
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry
from scheduler.connections.validation import check_parameters
from scheduler.engine.connection_setup import find_unconnected
from scheduler.engine.context import EngineContext
from scheduler.engine.runs.script_workers import BadScriptError, NoWorkerError, ScriptWorkers
from scheduler.engine.scheduling.schedule_edits import refuse_parallel_runs
from scheduler.engine.script_plan import HandlerPlan, ScriptPlan, read_handler
from scheduler.rules.phases import HandlerKind
from scheduler.store import workflows
from scheduler.timing.description import describe_schedule
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.policies import Policies
from scheduler.user_text import UserText, join_texts, join_words
from scheduler.workers.context_scan import find_context_problems, find_oversights
from scheduler.workers.environments import Dependencies, InvalidDependenciesError, parse_dependencies
from scheduler.workers.prepare_scan import find_prepare_problems
from scheduler.workers.sandbox import warn_about_sandbox
from scheduler.workers.tool_scan import ToolUse, find_tool_uses

MAX_SOURCE_LENGTH = 1_000_000
_MAX_LINE = 1 << 31
_WORKFLOW_TYPES: dict[str, type] = {
    "slug": str,
    "name": str,
    "line": int,
    "connections": list,
    "tags": list,
    "handlers": list,
}
_HANDLER_TYPES: dict[str, type] = {
    "name": str,
    "kind": str,
    "line": int,
    "publishes": list,
    "subscribes": list,
    "policies": dict,
}
"""What the engine relies on in the description that a script's process sends."""


class InvalidScriptError(Exception):
    """The script cannot be deployed; each sentence names the line and the fix."""

    def __init__(self, sentences: list[str]) -> None:
        super().__init__(join_texts(sentences, " "))
        self.sentences = sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatedScript:
    """A script that can be deployed."""

    path: str
    source: str
    described: dict[str, Any]
    uses: tuple[ToolUse, ...]
    warnings: tuple[str, ...] = ()
    schedules: tuple[dict[str, Any], ...] = ()
    """For each handler with a schedule: its description and next time."""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.source.encode()).hexdigest()

    @property
    def slug(self) -> str:
        return str(self.described["slug"])

    def plan(self, version: int) -> ScriptPlan:
        return ScriptPlan.from_description(self.slug, version, self.path, self.source, self.described)


class ScriptValidator:
    """Not for the engine's thread: it starts a process and may install packages first."""

    def __init__(self, context: EngineContext, registry: Registry, script_workers: ScriptWorkers) -> None:
        self._context = context
        self._registry = registry
        self._script_workers = script_workers

    def validate(self, path: str, source: str, progress: Callable[[str], None] = lambda _: None) -> ValidatedScript:
        file = PurePath(path).name
        if len(source) > MAX_SOURCE_LENGTH:
            raise InvalidScriptError(
                [
                    UserText(
                        "{file}: a script can have at most {max_source_length} characters; move data into files.",
                        file=file,
                        max_source_length=f"{MAX_SOURCE_LENGTH:,}",
                    )
                ]
            )
        needs = self._read_dependencies(file, source)
        try:
            described = self._script_workers.describe(path, source, needs, progress)
        except BadScriptError as error:
            raise InvalidScriptError([error.failure.sentence]) from error
        except NoWorkerError as error:
            raise InvalidScriptError([f"{file}: {error}"]) from error
        plan = read_plan(path, source, described)
        uses = tuple(find_tool_uses(source))
        wrong_uses = list(self._check_uses(plan, uses))
        lines = {line for line, _ in wrong_uses}
        sentences = [
            *self._check_handlers(file, plan),
            *self._check_connections(file, plan, described),
            *_add_lines(file, wrong_uses),
            *_add_lines(file, find_prepare_problems(source)),
            *_add_lines(file, (one for one in find_context_problems(source, plan.handlers) if one.line not in lines)),
        ]
        if sentences:
            raise InvalidScriptError(sentences)
        unprotected = warn_about_sandbox()
        warnings = (
            *_competing_consumers(plan),
            *_add_lines(file, find_oversights(source)),
            *self._unconnected(plan),
            *([unprotected] if unprotected else []),
        )
        return ValidatedScript(
            path=path,
            source=source,
            described=described,
            uses=uses,
            warnings=warnings,
            schedules=tuple(self._preview(plan)),
        )

    def _read_dependencies(self, file: str, source: str) -> Dependencies:
        try:
            return parse_dependencies(source)
        except InvalidDependenciesError as error:
            raise InvalidScriptError(
                [UserText("{file}, line {line}: {error}", file=file, line=error.line, error=error.sentence)]
            ) from error

    def _check_handlers(self, file: str, plan: ScriptPlan) -> list[str]:
        found: list[str] = []
        for handler in plan.handlers.values():
            try:
                self._check_times(plan, handler)
            except BadScheduleError as error:
                found.append(
                    UserText("{file}, line {line}: {error}", file=file, line=handler.line, error=error.sentence)
                )
        return found

    def _check_times(self, plan: ScriptPlan, handler: HandlerPlan) -> None:
        if handler.kind is HandlerKind.CONSUMER or handler.schedule is None:
            return
        now = self._context.clock.now()
        times = self._context.parse_spec(handler.schedule, now).compile(self._context.machine_zone)
        if times.after(now) is None and not self._is_deployed(plan, handler):
            raise BadScheduleError(
                "schedule", UserText("schedule: it has no time in the future; choose a later or wider one.")
            )
        policies = Policies.read(handler.policies, self._context.settings.policies(handler.kind))
        refuse_parallel_runs(policies.overlap, handler.kind)

    def _preview(self, plan: ScriptPlan) -> Iterator[dict[str, Any]]:
        now = self._context.clock.now()
        for handler in plan.handlers.values():
            if handler.schedule is not None:
                spec = self._context.parse_spec(handler.schedule, now)
                at = spec.compile(self._context.machine_zone).after(now)
                words = describe_schedule(spec, viewer_zone=self._context.machine_zone)
                yield {"handler": handler.name, "words": words, "next": at}

    def _is_deployed(self, plan: ScriptPlan, handler: HandlerPlan) -> bool:
        """Whether it is deployed with this schedule already, whose times may have passed."""
        db = self._context.database.read()
        row = workflows.find(db, plan.workflow)
        script = None if row is None else workflows.find_script(db, row.slug, row.script)
        known = () if script is None else script.described["handlers"]
        return any((one["name"], one["schedule"]) == (handler.name, handler.schedule) for one in known)

    def _check_connections(self, file: str, plan: ScriptPlan, described: dict[str, Any]) -> list[str]:
        found: list[str] = []
        for name in plan.connections:
            try:
                self._registry.connector_of(name)
            except ConnectionRuleError as error:
                found.append(
                    UserText("{file}, line {line}: {error}", file=file, line=described["line"], error=error.sentence)
                )
        return found

    def _check_uses(self, plan: ScriptPlan, uses: Iterable[ToolUse]) -> Iterator[tuple[int, str]]:
        for use in uses:
            sentence = self._check_use(plan, use)
            if sentence is not None:
                yield use.line, sentence

    def _check_use(self, plan: ScriptPlan, use: ToolUse) -> str | None:
        if use.connection is None:
            return None  # known only at run time
        if use.connection not in plan.connections:
            return UserText(
                "{connection} is not among the connections of {name}; write dayhand.Workflow({literal_name}, "
                "connections=[…, {literal_connection}]).",
                connection=use.connection,
                name=plan.name,
                literal_name=repr(plan.name),
                literal_connection=repr(use.connection),
            )
        if use.tool is None:
            return None
        try:
            tool = self._registry.tool(use.connection, use.tool)
        except ConnectionRuleError as error:
            return error.sentence
        if tool.mutating and use.phase != "mutate":
            return UserText(
                "{tool} of {connection} is an action, and {phase} may only read; call it in mutate.",
                tool=use.tool,
                connection=use.connection,
                phase=use.phase,
            )
        if not tool.mutating and use.phase == "mutate":
            return UserText(
                "{tool} of {connection} only reads; call it in prepare, and let mutate act.",
                tool=use.tool,
                connection=use.connection,
            )
        return _check_parameters(tool, use)

    def _unconnected(self, plan: ScriptPlan) -> list[str]:
        missing = find_unconnected(self._context.database.read(), self._registry, plan.connections)
        return [UserText("{name} is not connected yet: dayhand connect {name}", name=name) for name in missing]


def _check_parameters(tool: Tool, use: ToolUse) -> str | None:
    if use.parameters is None:
        return None
    try:
        check_parameters(tool, use.parameters)
    except ConnectionRuleError as error:
        return error.sentence
    return None


def _read_handlers(file: str, described: dict[str, Any]) -> Iterator[str]:
    for handler in described["handlers"]:
        try:
            read_handler(described, handler)
        except BadScheduleError as error:
            yield UserText("{file}, line {line}: {error}", file=file, line=handler["line"], error=error.sentence)


def read_plan(path: str, source: str, described: dict[str, Any]) -> ScriptPlan:
    """What a script says about its workflow, which may be forged; InvalidScriptError if it cannot be read."""
    file = PurePath(path).name
    try:
        _check_types(described, _WORKFLOW_TYPES)
        for handler in described["handlers"]:
            _check_types(handler, _HANDLER_TYPES)
        unreadable = [*_read_handlers(file, described)]
        plan = None if unreadable else ScriptPlan.from_description(described["slug"], 0, path, source, described)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        sentence = UserText("{file}: what the script says about its workflow is not valid.", file=file)
        raise InvalidScriptError([sentence]) from error
    if plan is None:
        raise InvalidScriptError(unreadable)
    return plan


def _check_types(described: Mapping[str, Any], types: Mapping[str, type]) -> None:
    for name, kind in types.items():
        value = described[name]
        if not isinstance(value, kind):
            raise TypeError(name)
        if isinstance(value, int) and not 0 < value < _MAX_LINE:
            raise ValueError(name)
        if isinstance(value, list) and name != "handlers" and not all(isinstance(one, str) for one in value):
            raise TypeError(name)


def _add_lines(file: str, problems: Iterable[tuple[int, str]]) -> list[str]:
    return [
        UserText("{file}, line {line}: {sentence}", file=file, line=line, sentence=sentence)
        for line, sentence in problems
    ]


def _competing_consumers(plan: ScriptPlan) -> list[str]:
    subscribers: dict[str, list[str]] = {}
    for handler in plan.handlers.values():
        for topic in handler.subscribes:
            subscribers.setdefault(topic, []).append(handler.name)
    return [
        UserText(
            "{names} both take events from {topic}: each event goes to the one that reserves it first.",
            names=join_words(names),
            topic=topic,
        )
        for topic, names in subscribers.items()
        if len(names) > 1
    ]
