"""The compiled times of a schedule: what comes next, what lies between, how many."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Protocol
from zoneinfo import ZoneInfo

from scheduler.timing.every import Every
from scheduler.timing.exclusions import NOTHING, Exclusions
from scheduler.timing.fields import FIRST_YEAR
from scheduler.timing.idle import DailyRule, end_of_idleness
from scheduler.timing.instants import last_instant
from scheduler.timing.zones import end_of_first_pass, end_of_gap, instants_of, is_first_pass

# How many excluded stretches in a row are passed over before there are "no more times".
PATIENCE = 10_000
_TICK = timedelta(microseconds=1)
_DAWN = datetime(FIRST_YEAR, 1, 1, tzinfo=UTC) - _TICK


class Rule(DailyRule, Protocol):
    """Names instants, without end or exception."""

    def after(self, instant: datetime, zone: ZoneInfo, /) -> datetime | None:
        """The first one strictly later."""

    def between(self, after: datetime, until: datetime, zone: ZoneInfo, /) -> Iterator[datetime]:
        """Those in (after, until], in order, each once."""


@dataclass(frozen=True, slots=True)
class Count:
    """A number of times, exact unless there are more."""

    number: int
    more: bool = False

    def __str__(self) -> str:
        return f"more than {self.number:,}" if self.more else f"{self.number:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """A rule narrowed by start and end (both inclusive) and exclusions."""

    rule: Rule
    zone: ZoneInfo
    start_at: datetime | None = None
    end_at: datetime | None = None
    exclusions: Exclusions = NOTHING
    dawn: datetime = field(init=False)
    """The last instant before the first that is asked for."""
    horizon: datetime = field(init=False)
    """The last instant that is asked for."""

    def __post_init__(self) -> None:
        dawn = _DAWN if self.start_at is None else self.start_at - _TICK
        horizon = last_instant(self.zone) if self.end_at is None else min(self.end_at, last_instant(self.zone))
        object.__setattr__(self, "dawn", dawn)
        object.__setattr__(self, "horizon", dawn if self.exclusions.is_everything else horizon)

    def after(self, instant: datetime) -> datetime | None:
        """The first time strictly later, or None if there are no more."""
        return self._first(instant, self.horizon)

    def _first(self, after: datetime, until: datetime) -> datetime | None:
        """The first time in (after, until]."""
        instant, last = self._within(after, until)
        for _ in range(PATIENCE):
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
        return walk(self.after, after, number)

    def last(self, after: datetime, until: datetime) -> datetime | None:
        """The latest time in (after, until]: a binary search, so its cost hardly grows with the span."""
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
        """How many times lie in (after, until], exactly up to `most`."""
        if isinstance(self.rule, Every) and self.exclusions == NOTHING:
            number = self.rule.count(*self._within(after, until))
        else:
            number = sum(1 for _ in islice(self.between(after, until), most + 1))
        return Count(min(number, most), more=number > most)

    def _within(self, after: datetime, until: datetime) -> tuple[datetime, datetime]:
        """The part of (after, until] that lies between start and end."""
        return max(after, self.dawn), min(until, self.horizon)

    def _excluded_until(self, instant: datetime, last: datetime) -> datetime | None:
        """The first later instant that may be free again, as far as it matters; None if this one is free."""
        if self.exclusions is NOTHING:
            return None
        local = instant.astimezone(self.zone)
        wall = local.replace(tzinfo=None)
        free = self.exclusions.end(wall)
        if free is None:
            return None
        free = end_of_idleness(self.rule, self.exclusions, free, last.astimezone(self.zone).date(), self.zone)
        instants = [*instants_of(free, self.zone)] or [end_of_gap(free, self.zone)]
        if is_first_pass(local):
            instants.append(end_of_first_pass(wall, self.zone))
        return min(at for at in instants if at > instant)


def walk(step: Callable[[datetime], datetime | None], instant: datetime, number: int) -> list[datetime]:
    """What `step` leads to from the instant on, at most `number` of them."""
    found: list[datetime] = []
    while len(found) < number and (following := step(found[-1] if found else instant)) is not None:
        found.append(following)
    return found


def _half(span: timedelta) -> timedelta:
    return timedelta(seconds=int(span.total_seconds()) // 2)
