"""systemd's calendar expressions (`Mon..Fri *-*-* 09:00`) as calendars, with the times systemd uses; and time spans."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from scheduler.timing.calendar import parse_calendars
from scheduler.timing.cron import parse_cron

_SHORTHANDS = {
    "minutely": "*-*-* *:*:00",
    "hourly": "*-*-* *:00:00",
    "daily": "*-*-* 00:00:00",
    "weekly": "Mon *-*-* 00:00:00",
    "monthly": "*-*-01 00:00:00",
    "quarterly": "*-01,04,07,10-01 00:00:00",
    **dict.fromkeys(("semiannually", "semi-annually", "biannually", "bi-annually"), "*-01,07-01 00:00:00"),
    **dict.fromkeys(("yearly", "annually"), "*-01-01 00:00:00"),
}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LIMITS = {
    "year": (1970, 2099),
    "month": (1, 12),
    "day": (1, 31),
    "hour": (0, 23),
    "minute": (0, 59),
    "second": (0, 59),
}
_RANGE = re.compile(r"(\*|\d{1,4})(?:\.\.(\d{1,4}))?(?:/(\d{1,4}))?", re.ASCII)
_MAX_EMPTY_DAYS = 366 * 41
"""Longer than between two leap days on the same weekday, even across 2100."""
_SPAN_PART = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)")
_UNIT_SECONDS = {
    **dict.fromkeys(("", "s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86_400.0),
    **dict.fromkeys(("w", "week", "weeks"), 604_800.0),
    **dict.fromkeys(("M", "month", "months"), 30.44 * 86_400),
    **dict.fromkeys(("y", "year", "years"), 365.25 * 86_400),
    **dict.fromkeys(("ms", "msec"), 0.001),
    **dict.fromkeys(("us", "usec"), 0.000001),
}


class NotCalendarError(Exception):
    """An expression that cannot be translated; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnCalendar:
    parts: Mapping[str, frozenset[int]]
    """By name, as in our calendars; parts without a restriction are left out."""
    weekdays: frozenset[int] | None
    """0 = Monday."""
    last_day: bool
    timezone: str | None

    @classmethod
    def read(cls, text: str) -> "OnCalendar":
        words = text.split()
        zone = words.pop() if len(words) > 1 and _is_zone(words[-1]) else None
        if len(words) == 1:
            words = _SHORTHANDS.get(words[0].lower(), words[0]).split()
        weekdays = _read_weekdays(words.pop(0)) if words and words[0][0].isalpha() else None
        clock = words.pop() if words and ":" in words[-1] else "00:00:00"
        day = words.pop() if words else "*-*-*"
        if words:
            raise NotCalendarError(f"{text!r} is not a valid calendar expression.")
        days, last_day = _read_date(day)
        parts = days | _read_clock(clock)
        return cls(
            parts={name: values for name, values in parts.items() if len(values) < _size(name)},
            weekdays=weekdays,
            last_day=last_day,
            timezone=zone,
        )

    def calendar(self) -> dict[str, object]:
        """As one of our calendars."""
        written: dict[str, object] = {}
        for name in ("year", "month", "day"):
            if name in self.parts:
                written[name] = _compact(self.parts[name])
        if self.last_day:
            written["day"] = "last"
        if self.weekdays is not None:
            written["weekday"] = [_DAYS[number][:3] for number in sorted(self.weekdays)]
        for name in ("hour", "minute", "second"):
            written[name] = _compact(self.parts[name]) if name in self.parts else "*"
        return written

    def cron(self) -> str | None:
        """As one of our cron expressions if it runs every hour; None if it does not, or if cron has no such days.

        Such a cron expression follows the clock, while a calendar would also run right after a skipped hour.
        """
        has_day = "day" in self.parts or self.last_day
        if "hour" in self.parts or (has_day and self.weekdays is not None):
            return None
        fields = {name: ",".join(map(str, sorted(values))) for name, values in self.parts.items()}
        if self.last_day:
            fields["day"] = "L"
        if self.weekdays is not None:
            fields["weekday"] = ",".join(_DAYS[number][:3] for number in sorted(self.weekdays))
        names = ["minute", "hour", "day", "month", "weekday"]
        if fields.get("second") != "0" or "year" in fields:
            names = ["second", *names, *(["year"] if "year" in fields else [])]
        return " ".join(fields.get(name, "*") for name in names)

    def times(self, after: datetime, machine: ZoneInfo) -> Iterator[datetime]:
        """A skipped wall time does not run; a repeated one runs once."""
        zone = machine if self.timezone is None else ZoneInfo(self.timezone)
        day, empty_days = after.astimezone(zone).date(), 0
        clocks = [
            time(hour, minute, second)
            for hour in self._values("hour")
            for minute in self._values("minute")
            for second in self._values("second")
        ]
        while empty_days < _MAX_EMPTY_DAYS and day.year <= _LIMITS["year"][1]:
            found = False
            for clock in clocks if self._matches(day) else ():
                wall = datetime.combine(day, clock, zone)
                at = wall.astimezone(UTC)
                if at > after and at.astimezone(zone).replace(tzinfo=None) == wall.replace(tzinfo=None):
                    found = True
                    yield at
            empty_days = 0 if found else empty_days + 1
            day += timedelta(days=1)

    def _values(self, name: str) -> list[int]:
        low, high = _LIMITS[name]
        return sorted(self.parts.get(name, range(low, high + 1)))

    def _matches(self, day: date) -> bool:
        if self.last_day and (day + timedelta(days=1)).day != 1:
            return False
        return (self.weekdays is None or day.weekday() in self.weekdays) and all(
            name not in self.parts or getattr(day, name) in self.parts[name] for name in ("year", "month", "day")
        )


