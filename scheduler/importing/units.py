"""systemd's unit files as sections of settings with their lines, and its lengths of time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

_SPAN = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)")
_SECONDS = {
    **dict.fromkeys(("", "s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86_400.0),
    **dict.fromkeys(("w", "week", "weeks"), 604_800.0),
    **dict.fromkeys(("M", "month", "months"), 30.44 * 86_400),
    **dict.fromkeys(("y", "year", "years"), 365.25 * 86_400),
    **dict.fromkeys(("ms", "msec"), 0.001),
    **dict.fromkeys(("us", "usec"), 0.000001),
}


_TRIGGERS = frozenset(
    {"OnCalendar", "OnActiveSec", "OnBootSec", "OnStartupSec", "OnUnitActiveSec", "OnUnitInactiveSec"}
)
"""Of a timer: emptying one of them empties all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    section: str
    name: str
    value: str
    line: int

    @property
    def text(self) -> str:
        return f"{self.name}={self.value}"


def read_unit(text: str) -> list[Setting]:
    """Every setting in order; an empty value, as systemd has it, takes back those of the same name before it."""
    found: list[Setting] = []
    for one in _settings(text):
        if not one.value:
            emptied = _TRIGGERS if one.name in _TRIGGERS else {one.name}
            found = [kept for kept in found if kept.section != one.section or kept.name not in emptied]
        else:
            found.append(one)
    return found


def _settings(text: str) -> Iterator[Setting]:
    section, waiting, began = "", "", 0
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith(("#", ";")) or (not stripped and not waiting):
            continue
        whole, begins = waiting + stripped, began or number
        if whole.endswith("\\"):
            waiting, began = whole[:-1] + " ", begins
            continue
        waiting, began = "", 0
        if whole.startswith("[") and whole.endswith("]"):
            section = whole[1:-1]
        else:
            name, _, value = whole.partition("=")
            yield Setting(section=section, name=name.strip(), value=value.strip(), line=begins)


def read_span(text: str) -> timedelta | None:
    """`1h 30min`, or None if it is none."""
    seconds, at = 0.0, 0
    while at < len(text.rstrip()):
        match = _SPAN.match(text, at)
        unit = None if match is None else _SECONDS.get(match[2], _SECONDS.get(match[2].lower()))
        if match is None or unit is None:
            return None
        seconds += float(match[1]) * unit
        at = match.end()
    return timedelta(seconds=round(seconds)) if text.strip() else None
