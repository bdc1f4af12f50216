"""The same answer to several requests, sent after a few seconds in which it can be undone.

Nothing has happened before it is sent: undoing it needs no engine, and a crash loses nothing but the answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer

from app.background import BackgroundTasks, run_command
from app.session import Session
from scheduler.engine.queries.requests import RequestView

UNDO_MS = 6_000
"""How long an answer can be undone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerBatch:
    answer: str
    """A verb of `answer_each`."""
    requests: tuple[RequestView, ...]
    done: Callable[[Sequence[dict[str, Any]]], None]
    """Gets a result per request."""
    failed: Callable[[Exception], None]


class DelayedAnswers(QObject):
    """At most one batch can be undone; the next one, or leaving the page, sends it."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._background = BackgroundTasks(self)
        self._batch: AnswerBatch | None = None
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.send)

    @property
    def is_pending(self) -> bool:
        return self._batch is not None

    def start(self, batch: AnswerBatch) -> None:
        self.send()
        self._batch = batch
        self._timer.start(UNDO_MS)

    def undo(self) -> bool:
        """Drop what has not been sent; False if it is too late."""
        self._timer.stop()
        batch, self._batch = self._batch, None
        return batch is not None

    def send(self) -> None:
        batch = self._take()
        if batch is not None:
            session = self._session
            self._background.run(
                lambda: _run(session, batch), lambda answer: batch.done(answer["results"]), batch.failed
            )

    def send_and_wait(self) -> None:
        """Before the app quits. Blocks until the answers are stored."""
        batch = self._take()
        if batch is not None:
            _run(self._session, batch)

    def _take(self) -> AnswerBatch | None:
        self._timer.stop()
        batch, self._batch = self._batch, None
        return batch


def _run(session: Session, batch: AnswerBatch) -> Any:
    seen = [{"request": one.id, "call_hash": one.call_hash, "run": one.run} for one in batch.requests]
    return run_command(session, "answer_each", answer=batch.answer, requests=seen)
