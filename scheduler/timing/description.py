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
from scheduler.timing.number_words import join_words
from scheduler.timing.spec import ScheduleKind, ScheduleSpec
from scheduler.timing.time_words import (
    TimeWords,
    describe_interval,
    describe_time_list,
    describe_times,
    describe_window,
)
from scheduler.timing.zones import LOCAL, find_zone

_DAY = timedelta(days=1)
_LAST_SECOND = time(23, 59, 59)
# Further exceptions are counted, not listed.
_MAX_EXCEPTIONS = 4
_UNION = "; and "
_ETC = re.compile(r"Etc/GMT([+-])([0-9]+)")


def describe_schedule(spec: ScheduleSpec, *, viewer_zone: str | None = None) -> str:
    """One line. Names the city of the schedule's zone if it differs from the viewer's."""
    zone_name = viewer_zone if spec.timezone == LOCAL else spec.timezone
    zone = None if zone_name is None else find_zone(zone_name)
    times = _describe_rule(spec, zone)
    limits = "".join(f", {part}" for part in _describe_limits(spec, zone))
    if _UNION in times and limits:
        limits = f"; all {limits.removeprefix(', ')}"
    if zone_name is not None and viewer_zone is not None and _city(zone_name) != _city(viewer_zone):
        # An interval is the same in every zone; its start and end dates are not.
        if spec.kind is not ScheduleKind.EVERY:
            times += f" ({_city(zone_name)})"
        elif spec.start_at or spec.end_at or spec.exclude:
            limits += f" ({_city(zone_name)})"
    return f"{times[0].upper()}{times[1:]}{limits}"


def _describe_rule(spec: ScheduleSpec, zone: ZoneInfo | None) -> str:
    match spec.kind:
        case ScheduleKind.EVERY:
            assert spec.every is not None
            interval = describe_interval(int(spec.every.total_seconds()))
            if spec.every < _DAY:
                return interval
            return f"{interval} (real time, does not follow local time when clocks change)"
        case ScheduleKind.CRON:
            patterns = parse_cron(spec.cron).patterns
            fields = [expand_fields(split_cron(text)) for text in spec.cron]
            eithers = [pattern.days.either for pattern in patterns]
        case ScheduleKind.CALENDAR:
            fields = [read_calendar(calendar, exact=True) for calendar in spec.calendar]
            eithers = [False] * len(fields)
        case ScheduleKind.ONCE:
            assert spec.once is not None
            return f"once on {_format_instant(spec.once, zone, implied=None)}"
    phrases = [
        (describe_dates(values, either=either), describe_times(values))
        for values, either in zip(fields, eithers, strict=True)
    ]
    return _describe_union(phrases)


def _describe_union(phrases: list[tuple[DateWords, TimeWords]]) -> str:
    """Join the phrases; neighbours that list times of the same dates are combined."""
    parts = []
    for (dates, is_list), group in groupby(phrases, key=lambda phrase: (phrase[0], bool(phrase[1].listed))):
        times = [words for _, words in group]
        if is_list:
            listed = sorted({second for words in times for second in words.listed})
            parts.append(f"{dates.head} {describe_time_list(listed).words}")
        else:
            parts += [f"{words.words} {dates.tail}".rstrip() for words in times]
    parts = list(dict.fromkeys(parts))
    return _UNION.join(["; ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def _describe_limits(spec: ScheduleSpec, zone: ZoneInfo | None) -> Iterator[str]:
    bounds = []
    if spec.start_at is not None:
        bounds.append(f"from {_format_instant(spec.start_at, zone, implied=time())}")
    if spec.end_at is not None:
        bounds.append(f"until {_format_instant(spec.end_at, zone, implied=_LAST_SECOND)}")
    if bounds:
        yield " ".join(bounds)
    if spec.exclude:
        exceptions = [_describe_exclusion(exclusion) for exclusion in spec.exclude]
        if len(exceptions) > _MAX_EXCEPTIONS:
            rest = len(exceptions) - _MAX_EXCEPTIONS + 1
            exceptions[_MAX_EXCEPTIONS - 1 :] = [f"{rest} more exceptions"]
        yield f"except {join_words(exceptions)}"
    if spec.jitter is not None:
        shift = describe_duration(spec.jitter.max_shift)
        yield f"up to {shift} later" if spec.jitter.only_later else f"give or take {shift}"
    if spec.limit is not None:
        yield f"at most {spec.limit:,} {'run' if spec.limit == 1 else 'runs'} in all"


def _describe_exclusion(exclusion: Exclusion) -> str:
    if isinstance(exclusion, str):
        ((first, last),) = parse_exclusions((exclusion,)).spans
        return format_date(first) if first == last else f"{format_date(first)} to {format_date(last)}"
    values = read_calendar(exclusion, exact=False)
    window, dates = describe_window(values), describe_dates(values, either=False).tail
    if window:
        return f"{window} {dates}".rstrip()
    return dates.removeprefix("on ") or "every day"


def _format_instant(instant: datetime, zone: ZoneInfo | None, *, implied: time | None) -> str:
    """Date and time in the zone, or in UTC without one; the time is omitted if it equals `implied`."""
    local = instant.astimezone(zone or UTC)
    if zone is not None and local.time() == implied:
        return format_date(local)
    shown = local.strftime("%H:%M:%S" if local.second else "%H:%M")
    return f"{format_date(local)} at {shown}{'' if zone else ' UTC'}"


def _city(zone_name: str) -> str:
    """`Buenos Aires` of America/Argentina/Buenos_Aires; Etc/GMT+5 is UTC-5, despite its name."""
    if match := _ETC.fullmatch(zone_name):
        return f"UTC{'-' if match[1] == '+' else '+'}{match[2]}"
    return zone_name.rpartition("/")[2].replace("_", " ")
