"""A launcher for Python callables: each occurrence is one call on a pool of threads, without rows of its own."""

import logging
import sqlite3
import threading
from collections.abc import Callable
from datetime import datetime
from queue import SimpleQueue
from typing import TypeAlias

from scheduler.engine.clock import SystemClock
from scheduler.engine.context import EngineContext
from scheduler.engine.runs.write_retry import RetryingWriter
from scheduler.engine.scheduling.engine import EngineParts
from scheduler.engine.scheduling.in_flight import InFlight, StoppableWorker
from scheduler.engine.scheduling.launcher import Announcement, Outcome, Result, Work
from scheduler.rules.lanes import Candidate
from scheduler.store.errors import StoreClosedError, StoreError
from scheduler.timing.occurrences import OccurrenceReason

log = logging.getLogger(__name__)

Task: TypeAlias = Callable[[Work], object]
"""Runs the work. One that raises has failed."""
FindTask: TypeAlias = Callable[[Work], Task]
"""The task for the work; CannotStartError if there is none, so that it is tried again a little later."""


class CannotStartError(Exception):
    """Nothing ran, and it may help to try again a little later."""


class TaskFailedError(Exception):
    """A failure whose message says everything; of other exceptions, the type is recorded too."""


class CallableLauncher:
    """At most `threads` tasks run at once; the threads start when they are needed.

    A thread cannot be stopped from outside; what a task attached with `attach_worker` can. While others wait, the end
    of one and the beginning of the next are one transaction.
    """

    _context: EngineContext
    _in_flight: InFlight
    _writer: RetryingWriter

    def __init__(self, find_task: FindTask, threads: int = 4) -> None:
        self._find_task = find_task
        self._max_threads = threads
        self._queue: SimpleQueue[Work | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []

    def attach(self, parts: EngineParts) -> "CallableLauncher":
        """Called by an engine to get its launcher."""
        self._context, self._in_flight = parts.context, parts.in_flight
        self._writer = RetryingWriter(parts.context.database, parts.context.report_change)
        return self

    def list_ready(self, _db: sqlite3.Connection, _now: datetime) -> list[tuple[Candidate, Work]]:
        return []

    def start(self, work: Work) -> None:
        if len(self._threads) < self._max_threads:
            # A daemon, so that a task that never ends does not keep the program from exiting.
            thread = threading.Thread(target=self._serve, name=f"task {len(self._threads)}", daemon=True)
            self._threads.append(thread)
            thread.start()
        self._queue.put(work)

    def stop(self, key: str, *, kill: bool) -> None:
        worker = self._in_flight.worker_of(key)
        if worker is not None:
            worker.stop(kill=kill)

    def attach_worker(self, work: Work, worker: StoppableWorker) -> None:
        """For a task: what to stop if its work must stop. It is stopped at once if that was requested before."""
        self._in_flight.attach_worker(work.key, worker)
        if (kill := self._in_flight.stop_requested(work.key)) is not None:
            worker.stop(kill=kill)

    def abandon(self, _db: sqlite3.Connection, _key: str, _reason: OccurrenceReason, _now: datetime) -> None:
        return

    def recover(self, _db: sqlite3.Connection, _now: datetime) -> set[str]:
        return set()

    @property
    def is_own_thread(self) -> bool:
        """Whether the caller is one of its tasks."""
        return threading.current_thread() in self._threads

    @property
    def running(self) -> int:
        """How much was started and has not ended."""
        return len(self._in_flight)

    def drop_ready(self) -> None:
        """Start nothing more until the next tick: what is ready stays queued in the store."""
        self._in_flight.clear_ready()

    def stop_all(self) -> None:
        """Ask everything that runs to stop."""
        for work in self._in_flight.list_running():
            self._in_flight.request_stop(work.key, kill=False, reason=OccurrenceReason.STOPPED)
            self.stop(work.key, kill=False)

    def close(self, timeout_s: float | None = None) -> bool:
        """Start nothing more and wait for what runs; returns whether all of it ended in time."""
        self._writer.close()
        for _ in self._threads:
            self._queue.put(None)
        clock = SystemClock()  # threads need real time, even if the engine has the clock of a test
        deadline = None if timeout_s is None else clock.monotonic() + timeout_s
        for thread in self._threads:
            thread.join(None if deadline is None else max(deadline - clock.monotonic(), 0))
        return not any(thread.is_alive() for thread in self._threads)

    def _serve(self) -> None:
        while (work := self._queue.get()) is not None:
            following: Work | None = work
            task: Task | None = None
            while following is not None:
                following, task = self._run(following, task)

    def _run(self, work: Work, task: Task | None) -> tuple[Work | None, Task | None]:
        """Run it, with the task that has begun, if any; returns the next work and its task if that has begun too."""
        following: Work | None = None
        next_task: Task | None = None
        try:
            if task is None:
                task = self._writer.write(lambda db: self._begin(db, work))
            if task is not None:
                following, next_task = self._finish(work, _call(task, work))
        except CannotStartError as error:
            self._could_not_start(work, str(error))
            return None, None
        except StoreClosedError:
            log.info("The store was closed while %s ran", work.subject)
        except Exception as error:  # noqa: BLE001  the outermost frame of this thread: logged and reported
            self._hold_back(work, error)
        if following is None:
            self._in_flight.remove(work)
        return following, next_task

    def _begin(self, db: sqlite3.Connection, work: Work) -> Task | None:
        """The task of work that has begun; None if it must not begin any more."""
        task = self._find_task(work)
        return task if self._in_flight.begin(db, work, self._context.clock.now()) else None

    def _finish(self, work: Work, outcome: Outcome) -> tuple[Work | None, Task | None]:
        """Record how it ended and begin the next one, if any, in the same transaction."""
        taken: list[Work] = []  # survives a transaction that has to be repeated

        def write(db: sqlite3.Connection) -> tuple[Work | None, Task | None]:
            self._in_flight.end(db, work, outcome, self._context.clock.now())
            if not taken and (following := self._in_flight.replace_with_next(work)) is not None:
                taken.append(following)
            try:
                return (taken[0], self._begin(db, taken[0])) if taken else (None, None)
            except CannotStartError:
                return taken[0], None  # tried again outside this transaction, where the failure can be recorded

        return self._writer.write(write)

    def _could_not_start(self, work: Work, sentence: str) -> None:
        """Also frees its slot."""
        try:
            self._in_flight.could_not_start(work, sentence)
        except StoreError as error:
            self._hold_back(work, error)

    def _hold_back(self, work: Work, error: Exception) -> None:
        """The store knows nothing of what happened: nothing of the lane starts for a while."""
        log.error("%s could not be recorded", work.subject, exc_info=error)
        self._context.report_change(Announcement("store", str(error), is_warning=True))
        self._in_flight.hold_back(work.lane)


def _call(task: Task, work: Work) -> Outcome:
    try:
        task(work)
    except TaskFailedError as error:
        return Outcome(Result.FAILED, str(error))
    except BaseException as error:
        log.exception("%s failed", work.subject)
        return Outcome(Result.FAILED, f"{type(error).__name__}: {error}")
    return Outcome(Result.SUCCEEDED)
