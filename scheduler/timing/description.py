"""A schedule in plain English, derived from its parsed values, never from its text."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from itertools import groupby
from zoneinfo import ZoneInfo

from scheduler.timing.calendar import read_calendar
from scheduler.timing.cron import parse_cron, split_cron
from scheduler.timing.cron_fields import expand_fields
from scheduler.timing.date_words import DateWords, describe_dates, format_date
from scheduler.timing.durations import describe_duration
from scheduler.timing.exclusions import Exclusion, parse_exclusions
from scheduler.timing.spec import ScheduleKind, ScheduleSpec
from scheduler.timing.time_words import (
    TimeWords,
    describe_interval,
    describe_time_list,
    describe_times,
    describe_window,
)
from scheduler.timing.zones import LOCAL, find_zone
from scheduler.user_text import UserText, join_texts, join_words

_DAY = timedelta(days=1)
_LAST_SECOND = time(23, 59, 59)
# Further exceptions are counted, not listed.
_MAX_EXCEPTIONS = 4
_ETC = re.compile(r"Etc/GMT([+-])([0-9]+)")


def describe_schedule(spec: ScheduleSpec, *, viewer_zone: str | None = None) -> str:
    """One line. Names the city of the schedule's zone if it differs from the viewer's."""
    zone_name = viewer_zone if spec.timezone == LOCAL else spec.timezone
    zone = None if zone_name is None else find_zone(zone_name)
    rules = _describe_rules(spec, zone)
    times, limits = _join_rules(rules), join_texts(list(_describe_limits(spec, zone)), ", ")
    if zone_name is not None and viewer_zone is not None and _city(zone_name) != _city(viewer_zone):
        # An interval is the same in every zone; its start and end dates are not.
        if spec.kind is not ScheduleKind.EVERY:
            times = UserText("{times} ({city})", times=times, city=_city(zone_name))
        elif spec.start_at or spec.end_at or spec.exclude:
            limits = UserText("{limits} ({city})", limits=limits, city=_city(zone_name))
    if not limits:
        return UserText("{Times}", times=times)
    if len(rules) > 1:
        return UserText("{Times}; all {limits}", times=times, limits=limits)
    return UserText("{Times}, {limits}", times=times, limits=limits)


def _describe_rules(spec: ScheduleSpec, zone: ZoneInfo | None) -> list[str]:
    match spec.kind:
        case ScheduleKind.EVERY:
            assert spec.every is not None
            interval = describe_interval(int(spec.every.total_seconds()))
            if spec.every < _DAY:
                return [interval]
            return [
                UserText("{interval} (real time, does not follow local time when clocks change)", interval=interval)
            ]
        case ScheduleKind.CRON:
            patterns = parse_cron(spec.cron).patterns
            fields = [expand_fields(split_cron(text)) for text in spec.cron]
            eithers = [pattern.days.either for pattern in patterns]
        case ScheduleKind.CALENDAR:
            fields = [read_calendar(calendar, exact=True) for calendar in spec.calendar]
            eithers = [False] * len(fields)
        case ScheduleKind.ONCE:
            assert spec.once is not None
            return [UserText("once on {instant}", instant=_format_instant(spec.once, zone, implied=None))]
    phrases = [
        (describe_dates(values, either=either), describe_times(values))
        for values, either in zip(fields, eithers, strict=True)
    ]
    return _combine(phrases)


def _join_rules(rules: list[str]) -> str:
    if len(rules) == 1:
        return rules[0]
    return UserText("{first}; and {last}", first=join_texts(rules[:-1], "; "), last=rules[-1])


def _combine(phrases: list[tuple[DateWords, TimeWords]]) -> list[str]:
    """Dates with times, each once; neighbours that list times of the same dates are combined."""
    parts: list[str] = []
    for (dates, is_list), group in groupby(phrases, key=lambda phrase: (phrase[0], bool(phrase[1].listed))):
        times = [words for _, words in group]
        if is_list:
            listed = sorted({second for words in times for second in words.listed})
            parts.append(UserText("{dates} {times}", dates=dates.head, times=describe_time_list(listed).words))
        else:
            parts += [_times_on(words.words, dates.tail) for words in times]
    return list(dict.fromkeys(parts))


def _times_on(times: str, dates: str) -> str:
    return UserText("{times} {dates}", times=times, dates=dates) if dates else times


def _describe_limits(spec: ScheduleSpec, zone: ZoneInfo | None) -> Iterator[str]:
    start = None if spec.start_at is None else _format_instant(spec.start_at, zone, implied=time())
    end = None if spec.end_at is None else _format_instant(spec.end_at, zone, implied=_LAST_SECOND)
    if start and end:
        yield UserText("from {start} until {end}", start=start, end=end)
    elif start:
        yield UserText("from {start}", start=start)
    elif end:
        yield UserText("until {end}", end=end)
    if spec.exclude:
        exceptions = [_describe_exclusion(exclusion) for exclusion in spec.exclude]
        if len(exceptions) > _MAX_EXCEPTIONS:
            rest = len(exceptions) - _MAX_EXCEPTIONS + 1
            exceptions[_MAX_EXCEPTIONS - 1 :] = [UserText("{count} more exceptions", count=rest)]
        yield UserText("except {exceptions}", exceptions=join_words(exceptions))
    if spec.jitter is not None and spec.jitter.max_shift:
        shift = describe_duration(spec.jitter.max_shift)
        later = spec.jitter.only_later
        yield UserText("up to {shift} later", shift=shift) if later else UserText("give or take {shift}", shift=shift)
    if spec.limit == 1:
        yield UserText("at most 1 run in total")
    elif spec.limit is not None:
        yield UserText("at most {limit} runs in total", limit=f"{spec.limit:,}")


def _describe_exclusion(exclusion: Exclusion) -> str:
    if isinstance(exclusion, str):
        ((first, last),) = parse_exclusions((exclusion,)).spans
        if first == last:
            return format_date(first)
        return UserText("{first} to {last}", first=format_date(first), last=format_date(last))
    values = read_calendar(exclusion, exact=False)
    window, dates = describe_window(values), describe_dates(values, either=False)
    if window:
        return _times_on(window, dates.tail)
    return dates.alone or UserText("every day")


def _format_instant(instant: datetime, zone: ZoneInfo | None, *, implied: time | None) -> str:
    """Date and time in the zone, or in UTC without one; the time is omitted if it equals `implied`."""
    local = instant.astimezone(zone or UTC)
    if zone is not None and local.time() == implied:
        return format_date(local)
    shown = local.strftime("%H:%M:%S" if local.second else "%H:%M")
    if zone is None:
        return UserText("{date} at {time} UTC", date=format_date(local), time=shown)
    return UserText("{date} at {time}", date=format_date(local), time=shown)


def _city(zone_name: str) -> str:
    """`Buenos Aires` of America/Argentina/Buenos_Aires; Etc/GMT+5 is UTC-5, despite its name."""
    if match := _ETC.fullmatch(zone_name):
        return f"UTC{'-' if match[1] == '+' else '+'}{match[2]}"
    return zone_name.rpartition("/")[2].replace("_", " ")
