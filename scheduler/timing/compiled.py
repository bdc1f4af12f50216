"""The compiled times of a schedule: the next one, those in a range, how many, and which have no row yet."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from typing import Protocol
from zoneinfo import ZoneInfo

from scheduler.timing.cron_fields import FIRST_YEAR
from scheduler.timing.every import IntervalRule
from scheduler.timing.exclusions import NO_EXCLUSIONS, Exclusions
from scheduler.timing.instants import last_instant
from scheduler.timing.zones import change_between, end_of_first_pass, end_of_gap, instants_of, is_first_pass
from scheduler.user_text import UserText

# How many excluded ranges in a row are skipped before giving up with "no more times".
MAX_EXCLUDED_RANGES = 10_000
_TICK = timedelta(microseconds=1)
_DAY = timedelta(days=1)
_BEFORE_FIRST_YEAR = datetime(FIRST_YEAR, 1, 1, tzinfo=UTC) - _TICK


class DailyRule(Protocol):
    """A rule that can list its times of a date."""

    def on(self, day: date, midnight: datetime, /) -> tuple[Hashable, Iterable[int]]:
        """A key that days with equal times share, and the times in seconds since the instant `midnight`."""

    def date_after(self, day: date, /) -> date | None:
        """The next date on which it has times."""

    @property
    def is_fixed(self) -> bool:
        """Whether a time skipped by a clock change runs right after the change."""


class TimeRule(DailyRule, Protocol):
    """Yields instants, without bounds or exclusions."""

    def after(self, instant: datetime, zone: ZoneInfo, /) -> datetime | None:
        """The first instant strictly later."""

    def between(self, after: datetime, until: datetime, zone: ZoneInfo, /) -> Iterator[datetime]:
        """The instants in (after, until], in order, without duplicates."""


@dataclass(frozen=True, slots=True)
class Count:
    """A number of times, exact unless `more`."""

    number: int
    more: bool = False

    def __str__(self) -> str:
        return UserText("more than {number}", number=f"{self.number:,}") if self.more else f"{self.number:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTimes:
    """A rule narrowed by start and end (both inclusive) and exclusions."""

    rule: TimeRule
    zone: ZoneInfo
    start_at: datetime | None = None
    end_at: datetime | None = None
    exclusions: Exclusions = NO_EXCLUSIONS
    lower_bound: datetime = field(init=False)
    """Just before the first possible time."""
    upper_bound: datetime = field(init=False)
    """The last possible time."""

    def __post_init__(self) -> None:
        dawn = _BEFORE_FIRST_YEAR if self.start_at is None else self.start_at - _TICK
        horizon = last_instant(self.zone) if self.end_at is None else min(self.end_at, last_instant(self.zone))
        object.__setattr__(self, "lower_bound", dawn)
        object.__setattr__(self, "upper_bound", dawn if self.exclusions.is_everything else horizon)

    def after(self, instant: datetime) -> datetime | None:
        """The first time strictly later, or None if there are no more."""
        return self._first(instant, self.upper_bound)

    def _first(self, after: datetime, until: datetime) -> datetime | None:
        """The first time in (after, until]."""
        instant, last = self._within(after, until)
        for _ in range(MAX_EXCLUDED_RANGES):
            at = self.rule.after(instant, self.zone) if instant < last else None
            if at is None or at > last:
                return None
            free = self._excluded_until(at, last)
            if free is None:
                return at
            instant = free - _TICK
        return None

    def between(self, after: datetime, until: datetime) -> Iterator[datetime]:
        """Every time in (after, until], in order."""
        instant, last = self._within(after, until)
        while instant < last:
            for at in self.rule.between(instant, last, self.zone):
                free = self._excluded_until(at, last)
                if free is None:
                    yield at
                else:
                    instant = free - _TICK
                    break
            else:
                return

    def upcoming(self, after: datetime, number: int) -> list[datetime]:
        """The next times, at most `number` of them."""
        return collect_next(self.after, after, number)

    def last(self, after: datetime, until: datetime) -> datetime | None:
        """The latest time in (after, until], found by binary search."""
        found, high = self._first(after, until), until
        while found is not None and (later := self._first(found, until)) is not None:
            found = later
            middle = found + _half(high - found)
            beyond = self._first(middle, until) if middle > found else None
            if beyond is None:
                high = middle
            else:
                found = beyond
        return found

    def count(self, after: datetime, until: datetime, most: int) -> Count:
        """How many times are in (after, until], exact up to `most`."""
        if isinstance(self.rule, IntervalRule) and self.exclusions == NO_EXCLUSIONS:
            number = self.rule.count(*self._within(after, until))
        else:
            number = sum(1 for _ in islice(self.between(after, until), most + 1))
        return Count(min(number, most), more=number > most)

    def _within(self, after: datetime, until: datetime) -> tuple[datetime, datetime]:
        """The part of (after, until] between start and end."""
        return max(after, self.lower_bound), min(until, self.upper_bound)

    def _excluded_until(self, instant: datetime, last: datetime) -> datetime | None:
        """The first later instant that may not be excluded; None if this one is not."""
        if self.exclusions is NO_EXCLUSIONS:
            return None
        local = instant.astimezone(self.zone)
        wall = local.replace(tzinfo=None)
        free = self.exclusions.excluded_until(wall)
        if free is None:
            return None
        free = _skip_excluded_days(self.rule, self.exclusions, free, last.astimezone(self.zone).date(), self.zone)
        instants = [*instants_of(free, self.zone)] or [end_of_gap(free, self.zone)]
        if is_first_pass(local):
            instants.append(end_of_first_pass(wall, self.zone))
        return min(at for at in instants if at > instant)


@dataclass(frozen=True, slots=True)
class UnrecordedTimes:
    """The times without those in `taken`, which already have a row; this happens after the clock was set back."""

    times: PlannedTimes
    taken: frozenset[datetime] = frozenset()

    def after(self, instant: datetime) -> datetime | None:
        at = self.times.after(instant)
        while at in self.taken:
            assert at is not None
            at = self.times.after(at)
        return at

    def at_or_after(self, time: datetime) -> datetime | None:
        """That time, or the first later one without a row. A stored time stays valid even if its zone changed since."""
        return self.after(time) if time in self.taken else time

    def between(self, after: datetime, until: datetime) -> Iterator[datetime]:
        return (at for at in self.times.between(after, until) if at not in self.taken)

    def upcoming(self, after: datetime, number: int) -> list[datetime]:
        return collect_next(self.after, after, number)

    def last(self, after: datetime, until: datetime) -> datetime | None:
        at = self.times.last(after, until)
        while at in self.taken:
            assert at is not None
            at = self.times.last(after, at - _TICK)
        return at

    def count(self, after: datetime, until: datetime, most: int) -> Count:
        taken = sum(after < at <= until and self.includes(at) for at in self.taken)
        count = self.times.count(after, until, most + taken)
        return Count(count.number - taken, count.more)

    def includes(self, instant: datetime) -> bool:
        """Whether the instant is a time of the schedule, recorded or not."""
        return self.times.after(instant - _TICK) == instant


def collect_next(step: Callable[[datetime], datetime | None], instant: datetime, number: int) -> list[datetime]:
    """Call `step` repeatedly from the instant on; at most `number` results."""
    found: list[datetime] = []
    while len(found) < number and (following := step(found[-1] if found else instant)) is not None:
        found.append(following)
    return found


def _half(span: timedelta) -> timedelta:
    return timedelta(seconds=int(span.total_seconds()) // 2)


def _skip_excluded_days(
    rule: DailyRule, exclusions: Exclusions, wall: datetime, last: date, zone: ZoneInfo
) -> datetime:
    """`wall`, or the midnight of the first later day with a time that is not excluded; `last` bounds the search."""
    known: dict[Hashable, bool] = {}
    day: date | None = wall.date()
    while day is not None and day <= last:
        if not _is_day_excluded(rule, exclusions, day, zone, known):
            return max(wall, datetime.combine(day, time()))
        day = rule.date_after(day)
    return max(wall, datetime.combine(last, time()) + _DAY)


def _is_day_excluded(
    rule: DailyRule, exclusions: Exclusions, day: date, zone: ZoneInfo, known: dict[Hashable, bool]
) -> bool:
    midnight = datetime.combine(day, time(), zone)
    begins = midnight.astimezone(UTC)
    ends = (midnight + _DAY).replace(fold=1).astimezone(UTC)
    if rule.is_fixed and ends - begins != _DAY:
        change = change_between(begins, ends, zone).astimezone(zone).replace(tzinfo=None)
        if exclusions.excluded_until(change) is None:
            return False
    periods = exclusions.periods_on(day)
    for start in {begins, ends - _DAY}:  # after a clock change an interval has other local times than before
        name, seconds = rule.on(day, start)
        if (name, periods) not in known:
            known[name, periods] = all(exclusions.covers(second, periods) for second in seconds)
        if not known[name, periods]:
            return False
    return True
