"""The parsed description of a script version: its handlers, their topics, limits and approvals."""

import sqlite3
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from threading import Lock
from typing import Any

from scheduler.connections.connector import Tool
from scheduler.rules.expiry import MAX_EXPIRY, MIN_EXPIRY, OnExpiry
from scheduler.rules.handler_ids import lane_name, name_in_words
from scheduler.rules.phases import HandlerKind
from scheduler.store import workflows
from scheduler.store.workflows import ScriptRow
from scheduler.timing.backoff import MAX_FAILURES
from scheduler.timing.durations import DurationRange, parse_duration, parse_range
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.policies import Need
from scheduler.user_text import UserText
from scheduler.workers.environments import Dependencies, InvalidDependenciesError, parse_dependencies

_PHASE_SECONDS = 300.0
_JOB_SECONDS = 7200.0
_MAX_CACHED_PLANS = 200
_MIN_OVERDUE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerPlan:
    """One producer, consumer or job as the author declared it."""

    name: str
    kind: HandlerKind
    publishes: tuple[str, ...] = ()
    subscribes: tuple[str, ...] = ()
    approve: str | None = None
    expires: timedelta | None = None
    """How long its requests wait for an answer; None for as long as it takes."""
    on_expiry: OnExpiry = OnExpiry.REJECT
    after_crash: str = "next"
    run_on_deploy: bool = True
    has_mutate: bool = False
    has_next: bool = False
    schedule: Mapping[str, Any] | None = None
    policies: Mapping[str, Any] = field(default_factory=dict)
    timeout_s: float = _PHASE_SECONDS
    """Time limit of one phase."""
    max_failures: int = MAX_FAILURES
    """After this many failures in a row it waits for the user; 0 for never, and a job then keeps all its times."""
    retries: int = 0
    """How often a job is tried again before its run counts as failed."""
    ping: str | None = None
    """The connection through which a monitoring service learns how its runs went."""
    overdue_after: timedelta | None = None
    """How long after it should have run the user is told that it has not succeeded."""
    expected: DurationRange | None = None
    """How long a run usually takes."""
    line: int = 1
    lines: Mapping[str, int] = field(default_factory=dict)
    """Line number of each phase of a consumer."""

    def line_of(self, phase: str) -> int:
        return self.lines.get(phase, self.line)

    @property
    def lane(self) -> str:
        return lane_name(self.name, self.kind)

    @property
    def pauses_on_failure(self) -> bool:
        return bool(self.policies.get("pause_on_failure"))

    @property
    def goes_on_after_failure(self) -> bool:
        """A failed run does not block its lane: a job keeps its schedule, and a pause is enough for others."""
        return self.kind is HandlerKind.JOB or self.pauses_on_failure

    @property
    def needs(self) -> tuple[Need, ...]:
        """The machine conditions that it needs, without unknown words; those disable its schedule elsewhere."""
        written = self.policies.get("needs", ())
        known = {need.value: need for need in Need}
        return tuple(known[word] for word in ([written] if isinstance(written, str) else written) if word in known)

    @classmethod
    def from_description(cls, described: Mapping[str, Any]) -> "HandlerPlan":
        kind = HandlerKind(described["kind"])
        default = _JOB_SECONDS if kind is HandlerKind.JOB else _PHASE_SECONDS
        policies, most = described["policies"], described.get("max_failures")
        if policies.get("pause_on_failure"):
            most = 1
        elif most == 1 and kind is HandlerKind.PRODUCER:
            policies = {**policies, "pause_on_failure": True}
        return cls(
            name=described["name"],
            kind=kind,
            publishes=tuple(described["publishes"]),
            subscribes=tuple(described["subscribes"]),
            approve=described["approve"],
            expires=_read_expiry(described.get("expires")),
            on_expiry=OnExpiry(described.get("on_expiry") or OnExpiry.REJECT),
            after_crash=described["after_crash"] or "next",
            run_on_deploy=described["run_on_deploy"] is not False,
            has_mutate=described["has_mutate"],
            has_next=described["has_next"],
            schedule=described["schedule"],
            policies=policies,
            max_failures=MAX_FAILURES if most is None else most,
            retries=described.get("retries") or 0,
            ping=described.get("ping"),
            overdue_after=_read_overdue(described.get("overdue_after")),
            expected=parse_range(described["expected"], "expected") if described.get("expected") else None,
            timeout_s=_seconds(described["timeout"]) or default,
            line=described["line"],
            lines=described.get("lines", {}),
        )


def approval_for(handler: HandlerPlan | None, tool: Tool | None) -> str:
    """When the user is asked before such a call: as the author declared, else the default of the tool.

    An unknown tool is assumed to act on others.
    """
    default = "always" if tool is None or tool.acts_on_others else "never"
    return default if handler is None else handler.approve or default


