"""A fake launcher: Python callables on threads, one attempt each, without rows in the store."""

import sqlite3
from collections.abc import Callable, Mapping
from datetime import datetime
from queue import SimpleQueue
from threading import Thread

from scheduler.engine.clock import Clock, SystemClock
from scheduler.engine.scheduling.engine import EngineParts
from scheduler.engine.scheduling.launcher import Outcome, Result, Work
from scheduler.rules.lanes import Candidate
from scheduler.store.database import Database
from scheduler.timing.occurrences import OccurrenceReason

Task = Callable[[Work], None]


class NullLauncher:
    """Starts nothing: for measuring what comes before a start."""

    def attach(self, parts: EngineParts) -> "NullLauncher":
        """Called by an engine to get its launcher."""
        self._in_flight = parts.in_flight
        return self

    def list_ready(self, db: sqlite3.Connection, now: datetime) -> list[tuple[Candidate, Work]]:
        return []

    def start(self, work: Work) -> None:
        return

    def stop(self, key: str, *, kill: bool) -> None:
        return

    def abandon(self, db: sqlite3.Connection, key: str, reason: OccurrenceReason, now: datetime) -> None:
        return

    def recover(self, db: sqlite3.Connection, now: datetime) -> set[str]:
        return set()

    def close(self) -> None:
        return


class CallableLauncher(NullLauncher):
    """Tasks by schedule id. One that raises has failed; none can be stopped, each ends by itself.

    While others stand in line, the end of one and the beginning of the next are one transaction.
    """

    def __init__(
        self, database: Database, tasks: Mapping[str, Task], threads: int = 4, clock: Clock | None = None
    ) -> None:
        self._database = database
        self._tasks = tasks
        self._clock = clock or SystemClock()
        self._line: SimpleQueue[Work | None] = SimpleQueue()
        # Existing threads start a task without delay.
        self._threads = [Thread(target=self._serve, name=f"task {n}") for n in range(threads)]
        for thread in self._threads:
            thread.start()

    def start(self, work: Work) -> None:
        self._line.put(work)

    def close(self) -> None:
        """Wait for running tasks."""
        for _ in self._threads:
            self._line.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while (work := self._line.get()) is not None:
            with self._database.write() as db:
                begins = self._in_flight.begin(db, work, self._clock.now())
            while begins:
                outcome = _call(self._tasks[work.subject], work)
                with self._database.write() as db:
                    now = self._clock.now()
                    self._in_flight.end(db, work, outcome, now)
                    following = self._in_flight.replace_with_next(work)
                    begins = following is not None and self._in_flight.begin(db, following, now)
                work = following or work
            self._in_flight.remove(work)


def _call(task: Task, work: Work) -> Outcome:
    try:
        task(work)
    except Exception as error:  # noqa: BLE001  the outermost frame of the task: recorded as its outcome
        return Outcome(Result.FAILED, f"{type(error).__name__}: {error}")
    return Outcome(Result.SUCCEEDED)
