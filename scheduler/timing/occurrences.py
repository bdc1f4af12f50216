"""Occurrences: their keys, states, legal moves, and the reasons why one did not run."""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from importlib import import_module
from typing import Any, Self

from scheduler.user_text import UserText


class OccurrenceOrigin(StrEnum):
    """What triggered it."""

    AUTOMATIC = "automatic"
    """The schedule's own times."""
    MANUAL = "manual"
    """The user, now."""
    BACKFILL = "backfill"
    """The user, for a past range."""
    DEPLOY = "deploy"
    """The first deploy of its workflow."""


class OccurrenceState(StrEnum):
    """All states except queued and started are final."""

    QUEUED = "queued"
    """Recorded; waiting for its due time, a slot, or a condition."""
    STARTED = "started"
    """Its chain of attempts has begun and not ended."""
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    """Stopped by the user or by the overlap policy."""
    SKIPPED = "skipped"
    """Deliberately not run when its time came."""
    COALESCED = "coalesced"
    """A later one runs in its place."""
    MISSED = "missed"
    """Its time was missed, and the catch-up policy did not run it."""
    DROPPED = "dropped"
    """It was queued and can no longer run."""


OCCURRENCE_MOVES: dict[OccurrenceState, frozenset[OccurrenceState]] = {
    OccurrenceState.QUEUED: frozenset(OccurrenceState) - {OccurrenceState.QUEUED, OccurrenceState.SUCCEEDED},
    OccurrenceState.STARTED: frozenset({OccurrenceState.SUCCEEDED, OccurrenceState.FAILED, OccurrenceState.CANCELLED}),
    # The user retried it, and the retry succeeded.
    OccurrenceState.FAILED: frozenset({OccurrenceState.SUCCEEDED}),
} | {
    state: frozenset()
    for state in OccurrenceState
    if state not in (OccurrenceState.QUEUED, OccurrenceState.STARTED, OccurrenceState.FAILED)
}
UNFINISHED_STATES = frozenset({OccurrenceState.QUEUED, OccurrenceState.STARTED})


class OccurrenceReason(StrEnum):
    """Why it did not run, or why it ended. The value is stored; the sentence is shown to the user."""

    def __new__(cls, value: str, sentence: str = "") -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        return member

    sentence: str

    OVERLAP = "overlap", UserText("The previous run was still running.")
    NOT_STARTED = "not started", UserText("The previous run was still waiting to start.")
    HELD_UP = "held up", UserText("It was held up, and a later run took its place.")
    """The detail says by what."""
    REPLACED = "replaced", UserText("A later run replaced it while it was waiting.")
    BUFFER_FULL = "buffer full", UserText("Too many earlier runs were already waiting.")
    PASSED = (
        "passed",
        UserText(
            "Its time passed while the computer or Dayhand was off, asleep or paused, or the clock was set ahead."
        ),
    )
    CAUGHT_UP = "made up", UserText("Its time was missed; a later run caught up.")
    EXPIRED = "expired", UserText("It was older than the catch-up window allows.")
    BY_USER = "by person", UserText("You skipped it.")
    LIMIT = "limit", UserText("The schedule had reached its run limit.")
    EDITED = "edited", UserText("The schedule was changed before it ran.")
    ZONE = "zone", UserText("The computer's time zone changed before it ran.")
    CLOCK = "clock", UserText("The clock was set back, and it was too far ahead.")
    REMOVED = "removed", UserText("The schedule was removed before it ran.")
    BACKFILL_CANCELLED = "backfill cancelled", UserText("The backfill was cancelled before it ran.")
    COULD_NOT_START = "could not start", UserText("It could not be started, even after three more tries.")
    STOPPED = "stopped", UserText("It was stopped.")
    OVERTAKEN = "overtaken", UserText("It was stopped because the next run was due.")
    INTERRUPTED = "interrupted", UserText("Dayhand quit while it was running.")
    ERROR = "error", UserText("The run reported an error.")
    UNREADABLE = "unreadable", UserText("Its stored data is invalid.")
    TOO_MANY_FAILURES = "too many failures", UserText("It failed too many times in a row.")
    """Only in stores of early versions."""


def _plain_sha256() -> Callable[[bytes], Any]:
    """Python's own implementation: OpenSSL's, which hashlib prefers, is several times slower for short texts."""
    for name in ("_sha2", "_sha256"):  # the former since Python 3.12
        with suppress(ImportError):
            return import_module(name).sha256  # type: ignore[no-any-return]
    return hashlib.sha256


_sha256 = _plain_sha256()


def occurrence_key(schedule: str, planned: datetime, origin: OccurrenceOrigin, idempotency_key: str = "") -> str:
    """The identity: one planned time starts once, even after crashes; each user request gets its own key."""
    text = f"{schedule}:{int(planned.timestamp())}"
    if origin is not OccurrenceOrigin.AUTOMATIC:
        text += f":{origin}:{idempotency_key}"
    return str(_sha256(text.encode()).hexdigest())
