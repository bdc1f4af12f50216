"""Durations as users write them: `30s`, `5m`, `1.5h`, `2d`."""

import re
from datetime import timedelta
from fractions import Fraction

from scheduler.timing.errors import BadScheduleError

_TEXT = re.compile(r"([0-9]{1,10}(?:\.[0-9]{1,6})?)\s*([smhd])", re.ASCII)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
MAX_DURATION = timedelta(days=36500)


def parse_duration(text: str, field: str) -> timedelta:
    """Parse a duration in whole seconds; refuses text without a number and a unit."""
    match = _TEXT.fullmatch(text.strip().lower()) if isinstance(text, str) else None
    if match is None:
        raise BadScheduleError(
            field,
            f"{field}: {text!r} is not a duration; write a number and s, m, h or d, for example 30s, 5m, 1.5h.",
        )
    seconds = Fraction(match[1]) * _SECONDS[match[2]]
    if seconds.denominator != 1:
        raise BadScheduleError(field, f"{field}: {text!r} is not a whole number of seconds; write for example 90s.")
    if seconds > MAX_DURATION.total_seconds():
        raise BadScheduleError(field, f"{field}: {text!r} is longer than a hundred years.")
    return timedelta(seconds=int(seconds))


def describe_duration(length: timedelta) -> str:
    """In words: `5 minutes`, `1 hour 30 minutes`."""
    rest = int(length.total_seconds())
    parts = []
    for unit, seconds in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        number, rest = divmod(rest, seconds)
        if number:
            parts.append(f"{number} {unit}" if number == 1 else f"{number} {unit}s")
    return " ".join(parts) or "0 seconds"


def format_duration(length: timedelta) -> str:
    """The shortest text that `parse_duration` reads back as the same duration."""
    seconds = int(length.total_seconds())
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
