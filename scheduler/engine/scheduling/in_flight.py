"""What is ready to start and what is running: one registry, filled by dispatch and emptied by the runner.

Any thread may use it. It knows nothing of scripts; a worker is kept only so that a stop can reach it.
"""

import sqlite3
import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from scheduler.engine.context import EngineContext
from scheduler.engine.scheduling.error_backoff import ErrorBackoff
from scheduler.engine.scheduling.launcher import Announcement, Outcome, Work
from scheduler.engine.scheduling.occurrence_lifecycle import OccurrenceLifecycle
from scheduler.timing.occurrences import OccurrenceReason


class StoppableWorker(Protocol):
    def stop(self, *, kill: bool) -> None: ...


@dataclass(slots=True)
class _StopRequest:
    reason: OccurrenceReason | None
    """Recorded with the occurrence; None if the app is closing and the run continues at the next start."""
    kill: bool


@dataclass(slots=True)
class _Running:
    work: Work
    worker: StoppableWorker | None = None
    stop: _StopRequest | None = None


class InFlight:
    """At most `concurrency` pieces of work run at once; the rest of what is ready waits in order."""

    def __init__(self, context: EngineContext, lifecycle: OccurrenceLifecycle) -> None:
        self._context = context
        self._lifecycle = lifecycle
        self._lock = threading.Lock()
        self._running: dict[str, _Running] = {}
        self._ready: deque[Work] = deque()
        """Each in its own lane."""
        self._starving: set[str] = set()
        self._favoured: set[str] = set()
        """Lanes whose last start was a starving producer: the others come first now."""
        self._contested_lanes: set[str] = set()
        """Lanes in which something other than a consumer waits."""
        self._backoff = ErrorBackoff()
        """By lane: what failed without a row that says when to retry."""

    def __len__(self) -> int:
        return len(self._running)

    def __contains__(self, key: object) -> bool:
        return key in self._running

    @property
    def has_ready_work(self) -> bool:
        return bool(self._ready)

    def is_favoured(self, lane: str) -> bool:
        return lane in self._favoured

    def list_running(self) -> list[Work]:
        with self._lock:
            return [running.work for running in self._running.values()]

    def find_key(self, occurrence: str | None, lane: str) -> str | None:
        """The key of a run: its occurrence's, or else of whatever its lane is running."""
        with self._lock:
            if occurrence in self._running:
                return occurrence
            return next((key for key, running in self._running.items() if running.work.lane == lane), None)

    def clear_ready(self) -> None:
        """Before the queue is read again: until it is refilled nothing starts."""
        with self._lock:
            self._ready.clear()

    def add_ready(self, works: Iterable[Work], starving: set[str], contested_lanes: set[str]) -> None:
        with self._lock:
            self._ready.extend(works)
            self._starving = starving
            self._contested_lanes = contested_lanes

    def start_next(self) -> Work | None:
        """Give a free slot to the first that is ready; None if there is no slot or nothing is ready."""
        with self._lock:
            if not self._ready or len(self._running) >= self._context.settings.concurrency:
                return None
            return self._take_first()

    def may_continue(self, lane: str) -> bool:
        """Whether a lane may run its next consumer at once, because nothing else waits for its turn or for a slot."""
        return not self._ready and lane not in self._contested_lanes

    def begin(self, db: sqlite3.Connection, work: Work, now: datetime) -> bool:
        """Record that the occurrence began, in the caller's transaction; False if it must not begin any more."""
        return self._lifecycle.begin(db, work, now)

    def end(self, db: sqlite3.Connection, work: Work, outcome: Outcome, now: datetime) -> None:
        """Record that the occurrence ended with all its attempts, in the caller's transaction."""
        running = self._running.get(work.key)
        stop = None if running is None else running.stop
        self._lifecycle.end(db, work.key, outcome, now, None if stop is None else stop.reason)

    def could_not_start(self, work: Work, sentence: str) -> None:
        """Nothing ran: the occurrence is retried a little later, and the slot is free again."""
        try:
            with self._context.database.write() as db:
                self._lifecycle.could_not_start(db, work.key, sentence, self._context.clock.now())
        finally:
            self.remove(work)

    def replace_with_next(self, work: Work) -> Work | None:
        """Give the slot of finished work to the first that is ready; None if the slot must be released instead.

        May be called in the transaction that ends the work, so that the next one begins in the same one.
        """
        if self._context.is_paused(self._context.clock.now()):
            return None
        with self._lock:
            if work.key not in self._running or not self._ready:
                return None
            del self._running[work.key]
            following = self._take_first()
        self._context.report_change(Announcement(work.subject))
        return following

    def remove(self, work: Work) -> None:
        """Nothing of it runs any more: its lane and its slot are free."""
        with self._lock:
            self._running.pop(work.key, None)
        self._context.announce(Announcement(work.subject))

    def request_stop(self, key: str, *, kill: bool, reason: OccurrenceReason | None = None) -> bool:
        """Whether there is anything to stop. The first reason counts; a later request may add force."""
        with self._lock:
            running = self._running.get(key)
            if running is None:
                return False
            if running.stop is None:
                running.stop = _StopRequest(reason, kill)
            running.stop.kill = kill
            return True

    def stop_requested(self, key: str) -> bool | None:
        """Whether by force; None if nobody asked it to stop."""
        running = self._running.get(key)
        return None if running is None or running.stop is None else running.stop.kill

    def stop_reason(self, key: str) -> OccurrenceReason | None:
        """Why it was asked to stop; None if nobody asked, or if the app is closing."""
        running = self._running.get(key)
        return None if running is None or running.stop is None else running.stop.reason

    def attach_worker(self, key: str, worker: StoppableWorker | None) -> None:
        with self._lock:
            if key in self._running:
                self._running[key].worker = worker

    def worker_of(self, key: str) -> StoppableWorker | None:
        with self._lock:
            running = self._running.get(key)
            return None if running is None else running.worker

    def hold_back(self, lane: str) -> None:
        """Its work failed in a way that could not even be recorded: nothing of the lane starts for a while."""
        with self._lock:
            self._backoff.fail(lane, self._context.clock.monotonic())

    def held_lanes(self) -> set[str]:
        with self._lock:
            return self._backoff.delayed(self._context.clock.monotonic())

    def next_retry(self, now: datetime) -> datetime | None:
        """When the first lane that is held back may be tried again."""
        with self._lock:
            seconds = self._backoff.seconds_to_next_end(self._context.clock.monotonic())
        return None if seconds is None else now + timedelta(seconds=seconds)

    def _take_first(self) -> Work:
        work = self._ready.popleft()
        self._running[work.key] = _Running(work)
        (self._favoured.add if work.key in self._starving else self._favoured.discard)(work.lane)
        return work