def to_schedule(read: list[OnCalendar]) -> dict[str, object]:
    """Our schedule for the union of the expressions; BadScheduleError if there is none."""
    expressions = tuple(expression for one in read if (expression := one.cron()) is not None)
    if len(expressions) == len(read):
        parse_cron(expressions)
        return {"cron": list(expressions) if len(expressions) > 1 else expressions[0]}
    calendars = [one.calendar() for one in read]
    parse_calendars(tuple(calendars))
    return {"calendar": calendars if len(calendars) > 1 else calendars[0]}


def _size(name: str) -> int:
    low, high = _LIMITS[name]
    return high - low + 1


def _compact(values: frozenset[int]) -> object:
    return sorted(values) if len(values) > 1 else next(iter(values))


def _is_zone(word: str) -> bool:
    if word[0].isdigit() or word[0] == "*" or word.lower()[:3] in {day[:3] for day in _DAYS}:
        return False
    try:
        ZoneInfo(word)
    except (KeyError, ValueError, OSError) as error:
        raise NotCalendarError(f"{word!r} is not a known time zone.") from error
    return True


def _read_weekdays(text: str) -> frozenset[int]:
    found: set[int] = set()
    for item in text.lower().rstrip(",").split(","):
        first, dash, last = item.replace("..", "-").partition("-")
        start = _weekday(first)
        end = _weekday(last) if dash else start
        if end < start:
            raise NotCalendarError(f"{item!r} ends before it starts, which systemd refuses; its week starts on Monday.")
        found |= set(range(start, end + 1))
    return frozenset(found)


def _weekday(text: str) -> int:
    for number, name in enumerate(_DAYS):
        if text in (name, name[:3]):
            return number
    raise NotCalendarError(f"{text!r} is not a day of the week.")


def _read_date(text: str) -> tuple[dict[str, frozenset[int]], bool]:
    last_day = False
    if "~" in text:
        text, _, back = text.partition("~")
        if back not in ("1", "01"):
            raise NotCalendarError(f"{back!r} days before the end of the month is not supported; only the last day is.")
        last_day, text = True, f"{text}-*"
    pieces = text.split("-")
    if len(pieces) == 2:
        pieces.insert(0, "*")
    if len(pieces) != 3:
        raise NotCalendarError(f"{text!r} is not a date.")
    return {
        name: _read_part(piece, name) for name, piece in zip(("year", "month", "day"), pieces, strict=True)
    }, last_day


def _read_clock(text: str) -> dict[str, frozenset[int]]:
    pieces = text.split(":")
    if len(pieces) == 2:
        pieces.append("00")
    if len(pieces) != 3:
        raise NotCalendarError(f"{text!r} is not a time of day.")
    return {name: _read_part(piece, name) for name, piece in zip(("hour", "minute", "second"), pieces, strict=True)}


def _read_part(text: str, name: str) -> frozenset[int]:
    low, high = _LIMITS[name]
    found: set[int] = set()
    for item in text.split(","):
        match = _RANGE.fullmatch(item)
        if match is None:
            raise NotCalendarError(f"{name}: {item!r} cannot be read.")
        first = low if match[1] == "*" else _number(name, match[1])
        last = _number(name, match[2]) if match[2] else high if match[1] == "*" or match[3] else first
        step = int(match[3] or 1)
        if not low <= first <= last <= high or step < 1:
            raise NotCalendarError(f"{name}: {item!r} is outside {low} to {high}.")
        found |= set(range(first, last + 1, step))
    return frozenset(found)


def _number(name: str, text: str) -> int:
    """As systemd reads it: the years 0 to 69 mean 20xx, and 70 to 99 mean 19xx."""
    number = int(text)
    if name == "year" and number < 100:
        return number + (2000 if number < 70 else 1900)
    return number


def parse_span(text: str) -> timedelta | None:
    """Parse `1h 30min`; None if it is not a time span."""
    seconds, at = 0.0, 0
    while at < len(text.rstrip()):
        match = _SPAN_PART.match(text, at)
        unit = None if match is None else _UNIT_SECONDS.get(match[2], _UNIT_SECONDS.get(match[2].lower()))
        if match is None or unit is None:
            return None
        seconds += float(match[1]) * unit
        at = match.end()
    return timedelta(seconds=round(seconds)) if text.strip() else None
