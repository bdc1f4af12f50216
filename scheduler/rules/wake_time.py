"""When a consumer runs: it has new events, its wake time has come, or a check is due.

Pending events alone are no reason to run: an empty prepare would repeat forever. New events are
counted from the start of the last prepare, so one that arrives during a run is never lost.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MIN_WAKE_DELAY = timedelta(seconds=30)
MAX_WAKE_DELAY = timedelta(hours=24)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerReadiness:
    """What decides whether a consumer runs."""

    seen: int
    """The workflow's sequence at the start of its last successful prepare."""
    latest: int
    """The sequence of the latest event in its topics."""
    wake_at: datetime | None = None
    is_check_due: bool = False


def is_ready(consumer: ConsumerReadiness, now: datetime) -> bool:
    woken = consumer.wake_at is not None and consumer.wake_at <= now
    return consumer.is_check_due or woken or consumer.latest > consumer.seen


@dataclass(frozen=True, slots=True)
class ParsedWake:
    at: datetime | None
    warning: str | None = None
    """For the author: why the wake time could not be used."""


def parse_wake(requested: object, now: datetime) -> ParsedWake:
    """Parse and clamp the ISO 8601 wake time that prepare asked for. None clears it; invalid values are ignored."""
    if requested is None:
        return ParsedWake(None)
    try:
        if not isinstance(requested, str):
            raise TypeError(requested)
        parsed = datetime.fromisoformat(requested)
        at = parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return ParsedWake(
            None, f"wake_at: {requested!r} is not a date and time and was ignored; write for example ctx.now."
        )
    return ParsedWake(min(max(at, now + MIN_WAKE_DELAY), now + MAX_WAKE_DELAY))
