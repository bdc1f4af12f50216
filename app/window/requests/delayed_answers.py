"""An answer of the user, sent after a few seconds in which it can be undone.

Nothing has happened before it is sent: undoing it needs no engine, and a crash loses nothing but the answer.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import uuid4

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from app.background import BackgroundTasks, run_command
from app.session import Session
from scheduler.engine.errors import RefusedError

log = logging.getLogger(__name__)

UNDO_MS = 6_000
"""How long an answer can be undone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayedAnswer:
    """A command that answers one request or several, and what to show at each stage. No answer has two of the last."""

    verb: str
    arguments: Mapping[str, Any]
    owner: QObject
    """What shows it; nothing is shown any more once it is deleted."""
    sent: Callable[[], None]
    """It can no longer be undone."""
    undone: Callable[[], None]
    """It was never sent."""
    done: Callable[[Any], None]
    """Gets what the command returned."""
    failed: Callable[[Exception], None]
    key: str = field(default_factory=lambda: uuid4().hex)
    """With which it takes effect once, however often it is sent."""


class DelayedAnswers(QObject):
    """At most one answer can be undone; the next one, or leaving the page, sends it."""

    pending_changed = Signal()
    """`is_pending` changed."""
    refused = Signal(str)
    """Why an answer was not accepted, for its owner to emit."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._background = BackgroundTasks(self)
        self._pending: DelayedAnswer | None = None
        self._on_the_way: dict[str, DelayedAnswer] = {}
        """Sent, and not yet known to be stored."""
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.send)

    @property
    def is_pending(self) -> bool:
        return self._pending is not None

    def start(self, answer: DelayedAnswer) -> None:
        self.send()
        self._pending = answer
        self._timer.start(UNDO_MS)
        self.pending_changed.emit()

    def undo(self) -> None:
        """Drop what has not been sent."""
        if (answer := self._take()) is not None:
            _tell(answer, answer.undone)

    def send(self) -> None:
        answer = self._take()
        if answer is None:
            return
        self._on_the_way[answer.key] = answer
        _tell(answer, answer.sent)
        session = self._session
        self._background.run(
            lambda: _run(session, answer),
            lambda result: self._finish(answer, lambda: answer.done(result)),
            lambda error: self._finish(answer, lambda: answer.failed(error)),
        )

    def send_and_wait(self) -> None:
        """Before the app quits. Blocks until the answers are stored, also those that are on the way."""
        pending = self._take()
        answers = [*self._on_the_way.values(), *([] if pending is None else [pending])]
        self._on_the_way.clear()
        for answer in answers:
            try:
                result = _run(self._session, answer)
            except RefusedError as error:
                log.info("An answer came too late: %s", error)
                _tell(answer, partial(answer.failed, error))
            else:
                _tell(answer, partial(answer.done, result))

    def _take(self) -> DelayedAnswer | None:
        self._timer.stop()
        answer, self._pending = self._pending, None
        if answer is not None:
            self.pending_changed.emit()
        return answer

    def _finish(self, answer: DelayedAnswer, show: Callable[[], None]) -> None:
        if self._on_the_way.pop(answer.key, None) is not None:  # else it was sent again before quitting
            _tell(answer, show)


def _tell(answer: DelayedAnswer, show: Callable[[], None]) -> None:
    if isValid(answer.owner):
        show()


def _run(session: Session, answer: DelayedAnswer) -> Any:
    return run_command(session, answer.verb, **{**answer.arguments, "idempotency_key": answer.key})
