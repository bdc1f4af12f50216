"""Plain tasks on real threads and processes, under a real engine."""

import sys
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from queue import Queue

import pytest

from scheduler.engine.engine import Engine
from scheduler.engine.launcher import Announcement, CouldNotStartError, Outcome, Result, Work
from scheduler.engine.simple_launcher import SimpleLauncher, Task
from scheduler.store import occurrences
from scheduler.store.health import open_store
from scheduler.store.occurrences import OccurrenceRow
from scheduler.timing.occurrences import Origin, Reason, State
from tests.engine.harness import SECOND, START, MovedClock

PATIENCE = 20


class Told:
    """Reports of a launcher, kept."""

    def __init__(self) -> None:
        self.ends: Queue[Outcome] = Queue()

    def begin(self, work: Work, go: object) -> None:
        assert callable(go)
        go()

    def ended(self, work: Work, outcome: Outcome) -> None:
        self.ends.put(outcome)


def work(key: str = "k") -> Work:
    return Work(key=key, schedule="w/h", planned=START, origin=Origin.AUTOMATIC, attempt=1)


def outcome_of(task: Task) -> Outcome:
    launcher, told = SimpleLauncher({"w/h": task}, threads=1), Told()
    launcher.start(work(), told)
    outcome = told.ends.get(timeout=PATIENCE)
    launcher.close()
    return outcome


def test_a_callable_is_called_with_its_work() -> None:
    seen: list[Work] = []
    assert outcome_of(seen.append) == Outcome(Result.SUCCEEDED)
    assert seen == [work()]


def test_a_callable_that_raises_has_failed_with_its_error() -> None:
    def breaks(_: Work) -> None:
        raise ValueError("no such receipt")

    assert outcome_of(breaks) == Outcome(Result.FAILED, "ValueError: no such receipt")


def test_a_command_has_succeeded_or_failed_by_its_code() -> None:
    assert outcome_of([sys.executable, "-c", ""]) == Outcome(Result.SUCCEEDED)
    assert outcome_of([sys.executable, "-c", "raise SystemExit(3)"]) == Outcome(Result.FAILED, "It ended with code 3.")


def test_a_command_that_does_not_exist_has_failed(tmp_path: Path) -> None:
    outcome = outcome_of([str(tmp_path / "nothing")])
    assert outcome.result is Result.FAILED and "FileNotFoundError" in (outcome.detail or "")


def test_what_nobody_knows_cannot_be_started() -> None:
    launcher = SimpleLauncher({}, threads=1)
    with pytest.raises(CouldNotStartError, match="Nothing is known about how to run w/h"):
        launcher.start(work(), Told())
    launcher.close()


@pytest.mark.parametrize("kill", [False, True])
def test_a_command_is_stopped_even_if_that_is_asked_before_it_is_there(kill: bool) -> None:  # noqa: FBT001
    launcher, told = (
        SimpleLauncher({"w/h": [sys.executable, "-c", "input()" if kill else "import time; time.sleep(600)"]}, 1),
        Told(),
    )
    hold = threading.Event()
    launcher._line.put(hold.wait)
    launcher.start(work(), told)
    launcher.stop("k", kill=kill)
    hold.set()
    assert told.ends.get(timeout=PATIENCE).result is Result.CANCELLED
    launcher.close()


def test_a_stop_that_comes_too_late_does_not_hurt_the_next_attempt() -> None:
    launcher, told = SimpleLauncher({"w/h": lambda _: None}, threads=1), Told()
    launcher.start(work(), told)
    told.ends.get(timeout=PATIENCE)
    launcher.stop("k", kill=True)
    launcher.start(work(), told)
    assert told.ends.get(timeout=PATIENCE).result is Result.SUCCEEDED
    launcher.close()


class Busy:
    """An engine with threads, ticked whenever something was said."""

    def __init__(self, folder: Path, tasks: dict[str, Task]) -> None:
        self.clock = MovedClock()
        self.said: Queue[Announcement] = Queue()
        self.database = open_store(folder, START).database
        self.launcher = SimpleLauncher(tasks)
        self.engine = Engine(self.database, self.launcher, machine_zone="UTC", clock=self.clock, announce=self.said.put)
        self.engine.recover()

    def tick_until_idle(self) -> None:
        self.engine.tick(self.clock.wall)
        while not self.engine.is_idle:
            self.said.get(timeout=PATIENCE)
            self.engine.tick(self.clock.wall)

    def rows(self, schedule: str) -> list[OccurrenceRow]:
        return occurrences.recent(self.database.read(), schedule, 1000)[::-1]

    def close(self) -> None:
        self.launcher.close()
        self.database.close()


@pytest.fixture
def tasks() -> dict[str, Task]:
    return {}


@pytest.fixture
def busy(tmp_path: Path, tasks: dict[str, Task]) -> Iterator[Busy]:
    busy = Busy(tmp_path / "data", tasks)
    yield busy
    busy.close()


def test_many_short_runs_on_threads_are_all_recorded_once(busy: Busy, tasks: dict[str, Task]) -> None:
    ran: list[tuple[str, datetime]] = []
    for number in range(12):
        tasks[f"w/h{number}"] = lambda work: ran.append((work.schedule, work.planned))
        busy.engine.commands.add("w", f"h{number}", {"every": "10s"}, {"overlap": "buffer_all", "catchup": "all"})
    for _ in range(12):
        busy.clock.wall += 40 * SECOND
        busy.tick_until_idle()
    assert len(set(ran)) == len(ran)
    assert all(row.state is State.SUCCEEDED for number in range(12) for row in busy.rows(f"w/h{number}"))
    assert len(ran) == 12 * 12 * 4


def test_a_command_is_killed_for_the_next_time(busy: Busy, tasks: dict[str, Task]) -> None:
    """O4, on a real process."""
    tasks["w/h"] = [sys.executable, "-c", "import time; time.sleep(600)"]
    busy.engine.commands.add("w", "h", {"every": "10s", "limit": 2}, {"overlap": "terminate_other"})
    for second in (10, 20):
        busy.clock.wall = START.replace(second=second)
        busy.engine.tick(busy.clock.wall)
    while [row.state for row in busy.rows("w/h")] != [State.CANCELLED, State.STARTED]:
        busy.said.get(timeout=PATIENCE)
        busy.engine.tick(busy.clock.wall)
    busy.engine.commands.stop("w/h", kill=True)
    busy.tick_until_idle()
    assert [row.reason for row in busy.rows("w/h")] == [Reason.OVERTAKEN, Reason.STOPPED]
