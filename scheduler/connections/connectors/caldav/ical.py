"""iCalendar as text: lines folded and unfolded, values escaped and read back, components inside each other."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_WIDTH = 75
_DEEPEST = 10
_LINE = re.compile(
    r'([A-Za-z0-9-]++)((?:;[A-Za-z0-9-]++=(?:"[^"]*+"|[^";:,]*+)(?:,(?:"[^"]*+"|[^";:,]*+))*+)*+):(.*+)', re.DOTALL
)
_PARAMETER = re.compile(r';([A-Za-z0-9-]++)=("[^"]*+"|[^";:]*+)')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class NotACalendarError(ValueError):
    """A text that is not iCalendar."""


@dataclass(frozen=True, slots=True)
class Property:
    """One line: its value as written, and its parameters by upper-case name."""

    value: str
    parameters: Mapping[str, str]

    @property
    def text(self) -> str:
        return _ESCAPE.sub(lambda found: "\n" if found[1] in "nN" else found[1], self.value)


@dataclass(slots=True)
class Component:
    """A part between BEGIN and END."""

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


def read_calendar(text: str) -> Component:
    """The calendar in a text; lines that are no lines of iCalendar are left out, as other programs do."""
    root = Component("")
    inside = [root]
    for line in _unfold(text):
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        name, value = match[1].upper(), match[3]
        if name == "BEGIN":
            if len(inside) > _DEEPEST:
                raise NotACalendarError("nested too deeply")
            part = Component(value.strip().upper())
            inside[-1].parts.append(part)
            inside.append(part)
        elif name == "END":
            if len(inside) == 1 or inside.pop().name != value.strip().upper():
                raise NotACalendarError("parts that do not end where they should")
        else:
            parameters = {found[1].upper(): found[2].strip('"') for found in _PARAMETER.finditer(match[2])}
            inside[-1].properties.setdefault(name, []).append(Property(value, parameters))
    calendar = next(root.all("VCALENDAR"), None)
    if calendar is None or len(inside) > 1:
        raise NotACalendarError("no whole calendar")
    return calendar


def _unfold(text: str) -> list[str]:
    """Lines end with CR LF, or with LF alone as some write them; one that begins with a blank goes on the last."""
    return re.sub(r"\r?\n[ \t]", "", text).replace("\r\n", "\n").split("\n")


def escape(text: str) -> str:
    plain = _CONTROL.sub("", text.replace("\r\n", "\n")).encode(errors="replace").decode()
    return plain.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def write_lines(lines: list[str]) -> str:
    """Lines that are at most 75 bytes wide, as the format wants, never broken inside a letter."""
    return "".join(f"{fold(line)}\r\n" for line in lines)


def fold(line: str) -> str:
    pieces, width = [""], 0
    for letter in line:
        size = len(letter.encode())
        if width + size > _WIDTH:
            pieces.append(" ")
            width = 1
        pieces[-1] += letter
        width += size
    return "\r\n".join(pieces)
