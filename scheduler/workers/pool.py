"""Warm workers: a process that has loaded a script is kept for a while, so that the next run starts faster."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from scheduler.workers.outcomes import Finished, Outcome
from scheduler.workers.script import Limits, Script
from scheduler.workers.worker import Worker
from scheduler.workers.worker_records import WorkerRecords


class ScriptLoadError(Exception):
    """The script could not be loaded; `outcome` says how it failed."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(getattr(outcome, "sentence", ""))
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class _Idle:
    worker: Worker
    since: float


class Pool:
    """Any thread may acquire and release. Never waits: how many scripts may run is decided elsewhere."""

    def __init__(
        self,
        folder: Path,
        limits: Limits | None = None,
        *,
        max_workers: int = 8,
        idle_seconds: float = 300,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._records = WorkerRecords(folder)
        self._limits = limits or Limits()
        self._cap = max_workers
        self._idle_seconds = idle_seconds
        self._monotonic = monotonic
        self._lock = Lock()
        self._idle: list[_Idle] = []
        self._busy: set[Worker] = set()
        self._is_closed = False

    def acquire(self, script: Script, keep: Callable[[str], None] = lambda _: None) -> Worker:
        """A worker that has loaded this script; ScriptLoadError or WorkerStartError if that failed.

        `keep` gets what the script prints while loading.
        """
        self.expire()
        with self._lock:
            if self._is_closed:
                raise RuntimeError("The pool is closed.")
            warm = [idle.worker for idle in self._idle if idle.worker.script == script]
            self._idle = [idle for idle in self._idle if idle.worker not in warm[-1:]]
            self._busy |= set(warm[-1:])
        if warm and warm[-1].is_alive():
            return warm[-1]
        if warm:
            self._end(warm[-1])
        worker = Worker(script, self._limits)
        with self._lock:
            self._busy.add(worker)
        self._records.add(worker.pid, worker.mark)
        try:
            outcome = worker.load(keep)
            if not isinstance(outcome, Finished):
                raise ScriptLoadError(outcome)
        except BaseException:
            self._end(worker)
            raise
        return worker

    def release(self, worker: Worker) -> None:
        """Return a worker; it is kept if it can be reused and the pool is not full."""
        with self._lock:
            is_kept = worker.is_usable and not self._is_closed
            if is_kept:
                self._busy.discard(worker)
                self._idle.append(_Idle(worker, self._monotonic()))
        if not is_kept:
            self._end(worker)
        self.expire()

    def end_workers_of(self, workflow: str) -> None:
        """End the idle workers of a workflow whose script changed or was removed."""
        self._end_idle(lambda idle: idle.worker.script.workflow == workflow)

    def expire(self) -> None:
        """End workers that were idle for too long, and the longest idle ones if there are too many."""
        now = self._monotonic()
        with self._lock:
            surplus = len(self._idle) + len(self._busy) - self._cap
            oldest = {idle.worker for idle in self._idle[: max(0, surplus)]}
        self._end_idle(lambda idle: idle.worker in oldest or now - idle.since >= self._idle_seconds)

    def close(self) -> None:
        """End all workers, including busy ones."""
        with self._lock:
            self._is_closed = True
            busy = list(self._busy)
        for worker in busy:
            worker.stop(kill=True)
        for worker in busy:
            self._end(worker)
        self._end_idle(lambda _: True)

    def _end_idle(self, matches: Callable[[_Idle], bool]) -> None:
        with self._lock:
            leaving = [idle for idle in self._idle if matches(idle)]
            self._idle = [idle for idle in self._idle if idle not in leaving]
        for idle in leaving:
            self._end(idle.worker)

    def _end(self, worker: Worker) -> None:
        worker.end()
        self._records.remove(worker.mark)
        with self._lock:
            self._busy.discard(worker)
