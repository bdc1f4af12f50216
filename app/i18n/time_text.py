"""Formats times, durations and numbers for display. Pure functions: `now` is always passed in."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QLocale, QTime

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_WEEKDAY_RANGE_DAYS = 6
translate = QCoreApplication.translate


def format_time_until(at: datetime, now: datetime) -> str:
    """`in 3 min`; `now` if due or past. Minutes are rounded up, so that nothing happens earlier than shown."""
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


def format_time_since(at: datetime, now: datetime) -> str:
    """`3 min ago`; `just now` under a minute, or if the clock was set back."""
    minutes = (now - at) // timedelta(minutes=1)
    if minutes < 1:
        return translate("times", "just now")
    if minutes < 60:
        return translate("times", "{number} min ago").format(number=minutes)
    if minutes < 24 * 60:
        return translate("times", "{span} ago").format(span=_hours_and_minutes(minutes, from_hours=3))
    return translate("times", "{span} ago").format(span=_days_and_hours(minutes // 60, from_days=1))


def format_duration(length: timedelta) -> str:
    """A duration: `under 0.1 s`, `0.4 s`, `12 s`, `3 min 5 s`, `1 h 20 min`, `2 d 3 h`."""
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
        return _join_units("min", seconds // _MINUTE, "s", seconds % _MINUTE)
    if seconds < _DAY:
        return _hours_and_minutes(seconds // _MINUTE)
    return _days_and_hours(seconds // _HOUR)


def format_number(number: int) -> str:
    """`1,234`, in the user's locale."""
    locale = QLocale()
    if locale.language() is QLocale.Language.C:  # has no group separators
        locale = QLocale(QLocale.Language.English)
    return locale.toString(number)


def format_wall_time(at: time) -> str:
    """`09:00` or `9:00 AM`, as the user's locale writes it; with seconds unless zero."""
    written = time_format()
    if at.second and "s" not in written:
        written = written.replace("mm", "mm:ss", 1)
    return str(QLocale().toString(QTime(at.hour, at.minute, at.second), written))


def time_format() -> str:
    """How the user's locale writes a time of day, in Qt's notation."""
    return QLocale().timeFormat(QLocale.FormatType.ShortFormat)


def format_clock_time(at: datetime, zone: ZoneInfo) -> str:
    """`09:00` or `9:00 AM`, with seconds unless zero; in the hour repeated at a clock change with the zone."""
    local = at.astimezone(zone)
    shown = format_wall_time(local.time())
    is_repeated = local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()
    return f"{shown} {local.tzname()}" if is_repeated else shown


def format_day(day: date, today: date) -> str:
    """`today`, `yesterday`, `tomorrow`, a weekday within a week, else `Mon 23 Nov`; with the year if it differs."""
    distance = (day - today).days
    if distance == 0:
        return translate("times", "today")
    if distance == 1:
        return translate("times", "tomorrow")
    if distance == -1:
        return translate("times", "yesterday")
    weekday = QLocale().dayName(day.isoweekday(), QLocale.FormatType.LongFormat)
    if 0 < distance <= _WEEKDAY_RANGE_DAYS:
        return weekday
    if -_WEEKDAY_RANGE_DAYS <= distance < 0:
        return translate("times", "last {weekday}").format(weekday=weekday)
    short = QLocale().dayName(day.isoweekday(), QLocale.FormatType.ShortFormat)
    month = QLocale().monthName(day.month, QLocale.FormatType.ShortFormat)
    if day.year == today.year:
        return translate("times", "{weekday} {day} {month}").format(weekday=short, day=day.day, month=month)
    return translate("times", "{day} {month} {year}").format(day=day.day, month=month, year=day.year)


def format_day_and_time(at: datetime, zone: ZoneInfo, now: datetime) -> str:
    """`today 09:00`, in the zone."""
    day = format_day(at.astimezone(zone).date(), now.astimezone(zone).date())
    return translate("times", "{day} {time}").format(day=day, time=format_clock_time(at, zone))


def format_time_range(start: datetime, end: datetime | None, zone: ZoneInfo, now: datetime) -> str:
    """`today 09:00 to 09:12`; with the end's day if it differs. Without an end: `since today 09:00`."""
    if end is None:
        return translate("times", "since {time}").format(time=format_day_and_time(start, zone, now))
    if end - start < timedelta(minutes=1):
        return format_day_and_time(start, zone, now)
    same_day = start.astimezone(zone).date() == end.astimezone(zone).date()
    until = format_clock_time(end, zone) if same_day else format_day_and_time(end, zone, now)
    return translate("times", "{start} to {end}").format(start=format_day_and_time(start, zone, now), end=until)


def format_zoned_time(at: datetime, zone: ZoneInfo, local: ZoneInfo, now: datetime) -> str:
    """In the schedule's zone; if local clocks differ, with its city and the local time.

    `tomorrow 09:00 in New York (15:00 here)`; the local day is added if it differs.
    """
    there, here = at.astimezone(zone), at.astimezone(local)
    if there.utcoffset() == here.utcoffset():
        return format_day_and_time(at, local, now)
    is_same_day = format_day(there.date(), now.astimezone(zone).date()) == format_day(
        here.date(), now.astimezone(local).date()
    )
    shown_here = format_clock_time(at, local) if is_same_day else format_day_and_time(at, local, now)
    return translate("times", "{time} in {city} ({here} here)").format(
        time=format_day_and_time(at, zone, now), city=format_city(zone), here=shown_here
    )


def format_city(zone: ZoneInfo) -> str:
    """`New York` for America/New_York."""
    return str(zone.key).rpartition("/")[2].replace("_", " ")


def _hours_and_minutes(minutes: int, *, from_hours: int = 10) -> str:
    """Minutes are omitted from `from_hours` hours on."""
    hours, rest = divmod(minutes, 60)
    return _join_units("h", hours, "min", rest if hours < from_hours else 0)


def _days_and_hours(hours: int, *, from_days: int = 3) -> str:
    days, rest = divmod(hours, 24)
    return _join_units("d", days, "h", rest if days < from_days else 0)


def _join_units(large: str, number: int, small: str, rest: int) -> str:
    parts = [_format_unit(large, number)] + ([_format_unit(small, rest)] if rest else [])
    return " ".join(parts)


def _format_unit(unit: str, number: int) -> str:
    match unit:
        case "d":
            return translate("times", "{number} d").format(number=number)
        case "h":
            return translate("times", "{number} h").format(number=number)
        case "min":
            return translate("times", "{number} min").format(number=number)
        case _:
            return translate("times", "{number} s").format(number=number)
