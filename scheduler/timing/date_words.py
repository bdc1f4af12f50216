"""Dates in words: `weekdays`, `the last day of the month`, `the 13th or Fridays`, `1 January`."""

from dataclasses import dataclass
from datetime import date

from scheduler.timing.cron_fields import FieldValues
from scheduler.timing.number_words import format_numbers, join_words, number_parts

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_MONDAY_FIRST = (1, 2, 3, 4, 5, 6, 0)
_NTH = ("first", "second", "third", "fourth", "fifth")
_WORKING_DAYS = {1, 2, 3, 4, 5}
_WEEKEND = {0, 6}


@dataclass(frozen=True, slots=True)
class DateWords:
    """The same dates before the times (`weekdays` at 09:00) and after them (every 5 minutes `on weekdays`)."""

    head: str
    tail: str


def format_date(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def describe_dates(values: FieldValues, *, either: bool) -> DateWords:
    """The dates on which day and weekday match, or with `either` on which one of them does."""
    has_days = values.days is not None and len(values.days) < 31
    has_weekdays = values.weekdays is not None and len(set(values.weekdays)) < 7
    if either and not (has_days and has_weekdays):
        has_days = has_weekdays = False
    if has_days and has_weekdays:
        if either:
            words = f"{_period(values)} on the {_days(values)} or {_weekdays(values, '')}".lstrip()
            return DateWords(words, words)
        words = f"on {_days_of(values, alone='')} if it is {_one_weekday(values)}"
        return DateWords(f"{words},", words)
    if not has_days and not has_weekdays:
        return DateWords(f"daily {_period(values)}".rstrip(), _period(values))
    if has_days:
        tail = f"on {_days_of(values, alone=' of the month')}"
    elif not values.weekdays:
        tail = _weekdays(values, _of(values))
    else:
        tail = f"{_weekdays(values, ' of the month')} {_period(values)}".rstrip()
    return DateWords(tail.removeprefix("on ").removeprefix("from ").removeprefix("the "), tail)


def _days(values: FieldValues) -> str:
    parts = number_parts(values.days or (), _ordinal)
    return join_words([*parts, "last day"] if values.last_day else parts)


def _days_of(values: FieldValues, *, alone: str) -> str:
    """`1 January`, `the 1st and 15th of January`, or `the 1st` followed by `alone` if there are no months."""
    days, months = values.days or (), _months(values)
    if len(days) == 1 and not values.last_day and 1 <= len(months) <= 2:
        dates = join_words([f"{days[0]} {MONTHS[month - 1]}" for month in months])
        return f"{dates}{_years(values, single=len(months) == 1)}"
    return f"the {_days(values)}{_of(values, alone)}"


def _of(values: FieldValues, alone: str = " of the month") -> str:
    months = _months(values)
    if not months:
        return f"{alone}{_years(values)}"
    if _is_run(months):
        return f" of each month from {MONTHS[months[0] - 1]} to {MONTHS[months[-1] - 1]}{_years(values)}"
    return f" of {join_words([MONTHS[month - 1] for month in months])}{_years(values, single=len(months) == 1)}"


def _period(values: FieldValues) -> str:
    """`in January`, `from March to May`, `in 2027`; empty without months and years."""
    months = _months(values)
    if not months:
        return _years(values).strip()
    if _is_run(months):
        return f"from {MONTHS[months[0] - 1]} to {MONTHS[months[-1] - 1]}{_years(values)}"
    return f"in {join_words([MONTHS[month - 1] for month in months])}{_years(values, single=len(months) == 1)}"


def _months(values: FieldValues) -> tuple[int, ...]:
    return () if values.months is None or len(values.months) == 12 else values.months


def _years(values: FieldValues, *, single: bool = False) -> str:
    """` 2027` after a single month, ` in 2027` after anything else."""
    if values.years is None:
        return ""
    if len(values.years) == 1:
        return f" {values.years[0]}" if single else f" in {values.years[0]}"
    return f" in the years {format_numbers(values.years)}"


def _weekdays(values: FieldValues, of: str) -> str:
    plain = set(values.weekdays or ())
    which = _which_weekdays(values)
    of_month = f"the {join_words(which)}{of}" if which else ""
    if not plain:
        return f"on {of_month}"
    return f"{_plain_weekdays(plain)}{f' and on {of_month}' if which else ''}"


def _plain_weekdays(plain: set[int]) -> str:
    if plain == _WORKING_DAYS:
        return "on weekdays"
    if plain == _WEEKEND:
        return "on weekends"
    starts = [day for day in _MONDAY_FIRST if day in plain and (day - 1) % 7 not in plain]
    if len(plain) >= 3 and len(starts) == 1:
        return f"from {_WEEKDAYS[starts[0]]} to {_WEEKDAYS[(starts[0] + len(plain) - 1) % 7]}"
    return f"on {join_words([f'{_WEEKDAYS[day]}s' for day in _MONDAY_FIRST if day in plain])}"


def _which_weekdays(values: FieldValues, last: str = "and") -> list[str]:
    """`third Friday`, `first and last Monday`, in weekday order."""
    found = []
    for day in _MONDAY_FIRST:
        which = [_NTH[nth - 1] for weekday, nth in sorted(set(values.nth_weekdays)) if weekday == day]
        which += ["last"] if day in values.last_weekdays else []
        if which:
            found.append(f"{join_words(which, last)} {_WEEKDAYS[day]}")
    return found


def _one_weekday(values: FieldValues) -> str:
    plain = set(values.weekdays or ())
    parts = []
    if plain == _WORKING_DAYS:
        parts.append("a weekday")
    elif plain:
        parts.append(f"a {join_words([_WEEKDAYS[day] for day in _MONDAY_FIRST if day in plain], 'or')}")
    if which := _which_weekdays(values, "or"):
        parts.append(f"the {join_words(which, 'or')} of the month")
    return " or ".join(parts)


def _is_run(months: tuple[int, ...]) -> bool:
    return len(months) >= 3 and months[-1] - months[0] == len(months) - 1


def _ordinal(number: int) -> str:
    ending = "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
