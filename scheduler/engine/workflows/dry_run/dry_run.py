"""Trying a script: it reads for real, in a folder of its own, and what it would do outside is shown instead of done."""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from dayhand._pretending import MARK

from scheduler.connections.registry import Registry
from scheduler.engine.house import House
from scheduler.engine.runs.tools import Secrets
from scheduler.engine.workflows.deploying import Wish
from scheduler.engine.workflows.trying.pretending import pretend_all
from scheduler.engine.workflows.trying.steps import Action, Step, Tried, gather
from scheduler.engine.workflows.validation import Validated
from scheduler.engine.workflows.views import WorkflowViews
from scheduler.rules.phases import HandlerKind, Status
from scheduler.store import connections, logs, mutations, requests, runs
from scheduler.store.health import close_store, open_store
from scheduler.store.requests import RequestKind
from scheduler.store.runs import RunRow

MOST_RUNS = 10_100
"""A week of one run a minute."""
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
        registry=pretend_all(around.registry),
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
            waits=tuple(one.sentence for one in requests.list_open(db)),
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
        dispatch = self._house.engine.dispatch
        # What landed after the first look may have left something for a second one.
        while not (self._has_nothing_due() and dispatch.in_flight == 0 and self._has_nothing_due()):
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
        """Without those that found nothing to do."""
        db = self._house.database.read()
        found = (runs.find(db, run) for run in self._seen.runs)
        return [row for row in found if row is not None and not _is_idle(row)]

    def _step(self, row: RunRow) -> Step:
        db = self._house.database.read()
        done = mutations.find(db, row.id)
        lines = logs.read(db, row.id).splitlines(keepends=True)
        return Step(
            at=row.created,
            until=row.created,
            handler=row.handler,
            status=row.status.value,
            summary=row.summary,
            error=None if row.error is None else str(row.error.get("sentence", "")),
            asked=self._seen.asked.get(row.id),
            action=None
            if done is None
            else Action(connection=done.connection, tool=done.tool, parameters=done.parameters),
            commands=tuple(tuple(json.loads(line[len(MARK) :])) for line in lines if line.startswith(MARK)),
            log="".join(line for line in lines if not line.startswith(MARK)),
        )


def _is_idle(row: RunRow) -> bool:
    return row.kind is HandlerKind.CONSUMER and row.status is Status.COMMITTED and row.prepared is None
