"""Patterns of local wall time, and their instants in a zone.

Clock changes are handled as in Debian's cron. A pattern that follows the clock runs whenever
clocks show a matching time: never in a gap, twice in a fold. Any other pattern is a fixed
time: in a gap it runs at the first instant after it, in a fold only the first time.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from heapq import merge
from itertools import chain, compress, groupby
from zoneinfo import ZoneInfo

from scheduler.timing.cron_fields import FieldValues
from scheduler.timing.days import Days
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.zones import end_of_first_pass, end_of_gap, instants_of, is_first_pass
from scheduler.user_text import UserText

MIN_GAP_S = 10
_DAY = 86400
_ONE_DAY = timedelta(days=1)
_ONE_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class WallPattern:
    """Dates and times of day, the latter as seconds since local midnight."""

    days: Days
    times: tuple[int, ...]
    follows_clock: bool

    @classmethod
    def from_values(cls, values: FieldValues, *, either: bool, follows_clock: bool) -> "WallPattern":
        times = tuple(
            hour * 3600 + minute * 60 + second
            for hour in values.hours
            for minute in values.minutes
            for second in values.seconds
        )
        return cls(days=Days.from_values(values, either=either), times=times, follows_clock=follows_clock)

    def after(self, instant: datetime, zone: ZoneInfo) -> datetime | None:
        """The first matching instant strictly after the given one."""
        local = instant.astimezone(zone)
        wall = local.replace(microsecond=0, tzinfo=None)
        if self.follows_clock and is_first_pass(local):
            return self._after_in_first_pass(wall, instant, zone)
        return self._after_wall(wall, instant, zone)

    def between(self, after: datetime, until: datetime, zone: ZoneInfo) -> Iterator[datetime]:
        """Every instant in (after, until], a whole day at a time if the clock does not change that day."""
        at = self.after(after, zone)
        while at is not None and at <= until:
            yield at
            local = at.astimezone(zone)
            midnight = datetime.combine(local.date(), time(), zone)
            unchanged = midnight.utcoffset() == (midnight + _ONE_DAY).utcoffset() == local.utcoffset()
            # A time moved out of a gap before midnight runs on a date that need not match.
            if unchanged and local.date() in self.days:
                start = midnight.astimezone(UTC)
                second = local.hour * 3600 + local.minute * 60 + local.second
                for later in self.times[bisect_right(self.times, second) :]:
                    at = start + timedelta(seconds=later)
                    if at > until:
                        return
                    yield at
            at = self.after(at, zone)

    def _after_wall(self, wall: datetime, instant: datetime, zone: ZoneInfo) -> datetime | None:
        while (found := self._next_wall(wall)) is not None:
            instants = instants_of(found, zone)
            if len(instants) == 1:
                return instants[0]
            if not instants:
                end = end_of_gap(found, zone)
                if not self.follows_clock and end > instant:
                    return end
                found = max(found, end.astimezone(zone).replace(tzinfo=None) - _ONE_TICK)
            elif instants[0] > instant:
                return instants[0]
            elif self.follows_clock and instants[-1] > instant:
                return instants[-1]
            wall = found
        return None

    def _after_in_first_pass(self, wall: datetime, instant: datetime, zone: ZoneInfo) -> datetime | None:
        """In the first pass of a repeated hour: the rest of it, then the whole hour again."""
        change = end_of_first_pass(wall, zone)
        found = self._next_wall(wall)
        if found is not None and len(passes := instants_of(found, zone)) == 2 and passes[0] < change:
            return passes[0]
        again = change.astimezone(zone).replace(tzinfo=None) - _ONE_TICK
        return self._after_wall(again, instant, zone)

    def _next_wall(self, wall: datetime) -> datetime | None:
        day = wall.date()
        place = bisect_right(self.times, wall.hour * 3600 + wall.minute * 60 + wall.second)
        if place < len(self.times) and day in self.days:
            return _wall(day, self.times[place])
        following = self.days.after(day)
        return None if following is None else _wall(following, self.times[0])


def _wall(day: date, second: int) -> datetime:
    return datetime(day.year, day.month, day.day, second // 3600, second // 60 % 60, second % 60)


def refuse_times_too_close(patterns: tuple[WallPattern, ...], field: str) -> None:
    """Refuse patterns with times less than ten seconds apart, on the same date or across a midnight."""
    times = sorted({(second, number) for number, pattern in enumerate(patterns) for second in pattern.times})
    tomorrow = [(second + _DAY, number) for second, number in times if second < MIN_GAP_S]
    later = times + tomorrow
    for place, (second, number) in enumerate(times):
        following = place
        while (following := following + 1) < len(later) and later[following][0] - second < MIN_GAP_S:
            other, other_number = later[following]
            next_day = other >= _DAY
            if other > second and patterns[number].days.meets(patterns[other_number].days, next_day=next_day):
                raise BadScheduleError(
                    field,
                    UserText(
                        "{field}: these times are {gap} s apart; the minimum is {min_gap_s} s.",
                        field=field,
                        gap=other - second,
                        min_gap_s=MIN_GAP_S,
                    ),
                )


@dataclass(frozen=True, slots=True)
class WallTimeRule:
    """The union of several patterns, from cron expressions or calendars."""

    patterns: tuple[WallPattern, ...]

    def after(self, instant: datetime, zone: ZoneInfo) -> datetime | None:
        if len(self.patterns) == 1:
            return self.patterns[0].after(instant, zone)
        found = (pattern.after(instant, zone) for pattern in self.patterns)
        return min((at for at in found if at is not None), default=None)

    def between(self, after: datetime, until: datetime, zone: ZoneInfo) -> Iterator[datetime]:
        if len(self.patterns) == 1:
            return self.patterns[0].between(after, until, zone)
        merged = merge(*(pattern.between(after, until, zone) for pattern in self.patterns))
        return (at for at, _ in groupby(merged))

    def on(self, day: date, _midnight: datetime) -> tuple[tuple[bool, ...], Iterator[int]]:
        named = tuple(day in pattern.days for pattern in self.patterns)
        return named, chain.from_iterable(pattern.times for pattern in compress(self.patterns, named))

    def date_after(self, day: date) -> date | None:
        found = (pattern.days.after(day) for pattern in self.patterns)
        return min((following for following in found if following is not None), default=None)

    @property
    def is_fixed(self) -> bool:
        return not all(pattern.follows_clock for pattern in self.patterns)
