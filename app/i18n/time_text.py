"""Instants and lengths of time as people say them. Functions of values, a zone and now; nothing looks at a clock."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QLocale

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_NEAR_DAYS = 6
translate = QCoreApplication.translate


def say_until(at: datetime, now: datetime) -> str:
    """`in 3 min`; what is due or past is `now`. Minutes are rounded up, so that nothing comes before it is said to."""
    seconds = -((now - at) // timedelta(seconds=1))
    if seconds <= 0:
        return translate("times", "now")
    if seconds < _MINUTE:
        return translate("times", "in {number} s").format(number=seconds)
    minutes = -(-seconds // _MINUTE)
    if minutes < 60:
        return translate("times", "in {number} min").format(number=minutes)
    if minutes < 24 * 60:
        return translate("times", "in {span}").format(span=_hours_and_minutes(minutes))
    return translate("times", "in {span}").format(span=_days_and_hours(minutes // 60))


def say_since(at: datetime, now: datetime) -> str:
    """`3 min ago`; under a minute, and whatever a clock that was set back makes the future, is `just now`."""
    minutes = (now - at) // timedelta(minutes=1)
    if minutes < 1:
        return translate("times", "just now")
    if minutes < 60:
        return translate("times", "{number} min ago").format(number=minutes)
    if minutes < 24 * 60:
        return translate("times", "{span} ago").format(span=_hours_and_minutes(minutes, from_hours=3))
    return translate("times", "{span} ago").format(span=_days_and_hours(minutes // 60, from_days=1))


def say_span(length: timedelta) -> str:
    """How long something took: `under 0.1 s`, `0.4 s`, `12 s`, `3 min 5 s`, `1 h 20 min`, `2 d 3 h`."""
    milliseconds = length // timedelta(milliseconds=1)
    if milliseconds < 100:
        tenth = QLocale().toString(0.1, "f", 1)
        return translate("times", "under {number} s").format(number=tenth)
    if milliseconds < 10_000:
        tenths = QLocale().toString(milliseconds / 1000, "f", 1)
        return translate("times", "{number} s").format(number=tenths)
    seconds = milliseconds // 1000
    if seconds < _MINUTE:
        return translate("times", "{number} s").format(number=seconds)
    if seconds < _HOUR:
        return _two("min", seconds // _MINUTE, "s", seconds % _MINUTE)
    if seconds < _DAY:
        return _hours_and_minutes(seconds // _MINUTE)
    return _days_and_hours(seconds // _HOUR)


def say_number(number: int) -> str:
    """`1,234`, as it is written where the person lives."""
    written = QLocale()
    if written.language() is QLocale.Language.C:  # has no way of its own
        written = QLocale(QLocale.Language.English)
    return written.toString(number)


def say_clock(at: datetime, zone: ZoneInfo) -> str:
    """`09:00`, with seconds where there are any; the hour that clocks show twice says which one: `02:30 CEST`."""
    local = at.astimezone(zone)
    shown = f"{local:%H:%M:%S}" if local.second else f"{local:%H:%M}"
    is_repeated = local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()
    return f"{shown} {local.tzname()}" if is_repeated else shown


def say_day(day: date, today: date) -> str:
    """`today`, `yesterday`, `tomorrow`, a weekday in the days around, else `Mon 23 Nov`; other years are said."""
    distance = (day - today).days
    if distance == 0:
        return translate("times", "today")
    if distance == 1:
        return translate("times", "tomorrow")
    if distance == -1:
        return translate("times", "yesterday")
    weekday = QLocale().dayName(day.isoweekday(), QLocale.FormatType.LongFormat)
    if 0 < distance <= _NEAR_DAYS:
        return weekday
    if -_NEAR_DAYS <= distance < 0:
        return translate("times", "last {weekday}").format(weekday=weekday)
    short = QLocale().dayName(day.isoweekday(), QLocale.FormatType.ShortFormat)
    month = QLocale().monthName(day.month, QLocale.FormatType.ShortFormat)
    if day.year == today.year:
        return translate("times", "{weekday} {day} {month}").format(weekday=short, day=day.day, month=month)
    return translate("times", "{day} {month} {year}").format(day=day.day, month=month, year=day.year)


def say_time(at: datetime, zone: ZoneInfo, now: datetime) -> str:
    """`today 09:00`, in the zone."""
    day = say_day(at.astimezone(zone).date(), now.astimezone(zone).date())
    return translate("times", "{day} {time}").format(day=day, time=say_clock(at, zone))


def say_range(start: datetime, end: datetime | None, zone: ZoneInfo, now: datetime) -> str:
    """`today 09:00 to 09:12`; the end's day is said where it is another one. Without an end: `since today 09:00`."""
    if end is None:
        return translate("times", "since {time}").format(time=say_time(start, zone, now))
    if end - start < timedelta(minutes=1):
        return say_time(start, zone, now)
    same_day = start.astimezone(zone).date() == end.astimezone(zone).date()
    until = say_clock(end, zone) if same_day else say_time(end, zone, now)
    return translate("times", "{start} to {end}").format(start=say_time(start, zone, now), end=until)


def say_zoned(at: datetime, zone: ZoneInfo, local: ZoneInfo, now: datetime) -> str:
    """In the schedule's zone; where clocks here show something else, with its city and the time here.

    `tomorrow 09:00 in New York (15:00 here)`; a day here that is another one is said too.
    """
    there, here = at.astimezone(zone), at.astimezone(local)
    if there.utcoffset() == here.utcoffset():
        return say_time(at, local, now)
    same_words = say_day(there.date(), now.astimezone(zone).date()) == say_day(
        here.date(), now.astimezone(local).date()
    )
    shown_here = say_clock(at, local) if same_words else say_time(at, local, now)
    return translate("times", "{time} in {city} ({here} here)").format(
        time=say_time(at, zone, now), city=say_city(zone), here=shown_here
    )


def say_city(zone: ZoneInfo) -> str:
    """`New York` of America/New_York."""
    return str(zone.key).rpartition("/")[2].replace("_", " ")


def _hours_and_minutes(minutes: int, *, from_hours: int = 10) -> str:
    """Minutes are left out from `from_hours` on."""
    hours, rest = divmod(minutes, 60)
    return _two("h", hours, "min", rest if hours < from_hours else 0)


def _days_and_hours(hours: int, *, from_days: int = 3) -> str:
    days, rest = divmod(hours, 24)
    return _two("d", days, "h", rest if days < from_days else 0)


def _two(large: str, number: int, small: str, rest: int) -> str:
    parts = [_unit(large, number)] + ([_unit(small, rest)] if rest else [])
    return " ".join(parts)


def _unit(unit: str, number: int) -> str:
    match unit:
        case "d":
            return translate("times", "{number} d").format(number=number)
        case "h":
            return translate("times", "{number} h").format(number=number)
        case "min":
            return translate("times", "{number} min").format(number=number)
        case _:
            return translate("times", "{number} s").format(number=number)
