"""Runs functions off the GUI thread and delivers the result or the error to it, so that no window blocks."""

import itertools
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from shiboken6 import isValid

from app.session import Session
from scheduler.engine.errors import RefusedError

log = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")
_THREADS = 3
_REST_FACTOR, _MAX_REST_S = 3, 2.0


@dataclass(slots=True, kw_only=True)
class _Task:
    """Kept until its result is delivered: callbacks refer to widgets, which must not be freed in another thread."""

    owner: "BackgroundTasks"
    act: Callable[[], Any] | None
    then: Callable[[Any], None]
    otherwise: Callable[[Exception], None]
    answer: Any = None
    error: Exception | None = None


class _Pool(QObject):
    """The thread pool shared by all pages."""

    _finished = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._pool = ThreadPoolExecutor(_THREADS, "background")
        self._tasks: dict[int, _Task] = {}
        self._numbers = itertools.count()
        self._finished.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def submit(self, task: _Task) -> None:
        number = next(self._numbers)
        self._tasks[number] = task
        self._pool.submit(self._run, number)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._tasks.clear()

    def _run(self, number: int) -> None:
        task = self._tasks[number]
        assert task.act is not None
        try:
            task.answer = task.act()
        except Exception as error:  # noqa: BLE001  delivered to the caller
            task.error = error
        del task
        self._finished.emit(number)

    @Slot(int)
    def _deliver(self, number: int) -> None:
        task = self._tasks.pop(number, None)
        if task is None or not isValid(task.owner):
            return
        if task.error is None:
            task.then(task.answer)
        else:
            task.otherwise(task.error)


class BackgroundTasks(QObject):
    """A child of the page that uses it: results are dropped once the page is gone."""

    _pool: _Pool | None = None

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pending: dict[str, Callable[[], None] | None] = {}
        """By subject that is running: what to run afterwards."""

    def run(
        self,
        act: Callable[[], _Answer],
        then: Callable[[_Answer], None],
        otherwise: Callable[[Exception], None] | None = None,
    ) -> None:
        """Call `act` in another thread, then `then` or `otherwise` in this one. `act` must not touch widgets."""
        assert threading.current_thread() is threading.main_thread()
        if BackgroundTasks._pool is None:
            BackgroundTasks._pool = _Pool()
        BackgroundTasks._pool.submit(_Task(owner=self, act=act, then=then, otherwise=otherwise or _log_error))

    def run_latest(
        self,
        subject: str,
        act: Callable[[], _Answer],
        then: Callable[[_Answer], None],
        otherwise: Callable[[Exception], None] | None = None,
        *,
        rest_factor: float = _REST_FACTOR,
    ) -> None:
        """Run one at a time per subject; of the calls made while it runs, only the last is run, after a rest.

        The rest is `rest_factor` times the duration, so that constant changes do not use all the CPU.
        """
        if subject in self._pending:
            self._pending[subject] = lambda: self.run_latest(subject, act, then, otherwise, rest_factor=rest_factor)
            return
        self._pending[subject] = None
        took = [0.0]

        def measure() -> _Answer:
            started = time.perf_counter()
            try:
                return act()
            finally:
                took[0] = time.perf_counter() - started

        def run_pending() -> None:
            pending = self._pending.pop(subject)
            if pending is not None:
                pending()

        def finish(deliver: Callable[[], None]) -> None:
            QTimer.singleShot(round(min(took[0] * rest_factor, _MAX_REST_S) * 1000), self, run_pending)
            deliver()

        otherwise = otherwise or _log_error
        self.run(measure, lambda answer: finish(lambda: then(answer)), lambda error: finish(lambda: otherwise(error)))


def close_background_tasks() -> None:
    """Wait for running tasks and drop their results. To be called before the store is closed."""
    pool, BackgroundTasks._pool = BackgroundTasks._pool, None  # noqa: SLF001  this module's own
    if pool is not None:
        pool.close()


def run_command(session: Session, verb: str, **arguments: Any) -> Any:
    """Run a command of the API and return its answer. Blocks; raises RefusedError."""
    for message in session.api.dispatch(verb, arguments):
        if message is None:
            continue
        if "error" in message:
            raise RefusedError(message["error"]["code"], message["error"]["message"])
        if "answer" in message:
            return message["answer"]
    return None


def resume_workflow(session: Session, workflow: str) -> bool:
    """Resume a workflow, or everything if everything is paused; return whether it was everything. Blocks."""
    is_everything = session.queries.paused_until() is not None
    run_command(session, "resume", **({"everything": True} if is_everything else {"target": workflow}))
    return is_everything


def resume_workflows(session: Session, chosen: Sequence[str]) -> bool:
    """Resume these, or everything if everything is paused; return whether it was everything. Blocks."""
    if session.queries.paused_until() is not None:
        return resume_workflow(session, chosen[0])
    for one in chosen:
        run_command(session, "resume", target=one)
    return False


def pause_workflows(session: Session, chosen: Sequence[str]) -> None:
    """Until the user resumes them. Blocks."""
    for one in chosen:
        run_command(session, "pause", target=one)


def _log_error(error: Exception) -> None:
    log.error("A background task failed", exc_info=error)
