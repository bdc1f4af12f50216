"""Trying a script: it reads for real, in a folder of its own, and what it would do outside is shown instead of done."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from dayhand._pretending import MARK

from scheduler.connections.connector import Call, Connector, Tool
from scheduler.connections.registry import Registry
from scheduler.engine.house import House
from scheduler.engine.runs.tools import Secrets
from scheduler.engine.workflows.deploying import Wish
from scheduler.engine.workflows.validation import Validated
from scheduler.engine.workflows.views import WorkflowViews
from scheduler.rules.phases import HandlerKind, Status
from scheduler.store import connections, logs, mutations, requests, runs
from scheduler.store.health import close_store, open_store
from scheduler.store.requests import RequestKind
from scheduler.store.runs import RunRow

MOST_RUNS = 10_100
"""A week of one run a minute."""
MOST_ALIKE = 20
"""So many runs of one kind are told one by one."""
_MOST_KEPT = 100
"""Answers to one tool's questions that are kept for when it asks again."""
_A_WHILE = 1000
"""Runs after which it is said how far it is."""
_PRETENDING = "\nimport dayhand._pretending\n"
_LOOK = 0.05
"""Seconds between two looks whether something has ended that did not say so."""


@dataclass(slots=True)
class TrialClock:
    """Stands still while something runs, and is moved to when something is due."""

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
class Action:
    """What would have been done."""

    connection: str
    tool: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One run of the trial."""

    at: datetime
    handler: str
    status: str
    summary: str | None
    error: str | None
    asked: str | None
    """What the person would have been asked first."""
    action: Action | None
    commands: tuple[tuple[str, ...], ...]
    log: str
    times: int = 1
    """How often it was so, or about so; `until` is the last."""
    until: datetime

    @property
    def is_quiet(self) -> bool:
        """Whether there is nothing to tell of it."""
        told = (self.summary, self.error, self.asked, self.action, self.commands, self.log.strip())
        return self.status == Status.COMMITTED.value and not any(told)

    @property
    def kind(self) -> tuple[Any, ...]:
        """The same for all that differ only in what they say."""
        tool = None if self.action is None else (self.action.connection, self.action.tool)
        return self.handler, self.status, self.is_quiet, bool(self.asked), tool, bool(self.commands)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    workflow: str
    steps: tuple[Step, ...]
    waits: tuple[str, ...]
    """What stood still at the end, and why, in sentences."""
    warnings: tuple[str, ...]
    began: datetime
    ended: datetime
    """In the time of the trial."""
    is_cut: bool
    """It would have gone on, with more runs than are tried."""
    goes_on: datetime | None
    """When it would have run next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a trial takes from the real installation; it changes nothing there."""

    registry: Registry
    secrets: Secrets | None
    connections: Mapping[str, dict[str, Any]]
    machine_zone: str
    now: datetime


@dataclass(slots=True)
class _Seen:
    """What is noted while it runs."""

    runs: list[str] = field(default_factory=list)
    asked: dict[str, str] = field(default_factory=dict)
    number: int = 0


def try_script(
    path: str,
    source: str,
    folder: Path,
    around: Surroundings,
    *,
    span: timedelta = timedelta(),
    progress: Callable[[str], None] = lambda _: None,
) -> Tried:
    """Deploy it in the (empty) folder and run it: once, or on its schedule for as long as `span` says.

    NotValidError if it could not be deployed at all.
    """
    stirred = threading.Event()
    clock = TrialClock(around.now)
    database = open_store(folder, clock.now()).database
    house = House(
        database,
        folder,
        machine_zone=around.machine_zone,
        clock=clock,
        registry=_pretend_all(around.registry),
        secrets=around.secrets,
        announce=lambda _: stirred.set(),
    )
    try:
        with database.write() as db:
            for name, settings in around.connections.items():
                connections.save(db, name, settings, clock.now())
        house.recover()
        checked = house.validation.validate(path, source, progress)
        return _Trial(house, clock, stirred, checked).tell(span, progress)
    finally:
        house.close()
        close_store(database)


class _Trial:
    def __init__(self, house: House, clock: TrialClock, stirred: threading.Event, checked: Validated) -> None:
        self._house = house
        self._clock = clock
        self._stirred = stirred
        self._checked = checked
        self._views = WorkflowViews(house.engine.context, house.plans, house.registry)
        self._seen = _Seen(number=self._views.last_number())

    def tell(self, span: timedelta, progress: Callable[[str], None]) -> Tried:
        house, checked, began = self._house, self._checked, self._clock.now()
        pretending = house.validation.validate(checked.path, checked.source + _PRETENDING, progress)
        house.commands.deploy(pretending, Wish(grant=True))
        if not span:
            for handler in pretending.plan(1).handlers.values():
                if handler.kind is HandlerKind.JOB:
                    house.commands.run(checked.slug, handler.name)
        self._settle()
        while span and not self._is_cut and (wake := self._turn()) <= began + span:
            before = len(self._seen.runs) // _A_WHILE
            self._clock.move_to(wake)
            self._settle()
            if len(self._seen.runs) // _A_WHILE > before:
                days = (self._clock.now() - began).days
                progress(f"{len(self._seen.runs)} runs, {days} of {span.days} days…")
        if span and not self._is_cut:
            self._clock.move_to(began + span)
        db = house.database.read()
        return Tried(
            workflow=checked.slug,
            steps=tuple(gather(self._step(row) for row in self._rows())),
            waits=tuple(one.sentence for one in requests.still_open(db)),
            warnings=checked.warnings,
            began=began,
            ended=self._clock.now(),
            is_cut=self._is_cut,
            goes_on=self._views.workflow(checked.slug).next,
        )

    @property
    def _is_cut(self) -> bool:
        return len(self._seen.runs) >= MOST_RUNS

    def _settle(self) -> None:
        """Until nothing more happens at this instant, with yes to whatever is asked."""
        while not self._is_cut:
            self._rest()
            news = self._views.news(self._seen.number)
            self._seen.number = news.number
            self._seen.runs += [run.id for run in news.runs]
            if not self._say_yes():
                return

    def _rest(self) -> None:
        """Until nothing runs and nothing is due."""
        engine = self._house.engine
        while not (self._turn() > self._clock.now() and engine.dispatch.in_flight == 0 and self._has_nothing_due()):
            self._stirred.wait(_LOOK)
            self._stirred.clear()

    def _has_nothing_due(self) -> bool:
        return self._turn() > self._clock.now()

    def _turn(self) -> datetime:
        return self._house.engine.tick(self._clock.now())

    def _say_yes(self) -> bool:
        db = self._house.database.read()
        open_ones = [one for one in requests.still_open(db) if one.kind is RequestKind.APPROVAL]
        for one in open_ones:
            if one.run is not None:
                self._seen.asked[one.run] = one.sentence
            self._house.answering.approve(one.id)
        return bool(open_ones)

    def _rows(self) -> list[RunRow]:
        """Without those that only waited for a yes (what went on from there tells it) or found nothing to do."""
        db = self._house.database.read()
        found = [row for row in (runs.find(db, run) for run in self._seen.runs) if row is not None]
        return [row for row in found if not (row.followed and row.id in self._seen.asked) and not _is_idle(row)]

    def _step(self, row: RunRow) -> Step:
        db = self._house.database.read()
        run = row.id
        done = mutations.find(db, run)
        text = logs.read(db, run)
        lines = text.splitlines(keepends=True)
        asked = self._seen.asked.get(run) or self._seen.asked.get(row.retry_of or "")
        return Step(
            at=row.began or row.created,
            until=row.began or row.created,
            handler=row.handler,
            status=row.status.value,
            summary=row.summary,
            error=None if row.error is None else str(row.error.get("sentence", "")),
            asked=asked,
            action=None
            if done is None
            else Action(connection=done.connection, tool=done.tool, parameters=done.parameters),
            commands=tuple(tuple(json.loads(line[len(MARK) :])) for line in lines if line.startswith(MARK)),
            log="".join(line for line in lines if not line.startswith(MARK)),
        )


def gather(steps: Iterable[Step]) -> Iterator[Step]:
    """Of many that are alike the first are told, and of the rest one, with how often it was so."""
    told: Counter[tuple[Any, ...]] = Counter()
    rest: dict[tuple[Any, ...], Step] = {}
    for step in _gather_quiet(steps):
        kind = step.kind
        told[kind] += 1
        if told[kind] <= MOST_ALIKE:
            yield step
        else:
            rest[kind] = _add(rest.get(kind), step)
    yield from rest.values()


def _gather_quiet(steps: Iterable[Step]) -> Iterator[Step]:
    """Quiet runs of one handler are told together, until something happens."""
    quiet: dict[str, Step] = {}
    for step in steps:
        if step.is_quiet:
            quiet[step.handler] = _add(quiet.get(step.handler), step)
        else:
            yield from quiet.values()
            quiet.clear()
            yield step
    yield from quiet.values()


def _add(first: Step | None, step: Step) -> Step:
    return step if first is None else replace(first, times=first.times + step.times, until=step.until)


def _is_idle(row: RunRow) -> bool:
    return row.kind is HandlerKind.CONSUMER and row.status is Status.COMMITTED and row.prepared is None


def _pretend_all(registry: Registry) -> Registry:
    """The same tools, of which those that act only seem to."""
    return Registry(_pretend(registry.connector(kind)) for kind in registry.kinds())


def _pretend(connector: Connector) -> Connector:
    def make(tool: Tool) -> Tool:
        if not tool.mutating:
            return replace(tool, run=_ask_once(tool.run))
        return replace(tool, run=lambda call: seeming_result(connector.kind, tool.name, call), check=None)

    return replace(connector, tools=tuple(make(tool) for tool in connector.tools))


def _ask_once(run: Callable[[Call], Any]) -> Callable[[Call], Any]:
    """A week is walked in seconds: nobody is asked the same ten thousand times."""
    kept: dict[str, Any] = {}

    def answer(call: Call) -> Any:
        key = json.dumps([call.connection, call.parameters], sort_keys=True, default=str)
        if key not in kept:
            if len(kept) >= _MOST_KEPT:
                kept.clear()
            kept[key] = run(call)
        return kept[key]

    return answer


def seeming_result(kind: str, tool: str, call: Call) -> Any:
    """What `next` gets for an action that was not done: as the tool would answer where that can be known."""
    given = call.parameters
    match kind, tool:
        case "table", "append":
            return {"added": len(given["rows"])}
        case "files", "write":
            return {"path": given["path"], "size": len((given.get("text") or given.get("base64") or "").encode())}
        case "files", "move":
            return {"path": given["target"]}
        case ("files", "delete") | ("notify", _):
            return None
    return {}
