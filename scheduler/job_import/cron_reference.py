"""When cron itself would start a line, simulated minute by minute. Shares no code with our own times.

As in Debian's cron: a line whose minute or hour begins with `*` follows the wall clock; any other one that falls into a
skipped hour starts right after it, and does not start again in a repeated hour.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

_FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day of the month", 1, 31), ("month", 1, 12), ("day of the week", 0, 7))
_NAMES = {
    "month": ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    "day of the week": ("sun", "mon", "tue", "wed", "thu", "fri", "sat"),
}
_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)
_MAX_EMPTY_DAYS = 366 * 41
"""Days without a time after which the search ends: 29 February on one weekday comes within forty years."""


class NotCronError(Exception):
    """cron would not accept this line either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CronLine:
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either_day: bool
    follows_clock: bool

    @classmethod
    def read(cls, text: str) -> "CronLine":
        parts = text.lower().split()
        if len(parts) != len(_FIELDS):
            raise NotCronError(f"cron needs five fields, but {text!r} has {len(parts)}.")
        sets = [_read_field(part, *field) for part, field in zip(parts, _FIELDS, strict=True)]
        minute, hour, day, _, weekday = (part[0] == "*" for part in parts)
        return cls(
            minutes=sets[0],
            hours=sets[1],
            days=sets[2],
            months=sets[3],
            weekdays=frozenset(number % 7 for number in sets[4]),
            either_day=not (day or weekday),
            follows_clock=minute or hour,
        )

    def times(self, after: datetime, zone: ZoneInfo) -> Iterator[datetime]:
        """Each start after the instant, in order; ends after years without one."""
        day, empty_days = after.astimezone(zone).date(), 0
        while empty_days < _MAX_EMPTY_DAYS:
            found = [at for at in self._on(day, zone) if at > after] if self._matches(day) else []
            yield from found
            empty_days = 0 if found else empty_days + 1
            day += _DAY

    def _matches(self, day: date) -> bool:
        by_day, by_weekday = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        fits = by_day or by_weekday if self.either_day else by_day and by_weekday
        return fits and day.month in self.months

    def _on(self, day: date, zone: ZoneInfo) -> Iterator[datetime]:
        """The starts for the local minutes of that day."""
        at = datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC) - timedelta(hours=3)
        shown = _wall(at, zone)
        span = _DAY + timedelta(hours=6)
        if _wall(at + span, zone) - shown == span:  # no clock change
            for hour in sorted(self.hours):
                for minute in sorted(self.minutes):
                    yield datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone).astimezone(UTC)
            return
        end = shown + 2 * _DAY
        served = shown
        while shown <= end:
            at += _MINUTE
            shown = _wall(at, zone)
            # For a fixed time, skipped minutes count and repeated ones do not.
            passed = range(1, int((shown - served) / _MINUTE) + 1)
            due = [shown] if self.follows_clock else [served + number * _MINUTE for number in passed]
            served = max(served, shown)
            if any(one.date() == day and one.hour in self.hours and one.minute in self.minutes for one in due):
                yield at
            if shown.date() > day and shown.hour >= 3:
                return


def _wall(at: datetime, zone: ZoneInfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None)


def _read_field(text: str, name: str, low: int, high: int) -> frozenset[int]:
    found: set[int] = set()
    for item in text.split(","):
        span, slash, step = item.partition("/")
        if slash and not (step.isascii() and step.isdigit() and int(step)):
            raise NotCronError(f"{name}: cron does not accept the step in {item!r}.")
        first, dash, last = span.partition("-")
        if span == "*":
            start, end = low, high
        else:
            start = _number(first, name, low, high)
            end = _number(last, name, low, high) if dash else start
            if slash and not dash:
                raise NotCronError(f"{name}: cron needs a range or * before the step in {item!r}.")
        if end < start:
            raise NotCronError(f"{name}: the range {item!r} runs backwards.")
        found |= set(range(start, end + 1, int(step or 1)))
    return frozenset(found)


def _number(text: str, name: str, low: int, high: int) -> int:
    names = _NAMES.get(name, ())
    if text in names:
        return names.index(text) + low
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and low <= int(text) <= high):
        raise NotCronError(f"{name}: cron does not accept {text!r}.")
    return int(text)
