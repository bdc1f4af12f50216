"""iCalendar: parsing and writing components, properties, times and time zones. It knows no server."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from scheduler.user_text import UserText

_MAX_LINE_BYTES = 75
_MAX_DEPTH = 10
_LINE = re.compile(
    r'([A-Za-z0-9-]++)((?:;[A-Za-z0-9-]++=(?:"[^"]*+"|[^";:,]*+)(?:,(?:"[^"]*+"|[^";:,]*+))*+)*+):(.*+)', re.DOTALL
)
_PARAMETER = re.compile(r';([A-Za-z0-9-]++)=("[^"]*+"|[^";:]*+)')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class NotACalendarError(ValueError):
    """The text is not iCalendar."""


@dataclass(frozen=True, slots=True)
class Property:
    """One line: its raw value, and its parameters by upper-case name."""

    value: str
    parameters: Mapping[str, str]

    @property
    def text(self) -> str:
        return _ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], self.value)


@dataclass(slots=True)
class Component:
    """Everything between BEGIN and END."""

    name: str
    properties: dict[str, list[Property]] = field(default_factory=dict)
    parts: list["Component"] = field(default_factory=list)

    def first(self, name: str) -> Property | None:
        return next(iter(self.properties.get(name, ())), None)

    def text(self, name: str) -> str:
        found = self.first(name)
        return found.text if found else ""

    def all(self, name: str) -> Iterator["Component"]:
        return (part for part in self.parts if part.name == name)


def parse_calendar(text: str) -> Component:
    """Parse a calendar; malformed lines are skipped, as in other programs."""
    root = Component("")
    inside = [root]
    for line in _unfold(text):
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        name, value = match[1].upper(), match[3]
        if name == "BEGIN":
            if len(inside) > _MAX_DEPTH:
                raise NotACalendarError(UserText("nested too deeply"))
            part = Component(value.strip().upper())
            inside[-1].parts.append(part)
            inside.append(part)
        elif name == "END":
            if len(inside) == 1 or inside.pop().name != value.strip().upper():
                raise NotACalendarError(UserText("BEGIN and END do not match"))
        else:
            parameters = {found[1].upper(): found[2].strip('"') for found in _PARAMETER.finditer(match[2])}
            inside[-1].properties.setdefault(name, []).append(Property(value, parameters))
    calendar = next(root.all("VCALENDAR"), None)
    if calendar is None or len(inside) > 1:
        raise NotACalendarError(UserText("incomplete calendar"))
    return calendar


def _unfold(text: str) -> list[str]:
    """Lines end with CR LF, or LF in some programs; a line that starts with a blank continues the previous one."""
    return re.sub(r"\r?\n[ \t]", "", text).replace("\r\n", "\n").split("\n")


def escape(text: str) -> str:
    plain = _CONTROL.sub("", text.replace("\r\n", "\n")).encode(errors="replace").decode()
    return plain.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def format_lines(lines: list[str]) -> str:
    """Join lines, folded at 75 bytes as the format requires, never inside a character."""
    return "".join(f"{fold(line)}\r\n" for line in lines)


def fold(line: str) -> str:
    folded, width = [""], 0
    for character in line:
        size = len(character.encode())
        if width + size > _MAX_LINE_BYTES:
            folded.append(" ")
            width = 1
        folded[-1] += character
        width += size
    return "\r\n".join(folded)


_DURATION = re.compile(r"([+-]?)P(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?")
_DAY = re.compile(r"[0-9]{8}")
_TIME = re.compile(r"[0-9]{8}T[0-9]{6}Z?")
_MAX_ZONE_CHARS, _MAX_ZONE_PARTS = 100, 3
"""The longest zone name is America/Argentina/ComodRivadavia."""
_OFFSET = re.compile(r"([+-])(\d\d)(\d\d)(\d\d)?")


@dataclass(frozen=True, slots=True)
class IcalTime:
    """A date, an instant, or a local time without a zone."""

    value: date | datetime
    unknown_zone: str = ""
    """Name of a zone that we do not know; the value is then a local time in it."""

    @property
    def all_day(self) -> bool:
        return not isinstance(self.value, datetime)

    def __str__(self) -> str:
        return self.value.isoformat()

    def instant(self) -> datetime:
        """For sorting and ranges; dates and times without a zone count as UTC."""
        if not isinstance(self.value, datetime):
            return datetime(self.value.year, self.value.month, self.value.day, tzinfo=UTC)
        return self.value.astimezone(UTC) if self.value.tzinfo else self.value.replace(tzinfo=UTC)

    def plus(self, span: timedelta) -> "IcalTime":
        """Add a span: whole days in local time, as the format requires, anything else in exact time."""
        if not isinstance(self.value, datetime) or not self.value.tzinfo or span % timedelta(days=1) == timedelta(0):
            return IcalTime(self.value + span, self.unknown_zone)
        return IcalTime((self.value.astimezone(UTC) + span).astimezone(self.value.tzinfo), self.unknown_zone)


def parse_ical_time(prop: Property, zones: dict[str, tzinfo]) -> IcalTime | None:
    """None if the value is not a time."""
    value = prop.value.strip()
    try:
        if _DAY.fullmatch(value):
            return IcalTime(date.fromisoformat(value))
        if not _TIME.fullmatch(value):
            return None
        time = datetime.fromisoformat(value.removesuffix("Z"))
    except ValueError:
        return None
    if value.endswith("Z"):
        return IcalTime(time.replace(tzinfo=UTC))
    name = prop.parameters.get("TZID", "")
    if not name:
        return IcalTime(time)
    zone = zones.get(name) or find_zone(name)
    return IcalTime(time.replace(tzinfo=zone)) if zone else IcalTime(time, name)


def parse_duration(text: str) -> timedelta | None:
    match = _DURATION.fullmatch(text.strip())
    if match is None or not any(match.groups()[1:]):
        return None
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[1:])
    span = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    return -span if match[1] == "-" else span


def find_zones(calendar: Component) -> dict[str, tzinfo]:
    """The zones defined in a calendar, if known by name or with a single offset."""
    found: dict[str, tzinfo] = {}
    for part in calendar.all("VTIMEZONE"):
        name = part.text("TZID")
        zone = find_zone(name) or find_zone(part.text("X-LIC-LOCATION")) or _fixed_offset(part)
        if zone:
            found[name] = zone
    return found


def find_zone(name: str) -> tzinfo | None:
    """Find a zone by its name, or by the end of a longer one such as /example.org/Europe/Berlin."""
    parts = [part for part in name[-_MAX_ZONE_CHARS:].split("/") if part][-_MAX_ZONE_PARTS:]
    for start in range(len(parts)):
        try:
            return ZoneInfo("/".join(parts[start:]))
        except (KeyError, ValueError, OSError):
            continue
    return None


def _fixed_offset(part: Component) -> tzinfo | None:
    offsets = {one.text("TZOFFSETTO") for one in part.parts if one.name in ("STANDARD", "DAYLIGHT")}
    match = _OFFSET.fullmatch(offsets.pop().strip()) if len(offsets) == 1 else None
    if match is None:
        return None
    span = timedelta(hours=int(match[2]), minutes=int(match[3]), seconds=int(match[4] or 0))
    return timezone(-span if match[1] == "-" else span) if span < timedelta(days=1) else None
