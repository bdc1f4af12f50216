"""Times as users type them at a command: `yesterday`, `14:00`, `mon 09:00`, `2d`, or ISO 8601."""

import re
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from scheduler.timing.cron_fields import FIRST_YEAR, LAST_YEAR
from scheduler.timing.durations import parse_duration
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.instants import instant_of, parse_instant
from scheduler.user_text import UserText

EXAMPLES = "2026-11-20T09:00, 2026-11-20, yesterday, tomorrow 18:00, mon 09:00, 14:00 or 2d"
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MIN_WEEKDAY_CHARS = 3
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?", re.ASCII)
_STARTS_WITH_YEAR = re.compile(r"[0-9]{4}-", re.ASCII)
_LENGTH = re.compile(r"(in )?([0-9.]+ ?[smhd])( ago)?", re.ASCII)
_ONE_DAY, _ONE_WEEK = timedelta(days=1), timedelta(weeks=1)


class Direction(StrEnum):
    """Where a time lies that could be meant either way, such as `14:00`, `mon` or `2d`."""

    PAST = "past"
    """The latest one up to now."""
    FUTURE = "future"
    """The first one after now."""


def parse_time(
    text: str, field: str, zone: ZoneInfo, now: datetime, direction: Direction, *, end_of_day: bool = False
) -> datetime:
    """The instant that a user means, in wall time of `zone`; a day is its first second, or its last one."""
    words = " ".join(text.lower().split())
    found = _parse_words(words, zone, now.astimezone(zone), direction, end_of_day=end_of_day)
    if found is not None:
        return found
    try:
        return parse_instant(text, field, zone, end_of_day=end_of_day)
    except BadScheduleError as error:
        if _STARTS_WITH_YEAR.match(text.strip()):
            raise
        raise BadScheduleError(
            field,
            UserText(
                "{field}: {text} is not a time; write for example {examples}.",
                field=field,
                text=repr(text),
                examples=EXAMPLES,
            ),
        ) from error


def _parse_words(
    words: str, zone: ZoneInfo, now: datetime, direction: Direction, *, end_of_day: bool
) -> datetime | None:
    if words == "now":
        return instant_of(now, zone)
    if match := _LENGTH.fullmatch(words):
        return _parse_length(match, now, zone, direction)
    name, _, rest = words.partition(" ")
    clock: time | None
    if match := _TIME.fullmatch(words):
        day, step, clock = now.date(), _ONE_DAY, _read_clock(match)
    else:
        match = _TIME.fullmatch(rest)
        if rest and match is None:
            return None
        clock = None if match is None else _read_clock(match)
        if name in _DAYS:
            return _instant_on(now.date() + _DAYS[name] * _ONE_DAY, clock, zone, end_of_day=end_of_day)
        if (number := _weekday(name)) is None:
            return None
        day, step = now.date() + ((number - now.weekday()) % 7) * _ONE_DAY, _ONE_WEEK
    # The nearest one in that direction: at most one step away from the first guess.
    candidates = [day + count * step for count in (-1, 0, 1)]
    if direction is Direction.PAST:
        begun = [one for one in candidates if _instant_on(one, clock, zone, end_of_day=False) <= now]
        return _instant_on(begun[-1], clock, zone, end_of_day=end_of_day)
    ahead = [one for one in candidates if _instant_on(one, clock, zone, end_of_day=False) > now]
    return _instant_on(ahead[0], clock, zone, end_of_day=end_of_day)


def _parse_length(match: re.Match[str], now: datetime, zone: ZoneInfo, direction: Direction) -> datetime | None:
    ahead, length, ago = match.groups()
    if ahead and ago:
        return None
    try:
        span = parse_duration(length, "time")
        is_past = bool(ago) or (direction is Direction.PAST and not ahead)
        instant = now.astimezone(UTC) + (-span if is_past else span)  # real time, even if clocks change in between
    except (BadScheduleError, OverflowError):
        return None
    return instant_of(instant, zone) if FIRST_YEAR <= instant.year <= LAST_YEAR else None


def _instant_on(day: date, clock: time | None, zone: ZoneInfo, *, end_of_day: bool) -> datetime:
    if clock is None:
        return instant_of(day, zone, end_of_day=end_of_day)
    return instant_of(datetime.combine(day, clock), zone)


def _read_clock(match: re.Match[str]) -> time:
    return time(int(match[1]), int(match[2]), int(match[3] or 0))


def _weekday(name: str) -> int | None:
    found = [place for place, day in enumerate(_WEEKDAYS) if day.startswith(name)]
    return found[0] if len(name) >= _MIN_WEEKDAY_CHARS and len(found) == 1 else None
