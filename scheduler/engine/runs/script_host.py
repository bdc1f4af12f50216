"""Answers a script's calls while it runs, for one attempt, and collects its log."""

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

from dayhand import _protocol as protocol

from scheduler.connections.redaction import redact_text, url_spellings
from scheduler.engine.context import EngineContext
from scheduler.engine.runs.attempt import Attempt, AttemptFailedError, OutsideCall, PublishedEvent, event_for_script
from scheduler.engine.runs.tool_calls import ToolCaller, with_script_line
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.phases import HandlerKind
from scheduler.rules.script_limits import MAX_PEEK_BYTES, PublishBatch, ScriptLimitError, truncate_summary
from scheduler.store import events, logs, runs
from scheduler.store.errors import StoreError
from scheduler.user_text import UserText

_SHOW_INTERVAL_S = 1.0
"""How often log and progress of a running run are stored for others to see."""


class ScriptHost:
    """The host's side of the protocol, on the thread of the run."""

    def __init__(
        self,
        context: EngineContext,
        tools: ToolCaller,
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
        self.log_began = context.clock.now()
        """When what is not stored yet began to arrive."""
        self._shown = context.clock.monotonic()
        self._progress: dict[str, Any] | None = None
        self.is_behind = False
        self._handed_over: set[str] = set()
        """Secrets given to commands, which may print them."""
        self.peeked = {
            (one["topic"], one["id"]): one for first in attempt.first_events.values() for one in first["events"]
        }
        """The events shown to the script, by topic and id."""
        self._peeked_size = sum(map(_size_of, self.peeked.values()))
        self._batch = PublishBatch(attempt.handler.kind)

    def call(self, connection: str, tool: str, parameters: Mapping[str, Any], line: int | None) -> Any:
        call = OutsideCall(connection=connection, tool=tool, parameters=parameters)
        with with_script_line(self._attempt, line):
            return self._tools.call_read_only(self._attempt, call, self._is_ending)

    def hand_over(self, connections: Mapping[str, str], line: int | None) -> dict[str, str]:
        with with_script_line(self._attempt, line):
            found = {name: self._tools.read_command_secret(self._attempt, one) for name, one in connections.items()}
        self._handed_over.update(found.values())
        return found

    def peek(self, topic: str, limit: int) -> list[dict[str, Any]]:
        if topic not in self._attempt.handler.subscribes:
            raise AttemptFailedError.because(
                FailureClass.LOGIC,
                UserText("{handler} does not subscribe to {topic}.", handler=self._attempt.handler.name, topic=topic),
            )
        shown = []
        with closing(events.iter_pending(self._context.database.read(), self._attempt.workflow, topic, limit)) as found:
            for event in found:
                shown.append(event_for_script(event))
                self._remember(shown[-1])
        return shown

    def _remember(self, event: dict[str, Any]) -> None:
        """Note an event shown to the script; their total size per run is limited."""
        key = event["topic"], event["id"]
        known = self.peeked.get(key)
        self._peeked_size += _size_of(event) - (0 if known is None else _size_of(known))
        self.peeked[key] = event
        if self._peeked_size > MAX_PEEK_BYTES:
            sentence = UserText(
                "The script read more than {max_peek_bytes} MB of events in one run. Ask for fewer: "
                "ctx.peek(…, limit=100).",
                max_peek_bytes=MAX_PEEK_BYTES >> 20,
            )
            raise self._limit_exceeded(protocol.PREPARE, sentence)

    def _limit_exceeded(self, phase: str, sentence: str) -> AttemptFailedError:
        failure = Failure(kind=FailureClass.LOGIC, sentence=sentence)
        return AttemptFailedError(failure.with_location(self._attempt.plan.path, self._attempt.handler.line_of(phase)))

    def checkpoint(self, state: dict[str, Any]) -> None:
        self._commit(state)
        self._batch.clear()

    def publish(self, topic: str, event_id: str, title: str, data: Any) -> None:
        if topic not in self._attempt.handler.publishes:
            raise AttemptFailedError.because(
                FailureClass.LOGIC,
                UserText("{handler} does not publish to {topic}.", handler=self._attempt.handler.name, topic=topic),
            )
        written = events.encode_data(data)
        try:
            self._batch.add(event_id, len(f"{event_id}{title}".encode()) + len(written))
        except ScriptLimitError as error:
            phase = protocol.PRODUCER if self._batch.kind is HandlerKind.PRODUCER else protocol.NEXT
            raise self._limit_exceeded(phase, str(error)) from error
        self._attempt.published.append(PublishedEvent(topic, event_id, title, written))

    def done(self, sentence: str) -> None:
        self._attempt.summary = truncate_summary(sentence)

    def problem(self, sentence: str | None) -> None:
        self._attempt.problem = "" if sentence is None else truncate_summary(sentence)

    def progress(self, done: float, total: float | None, text: str) -> None:
        self._progress = {"done": done, "total": total, "text": truncate_summary(text)}
        self._show_at_intervals()

    def log(self, text: str) -> None:
        if not self._text:
            self.log_began = self._context.clock.now()
        self._text.append(text)
        self._show_at_intervals()

    def release(self) -> None:
        """The run has ended: free the events it saw."""
        self.peeked = {}

    def take_log(self) -> str:
        """What is not stored yet; the caller stores it."""
        text, self._text = "".join(self._text), []
        return redact_text(text, url_spellings(self._handed_over)) if self._handed_over else text

    def _show_at_intervals(self) -> None:
        self.is_behind = True
        if self._context.clock.monotonic() - self._shown >= _SHOW_INTERVAL_S:
            self.show()

    def show(self) -> None:
        """Store log and progress for others to see."""
        self._shown = self._context.clock.monotonic()
        text = self.take_log()
        if self._handed_over:  # the end may be the first part of a secret
            kept = max(map(len, self._handed_over)) - 1
            text, rest = text[: max(len(text) - kept, 0)], text[max(len(text) - kept, 0) :]
            if rest:
                self._text.append(rest)
        self.is_behind = False
        if not text and self._progress is None:
            return
        try:
            with self._context.database.write() as db:
                if text:
                    logs.append(db, self._attempt.id, text, self.log_began)
                if self._progress is not None:
                    runs.save_progress(db, self._attempt.id, self._progress)
        except StoreError:  # only for display; the checkpoints report store errors
            self._text.insert(0, text)
            self.is_behind = True
            return
        self._progress = None
        self._context.report_change(Announcement(self._attempt.subject))


def _size_of(event: dict[str, Any]) -> int:
    return len(event["id"]) + len(event["title"]) + len(event["data"])
