"""A clock and a launcher that tests control, and an engine over a real store file."""

import sqlite3
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from scheduler.engine.queries.schedules import ScheduleQueries
from scheduler.engine.scheduling.engine import Engine, EngineParts
from scheduler.engine.scheduling.in_flight import InFlight
from scheduler.engine.scheduling.launcher import Announcement, Outcome, Result, Work
from scheduler.engine.settings import Settings
from scheduler.rules.lanes import Candidate, LanePriority
from scheduler.rules.requests import Block
from scheduler.store import gaps, lanes, occurrences, schedules, workflows
from scheduler.store.database import Database
from scheduler.store.lanes import LaneRow
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.opening import close_store, open_store
from scheduler.store.schedules import ScheduleRow
from scheduler.store.workflows import WorkflowRow, WorkflowStatus
from scheduler.timing.catchup import Gap
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from scheduler.timing.policies import Need
from tests.clocks import ManualClock

START = ManualClock.wall
SECOND, MINUTE, HOUR, DAY = (timedelta(seconds=length) for length in (1, 60, 3600, 86_400))


def at(text: str) -> datetime:
    """`11:00` on the first day, `17 11:00` on the next."""
    day, time = text.split() if " " in text else ("16", text)
    return datetime.fromisoformat(f"2026-11-{day}T{time}+00:00")


@dataclass
class ManualLauncher:
    """Replaces the runner: starts work at once and keeps it running until the test ends it or lets it wait."""

    database: Database
    clock: ManualClock
    in_flight: InFlight
    resting: dict[str, Work] = field(default_factory=dict)
    """Started and between two attempts; survives a crash, as the rows of runs do."""
    offers: dict[str, tuple[Candidate, Work]] = field(default_factory=dict)
    """Work other than occurrences that could be resumed."""
    running: dict[str, Work] = field(default_factory=dict)
    begun: list[Work] = field(default_factory=list)
    stops: list[tuple[str, bool]] = field(default_factory=list)
    broken: bool = False
    slow: bool = False
    """Accepts work, but starts it only on `begin`."""
    waiting: list[Work] = field(default_factory=list)
    abandoned: list[str] = field(default_factory=list)

    def list_ready(self, db: sqlite3.Connection, now: datetime) -> list[tuple[Candidate, Work]]:
        return list(self.offers.values())

    def start(self, work: Work) -> None:
        if work.key in self.offers:
            del self.offers[work.key]
            self.resting.pop(work.key, None)
            self._hold(work)
            return
        if self.broken:
            self.in_flight.could_not_start(work, "The worker is missing.")
            return
        self.waiting.append(work)
        if not self.slow:
            self.begin()

    def begin(self) -> None:
        while self.waiting:
            work = self.waiting.pop(0)
            begun = False
            try:
                with self.database.write() as db:
                    begun = self.in_flight.begin(db, work, self.clock.now())
            finally:
                if not begun:
                    self.in_flight.remove(work)
            if begun:
                self._hold(work)

    def _hold(self, work: Work) -> None:
        self.running[work.key] = work
        self.begun.append(work)

    def stop(self, key: str, *, kill: bool) -> None:
        self.stops.append((key, kill))

    def abandon(self, db: sqlite3.Connection, key: str, reason: OccurrenceReason, now: datetime) -> None:
        self.abandoned.append(key)
        self.resting.pop(key, None)
        self.offers.pop(key, None)

    def recover(self, db: sqlite3.Connection, now: datetime) -> set[str]:
        return set(self.resting)

    def rest(self, key: str | None = None) -> Work:
        """An attempt is over and another may follow: nothing runs, but the occurrence has not ended."""
        key = key or next(iter(self.running))
        work = self.running.pop(key)
        self.resting[key] = work
        self.in_flight.remove(work)
        return work

    def offer(self, work: Work, turn: LanePriority = LanePriority.RETRY) -> None:
        """It can be resumed from now on."""
        self.offers[work.key] = (Candidate(priority=turn, name=work.key, due_since=self.clock.now()), work)

    def finish(self, key: str | None = None, result: Result = Result.SUCCEEDED, **details: Any) -> Work:
        key = key or next(iter(self.running))
        work = self.running.pop(key)
        with self.database.write() as db:
            self.in_flight.end(db, work, Outcome(result, **details), self.clock.now())
        self.in_flight.remove(work)
        return work

    def finish_and_relay(self) -> Work | None:
        """End what runs and start the next in the queue in the same transaction."""
        work = self.running.pop(next(iter(self.running)))
        with self.database.write() as db:
            self.in_flight.end(db, work, Outcome(Result.SUCCEEDED), self.clock.now())
            following = self.in_flight.replace_with_next(work)
            begun = following is not None and self.in_flight.begin(db, following, self.clock.now())
        if following is None or not begun:
            self.in_flight.remove(following or work)
            return None
        self._hold(following)
        return following


