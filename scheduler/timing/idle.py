"""Dates on which a rule names only times that are left out: passed over without asking it for each of them."""

from collections.abc import Hashable, Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from scheduler.timing.exclusions import Exclusions
from scheduler.timing.zones import change_between

_DAY = timedelta(days=1)


class DailyRule(Protocol):
    """A rule that knows its dates."""

    def on(self, day: date, midnight: datetime, /) -> tuple[Hashable, Iterable[int]]:
        """Its times of that day in seconds since the instant `midnight`; days with the same times share the name."""

    def date_after(self, day: date, /) -> date | None:
        """The next date on which it has times."""

    @property
    def is_fixed(self) -> bool:
        """Whether times that clocks leave out come at the change."""


def end_of_idleness(rule: DailyRule, exclusions: Exclusions, wall: datetime, last: date, zone: ZoneInfo) -> datetime:
    """`wall`, or a midnight before which all times of the rule are left out; nobody asks beyond `last`."""
    decided: dict[Hashable, bool] = {}
    day: date | None = wall.date()
    while day is not None and day <= last:
        if not _is_idle(rule, exclusions, day, zone, decided):
            return max(wall, datetime.combine(day, time()))
        day = rule.date_after(day)
    return max(wall, datetime.combine(last, time()) + _DAY)


def _is_idle(rule: DailyRule, exclusions: Exclusions, day: date, zone: ZoneInfo, decided: dict[Hashable, bool]) -> bool:
    midnight = datetime.combine(day, time(), zone)
    begins = midnight.astimezone(UTC)
    ends = (midnight + _DAY).replace(fold=1).astimezone(UTC)
    if rule.is_fixed and ends - begins != _DAY:
        change = change_between(begins, ends, zone).astimezone(zone).replace(tzinfo=None)
        if exclusions.end(change) is None:
            return False
    periods = exclusions.on(day)
    for start in {begins, ends - _DAY}:  # where clocks change, a grid shows other times after it than before
        name, seconds = rule.on(day, start)
        if (name, periods) not in decided:
            decided[name, periods] = all(exclusions.leave_out(second, periods) for second in seconds)
        if not decided[name, periods]:
            return False
    return True
