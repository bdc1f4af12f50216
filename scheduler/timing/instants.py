"""Instants as users write them (ISO 8601) and as Dayhand writes them (UTC, to the second)."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from scheduler.timing.cron_fields import FIRST_YEAR, LAST_YEAR
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.zones import end_of_gap, instants_of
from scheduler.user_text import UserText

_DATE_LENGTH = len("2026-11-20")


def parse_instant(text: object, field: str, zone: ZoneInfo, *, end_of_day: bool = False) -> datetime:
    """Parse an instant; without an offset it is wall time in `zone`."""
    try:
        parsed = text if isinstance(text, datetime) else _parse(text)
    except ValueError as error:
        raise BadScheduleError(
            field,
            UserText(
                "{field}: {text} is not a date and time; write for example 2026-11-20T09:00+01:00.",
                field=field,
                text=repr(text),
            ),
        ) from error
    if FIRST_YEAR <= parsed.year <= LAST_YEAR:
        instant = instant_of(parsed, zone, end_of_day=end_of_day)
        if instant <= last_instant(zone):
            return instant
    raise BadScheduleError(
        field,
        UserText(
            "{field}: {text} is outside the years {first_year} to {last_year}.",
            field=field,
            text=repr(text),
            first_year=FIRST_YEAR,
            last_year=LAST_YEAR,
        ),
    )


def last_instant(zone: ZoneInfo) -> datetime:
    """The end of the last year, to the second."""
    return datetime(LAST_YEAR, 12, 31, 23, 59, 59, tzinfo=zone).astimezone(UTC)


def instant_of(parsed: date | datetime, zone: ZoneInfo, *, end_of_day: bool = False) -> datetime:
    """The first instant of that wall time, or the first or last one of that day."""
    if isinstance(parsed, datetime):
        return _first_instant(parsed, zone)
    midnight = datetime.combine(parsed, time())
    if end_of_day:  # a day lasts until the next one begins, even if clocks change at midnight
        return _first_instant(midnight + timedelta(days=1), zone) - timedelta(seconds=1)
    return _first_instant(midnight, zone)


def _parse(text: object) -> date | datetime:
    if not isinstance(text, str):
        raise ValueError(text)  # noqa: TRY004 - a wrong type is reported like any invalid text
    text = text.strip()
    return date.fromisoformat(text) if len(text) == _DATE_LENGTH else datetime.fromisoformat(text)


def _first_instant(parsed: datetime, zone: ZoneInfo) -> datetime:
    if parsed.tzinfo is not None:
        return parsed.astimezone(UTC).replace(microsecond=0)
    wall = parsed.replace(microsecond=0)
    return (instants_of(wall, zone) or (end_of_gap(wall, zone),))[0]


def format_instant(instant: datetime) -> str:
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
