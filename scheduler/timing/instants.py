"""Instants as people write them (ISO 8601) and as we print them (UTC, to the second)."""

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from scheduler.timing.errors import BadScheduleError
from scheduler.timing.fields import FIRST_YEAR, LAST_YEAR
from scheduler.timing.times import DAWN, HORIZON
from scheduler.timing.zones import end_of_gap, instants_of

_LAST_SECOND = time(23, 59, 59)


def parse_instant(text: object, field: str, zone: ZoneInfo, *, end_of_day: bool = False) -> datetime:
    """The instant that `text` names; without an offset it is wall time in `zone`."""
    try:
        if isinstance(text, datetime):
            parsed = text
        elif isinstance(text, str) and len(text.strip()) == 10:
            parsed = datetime.combine(date.fromisoformat(text.strip()), _LAST_SECOND if end_of_day else time())
        elif isinstance(text, str):
            parsed = datetime.fromisoformat(text.strip())
        else:
            raise ValueError(text)
        if parsed.tzinfo is not None:
            instant = parsed.astimezone(UTC).replace(microsecond=0)
        else:
            wall = parsed.replace(microsecond=0)
            instant = (instants_of(wall, zone) or (end_of_gap(wall, zone),))[0]
    except (ValueError, OverflowError) as error:
        raise BadScheduleError(
            field, f"{field}: {text!r} is not a date and time; write for example 2026-11-20T09:00+01:00."
        ) from error
    if not DAWN <= instant <= HORIZON:
        raise BadScheduleError(field, f"{field}: {text!r} lies outside the years {FIRST_YEAR} to {LAST_YEAR}.")
    return instant


def write_instant(instant: datetime) -> str:
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
