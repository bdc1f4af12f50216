"""The fields of a cron text or calendar, read strictly. The only place that knows croniter.

croniter alone would wrap `5-1`, take digits of any script, roll `R` at random and hash `H`;
every token is therefore checked here, by field, before croniter expands it into values.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from croniter import CroniterError, croniter

from scheduler.timing.errors import BadScheduleError

FIRST_YEAR, LAST_YEAR = 1970, 2099
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_ITEM = re.compile(r"(?P<low>\*|\?|[0-9]{1,4}|[a-z]{3})(?:-(?P<high>[0-9]{1,4}|[a-z]{3}))?(?:/(?P<step>[0-9]{1,4}))?")
_NTH = re.compile(r"(?P<day>[0-7]|[a-z]{3})#(?P<nth>[1-5])")
_LAST_WEEKDAY = re.compile(r"l(?P<after>[0-7]|[a-z]{3})|(?P<before>[0-7]|[a-z]{3})l")


@dataclass(frozen=True, slots=True)
class Field:
    """What one field may hold."""

    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    first_name: int = 0


SECOND = Field("second", 0, 59)
MINUTE = Field("minute", 0, 59)
HOUR = Field("hour", 0, 23)
DAY = Field("day", 1, 31)
MONTH = Field("month", 1, 12, _MONTHS, 1)
WEEKDAY = Field("weekday", 0, 7, _WEEKDAYS)
YEAR = Field("year", FIRST_YEAR, LAST_YEAR)
FIELDS = {field.name: field for field in (SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY, YEAR)}
# The order that croniter wants its seven fields in.
_CRONITER_ORDER = (MINUTE, HOUR, DAY, MONTH, WEEKDAY, SECOND, YEAR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """The value sets of all fields. Weekdays count from 0 = Sunday; None = any."""

    seconds: tuple[int, ...]
    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...] | None
    last_day: bool
    months: tuple[int, ...] | None
    weekdays: tuple[int, ...] | None
    nth_weekdays: tuple[tuple[int, int], ...]
    last_weekdays: tuple[int, ...]
    years: tuple[int, ...] | None


def expand_fields(texts: Mapping[str, str]) -> Values:
    """The values that the texts (field name → text, all seven) stand for."""
    checked = [_check(field, texts[field.name]) for field in _CRONITER_ORDER]
    try:
        expanded, nth = croniter.expand(" ".join(checked))
    except (CroniterError, ValueError, KeyError) as error:
        raise BadScheduleError("cron", f"the cron text {' '.join(checked)!r} cannot be read: {error}.") from error
    minutes, hours, days, months, weekdays, seconds, years = (
        None if values == ["*"] else values for values in expanded
    )
    plain_days = tuple(day for day in days or () if isinstance(day, int))
    return Values(
        seconds=_numbers(seconds, SECOND),
        minutes=_numbers(minutes, MINUTE),
        hours=_numbers(hours, HOUR),
        days=None if days is None else plain_days,
        last_day=days is not None and len(plain_days) < len(days),
        months=None if months is None else _numbers(months, MONTH),
        weekdays=None if weekdays is None else tuple(d % 7 for d in _numbers(weekdays, WEEKDAY) if d not in nth),
        nth_weekdays=tuple((day, n) for day, which in nth.items() for n in which if isinstance(n, int)),
        last_weekdays=tuple(day for day, which in nth.items() if "l" in which),
        years=None if years is None else _numbers(years, YEAR),
    )


def _numbers(values: list[object] | None, field: Field) -> tuple[int, ...]:
    if values is None:
        return tuple(range(field.low, field.high + 1))
    return tuple(sorted(value for value in values if isinstance(value, int)))


def _check(field: Field, text: str) -> str:
    """The text with names as numbers, ready for croniter; refused with the field's name if it is odd."""
    return ",".join(_check_item(field, item) for item in text.lower().split(","))


def _check_item(field: Field, item: str) -> str:
    if field is DAY and item == "l":
        return item
    if field is DAY and item.endswith("w") and item != "w":
        raise _bad(field, f"{item!r} (nearest weekday) is not supported; use a calendar with day and weekday")
    if field is WEEKDAY and (match := _NTH.fullmatch(item)):
        return f"{_value(field, match['day']) % 7}#{match['nth']}"
    if field is WEEKDAY and (match := _LAST_WEEKDAY.fullmatch(item)):
        return f"l{_value(field, match['after'] or match['before']) % 7}"
    match = _ITEM.fullmatch(item)
    if match is None:
        raise _bad(field, f"{item!r} is not understood" if item else "a value is missing")
    low, high, step = match["low"], match["high"], match["step"]
    if step is not None and not 1 <= int(step) <= field.high:
        raise _bad(field, f"the step in {item!r} must be from 1 to {field.high}")
    suffix = f"/{int(step)}" if step is not None else ""
    if low in ("*", "?"):
        if high is not None or (low == "?" and (step or field not in (DAY, WEEKDAY))):
            raise _bad(field, f"{item!r} is not understood")
        return f"*{suffix}"
    first = _value(field, low)
    if high is None:
        return f"{first}-{min(field.high, 6) if field is WEEKDAY else field.high}{suffix}" if step else str(first)
    last = 7 if field is WEEKDAY and high == "sun" else _value(field, high)
    if last < first:
        raise _bad(field, f"the range {item!r} runs backwards; write it as two ranges")
    return f"{first}-{last}{suffix}"


def _value(field: Field, text: str) -> int:
    if text in field.names:
        return field.names.index(text) + field.first_name
    if not text.isdigit():
        raise _bad(field, f"{text!r} is not understood")
    if not field.low <= int(text) <= field.high:
        raise _bad(field, f"{int(text)} is out of range, it goes from {field.low} to {field.high}")
    return int(text)


def _bad(field: Field, what: str) -> BadScheduleError:
    return BadScheduleError(field.name, f"{field.name}: {what}.")
