"""Dates in words: `weekdays`, `the last day of the month`, `the 13th or Fridays`, `1 January`."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal
from zoneinfo import ZoneInfo

from scheduler.timing.cron_fields import FieldValues
from scheduler.timing.number_words import format_numbers, number_parts
from scheduler.user_text import UserText, join_words

MONTHS = (
    UserText("January"),
    UserText("February"),
    UserText("March"),
    UserText("April"),
    UserText("May"),
    UserText("June"),
    UserText("July"),
    UserText("August"),
    UserText("September"),
    UserText("October"),
    UserText("November"),
    UserText("December"),
)
_WEEKDAYS = (
    UserText("Sunday"),
    UserText("Monday"),
    UserText("Tuesday"),
    UserText("Wednesday"),
    UserText("Thursday"),
    UserText("Friday"),
    UserText("Saturday"),
)
_EACH_WEEKDAY = (
    UserText("Sundays"),
    UserText("Mondays"),
    UserText("Tuesdays"),
    UserText("Wednesdays"),
    UserText("Thursdays"),
    UserText("Fridays"),
    UserText("Saturdays"),
)
_MONDAY_FIRST = (1, 2, 3, 4, 5, 6, 0)
_NTH = (UserText("first"), UserText("second"), UserText("third"), UserText("fourth"), UserText("fifth"))
_ORDINALS = {1: UserText("{number}st"), 2: UserText("{number}nd"), 3: UserText("{number}rd")}
_WORKING_DAYS = {1, 2, 3, 4, 5}
_WEEKEND = {0, 6}


@dataclass(frozen=True, slots=True)
class DateWords:
    """The same dates before the times (`weekdays` at 09:00), after them (every 5 minutes `on weekdays`), and alone."""

    head: str
    tail: str
    alone: str = ""


def describe_moment(at: datetime, now: datetime, zone: ZoneInfo) -> str:
    """`at 14:05`, or `on 3 May at 14:05` on another day than now."""
    local = at.astimezone(zone)
    if local.date() == now.astimezone(zone).date():
        return UserText("at {time}", time=f"{local:%H:%M}")
    month = MONTHS[local.month - 1]
    return UserText("on {day} {month} at {time}", day=local.day, month=month, time=f"{local:%H:%M}")


def format_date(day: date) -> str:
    return UserText("{day} {month} {year}", day=day.day, month=MONTHS[day.month - 1], year=day.year)


def describe_dates(values: FieldValues, *, either: bool) -> DateWords:
    """The dates on which day and weekday match, or with `either` on which one of them does."""
    has_days = values.days is not None and len(values.days) < 31
    has_weekdays = values.weekdays is not None and len(set(values.weekdays)) < 7
    if either and not (has_days and has_weekdays):
        has_days = has_weekdays = False
    period = _period(values)
    if has_days and has_weekdays and either:
        words = UserText("on the {days} or {weekdays}", days=_days(values), weekdays=_weekdays(values, "").tail)
        words = UserText("{period} {dates}", period=period, dates=words) if period else words
        return DateWords(words, words, words)
    if has_days and has_weekdays:
        dates, weekday = _days_of(values, alone="").alone, _one_weekday(values)
        words = UserText("on {dates} if it is {weekday}", dates=dates, weekday=weekday)
        alone = UserText("{dates} if it is {weekday}", dates=dates, weekday=weekday)
        return DateWords(UserText("{dates},", dates=words), words, alone)
    if has_days:
        return _days_of(values, alone=UserText("of the month"))
    if not has_weekdays:
        head = UserText("daily {period}", period=period) if period else UserText("daily")
        return DateWords(head, period, period)
    if not values.weekdays:
        return _weekdays(values, _of(values))
    weekdays = _weekdays(values, UserText("of the month"))
    if not period:
        return weekdays
    return DateWords(*(UserText("{dates} {period}", dates=one, period=period) for one in _forms(weekdays)))


def _forms(words: DateWords) -> tuple[str, str, str]:
    return words.head, words.tail, words.alone


def _days(values: FieldValues) -> str:
    parts = number_parts(values.days or (), _ordinal)
    return join_words([*parts, UserText("last day")] if values.last_day else parts)


def _days_of(values: FieldValues, *, alone: str) -> DateWords:
    """`1 January`, `the 1st and 15th of January`, or `the 1st` followed by `alone` if there are no months."""
    days, months = values.days or (), _months(values)
    if len(days) == 1 and not values.last_day and 1 <= len(months) <= 2:
        dates = join_words([UserText("{day} {month}", day=days[0], month=MONTHS[month - 1]) for month in months])
        dates = _in_years(values, dates, single=len(months) == 1)
        return DateWords(UserText("{date}", date=dates), UserText("on {date}", date=dates), dates)
    of = _of(values, alone)
    if not of:
        return DateWords(
            UserText("{days}", days=_days(values)),
            UserText("on the {days}", days=_days(values)),
            UserText("the {days}", days=_days(values)),
        )
    return DateWords(
        UserText("{days} {of}", days=_days(values), of=of),
        UserText("on the {days} {of}", days=_days(values), of=of),
        UserText("the {days} {of}", days=_days(values), of=of),
    )


def _of(values: FieldValues, alone: str | None = None) -> str:
    months = _months(values)
    if not months:
        alone = UserText("of the month") if alone is None else alone
        return _in_years(values, alone) if alone else _years(values)
    if _is_run(months):
        first, last = MONTHS[months[0] - 1], MONTHS[months[-1] - 1]
        return _in_years(values, UserText("of each month from {first} to {last}", first=first, last=last))
    named = join_words([MONTHS[month - 1] for month in months])
    return UserText("of {months}", months=_in_years(values, named, single=len(months) == 1))


def _period(values: FieldValues) -> str:
    """`in January`, `from March to May`, `in 2027`; empty without months and years."""
    months = _months(values)
    if not months:
        return _years(values)
    if _is_run(months):
        first, last = MONTHS[months[0] - 1], MONTHS[months[-1] - 1]
        return _in_years(values, UserText("from {first} to {last}", first=first, last=last))
    named = join_words([MONTHS[month - 1] for month in months])
    return UserText("in {months}", months=_in_years(values, named, single=len(months) == 1))


def _months(values: FieldValues) -> tuple[int, ...]:
    return () if values.months is None or len(values.months) == 12 else values.months


def _years(values: FieldValues) -> str:
    if values.years is None:
        return ""
    if len(values.years) == 1:
        return UserText("in {year}", year=values.years[0])
    return UserText("in the years {years}", years=format_numbers(values.years))


def _in_years(values: FieldValues, dates: str, *, single: bool = False) -> str:
    """`January 2027` for a single month, `from March to May in 2027` for anything else."""
    if values.years is None:
        return dates
    years = str(values.years[0]) if single and len(values.years) == 1 else _years(values)
    return UserText("{dates} {years}", dates=dates, years=years)


def _weekdays(values: FieldValues, of: str) -> DateWords:
    plain = set(values.weekdays or ())
    which = join_words(_which_weekdays(values))
    if which and of:
        which = UserText("{which} {of}", which=which, of=of)
    if not plain:
        return DateWords(
            UserText("{which}", which=which),
            UserText("on the {which}", which=which),
            UserText("the {which}", which=which),
        )
    words = _plain_weekdays(plain)
    if not which:
        return words
    return DateWords(*(UserText("{weekdays} and on the {which}", weekdays=one, which=which) for one in _forms(words)))


def _plain_weekdays(plain: set[int]) -> DateWords:
    if plain == _WORKING_DAYS:
        return DateWords(UserText("weekdays"), UserText("on weekdays"), UserText("weekdays"))
    if plain == _WEEKEND:
        return DateWords(UserText("weekends"), UserText("on weekends"), UserText("weekends"))
    starts = [day for day in _MONDAY_FIRST if day in plain and (day - 1) % 7 not in plain]
    if len(plain) >= 3 and len(starts) == 1:
        first, last = _WEEKDAYS[starts[0]], _WEEKDAYS[(starts[0] + len(plain) - 1) % 7]
        tail = UserText("from {first} to {last}", first=first, last=last)
        return DateWords(UserText("{first_day} to {last_day}", first_day=first, last_day=last), tail, tail)
    days = join_words([_EACH_WEEKDAY[day] for day in _MONDAY_FIRST if day in plain])
    return DateWords(days, UserText("on {weekdays}", weekdays=days), days)


def _which_weekdays(values: FieldValues, last: Literal["and", "or"] = "and") -> list[str]:
    """`third Friday`, `first and last Monday`, in weekday order."""
    found: list[str] = []
    for day in _MONDAY_FIRST:
        which = [_NTH[nth - 1] for weekday, nth in sorted(set(values.nth_weekdays)) if weekday == day]
        which += [UserText("last")] if day in values.last_weekdays else []
        if which:
            found.append(UserText("{which} {weekday}", which=join_words(which, last), weekday=_WEEKDAYS[day]))
    return found


def _one_weekday(values: FieldValues) -> str:
    plain = set(values.weekdays or ())
    parts: list[str] = []
    if plain == _WORKING_DAYS:
        parts.append(UserText("a weekday"))
    elif plain:
        days = join_words([_WEEKDAYS[day] for day in _MONDAY_FIRST if day in plain], "or")
        parts.append(UserText("a {weekday}", weekday=days))
    if which := _which_weekdays(values, "or"):
        parts.append(UserText("the {which} of the month", which=join_words(which, "or")))
    return join_words(parts, "or")


def _is_run(months: tuple[int, ...]) -> bool:
    return len(months) >= 3 and months[-1] - months[0] == len(months) - 1


def _ordinal(number: int) -> str:
    ending = None if number in (11, 12, 13) else _ORDINALS.get(number % 10)
    return UserText(ending or UserText("{number}th"), number=number)
