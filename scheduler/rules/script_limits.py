"""How much one run of a script may hand to the host, so that no script can fill the memory of the app."""

from dataclasses import dataclass

from scheduler.rules.phases import HandlerKind

_MEGABYTE = 1 << 20
MOST_EVENTS = 10_000
"""Events that a run may publish between two checkpoints; they are kept in memory until then."""
LARGEST_EVENT = _MEGABYTE
"""Bytes of one event: its id, title and data."""
LARGEST_BATCH = 16 * _MEGABYTE
"""Bytes of all events between two checkpoints."""
LONGEST_ID = 1_000
"""Characters of an event's id, which is kept for ever."""
LARGEST_PEEK = 16 * _MEGABYTE
"""Bytes of all events that one run looks at."""
LARGEST_ANSWER = 16 * _MEGABYTE
"""Bytes of what a tool may answer to a script."""
LONGEST_SENTENCE = 2_000
"""Characters of what a script says about its run; the rest is cut."""


class TooMuchError(Exception):
    """The script hands over more than it may; the sentence names the limit and says what to do."""


@dataclass(slots=True)
class Batch:
    """What a run has published since its last checkpoint."""

    kind: HandlerKind
    events: int = 0
    size: int = 0

    def add(self, event: str, size: int) -> None:
        """Count one more event of so many bytes; TooMuchError if that is one too many."""
        if len(event) > LONGEST_ID:
            raise TooMuchError(f"The id of an event may have {LONGEST_ID:,} characters; {event[:40]!r}… has more.")
        if size > LARGEST_EVENT:
            raise TooMuchError(
                f"The event {event!r} has {size / _MEGABYTE:.1f} MB; one event may have {LARGEST_EVENT // _MEGABYTE} "
                "MB. Publish less data, or the path of a file."
            )
        self.events += 1
        self.size += size
        if self.events > MOST_EVENTS or self.size > LARGEST_BATCH:
            megabytes = LARGEST_BATCH // _MEGABYTE
            if self.kind is HandlerKind.PRODUCER:
                raise TooMuchError(
                    f"It published more than {MOST_EVENTS:,} events or {megabytes} MB without a checkpoint. "
                    "Call ctx.checkpoint(state) after each part."
                )
            raise TooMuchError(
                f"It published more than {MOST_EVENTS:,} events or {megabytes} MB at once. "
                "Reserve fewer events in prepare."
            )

    def clear(self) -> None:
        """A checkpoint: all of it is stored."""
        self.events = self.size = 0


def cut_sentence(text: str) -> str:
    """What a script says about its run, at most as long as people may want to read."""
    return text if len(text) <= LONGEST_SENTENCE else f"{text[: LONGEST_SENTENCE - 1]}…"
