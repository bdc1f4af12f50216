"""A scheduler of the library over a real file, with a clock that tests move."""

import threading
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from scheduler import Scheduler
from scheduler.library import DueRun, RunRecord
from tests.clocks import ManualClock

TIMEOUT_S = 60.0
START = ManualClock.wall
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)


class LibraryBench:
    """Ticks as a host does. The default handler notes its runs; one that must stay busy waits for `release`."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.path = folder / "jobs.db"
        self.settings = {"timezone": "UTC", **settings}
        self.clock = ManualClock()
        self.ran: list[DueRun] = []
        self.begun = threading.Semaphore(0)
        self.release = threading.Event()
        self.open()

    def open(self) -> None:
        self.scheduler = Scheduler(self.path, clock=self.clock, **self.settings)
        self.scheduler.on_due(self.ran.append)

    def close(self) -> None:
        self.release.set()
        self.scheduler.close(TIMEOUT_S)

    def reopen(self, off: timedelta = timedelta()) -> None:
        """As if the program were not running for that time."""
        self.close()
        self.clock.move(off)
        self.open()

    def stay_busy(self, run: DueRun) -> None:
        """A handler that ends when the test says so, or when it is asked to stop."""
        self.ran.append(run)
        self.begun.release()
        while not self.release.wait(0.01):
            run.stop_if_requested()

    def wait_for_begin(self) -> None:
        assert self.begun.acquire(timeout=TIMEOUT_S)

    def tick(self) -> datetime:
        """Tick until nothing is left to do at this instant; handlers may still run."""
        while (wake := self.scheduler.tick()) <= self.clock.wall:
            pass
        return wake

    def run(self, span: timedelta = timedelta()) -> None:
        """Let time pass from tick to tick, and wait for the runs of each."""
        end = self.clock.wall + span
        while (wake := self._finish()) <= end:
            self.clock.move(wake - self.clock.wall)
        self.clock.move(end - self.clock.wall)

    def _finish(self) -> datetime:
        """Tick and wait for what runs, until nothing changes any more."""
        before = None
        while (now := self.scheduler.run_stats()) != before:
            before = now
            self.tick()
            assert self.scheduler.stop(TIMEOUT_S)
        return self.tick()

    def states(self, name: str = "job") -> list[str]:
        """Oldest first."""
        return [one.state.value for one in reversed(self.scheduler.run_log(name))]

    def last(self, name: str = "job") -> RunRecord:
        return self.scheduler.run_log(name)[0]
