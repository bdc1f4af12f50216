"""When a consumer runs: there is news for it, its wake time has come, or one look is owed.

Pending events alone are no reason: an empty prepare would be repeated for ever. And what is new is
measured from the start of the last prepare, so an event that arrives during a run is never lost.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

SOONEST = timedelta(seconds=30)
LATEST = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """What one consumer knows, and what there is to know."""

    seen: int
    """The workflow's sequence at the start of its last successful prepare."""
    latest: int
    """The sequence of the latest news in its topics."""
    wake_at: datetime | None = None
    look: bool = False


def is_ready(attention: Attention, now: datetime) -> bool:
    woken = attention.wake_at is not None and attention.wake_at <= now
    return attention.look or woken or attention.latest > attention.seen


@dataclass(frozen=True, slots=True)
class Wake:
    at: datetime | None
    warning: str | None = None
    """What the author should know about a wake time that could not be used."""


def read_wake(asked: object, now: datetime) -> Wake:
    """The wake time that prepare asked for, as ISO 8601 text: clamped; nothing clears it, nonsense is ignored."""
    if asked is None:
        return Wake(None)
    try:
        if not isinstance(asked, str):
            raise TypeError(asked)
        parsed = datetime.fromisoformat(asked)
        at = parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return Wake(None, f"wake_at: {asked!r} is not a date and time and was ignored; write for example ctx.now.")
    return Wake(min(max(at, now + SOONEST), now + LATEST))
