"""One planned time of a schedule: its identity, its states and legal moves, and why it did not run."""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from importlib import import_module
from typing import Any, Self


class Origin(StrEnum):
    """Who asked for it."""

    AUTOMATIC = "automatic"
    """The schedule's own times."""
    MANUAL = "manual"
    """A person, now."""
    BACKFILL = "backfill"
    """A person, for a past range."""
    DEPLOY = "deploy"
    """The first deploy of its workflow."""


class State(StrEnum):
    """Where it is. Everything but queued and started is an end."""

    QUEUED = "queued"
    """Recorded; waits for its due time, a slot, or a condition."""
    STARTED = "started"
    """Began, and its chain of attempts has not ended."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    """Stopped by a person or by the overlap policy."""
    SKIPPED = "skipped"
    """Its time came and it was not to run."""
    COALESCED = "coalesced"
    """A later one runs in its place."""
    MISSED = "missed"
    """Its time passed unseen, and catch-up did not call for it."""
    DROPPED = "dropped"
    """It was to run and no longer can."""


MOVES: dict[State, frozenset[State]] = {
    State.QUEUED: frozenset(State) - {State.QUEUED, State.SUCCEEDED},
    State.STARTED: frozenset({State.SUCCEEDED, State.FAILED, State.CANCELLED}),
    # A person had it tried again, and then it went well.
    State.FAILED: frozenset({State.SUCCEEDED}),
} | {state: frozenset() for state in State if state not in (State.QUEUED, State.STARTED, State.FAILED)}
UNDERWAY = frozenset({State.QUEUED, State.STARTED})


class Reason(StrEnum):
    """Why it did not run, or ended as it did. The value is stored; the sentence is for people."""

    def __new__(cls, value: str, sentence: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        return member

    sentence: str

    OVERLAP = "overlap", "The run before it was still going."
    REPLACED = "replaced", "A later time took its place while it waited."
    BUFFER_FULL = "buffer full", "1,000 earlier times were already waiting."
    PASSED = "passed", "Its time passed while the computer or Dayhand was off, asleep or paused."
    MADE_UP = "made up", "Its time passed unseen; one later run made up for it."
    EXPIRED = "expired", "It was older than the catch-up window allows."
    BY_PERSON = "by person", "You skipped it."
    LIMIT = "limit", "The schedule had reached its limit of runs."
    EDITED = "edited", "The schedule's times were changed before it ran."
    CLOCK = "clock", "The clock was set back, and it lay too far ahead."
    REMOVED = "removed", "The schedule was removed before it ran."
    BACKFILL_CANCELLED = "backfill cancelled", "The backfill was cancelled before it ran."
    COULD_NOT_START = "could not start", "It could not be started, and three more tries failed."
    STOPPED = "stopped", "It was stopped."
    OVERTAKEN = "overtaken", "It was stopped because the next time had come."
    INTERRUPTED = "interrupted", "Dayhand ended while it ran."
    ERROR = "error", "The run reported an error."
    UNREADABLE = "unreadable", "What is stored about it makes no sense."
    TOO_MANY_FAILURES = "too many failures", "It failed five times in a row."


def _plain_sha256() -> Callable[[bytes], Any]:
    """Python's own: that of OpenSSL, which hashlib prefers, takes several times as long over a text this short."""
    for name in ("_sha2", "_sha256"):  # the former since Python 3.12
        with suppress(ImportError):
            return import_module(name).sha256  # type: ignore[no-any-return]
    return hashlib.sha256


_sha256 = _plain_sha256()


def occurrence_key(schedule: str, planned: datetime, origin: Origin, request: str = "") -> str:
    """The identity: the same planned time starts once, whatever crashes; a person's wish is one of its own."""
    text = f"{schedule}:{int(planned.timestamp())}"
    if origin is not Origin.AUTOMATIC:
        text += f":{origin}:{request}"
    return str(_sha256(text.encode()).hexdigest())
