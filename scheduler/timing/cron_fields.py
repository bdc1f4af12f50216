"""Strict parser for the fields of cron expressions and calendars. The only module that knows croniter.

croniter alone would wrap `5-1`, accept non-ASCII digits, roll `R` at random and hash `H`,
so every token is checked here, by field, before croniter expands it into values.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from scheduler.timing.errors import BadScheduleError
from scheduler.user_text import UserText

FIRST_YEAR, LAST_YEAR = 1970, 2099
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_ITEM = re.compile(r"(?P<low>\*|\?|[0-9]{1,4}|[a-z]{3})(?:-(?P<high>[0-9]{1,4}|[a-z]{3}))?(?:/(?P<step>[0-9]{1,4}))?")
_NTH_WEEKDAY = re.compile(r"(?P<day>[0-7]|[a-z]{3})#(?P<nth>[1-5])")
_LAST_WEEKDAY = re.compile(r"l(?P<after>[0-7]|[a-z]{3})|(?P<before>[0-7]|[a-z]{3})l")
_LAST_DAY = "l"


@dataclass(frozen=True, slots=True, eq=False)
class CronField:
    """What one field may hold; compared by identity."""

    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    first_name: int = 0


SECOND = CronField("second", 0, 59)
MINUTE = CronField("minute", 0, 59)
HOUR = CronField("hour", 0, 23)
DAY = CronField("day", 1, 31)
MONTH = CronField("month", 1, 12, _MONTHS, 1)
WEEKDAY = CronField("weekday", 0, 7, _WEEKDAYS)
YEAR = CronField("year", FIRST_YEAR, LAST_YEAR)
FIELDS = {field.name: field for field in (SECOND, MINUTE, HOUR, DAY, MONTH, WEEKDAY, YEAR)}
# The order in which croniter expects its seven fields.
_CRONITER_ORDER = (MINUTE, HOUR, DAY, MONTH, WEEKDAY, SECOND, YEAR)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldValues:
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


def expand_fields(texts: Mapping[str, str]) -> FieldValues:
    """The values of the texts (field name → text, all seven)."""
    items = {field: texts[field.name].lower().split(",") for field in _CRONITER_ORDER}
    nth = [match for item in items[WEEKDAY] if (match := _NTH_WEEKDAY.fullmatch(item))]
    last = [match for item in items[WEEKDAY] if (match := _LAST_WEEKDAY.fullmatch(item))]
    # croniter cannot mix these with plain values, so it only gets the plain ones.
    special = {DAY: {_LAST_DAY}, WEEKDAY: {match.string for match in nth + last}}
    plain = {
        field: [part for item in items[field] if item not in special.get(field, ()) for part in _check(field, item)]
        for field in _CRONITER_ORDER
    }
    values = _expand(plain)
    return FieldValues(
        seconds=_all_if_any(values[SECOND], SECOND),
        minutes=_all_if_any(values[MINUTE], MINUTE),
        hours=_all_if_any(values[HOUR], HOUR),
        days=values[DAY],
        last_day=_LAST_DAY in items[DAY],
        months=values[MONTH],
        weekdays=values[WEEKDAY],
        nth_weekdays=tuple((_value(WEEKDAY, match["day"]) % 7, int(match["nth"])) for match in nth),
        last_weekdays=tuple(_value(WEEKDAY, match["after"] or match["before"]) % 7 for match in last),
        years=values[YEAR],
    )


def _expand(plain: Mapping[CronField, list[str]]) -> dict[CronField, tuple[int, ...] | None]:
    """The numbers of each field; None = any. croniter expands only ranges and steps."""
    if not any("-" in item or "/" in item for items in plain.values() for item in items):
        return {field: _numbers(items) for field, items in plain.items()}
    from croniter import CroniterError, croniter  # noqa: PLC0415  takes 50 ms to import, and few schedules need it

    text = " ".join(",".join(plain[field]) or "*" for field in _CRONITER_ORDER)
    try:
        expanded, _ = croniter.expand(text)
    except (CroniterError, ValueError, KeyError) as error:
        raise BadScheduleError(
            "cron", UserText("cron: {text} cannot be read ({error}).", text=repr(text), error=error)
        ) from error
    return {
        field: _numbers(values) if plain[field] else () for field, values in zip(_CRONITER_ORDER, expanded, strict=True)
    }


def _numbers(values: Collection[int | str]) -> tuple[int, ...] | None:
    return None if "*" in values else tuple(sorted({int(value) for value in values}))


def _all_if_any(values: tuple[int, ...] | None, field: CronField) -> tuple[int, ...]:
    return tuple(range(field.low, field.high + 1)) if values is None else values


def _check(field: CronField, item: str) -> list[str]:
    """The item with names as numbers, ready for croniter; an invalid one is refused with the field's name."""
    if field is DAY and item.endswith("w") and item != "w":
        raise _bad(
            field,
            UserText("{item} (nearest weekday) is not supported; use a calendar with day and weekday", item=repr(item)),
        )
    if item == "*":
        return [item]
    match = _ITEM.fullmatch(item)
    if match is None:
        raise _bad(
            field, UserText("{item} is not understood", item=repr(item)) if item else UserText("a value is missing")
        )
    low, high, step = match["low"], match["high"], match["step"]
    every = int(step or 1)
    if every < 1:
        raise _bad(field, UserText("the step in {item} must be 1 or more", item=repr(item)))
    if low in ("*", "?"):
        if high is not None or (low == "?" and (step or field not in (DAY, WEEKDAY))):
            raise _bad(field, UserText("{item} is not understood", item=repr(item)))
        if every > field.high - field.low:  # as in cron: `*/60` is the first value only
            return [str(field.low)]
        return [f"*/{every}" if every > 1 else "*"]
    first = _value(field, low)
    if high is None:
        last = max(first, 6 if field is WEEKDAY else field.high) if step else first
    else:
        last = 7 if field is WEEKDAY and high == "sun" and first else _value(field, high)
    if last < first:
        raise _bad(field, UserText("the range {item} runs backwards; write it as two ranges", item=repr(item)))
    if field is WEEKDAY:  # croniter does not know day 7
        return [str(day % 7) for day in range(first, last + 1, every)]
    # croniter reads 5-5 as the whole range
    return [f"{first}-{last}/{every}" if every <= last - first else str(first)]


def _value(field: CronField, text: str) -> int:
    if text in field.names:
        return field.names.index(text) + field.first_name
    if not text.isdigit():
        raise _bad(field, UserText("{text} is not understood", text=repr(text)))
    if not field.low <= int(text) <= field.high:
        raise _bad(
            field,
            UserText("{text} is out of range; use {low} to {high}", text=int(text), low=field.low, high=field.high),
        )
    return int(text)


def _bad(field: CronField, what: str) -> BadScheduleError:
    return BadScheduleError(field.name, UserText("{field}: {what}.", field=field.name, what=what))
