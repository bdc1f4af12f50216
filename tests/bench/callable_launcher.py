"""A stand-in for the run layer: Python callables on threads, one attempt each, without any rows of their own."""

import sqlite3
from collections.abc import Callable, Mapping
from datetime import datetime
from queue import SimpleQueue
from threading import Thread

from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.launcher import Outcome, Reports, Result, Work
from scheduler.rules.lanes import Candidate
from scheduler.store.database import Database

Task = Callable[[Work], None]


class Deaf:
    """Starts nothing: for what comes before a start."""

    def turns(self, db: sqlite3.Connection, now: datetime) -> list[tuple[Candidate, Work]]:
        return []

    def start(self, work: Work, reports: Reports) -> None:
        return

    def stop(self, key: str, *, kill: bool) -> None:
        return

    def abandon(self, db: sqlite3.Connection, key: str, now: datetime) -> None:
        return

    def recover(self, db: sqlite3.Connection, now: datetime) -> set[str]:
        return set()

    def close(self) -> None:
        return


class Callables(Deaf):
    """Tasks by schedule id. One that raises has failed; none can be stopped, each ends by itself.

    While others stand in line, the end of one and the beginning of the next are one transaction.
    """

    def __init__(
        self, database: Database, tasks: Mapping[str, Task], threads: int = 4, clock: Clock | None = None
    ) -> None:
        self._database = database
        self._tasks = tasks
        self._clock = clock or SystemClock()
        self._line: SimpleQueue[tuple[Work, Reports] | None] = SimpleQueue()
        # Threads that are there already start a task without delay.
        self._threads = [Thread(target=self._serve, name=f"task {n}") for n in range(threads)]
        for thread in self._threads:
            thread.start()

    def start(self, work: Work, reports: Reports) -> None:
        self._line.put((work, reports))

    def close(self) -> None:
        """Wait for what runs."""
        for _ in self._threads:
            self._line.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while (taken := self._line.get()) is not None:
            work, reports = taken
            with self._database.write() as db:
                begins = reports.begin(db, work, self._clock.now())
            while begins:
                outcome = _call(self._tasks[work.subject], work)
                with self._database.write() as db:
                    now = self._clock.now()
                    reports.end(db, work, outcome, now)
                    following = reports.relay(work)
                    begins = following is not None and reports.begin(db, following, now)
                work = following or work
            reports.land(work)


def _call(task: Task, work: Work) -> Outcome:
    try:
        task(work)
    except Exception as error:  # noqa: BLE001  the outermost frame of the task: recorded as its outcome
        return Outcome(Result.FAILED, f"{type(error).__name__}: {error}")
    return Outcome(Result.SUCCEEDED)
