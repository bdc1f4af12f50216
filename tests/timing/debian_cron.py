"""A test oracle: what Debian's cron would run, minute by minute. Shares no code with the implementation.

cron keeps two clocks that count minutes of local time. The running one is the wall clock; the virtual
one is the minute up to which every job has been served. The distance between them decides which
jobs a minute serves: wildcard jobs (their minute or hour starts with `*`) or fixed ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)
LATE = 5
JUMP = 180
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - local minutes are counted from local midnight
_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_NAMES = (
    {},
    {},
    {},
    {"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6}
    | {"jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12},
    {"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6},
)


@dataclass(frozen=True, slots=True)
class Job:
    """A line of a crontab, read as cron reads it."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    is_wildcard: bool
    needs_both_days: bool

    @classmethod
    def read(cls, text: str) -> "Job":
        minute, hour, day, _, weekday = fields = text.split()
        sets = [
            frozenset(_numbers(field, low, high, names))
            for field, (low, high), names in zip(fields, _RANGES, _NAMES, strict=True)
        ]
        return cls(
            *sets,
            is_wildcard=minute[0] == "*" or hour[0] == "*",
            needs_both_days=day[0] == "*" or weekday[0] == "*",
        )

    def matches_day(self, day: date) -> bool:
        by_day = day.day in self.days
        by_weekday = not self.weekdays.isdisjoint({0, 7} if day.weekday() == 6 else {day.weekday() + 1})
        fits = by_day and by_weekday if self.needs_both_days else by_day or by_weekday
        return fits and day.month in self.months


@dataclass(frozen=True, slots=True)
class Services:
    """The local minutes that cron serves in a time span, by date, and when it serves them."""

    wildcard: dict[date, list[tuple[int, datetime]]]
    fixed: dict[date, list[tuple[int, datetime]]]

    @classmethod
    def between(cls, after: datetime, until: datetime, zone: ZoneInfo) -> "Services":
        """Those in (after, until]."""
        services = cls({}, {})
        for at, wildcard, fixed in _serve(after, until, zone):
            for served, minutes in ((services.wildcard, wildcard), (services.fixed, fixed)):
                for minute in minutes:
                    day = (_EPOCH + minute * MINUTE).date()
                    served.setdefault(day, []).append((minute % (24 * 60), at))
        return services

    def runs(self, job: Job) -> list[datetime]:
        """The instants at which the job starts, each once even if it covers several lost minutes."""
        minutes = {hour * 60 + minute for hour in job.hours for minute in job.minutes}
        served = self.wildcard if job.is_wildcard else self.fixed
        days = [services for day, services in served.items() if job.matches_day(day)]
        return sorted({at for services in days for minute, at in services if minute in minutes})


def _serve(after: datetime, until: datetime, zone: ZoneInfo) -> Iterator[tuple[datetime, range, range]]:
    """Each minute, with the local minutes it serves for wildcard jobs and for fixed ones."""
    at, virtual = after, _local_minute(after, zone)
    while (at := at + MINUTE) <= until:
        running = _local_minute(at, zone)
        ahead = running - virtual
        now, missed = range(running, running + 1), range(virtual + 1, running + 1)
        if 0 < ahead <= LATE:
            yield at, missed, missed
        elif LATE < ahead <= JUMP:
            yield at, now, missed
        elif -JUMP < ahead <= 0:
            yield at, now, range(0)
            continue  # the virtual clock waits until the running one has caught up
        else:
            yield at, now, now
        virtual = running


def _local_minute(at: datetime, zone: ZoneInfo) -> int:
    return (at.astimezone(zone).replace(tzinfo=None) - _EPOCH) // MINUTE


def _numbers(field: str, low: int, high: int, names: dict[str, int]) -> Iterator[int]:
    for item in field.lower().split(","):
        span, _, step = item.partition("/")
        first, dash, last = span.partition("-")
        if span == "*":
            numbers = range(low, high + 1)
        elif dash:
            numbers = range(_number(first, names), _number(last, names) + 1)
        else:
            numbers = range(_number(first, names), _number(first, names) + 1)
        yield from numbers[:: int(step or 1)]


def _number(text: str, names: dict[str, int]) -> int:
    return names[text] if text in names else int(text)
