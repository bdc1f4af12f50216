"""The time at which a consumer asked to be woken, limited to what is sensible."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from scheduler.user_text import UserText

MIN_WAKE_DELAY = timedelta(seconds=30)
MAX_WAKE_DELAY = timedelta(hours=24)
_WITH_TYPE = re.compile(r"\(an? \w+\)$")
"""How the script's side writes a value that is no text: `5 (an int)`."""


@dataclass(frozen=True, slots=True)
class ParsedWake:
    at: datetime | None
    warning: str | None = None
    """For the author: why the wake time could not be used."""


def parse_wake(requested: object, now: datetime, zone: ZoneInfo) -> ParsedWake:
    """Parse and clamp the ISO 8601 wake time that prepare asked for. None clears it; invalid values are ignored.

    A time without a zone is in `zone`, the computer's.
    """
    if requested is None:
        return ParsedWake(None)
    try:
        if not isinstance(requested, str):
            raise TypeError(requested)
        parsed = datetime.fromisoformat(requested)
        at = (parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return ParsedWake(
            None,
            UserText(
                "wake_at: {requested} is not a date and time and was ignored; write for example ctx.now.",
                requested=requested if _WITH_TYPE.search(str(requested)) else repr(requested),
            ),
        )
    return ParsedWake(min(max(at, now + MIN_WAKE_DELAY), now + MAX_WAKE_DELAY))
