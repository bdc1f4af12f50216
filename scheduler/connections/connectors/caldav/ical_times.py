"""Times of iCalendar: days, instants, and times of a zone, with what cannot be understood told apart."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from scheduler.connections.connectors.caldav.ical import Component, Property

_DURATION = re.compile(r"([+-]?)P(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?")
_DAY = re.compile(r"[0-9]{8}")
_TIME = re.compile(r"[0-9]{8}T[0-9]{6}Z?")
_LONGEST_NAME, _MOST_STEPS = 100, 3
"""America/Argentina/ComodRivadavia is as long as they get."""
_OFFSET = re.compile(r"([+-])(\d\d)(\d\d)(\d\d)?")


@dataclass(frozen=True, slots=True)
class When:
    """A day, an instant, or a time by a clock on the wall somewhere."""

    value: date | datetime
    unknown_zone: str = ""
    """The name of a zone that is not known; the value is then the time by its clocks."""

    @property
    def all_day(self) -> bool:
        return not isinstance(self.value, datetime)

    def __str__(self) -> str:
        return self.value.isoformat()

    def instant(self) -> datetime:
        """For sorting and for ranges; days and times without a zone are taken as if they were UTC."""
        if not isinstance(self.value, datetime):
            return datetime(self.value.year, self.value.month, self.value.day, tzinfo=UTC)
        return self.value.astimezone(UTC) if self.value.tzinfo else self.value.replace(tzinfo=UTC)

    def plus(self, span: timedelta) -> "When":
        """By the clock of the zone for whole days, as the format wants; by the stopwatch for what is exact."""
        if not isinstance(self.value, datetime) or not self.value.tzinfo or span % timedelta(days=1) == timedelta(0):
            return When(self.value + span, self.unknown_zone)
        return When((self.value.astimezone(UTC) + span).astimezone(self.value.tzinfo), self.unknown_zone)


def read_when(written: Property, zones: dict[str, tzinfo]) -> When | None:
    """None if it is no time at all."""
    value = written.value.strip()
    try:
        if _DAY.fullmatch(value):
            return When(date.fromisoformat(value))
        if not _TIME.fullmatch(value):
            return None
        time = datetime.fromisoformat(value.removesuffix("Z"))
    except ValueError:
        return None
    if value.endswith("Z"):
        return When(time.replace(tzinfo=UTC))
    name = written.parameters.get("TZID", "")
    if not name:
        return When(time)
    zone = zones.get(name) or known_zone(name)
    return When(time.replace(tzinfo=zone)) if zone else When(time, name)


def read_duration(text: str) -> timedelta | None:
    match = _DURATION.fullmatch(text.strip())
    if match is None or not any(match.groups()[1:]):
        return None
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[1:])
    span = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    return -span if match[1] == "-" else span


def zones_of(calendar: Component) -> dict[str, tzinfo]:
    """The zones that a calendar brings along, as far as they are known by name or have one offset only."""
    found: dict[str, tzinfo] = {}
    for part in calendar.all("VTIMEZONE"):
        name = part.text("TZID")
        zone = known_zone(name) or known_zone(part.text("X-LIC-LOCATION")) or _fixed(part)
        if zone:
            found[name] = zone
    return found


def known_zone(name: str) -> tzinfo | None:
    """By its name, or by the end of a longer one, as in /example.org/Europe/Berlin."""
    parts = [part for part in name[-_LONGEST_NAME:].split("/") if part][-_MOST_STEPS:]
    for start in range(len(parts)):
        try:
            return ZoneInfo("/".join(parts[start:]))
        except (KeyError, ValueError, OSError):
            continue
    return None


def _fixed(part: Component) -> tzinfo | None:
    offsets = {one.text("TZOFFSETTO") for one in part.parts if one.name in ("STANDARD", "DAYLIGHT")}
    match = _OFFSET.fullmatch(offsets.pop().strip()) if len(offsets) == 1 else None
    if match is None:
        return None
    span = timedelta(hours=int(match[2]), minutes=int(match[3]), seconds=int(match[4] or 0))
    return timezone(-span if match[1] == "-" else span) if span < timedelta(days=1) else None
