"""Calendars: times given by their parts, as in `{"hour": 18, "day": "last"}`. Day AND weekday must match.

An omitted part matches any value, except that parts finer than the finest one given are zero:
`{"hour": 18}` is 18:00:00 each day, `{"minute": 30}` half past each hour, `{"weekday": "mon"}` Monday 00:00.
"""

import re
from collections.abc import Mapping
from itertools import dropwhile
from typing import TypeAlias

from scheduler.timing.cron_fields import FIELDS, FieldValues, expand_fields
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.wall_times import WallPattern, WallTimeRule, refuse_times_too_close
from scheduler.user_text import UserText

Calendar: TypeAlias = Mapping[str, object]
_FINEST_FIRST = ("second", "minute", "hour")
_SPACED_SIGN = re.compile(r"\s*([,/-])\s*")
_LAST = re.compile(r"\s*last\s*")


def parse_calendars(calendars: tuple[Calendar, ...]) -> WallTimeRule:
    """The union of the calendars; refuses those that are invalid, never match, or match too often."""
    if not calendars:
        raise BadScheduleError("calendar", UserText('calendar: it is empty; write for example {"hour": 18}.'))
    patterns = tuple(_parse(calendar) for calendar in calendars)
    refuse_times_too_close(patterns, "calendar")
    return WallTimeRule(patterns)


def read_calendar(calendar: Calendar, *, exact: bool) -> FieldValues:
    """The values of a calendar; with `exact`, parts finer than the finest given are zero instead of any value."""
    texts = calendar_texts(calendar)
    if exact:
        given = set(dropwhile(lambda name: name not in texts, _FINEST_FIRST))
        texts |= {name: "0" for name in _FINEST_FIRST if name not in given}
    return expand_fields({name: texts.get(name, "*") for name in FIELDS})


def calendar_texts(calendar: Calendar) -> dict[str, str]:
    """Each given part as a cron field."""
    if not isinstance(calendar, Mapping) or not calendar:
        raise BadScheduleError(
            "calendar",
            UserText(
                'calendar: {calendar} is not a calendar; write for example {"hour": 18}.', calendar=repr(calendar)
            ),
        )
    unknown = [name for name in calendar if name not in FIELDS]
    if unknown:
        raise BadScheduleError(
            str(unknown[0]),
            UserText(
                "{unknown}: a calendar has no such part; it has {fields}.", unknown=unknown[0], fields=", ".join(FIELDS)
            ),
        )
    return {name: _field_text(name, value) for name, value in calendar.items()}


def _parse(calendar: Calendar) -> WallPattern:
    pattern = WallPattern.from_values(read_calendar(calendar, exact=True), either=False, follows_clock=False)
    if not pattern.days.has_any_date():
        raise BadScheduleError(
            "day", UserText("day: {dict} names a date that does not exist.", dict=repr(dict(calendar)))
        )
    return pattern


def _field_text(name: str, value: object) -> str:
    match value:
        case bool():
            pass
        case int():
            return str(value)
        case str() if value.strip():
            text = _SPACED_SIGN.sub(r"\1", value.strip().lower())
            return _LAST.sub("l", text) if name in ("day", "weekday") else text
        case list() | tuple() if value:
            return ",".join(_field_text(name, item) for item in value)
        case {"start": start, "end": end, **rest} if not set(rest) - {"step"}:
            return f"{_field_text(name, start)}-{_field_text(name, end)}/{_field_text(name, rest.get('step', 1))}"
    raise BadScheduleError(
        name,
        UserText(
            '{name}: {value} is not understood; write a number, a list, or a text such as "1-5" or "*/2".',
            name=name,
            value=repr(value),
        ),
    )
