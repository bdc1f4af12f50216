"""A launcher for plain tasks: a Python callable on a thread, or a command as a process."""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread

from scheduler.engine.launcher import CouldNotStartError, Outcome, Reports, Result, Work

Task = Callable[[Work], None] | Sequence[str]


class SimpleLauncher:
    """Tasks by schedule id. A callable that raises, or a command that exits with an error, has failed."""

    def __init__(self, tasks: Mapping[str, Task], threads: int = 4) -> None:
        self._tasks = tasks
        self._line: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # Threads that are there already start a task without delay.
        self._threads = [Thread(target=self._serve, name=f"task {n}", daemon=True) for n in range(threads)]
        for thread in self._threads:
            thread.start()
        self._lock = Lock()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._stops: dict[str, bool | None] = {}
        """By key of what runs: whether it was told to end, and by force."""

    def start(self, work: Work, reports: Reports) -> None:
        task = self._tasks.get(work.schedule)
        if task is None:
            raise CouldNotStartError(f"Nothing is known about how to run {work.schedule}.")
        reports.begin(work, partial(self._go, task, work, reports))

    def stop(self, key: str, *, kill: bool) -> None:
        """A command ends by a signal; a callable ends by itself."""
        with self._lock:
            if key not in self._stops:
                return
            self._stops[key] = kill
            process = self._processes.get(key)
        if process is not None:
            _signal(process, kill=kill)

    def close(self) -> None:
        """Wait for what runs."""
        for _ in self._threads:
            self._line.put(None)
        for thread in self._threads:
            thread.join()

    def _go(self, task: Task, work: Work, reports: Reports) -> None:
        with self._lock:
            self._stops[work.key] = None
        self._line.put(partial(self._run, task, work, reports))

    def _serve(self) -> None:
        while (run := self._line.get()) is not None:
            run()

    def _run(self, task: Task, work: Work, reports: Reports) -> None:
        try:
            code = None if callable(task) else self._wait_for(task, work.key)
            if callable(task):
                task(work)
            outcome = Outcome(Result.SUCCEEDED) if not code else Outcome(Result.FAILED, f"It ended with code {code}.")
        except Exception as error:  # noqa: BLE001  the outermost frame of this thread: recorded as the outcome
            outcome = Outcome(Result.FAILED, f"{type(error).__name__}: {error}")
        with self._lock:
            if self._stops.pop(work.key) is not None:
                outcome = Outcome(Result.CANCELLED)
        reports.ended(work, outcome)

    def _wait_for(self, command: Sequence[str], key: str) -> int:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL) as process:  # noqa: S603  a list, never a shell
            with self._lock:
                self._processes[key] = process
                told = self._stops[key]
            if told is not None:  # before there was a process to tell
                _signal(process, kill=told)
            code = process.wait()
        with self._lock:
            del self._processes[key]
        return code


def _signal(process: subprocess.Popen[bytes], *, kill: bool) -> None:
    process.kill() if kill else process.terminate()
