"""The days of a month that a schedule matches, as bit sets: bit n is day n."""

from calendar import isleap
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from scheduler.timing.cron_fields import FIRST_YEAR, LAST_YEAR, FieldValues

_ALL_DAYS = 0xFFFF_FFFE
_MONTH_LENGTHS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _bits(numbers: Iterable[int]) -> int:
    bits = 0
    for number in numbers:
        bits |= 1 << number
    return bits


_ANY_WEEKDAY = (_ALL_DAYS,) * 7
# _WEEKS[weekday of the 1st][weekday]: the days of that month on that weekday, Sunday = 0.
_WEEKS = tuple(
    tuple(_bits(day for day in range(1, 32) if (first + day - 1) % 7 == weekday) for weekday in range(7))
    for first in range(7)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """A set of dates; both the day of the month and the weekday must match, or one of them if `either`."""

    months: int
    days: int
    last_day: bool
    weekdays: tuple[int, ...]
    """The plain weekdays as bit sets, one per weekday of the 1st."""
    nth_weekdays: tuple[tuple[int, int], ...]
    last_weekdays: tuple[int, ...]
    years: frozenset[int] | None
    either: bool
    is_every_day: bool

    @classmethod
    def from_values(cls, values: FieldValues, *, either: bool) -> "Days":
        weekdays = values.weekdays
        limits = (values.months, values.days, values.weekdays, values.years)
        return cls(
            months=0x1FFE if values.months is None else _bits(values.months),
            days=_ALL_DAYS if values.days is None else _bits(values.days),
            last_day=values.last_day,
            weekdays=_ANY_WEEKDAY if weekdays is None else tuple(_bits_of_weekdays(week, weekdays) for week in _WEEKS),
            nth_weekdays=values.nth_weekdays,
            last_weekdays=values.last_weekdays,
            years=None if values.years is None else frozenset(values.years),
            either=either,
            is_every_day=all(part is None for part in limits),
        )

    def in_month(self, year: int, month: int) -> int:
        """The matching days of that month, as bits."""
        if not self.months >> month & 1 or (self.years is not None and year not in self.years):
            return 0
        first = date(year, month, 1).isoweekday() % 7
        length = 29 if month == 2 and isleap(year) else _MONTH_LENGTHS[month]
        by_day = self.days | 1 << length if self.last_day else self.days
        by_weekday = self.weekdays[first]
        for day, nth in self.nth_weekdays:
            by_weekday |= 1 << (day - first) % 7 + 1 + 7 * (nth - 1)
        for day in self.last_weekdays:
            by_weekday |= 1 << length - (first + length - 1 - day) % 7
        chosen = by_day | by_weekday if self.either else by_day & by_weekday
        return chosen & (1 << length + 1) - 2

    def __contains__(self, day: date) -> bool:
        return self.is_every_day or bool(self.in_month(day.year, day.month) >> day.day & 1)

    def after(self, day: date) -> date | None:
        """The next matching date strictly later."""
        year, month = day.year, day.month
        rest = self.in_month(year, month) >> day.day + 1 << day.day + 1
        while not rest:
            later = self.months >> month + 1 << month + 1
            if not later:
                year, later = year + 1, self.months
            if year > LAST_YEAR:
                return None
            month = _lowest_bit(later)
            rest = self.in_month(year, month)
        return date(year, month, _lowest_bit(rest))

    def meets(self, other: "Days", *, next_day: bool) -> bool:
        """Whether some date matches both; with `next_day`, whether some date does whose next day matches the other."""
        if self.is_every_day or other.is_every_day:
            return (other if self.is_every_day else self).has_any_date()
        is_last_before = False
        for year in range(FIRST_YEAR, LAST_YEAR + 1):
            for month in range(1, 13):
                mine, others = self.in_month(year, month), other.in_month(year, month)
                if (mine << 1 if next_day else mine) & others or (next_day and is_last_before and others & 2):
                    return True
                length = 29 if month == 2 and isleap(year) else _MONTH_LENGTHS[month]
                is_last_before = bool(mine >> length & 1)
        return False

    def has_any_date(self) -> bool:
        """Whether any date matches."""
        return self.after(date(FIRST_YEAR, 1, 1)) is not None or date(FIRST_YEAR, 1, 1) in self


def _lowest_bit(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def _bits_of_weekdays(week: tuple[int, ...], weekdays: tuple[int, ...]) -> int:
    bits = 0
    for weekday in weekdays:
        bits |= week[weekday]
    return bits
