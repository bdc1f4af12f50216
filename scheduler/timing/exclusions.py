"""Times excluded from a schedule: dates, date ranges, and calendars."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TypeAlias

from scheduler.timing.calendar import Calendar, read_calendar
from scheduler.timing.cron_fields import HOUR, LAST_YEAR, MINUTE, SECOND, CronField
from scheduler.timing.days import Days
from scheduler.timing.errors import BadScheduleError
from scheduler.user_text import UserText

Exclusion: TypeAlias = str | Calendar
_DATES = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:/([0-9]{4}-[0-9]{2}-[0-9]{2}))?")
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class _Period:
    """All times of the given dates whose hour, minute and second are in the sets."""

    days: Days
    hours: frozenset[int]
    minutes: frozenset[int]
    seconds: frozenset[int]

    def end(self, wall: datetime) -> datetime | None:
        """Where the excluded range around `wall` ends; None if `wall` is not excluded."""
        if (
            wall.hour not in self.hours
            or wall.minute not in self.minutes
            or wall.second not in self.seconds
            or wall.date() not in self.days
        ):
            return None
        if not _is_whole(self.seconds, SECOND):
            return wall.replace(second=0) + timedelta(seconds=_end_of_run(self.seconds, wall.second))
        if not _is_whole(self.minutes, MINUTE):
            return wall.replace(minute=0, second=0) + timedelta(minutes=_end_of_run(self.minutes, wall.minute))
        midnight = datetime.combine(wall.date(), time())
        if not _is_whole(self.hours, HOUR):
            return midnight + timedelta(hours=_end_of_run(self.hours, wall.hour))
        while midnight.date() in self.days and midnight.year <= LAST_YEAR:
            midnight += _DAY
        return midnight

    @property
    def is_everything(self) -> bool:
        whole = zip((self.hours, self.minutes, self.seconds), (HOUR, MINUTE, SECOND), strict=True)
        return self.days.is_every_day and all(_is_whole(*pair) for pair in whole)


@dataclass(frozen=True, slots=True)
class Exclusions:
    spans: tuple[tuple[date, date], ...] = ()
    periods: tuple[_Period, ...] = ()

    @property
    def is_everything(self) -> bool:
        return any(period.is_everything for period in self.periods)

    def excluded_until(self, wall: datetime) -> datetime | None:
        """The first later wall time that may not be excluded; None if `wall` itself is not."""
        for first, last in self.spans:
            if first <= wall.date() <= last:
                return datetime.combine(last, time()) + _DAY
        for period in self.periods:
            if (end := period.end(wall)) is not None:
                return end
        return None

    def periods_on(self, day: date) -> tuple[int, ...]:
        """Indexes of the periods that apply on that day; days with equal indexes exclude the same times."""
        return tuple(place for place, period in enumerate(self.periods) if day in period.days)

    def covers(self, second: int, places: tuple[int, ...]) -> bool:
        """Whether one of those periods excludes that second of a day."""
        hour, minute = second // 3600, second // 60 % 60
        return any(
            hour in period.hours and minute in period.minutes and second % 60 in period.seconds
            for period in map(self.periods.__getitem__, places)
        )


NO_EXCLUSIONS = Exclusions()


def parse_exclusions(exclusions: tuple[Exclusion, ...]) -> Exclusions:
    if not exclusions:
        return NO_EXCLUSIONS
    spans, periods = [], []
    for exclusion in exclusions:
        if isinstance(exclusion, str):
            spans.append(_parse_dates(exclusion))
        elif not isinstance(exclusion, Mapping):
            raise _bad(exclusion)
        else:
            values = read_calendar(exclusion, exact=False)
            days = Days.from_values(values, either=False)
            periods.append(_Period(days, frozenset(values.hours), frozenset(values.minutes), frozenset(values.seconds)))
    return Exclusions(tuple(spans), tuple(periods))


def _parse_dates(text: str) -> tuple[date, date]:
    match = _DATES.fullmatch(text.strip())
    try:
        if match is None:
            raise ValueError(text)
        first = date.fromisoformat(match[1])
        last = date.fromisoformat(match[2] or match[1])
    except ValueError as error:
        raise _bad(text) from error
    if last < first:
        raise BadScheduleError("exclude", UserText("exclude: the range {text} runs backwards.", text=repr(text)))
    return first, min(last, date(LAST_YEAR, 12, 31))


def _bad(exclusion: object) -> BadScheduleError:
    return BadScheduleError(
        "exclude",
        UserText(
            "exclude: {exclusion} is not a date; write 2026-12-24, 2026-12-24/2027-01-01 or a calendar.",
            exclusion=repr(exclusion),
        ),
    )


def _end_of_run(values: frozenset[int], value: int) -> int:
    """The first number from `value` on that is not in the set."""
    while value in values:
        value += 1
    return value


def _is_whole(values: frozenset[int], field: CronField) -> bool:
    return len(values) == field.high - field.low + 1
