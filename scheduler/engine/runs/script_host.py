"""What a script may ask and tell while it runs, answered for one attempt; and its log."""

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

from dayhand import _protocol as protocol

from scheduler.engine.context import Context
from scheduler.engine.launcher import Announcement
from scheduler.engine.runs.attempt import Attempt, OutsideCall, Published, tell_event
from scheduler.engine.runs.hiding import hide
from scheduler.engine.runs.tools import FailedError, Tools, placing
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.phases import HandlerKind
from scheduler.rules.script_limits import LARGEST_PEEK, Batch, TooMuchError, cut_sentence
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
        self._peeked_size = sum(map(_size_of, self.peeked.values()))
        self._batch = Batch(attempt.handler.kind)

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
        told = []
        with closing(events.look_at(self._context.database.read(), self._attempt.workflow, topic, limit)) as found:
            for event in found:
                told.append(tell_event(event))
                self._remember(told[-1])
        return told

    def _remember(self, event: dict[str, Any]) -> None:
        """An event that the script is shown; all that one run is shown has a limit."""
        key = event["topic"], event["id"]
        known = self.peeked.get(key)
        self._peeked_size += _size_of(event) - (0 if known is None else _size_of(known))
        self.peeked[key] = event
        if self._peeked_size > LARGEST_PEEK:
            sentence = (
                f"It looked at more than {LARGEST_PEEK >> 20} MB of events in one run. Ask for fewer: ctx.peek(…, "
                "limit=100)."
            )
            raise self._too_much(protocol.PREPARE, sentence)

    def _too_much(self, phase: str, sentence: str) -> FailedError:
        failure = Failure(kind=FailureClass.LOGIC, sentence=sentence)
        return FailedError(failure.placed(self._attempt.plan.path, self._attempt.handler.line_of(phase)))

    def checkpoint(self, state: dict[str, Any]) -> None:
        self._commit(state)
        self._batch.clear()

    def publish(self, topic: str, event_id: str, title: str, data: Any) -> None:
        if topic not in self._attempt.handler.publishes:
            raise FailedError.because(FailureClass.LOGIC, f"{self._attempt.handler.name} does not publish to {topic}.")
        written = events.write_data(data)
        try:
            self._batch.add(event_id, len(f"{event_id}{title}".encode()) + len(written))
        except TooMuchError as error:
            phase = protocol.PRODUCER if self._batch.kind is HandlerKind.PRODUCER else protocol.NEXT
            raise self._too_much(phase, str(error)) from error
        self._attempt.published.append(Published(topic, event_id, title, written))

    def done(self, sentence: str) -> None:
        self._attempt.summary = cut_sentence(sentence)

    def progress(self, done: float, total: float | None, text: str) -> None:
        self._progress = {"done": done, "total": total, "text": cut_sentence(text)}
        self._show_now_and_then()

    def log(self, text: str) -> None:
        self._text.append(text)
        self._show_now_and_then()

    def release(self) -> None:
        """The run is over: let go of the events that it saw."""
        self.peeked = {}

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


def _size_of(event: dict[str, Any]) -> int:
    return len(event["id"]) + len(event["title"]) + len(event["data"])
