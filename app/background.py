"""Asks away from the GUI thread, and brings the answer or the failure back to it. Nothing in a window waits."""

import itertools
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from shiboken6 import isValid

from app.life.installation import Installation
from scheduler.engine.refusal import RefusedError

log = logging.getLogger(__name__)

_Answer = TypeVar("_Answer")
_THREADS = 3
_REST, _LONGEST_REST = 3, 2.0


@dataclass(slots=True, kw_only=True)
class _Question:
    """Kept here until its answer was heard: what it holds of widgets must not be let go in another thread."""

    owner: "Asking"
    act: Callable[[], Any] | None
    then: Callable[[Any], None]
    otherwise: Callable[[Exception], None]
    answer: Any = None
    error: Exception | None = None


class _Threads(QObject):
    """The threads that read, for all pages together."""

    _answered = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._pool = ThreadPoolExecutor(_THREADS, "asking")
        self._open: dict[int, _Question] = {}
        self._numbers = itertools.count()
        self._answered.connect(self._hear, Qt.ConnectionType.QueuedConnection)

    def put(self, question: _Question) -> None:
        number = next(self._numbers)
        self._open[number] = question
        self._pool.submit(self._find_out, number)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._open.clear()

    def _find_out(self, number: int) -> None:
        question = self._open[number]
        assert question.act is not None
        try:
            question.answer = question.act()
        except Exception as error:  # noqa: BLE001  handed to whoever asked
            question.error = error
        del question
        self._answered.emit(number)

    @Slot(int)
    def _hear(self, number: int) -> None:
        question = self._open.pop(number, None)
        if question is None or not isValid(question.owner):
            return
        if question.error is None:
            question.then(question.answer)
        else:
            question.otherwise(question.error)


class Asking(QObject):
    """Ask through one of these, a child of the page: once the page is gone nobody hears the answer."""

    _threads: _Threads | None = None

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._again: dict[str, Callable[[], None] | None] = {}
        """By subject, while it is being asked about: what to do afterwards."""

    def ask(
        self,
        act: Callable[[], _Answer],
        then: Callable[[_Answer], None],
        otherwise: Callable[[Exception], None] | None = None,
    ) -> None:
        """Call `act` in another thread, then one of the others in this one. `act` must not touch widgets."""
        assert threading.current_thread() is threading.main_thread()
        if Asking._threads is None:
            Asking._threads = _Threads()
        Asking._threads.put(_Question(owner=self, act=act, then=then, otherwise=otherwise or _record))

    def ask_latest(
        self,
        subject: str,
        act: Callable[[], _Answer],
        then: Callable[[_Answer], None],
        otherwise: Callable[[Exception], None] | None = None,
        *,
        rest: float = _REST,
    ) -> None:
        """One at a time for each subject: what is asked meanwhile is asked once more, after a rest.

        The rest grows with the time that an answer takes, so that constant news never take all there is to have.
        """
        if subject in self._again:
            self._again[subject] = lambda: self.ask_latest(subject, act, then, otherwise, rest=rest)
            return
        self._again[subject] = None
        took = [0.0]

        def measure() -> _Answer:
            begun = time.perf_counter()
            try:
                return act()
            finally:
                took[0] = time.perf_counter() - begun

        def go_on_asking() -> None:
            again = self._again.pop(subject)
            if again is not None:
                again()

        def go_on(tell: Callable[[], None]) -> None:
            QTimer.singleShot(round(min(took[0] * rest, _LONGEST_REST) * 1000), self, go_on_asking)
            tell()

        otherwise = otherwise or _record
        self.ask(measure, lambda answer: go_on(lambda: then(answer)), lambda error: go_on(lambda: otherwise(error)))


def close_asking() -> None:
    """Before the store is closed: wait for what is being read, and tell nobody."""
    threads, Asking._threads = Asking._threads, None  # noqa: SLF001  this module's own
    if threads is not None:
        threads.close()


def command(installation: Installation, verb: str, **arguments: Any) -> Any:
    """Give a command as any other client does; RefusedError with a sentence where it is not carried out. Waits."""
    for message in installation.desk.answer(verb, arguments):
        if message is None:
            continue
        if "error" in message:
            raise RefusedError(message["error"]["code"], message["error"]["message"])
        if "answer" in message:
            return message["answer"]
    return None


def resume(installation: Installation, workflow: str) -> bool:
    """Let it go on, or everything if that is what rests; whether it was everything. Refuses and waits as above."""
    is_everything = installation.views.paused_until() is not None
    command(installation, "resume", **({"everything": True} if is_everything else {"target": workflow}))
    return is_everything


def _record(error: Exception) -> None:
    log.error("Something could not be read", exc_info=error)
