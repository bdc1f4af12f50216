"""A schedule in plain English. Says what the parsed values mean, never what the text looks like."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from itertools import groupby
from zoneinfo import ZoneInfo

from scheduler.timing.calendar import read_calendar
from scheduler.timing.cron import parse_cron, split_cron
from scheduler.timing.date_words import DateWords, say_date, say_dates
from scheduler.timing.durations import say_duration
from scheduler.timing.exclusions import Exclusion, parse_exclusions
from scheduler.timing.fields import expand_fields
from scheduler.timing.listing import join
from scheduler.timing.spec import Kind, Spec
from scheduler.timing.time_words import TimeWords, list_times, say_interval, say_times, say_window
from scheduler.timing.zones import LOCAL, find_zone

_DAY = timedelta(days=1)
_LAST_SECOND = time(23, 59, 59)
# More exceptions than these are counted, not listed.
_MOST_EXCEPTIONS = 4
_UNION = "; and "
_ETC = re.compile(r"Etc/GMT([+-])([0-9]+)")


def say(spec: Spec, *, viewer_zone: str | None = None) -> str:
    """One line. Names the city of the schedule's zone if the viewer's zone is another one."""
    zone_name = viewer_zone if spec.timezone == LOCAL else spec.timezone
    zone = None if zone_name is None else find_zone(zone_name)
    times = _say_rule(spec, zone)
    narrowing = "".join(f", {part}" for part in _say_narrowing(spec, zone))
    if _UNION in times and narrowing:
        narrowing = f"; all {narrowing.removeprefix(', ')}"
    if zone_name is not None and viewer_zone is not None and _city(zone_name) != _city(viewer_zone):
        # A grid in real time is the same in every zone, the dates around it are not.
        if spec.kind is not Kind.EVERY:
            times += f" ({_city(zone_name)})"
        elif spec.start_at or spec.end_at or spec.exclude:
            narrowing += f" ({_city(zone_name)})"
    return f"{times[0].upper()}{times[1:]}{narrowing}"


def _say_rule(spec: Spec, zone: ZoneInfo | None) -> str:
    match spec.kind:
        case Kind.EVERY:
            assert spec.every is not None
            interval = say_interval(int(spec.every.total_seconds()))
            if spec.every < _DAY:
                return interval
            return f"{interval} (real time, does not follow local time when clocks change)"
        case Kind.CRON:
            patterns = parse_cron(spec.cron).patterns
            fields = [expand_fields(split_cron(text)) for text in spec.cron]
            eithers = [pattern.days.either for pattern in patterns]
        case Kind.CALENDAR:
            fields = [read_calendar(calendar, exact=True) for calendar in spec.calendar]
            eithers = [False] * len(fields)
        case Kind.ONCE:
            assert spec.once is not None
            return f"once on {_say_instant(spec.once, zone, implied=None)}"
    phrases = [
        (say_dates(values, either=either), say_times(values)) for values, either in zip(fields, eithers, strict=True)
    ]
    return _say_union(phrases)


def _say_union(phrases: list[tuple[DateWords, TimeWords]]) -> str:
    """Neighbours that list times of the same dates are said together."""
    parts = []
    for (dates, is_list), group in groupby(phrases, key=lambda phrase: (phrase[0], bool(phrase[1].listed))):
        times = [words for _, words in group]
        if is_list:
            listed = sorted({second for words in times for second in words.listed})
            parts.append(f"{dates.head} {list_times(listed).words}")
        else:
            parts += [f"{words.words} {dates.tail}".rstrip() for words in times]
    parts = list(dict.fromkeys(parts))
    return _UNION.join(["; ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def _say_narrowing(spec: Spec, zone: ZoneInfo | None) -> Iterator[str]:
    bounds = []
    if spec.start_at is not None:
        bounds.append(f"from {_say_instant(spec.start_at, zone, implied=time())}")
    if spec.end_at is not None:
        bounds.append(f"until {_say_instant(spec.end_at, zone, implied=_LAST_SECOND)}")
    if bounds:
        yield " ".join(bounds)
    if spec.exclude:
        exceptions = [_say_exclusion(exclusion) for exclusion in spec.exclude]
        if len(exceptions) > _MOST_EXCEPTIONS:
            rest = len(exceptions) - _MOST_EXCEPTIONS + 1
            exceptions[_MOST_EXCEPTIONS - 1 :] = [f"{rest} more exceptions"]
        yield f"except {join(exceptions)}"
    if spec.jitter is not None:
        shift = say_duration(spec.jitter.most)
        yield f"up to {shift} later" if spec.jitter.only_later else f"give or take {shift}"
    if spec.limit is not None:
        yield f"at most {spec.limit:,} {'run' if spec.limit == 1 else 'runs'} in all"


def _say_exclusion(exclusion: Exclusion) -> str:
    if isinstance(exclusion, str):
        ((first, last),) = parse_exclusions((exclusion,)).spans
        return say_date(first) if first == last else f"{say_date(first)} to {say_date(last)}"
    values = read_calendar(exclusion, exact=False)
    window, dates = say_window(values), say_dates(values, either=False).tail
    if window:
        return f"{window} {dates}".rstrip()
    return dates.removeprefix("on ") or "every day"


def _say_instant(instant: datetime, zone: ZoneInfo | None, *, implied: time | None) -> str:
    """Date and time in the zone; the time is left out where the date implies it. Without a zone, in UTC."""
    local = instant.astimezone(zone or UTC)
    if zone is not None and local.time() == implied:
        return say_date(local)
    shown = local.strftime("%H:%M:%S" if local.second else "%H:%M")
    return f"{say_date(local)} at {shown}{'' if zone else ' UTC'}"


def _city(zone_name: str) -> str:
    """`Buenos Aires` of America/Argentina/Buenos_Aires; Etc/GMT+5 lies five hours behind, whatever its name says."""
    if match := _ETC.fullmatch(zone_name):
        return f"UTC{'-' if match[1] == '+' else '+'}{match[2]}"
    return zone_name.rpartition("/")[2].replace("_", " ")
