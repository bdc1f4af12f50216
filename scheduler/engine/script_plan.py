"""What a version of a script says of itself, read once: its handlers, their topics, limits and approvals."""

import sqlite3
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from scheduler.connections.connector import Tool
from scheduler.rules.phases import HandlerKind
from scheduler.store import workflows
from scheduler.store.lanes import lane_of
from scheduler.store.workflows import ScriptRow
from scheduler.timing.backoff import TOO_MANY
from scheduler.timing.durations import parse_duration
from scheduler.timing.policies import Need
from scheduler.workers.dependencies import BadDependenciesError, Dependencies, read_dependencies

_PHASE_SECONDS = 300.0
_JOB_SECONDS = 7200.0
_KEPT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler:
    """One producer, consumer or job as its author wrote it."""

    name: str
    kind: HandlerKind
    publishes: tuple[str, ...] = ()
    subscribes: tuple[str, ...] = ()
    approve: str | None = None
    after_crash: str = "ask"
    run_on_deploy: bool = True
    has_mutate: bool = False
    has_next: bool = False
    schedule: Mapping[str, Any] | None = None
    policies: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = _PHASE_SECONDS
    """The time limit of one phase."""
    most_failures: int = TOO_MANY
    """After so many in a row it waits for a person; 0 for never."""
    line: int = 1
    lines: Mapping[str, int] = field(default_factory=dict)
    """Of a consumer, where its phases are written."""

    def line_of(self, phase: str) -> int:
        return self.lines.get(phase, self.line)

    @property
    def lane(self) -> str:
        return lane_of(self.name, self.kind)

    @property
    def needs(self) -> tuple[Need, ...]:
        """What the machine must offer, as far as it was written well; a schedule that was not is set aside."""
        written = self.policies.get("needs", ())
        known = {need.value: need for need in Need}
        return tuple(known[word] for word in ([written] if isinstance(written, str) else written) if word in known)

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Handler":
        kind = HandlerKind(told["kind"])
        usual = _JOB_SECONDS if kind is HandlerKind.JOB else _PHASE_SECONDS
        policies, most = told["policies"], told.get("max_failures")
        if policies.get("pause_on_failure"):
            most = 1
        elif most == 1 and kind is not HandlerKind.CONSUMER:
            policies = {**policies, "pause_on_failure": True}
        return cls(
            name=told["name"],
            kind=kind,
            publishes=tuple(told["publishes"]),
            subscribes=tuple(told["subscribes"]),
            approve=told["approve"],
            after_crash=told["after_crash"] or "ask",
            run_on_deploy=told["run_on_deploy"] is not False,
            has_mutate=told["has_mutate"],
            has_next=told["has_next"],
            schedule=told["schedule"],
            policies=policies,
            most_failures=TOO_MANY if most is None else most,
            seconds=_seconds(told["timeout"]) or usual,
            line=told["line"],
            lines=told.get("lines", {}),
        )


def approval_for(handler: Handler | None, tool: Tool | None) -> str:
    """How often a person is asked before such a call: as the author wrote, else as is usual for such a tool.

    A tool that nobody knows is taken to act on others.
    """
    usual = "always" if tool is None or tool.acts_on_others else "never"
    return usual if handler is None else handler.approve or usual


def _seconds(written: Any) -> float | None:
    return parse_duration(written, "timeout").total_seconds() if isinstance(written, str) else written


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One version of one workflow."""

    workflow: str
    name: str
    version: int
    path: str
    source: str
    connections: tuple[str, ...]
    topics: tuple[str, ...]
    tags: tuple[str, ...]
    handlers: Mapping[str, Handler]
    needs: Dependencies

    @classmethod
    def read(cls, workflow: str, version: int, path: str, source: str, told: Mapping[str, Any]) -> "Plan":
        try:
            needs = read_dependencies(source)
        except BadDependenciesError:
            needs = Dependencies()  # refused when it was deployed; an older Dayhand may have read it
        return cls(
            workflow=workflow,
            name=told["name"],
            version=version,
            path=path,
            source=source,
            connections=tuple(told["connections"]),
            topics=tuple(told["topics"]),
            tags=tuple(told["tags"]),
            handlers={one["name"]: Handler.read(one) for one in told["handlers"]},
            needs=needs,
        )

    def find_difference(self, told: Mapping[str, Any]) -> str | None:
        """What the loaded script says otherwise than the store about what it may use and when the user is asked.

        The store may come from somebody else's export: the script itself has the last word.
        """
        try:
            handlers = {one["name"]: one for one in told["handlers"]}
            if tuple(told["connections"]) != self.connections:
                return "connections"
            if handlers.keys() != self.handlers.keys():
                return "handlers"
            for name, handler in self.handlers.items():
                if handlers[name]["kind"] != handler.kind.value:
                    return name
                if handlers[name]["approve"] != handler.approve:
                    return f"approve of {name}"
        except (LookupError, TypeError):
            return "description"
        return None


class Plans:
    """Kept by version, which never changes. Any thread may ask."""

    def __init__(self) -> None:
        self._plans: OrderedDict[tuple[str, int], Plan] = OrderedDict()
        self._lock = Lock()

    def find(self, db: sqlite3.Connection, workflow: str, version: int) -> Plan:
        with self._lock:
            known = self._plans.get((workflow, version))
            if known is not None:
                self._plans.move_to_end((workflow, version))
                return known
        row, script = workflows.find(db, workflow), workflows.find_script(db, workflow, version)
        assert row is not None and script is not None
        return self.keep(row.path, script)

    def current(self, db: sqlite3.Connection, workflow: str) -> Plan:
        """The one that new runs use."""
        return self.find(db, workflow, workflows.current_script(db, workflow))

    def keep(self, path: str, script: ScriptRow) -> Plan:
        plan = Plan.read(script.workflow, script.number, path, script.source, script.described)
        with self._lock:
            self._plans[script.workflow, script.number] = plan
            if len(self._plans) > _KEPT:
                self._plans.popitem(last=False)
        return plan

    def forget(self, workflow: str) -> None:
        """It was removed: its numbers may be given again."""
        with self._lock:
            for key in [key for key in self._plans if key[0] == workflow]:
                del self._plans[key]
