"""What a script may ask and tell while it runs, answered for one attempt; and its log."""

from collections.abc import Callable, Mapping
from typing import Any

from scheduler.engine.context import Context
from scheduler.engine.launcher import Announcement
from scheduler.engine.runs.attempt import Attempt, OutsideCall, Published, tell_event
from scheduler.engine.runs.hiding import hide
from scheduler.engine.runs.tools import FailedError, Tools, placing
from scheduler.rules.failures import FailureClass
from scheduler.store import events, logs, runs
from scheduler.store.errors import StoreError

_OFTEN_ENOUGH = 1.0
"""Seconds between two looks that others get at the log and the progress of a run."""


class Conversation:
    """The host's side, on the thread that tells the run."""

    def __init__(
        self,
        context: Context,
        tools: Tools,
        attempt: Attempt,
        commit: Callable[[dict[str, Any]], None],
        is_ending: Callable[[], bool],
    ) -> None:
        self._context = context
        self._tools = tools
        self._attempt = attempt
        self._commit = commit
        self._is_ending = is_ending
        self._text: list[str] = []
        self._shown = context.clock.monotonic()
        self._progress: dict[str, Any] | None = None
        self.is_behind = False
        self._handed_over: set[str] = set()
        """Secrets that a command has and may print."""
        self.peeked = {(one["topic"], one["id"]): one for told in attempt.waiting.values() for one in told["events"]}
        """The events that the script has seen, by topic and id."""

    def call(self, connection: str, tool: str, parameters: Mapping[str, Any], line: int | None) -> Any:
        call = OutsideCall(connection=connection, tool=tool, parameters=parameters, line=line)
        with placing(self._attempt, line):
            return self._tools.read(self._attempt, call, self._is_ending)

    def hand_over(self, connections: Mapping[str, str], line: int | None) -> dict[str, str]:
        with placing(self._attempt, line):
            found = {name: self._tools.hand_over(self._attempt, one, line) for name, one in connections.items()}
        self._handed_over.update(found.values())
        return found

    def peek(self, topic: str, limit: int) -> list[dict[str, Any]]:
        if topic not in self._attempt.handler.subscribes:
            raise FailedError.because(
                FailureClass.LOGIC, f"{self._attempt.handler.name} does not subscribe to {topic}."
            )
        found = events.peek(self._context.database.read(), self._attempt.workflow, topic, limit)
        told = [tell_event(event) for event in found]
        self.peeked |= {(one["topic"], one["id"]): one for one in told}
        return told

    def checkpoint(self, state: dict[str, Any]) -> None:
        self._commit(state)

    def publish(self, topic: str, event_id: str, title: str, data: Any) -> None:
        if topic not in self._attempt.handler.publishes:
            raise FailedError.because(FailureClass.LOGIC, f"{self._attempt.handler.name} does not publish to {topic}.")
        self._attempt.published.append(Published(topic, event_id, title, data))

    def done(self, sentence: str) -> None:
        self._attempt.summary = sentence

    def progress(self, done: float, total: float | None, text: str) -> None:
        self._progress = {"done": done, "total": total, "text": text}
        self._show_now_and_then()

    def log(self, text: str) -> None:
        self._text.append(text)
        self._show_now_and_then()

    def take_log(self) -> str:
        """What has not been stored yet; the caller stores it."""
        text, self._text = "".join(self._text), []
        return hide(text, self._handed_over) if self._handed_over else text

    def _show_now_and_then(self) -> None:
        self.is_behind = True
        if self._context.clock.monotonic() - self._shown >= _OFTEN_ENOUGH:
            self.show()

    def show(self) -> None:
        """Store what a person may be waiting to see."""
        self._shown = self._context.clock.monotonic()
        text = self.take_log()
        if self._handed_over:  # a secret may have come only in part
            kept = max(map(len, self._handed_over)) - 1
            text, rest = text[: max(len(text) - kept, 0)], text[max(len(text) - kept, 0) :]
            self._text.append(rest)
        self.is_behind = False
        if not text and self._progress is None:
            return
        try:
            with self._context.database.write() as db:
                if text:
                    logs.append(db, self._attempt.id, text)
                if self._progress is not None:
                    runs.note_progress(db, self._attempt.id, self._progress)
        except StoreError:  # it is only for show; the checkpoints report what is wrong with the store
            self._text.insert(0, text)
            self.is_behind = True
            return
        self._progress = None
        self._context.tell(Announcement(self._attempt.subject))
