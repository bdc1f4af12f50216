"""Durations as users write them: `30s`, `5m`, `1.5h`, `2d`."""

import re
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction

from scheduler.timing.errors import BadScheduleError
from scheduler.user_text import UserText, join_texts

_TEXT = re.compile(r"([0-9]{1,10}(?:\.[0-9]{1,6})?)\s*([smhd])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_UNITS = (
    (86400, UserText("{number} day"), UserText("{number} days")),
    (3600, UserText("{number} hour"), UserText("{number} hours")),
    (60, UserText("{number} minute"), UserText("{number} minutes")),
    (1, UserText("{number} second"), UserText("{number} seconds")),
)
MAX_DURATION = timedelta(days=36500)


def parse_duration(text: str, field: str) -> timedelta:
    """Parse a duration in whole seconds; refuses text without a number and a unit."""
    match = _TEXT.fullmatch(text.strip().lower()) if isinstance(text, str) else None
    if match is None:
        raise BadScheduleError(
            field,
            UserText(
                "{field}: {text} is not a duration; write a number and s, m, h or d, for example 30s, 5m, 1.5h.",
                field=field,
                text=repr(text),
            ),
        )
    seconds = Fraction(match[1]) * _SECONDS[match[2]]
    if seconds.denominator != 1:
        raise BadScheduleError(
            field,
            UserText(
                "{field}: {text} is not a whole number of seconds; write for example 90s.", field=field, text=repr(text)
            ),
        )
    if seconds > MAX_DURATION.total_seconds():
        raise BadScheduleError(
            field, UserText("{field}: {text} is longer than a hundred years.", field=field, text=repr(text))
        )
    return timedelta(seconds=int(seconds))


@dataclass(frozen=True, slots=True)
class DurationRange:
    """From the shortest to the longest; None for no limit."""

    shortest: timedelta | None
    longest: timedelta | None

    def __contains__(self, length: timedelta) -> bool:
        is_too_short = self.shortest is not None and length < self.shortest
        return not is_too_short and (self.longest is None or length <= self.longest)


def parse_range(text: str, field: str) -> DurationRange:
    """Parse `1m..20m`; either side may be missing."""
    first, dots, last = text.partition("..")
    if not dots or not (first.strip() or last.strip()):
        raise BadScheduleError(
            field,
            UserText(
                "{field}: {text} is not a range; write for example 1m..20m, or ..20m for at most that long.",
                field=field,
                text=repr(text),
            ),
        )
    found = DurationRange(
        parse_duration(first, field) if first.strip() else None, parse_duration(last, field) if last.strip() else None
    )
    if found.shortest is not None and found.longest is not None and found.shortest > found.longest:
        raise BadScheduleError(
            field, UserText("{field}: {text} begins with the longer duration.", field=field, text=repr(text))
        )
    return found


def describe_duration(length: timedelta) -> str:
    """In words: `5 minutes`, `1 hour 30 minutes`."""
    rest = int(length.total_seconds())
    parts = []
    for seconds, singular, plural in _UNITS:
        number, rest = divmod(rest, seconds)
        if number:
            parts.append(UserText(singular if number == 1 else plural, number=number))
    return join_texts(parts or [UserText("{number} seconds", number=0)], " ")


def describe_seconds(seconds: float) -> str:
    """The same, and fractions of a second as they are: `0.5 seconds`."""
    if seconds == int(seconds):
        return describe_duration(timedelta(seconds=seconds))
    return UserText("{number} seconds", number=f"{seconds:g}")


def format_duration(length: timedelta) -> str:
    """The shortest text that `parse_duration` reads back as the same duration."""
    seconds = int(length.total_seconds())
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
