"""Limits on what one run of a script may pass to the host, so that no script can fill the app's memory."""

from dataclasses import dataclass

from scheduler.rules.phases import HandlerKind
from scheduler.user_text import UserText

_MEGABYTE = 1 << 20
MAX_EVENTS = 10_000
"""Events a run may publish between two checkpoints; they are kept in memory until then."""
MAX_EVENT_BYTES = _MEGABYTE
"""Bytes of one event: its id, title and data."""
MAX_BATCH_BYTES = 16 * _MEGABYTE
"""Bytes of all events between two checkpoints."""
MAX_EVENT_ID_CHARS = 1_000
"""Characters of an event's id, which is kept forever."""
MAX_PEEK_BYTES = 16 * _MEGABYTE
"""Bytes of all events that one run peeks at."""
MAX_TOOL_RESULT_BYTES = 16 * _MEGABYTE
"""Bytes of a tool's result."""
MAX_SUMMARY_CHARS = 2_000
"""Characters of a script's summary of its run; the rest is cut."""
HAND_OVER_TOOL = "hand_over"
"""The tool a workflow must be granted before its commands receive a connection's secret. No script can call it."""


class ScriptLimitError(Exception):
    """The script exceeded a limit; the message names the limit and what to do."""


@dataclass(slots=True)
class PublishBatch:
    """What a run has published since its last checkpoint."""

    kind: HandlerKind
    events: int = 0
    size: int = 0

    def add(self, event: str, size: int) -> None:
        """Count one more event of `size` bytes; ScriptLimitError if that exceeds a limit."""
        if len(event) > MAX_EVENT_ID_CHARS:
            raise ScriptLimitError(
                UserText(
                    "An event id may have {max_event_id_chars} characters; {event}… is longer.",
                    max_event_id_chars=f"{MAX_EVENT_ID_CHARS:,}",
                    event=repr(event[:40]),
                )
            )
        if size > MAX_EVENT_BYTES:
            raise ScriptLimitError(
                UserText(
                    "The event {event} is {size} MB; the limit is {max_event_bytes} MB. Publish less data, or "
                    "the path of a file.",
                    event=repr(event),
                    size=f"{size / _MEGABYTE:.1f}",
                    max_event_bytes=MAX_EVENT_BYTES // _MEGABYTE,
                )
            )
        self.events += 1
        self.size += size
        if self.events > MAX_EVENTS or self.size > MAX_BATCH_BYTES:
            megabytes = MAX_BATCH_BYTES // _MEGABYTE
            if self.kind is HandlerKind.PRODUCER:
                raise ScriptLimitError(
                    UserText(
                        "It published more than {max_events} events or {megabytes} MB without a checkpoint. Call "
                        "ctx.checkpoint(state) after each part.",
                        max_events=f"{MAX_EVENTS:,}",
                        megabytes=megabytes,
                    )
                )
            raise ScriptLimitError(
                UserText(
                    "It published more than {max_events} events or {megabytes} MB at once. Reserve fewer "
                    "events in prepare.",
                    max_events=f"{MAX_EVENTS:,}",
                    megabytes=megabytes,
                )
            )

    def clear(self) -> None:
        """Everything was stored at a checkpoint."""
        self.events = self.size = 0


def truncate_summary(text: str) -> str:
    return text if len(text) <= MAX_SUMMARY_CHARS else f"{text[: MAX_SUMMARY_CHARS - 1]}…"