@dataclass
class FakeConditions:
    """Machine conditions set by the test."""

    held: dict[Need, bool] = field(default_factory=dict)

    def holds(self, need: Need) -> bool | None:
        return self.held.get(need)


class Bench:
    """A data folder with a clock and an engine that can crash and be started again."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.settings = Settings(**settings)
        self.clock = ManualClock()
        self.zone = "UTC"
        self.conditions = FakeConditions()
        self.announcements: list[Announcement] = []
        self.resting: dict[str, Work] = {}
        self.open()

    def open(self) -> None:
        self.database = open_store(self.folder, self.clock.wall).database

        def make_launcher(parts: EngineParts) -> ManualLauncher:
            self.launcher = ManualLauncher(self.database, self.clock, parts.in_flight, self.resting)
            return self.launcher

        self.engine = Engine(
            self.database,
            make_launcher,
            machine_zone=self.zone,
            clock=self.clock,
            conditions=self.conditions,
            settings=self.settings,
            announce=self.announcements.append,
        )
        self.commands, self.schedule_queries = self.engine.commands, ScheduleQueries(self.engine.context)
        self.engine.recover()

    def change_settings(self, **changes: Any) -> None:
        """As the user does while the app runs."""
        self.settings = replace(self.settings, **changes)
        self.engine.context.change_settings(self.settings)

    def crash(self, off: timedelta = timedelta()) -> None:
        """The process dies without warning, and starts again some time later."""
        self.database.close()
        self.clock.move(off)
        self.open()

    def close(self) -> None:
        close_store(self.database)

    def tick(self) -> datetime:
        """Tick until nothing is left to do at this instant."""
        for _ in range(100_000):
            wake = self.engine.tick(self.clock.wall)
            if wake > self.clock.wall:
                return wake
        raise AssertionError("the engine never becomes idle")

    def run_for(self, span: timedelta, *, finish: bool = True) -> None:
        """Let time pass as the host does: sleep until the engine's next wake time, tick, repeat."""
        end = self.clock.wall + span
        wake = self.tick()
        while True:
            if finish:
                while self.launcher.running:
                    self.launcher.finish()
                    wake = self.tick()
            if wake > end:
                break
            self.clock.move(wake - self.clock.wall)
            wake = self.tick()
        self.clock.move(end - self.clock.wall)

    def sleep(self, span: timedelta) -> None:
        """The machine is asleep: the wall clock moves, nothing ticks."""
        self.clock.wall += span

    def occurrences(self, schedule: str = "w/h", *states: OccurrenceState) -> list[OccurrenceRow]:
        rows = occurrences.recent(self.database.read(), schedule, 100_000)[::-1]
        return [row for row in rows if not states or row.state in states]

    def states(self, schedule: str = "w/h") -> list[str]:
        return [row.state.value for row in self.occurrences(schedule)]

    def planned(self, *states: OccurrenceState, schedule: str = "w/h") -> list[str]:
        return [f"{row.planned:%H:%M}" for row in self.occurrences(schedule, *states)]

    def gaps(self, schedule: str = "w/h") -> list[Gap]:
        return [gap for _, gap in gaps.of_schedule(self.database.read(), schedule)][::-1]

    def row(self, schedule: str = "w/h") -> ScheduleRow:
        row = schedules.find(self.database.read(), schedule)
        assert row is not None
        return row

    def one(self, key: str) -> OccurrenceRow:
        row = occurrences.find(self.database.read(), key)
        assert row is not None
        return row

    def warnings(self) -> list[str]:
        return [announcement.sentence for announcement in self.announcements if announcement.is_warning]

    def add(self, spec: dict[str, Any], *, kind: str = "job", name: str = "h", **policies: Any) -> str:
        return self.commands.add("w", name, spec, policies, kind=kind).schedule

    def deploy(self, *lane_names: str, workflow: str = "w") -> None:
        """Store the workflow and its lanes, as a deploy does."""
        row = WorkflowRow(
            slug=workflow,
            name=workflow,
            path=f"{workflow}.py",
            tags=(),
            status=WorkflowStatus.ACTIVE,
            fixing=False,
            watching=False,
            script=1,
            sequence=0,
            version=1,
            created=self.clock.wall,
        )
        with self.database.write() as db:
            workflows.save(db, row)
            for name in lane_names:
                lanes.ensure(db, workflow, name)

    def block(
        self,
        lane: str,
        workflow: str = "w",
        *,
        kind: Block = Block.SCRIPT_ERROR,
        until: datetime | None = None,
    ) -> None:
        with self.database.write() as db:
            lanes.block(db, LaneRow(workflow, lane, kind, "The script raised.", "r1", until))

    def unblock(self, lane: str, workflow: str = "w") -> None:
        with self.database.write() as db:
            lanes.unblock(db, workflow, lane)
        self.engine.wake()

    def set_status(self, status: WorkflowStatus, workflow: str = "w") -> None:
        with self.database.write() as db:
            workflows.set_status(db, workflow, status)
        self.engine.wake()