def read_handler(workflow: Mapping[str, Any], described: Mapping[str, Any]) -> HandlerPlan:
    """What the workflow sets applies to each handler that does not set its own."""
    plan = HandlerPlan.from_description(described)
    overdue = _read_overdue(workflow.get("overdue_after")) if plan.schedule is not None else None
    return replace(plan, ping=plan.ping or workflow.get("ping"), overdue_after=plan.overdue_after or overdue)


def _read_overdue(written: Any) -> timedelta | None:
    if written is None:
        return None
    span = parse_duration(written, "overdue_after")
    if span < _MIN_OVERDUE:
        raise BadScheduleError(
            "overdue_after",
            UserText("overdue_after: {text} is less than a minute; write for example '2h'.", text=repr(written)),
        )
    return span


def _read_expiry(written: Any) -> timedelta | None:
    if written is None:
        return None
    span = parse_duration(written, "expires")
    if not MIN_EXPIRY <= span <= MAX_EXPIRY:
        raise BadScheduleError(
            "expires", UserText("expires: {text} is not between a minute and a year; write '2d'.", text=repr(written))
        )
    return span


def _seconds(written: Any) -> float | None:
    return parse_duration(written, "timeout").total_seconds() if isinstance(written, str) else written


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptPlan:
    """One version of one workflow."""

    workflow: str
    name: str
    version: int
    path: str
    source: str
    connections: tuple[str, ...]
    tags: tuple[str, ...]
    handlers: Mapping[str, HandlerPlan]
    dependencies: Dependencies

    @classmethod
    def from_description(
        cls, workflow: str, version: int, path: str, source: str, described: Mapping[str, Any]
    ) -> "ScriptPlan":
        try:
            needs = parse_dependencies(source)
        except InvalidDependenciesError:
            needs = Dependencies()  # deployment refuses this now; an older Dayhand may have accepted it
        return cls(
            workflow=workflow,
            name=described["name"],
            version=version,
            path=path,
            source=source,
            connections=tuple(described["connections"]),
            tags=tuple(described["tags"]),
            handlers={one["name"]: read_handler(described, one) for one in described["handlers"]},
            dependencies=needs,
        )

    def is_only_handler(self, handler: str) -> bool:
        return self.handlers.keys() == {handler}

    def name_job(self, handler: str) -> str:
        """What the user calls it: the workflow, if it has nothing else."""
        return self.name if self.is_only_handler(handler) else name_in_words(handler)

    def find_difference(self, described: Mapping[str, Any]) -> str | None:
        """Where the loaded script differs from the store in what it may use and when the user is asked.

        The store may come from somebody else's export, so the script itself decides.
        """
        try:
            handlers = {one["name"]: one for one in described["handlers"]}
            if tuple(described["connections"]) != self.connections:
                return "connections"
            if handlers.keys() != self.handlers.keys():
                return "handlers"
            for name, handler in self.handlers.items():
                if handlers[name]["kind"] != handler.kind.value:
                    return name
                if handlers[name]["approve"] != handler.approve:
                    return UserText("approve of {name}", name=name)
        except (LookupError, TypeError):
            return "description"
        return None


class ScriptPlans:
    """A cache by version, as a version never changes. Any thread may use it."""

    def __init__(self) -> None:
        self._plans: OrderedDict[tuple[str, int], ScriptPlan] = OrderedDict()
        self._lock = Lock()

    def find(self, db: sqlite3.Connection, workflow: str, version: int) -> ScriptPlan:
        with self._lock:
            known = self._plans.get((workflow, version))
            if known is not None:
                self._plans.move_to_end((workflow, version))
                return known
        row, script = workflows.find(db, workflow), workflows.find_script(db, workflow, version)
        assert row is not None and script is not None
        return self.cache(row.path, script)

    def current(self, db: sqlite3.Connection, workflow: str) -> ScriptPlan:
        """The plan that new runs use."""
        return self.find(db, workflow, workflows.current_script(db, workflow))

    def cache(self, path: str, script: ScriptRow) -> ScriptPlan:
        plan = ScriptPlan.from_description(script.workflow, script.number, path, script.source, script.described)
        with self._lock:
            self._plans[script.workflow, script.number] = plan
            if len(self._plans) > _MAX_CACHED_PLANS:
                self._plans.popitem(last=False)
        return plan

    def forget(self, workflow: str) -> None:
        """The workflow was removed, so its version numbers may be reused."""
        with self._lock:
            for key in [key for key in self._plans if key[0] == workflow]:
                del self._plans[key]
