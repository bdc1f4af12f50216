"""WebDAV as far as calendars need it: questions in XML, and what a server says of several things at once."""

from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

_DEEPEST = 100
DAV = "{DAV:}"
CALDAV = "{urn:ietf:params:xml:ns:caldav}"


class NotDavError(ValueError):
    """An answer that is not what WebDAV says."""


@dataclass(frozen=True, slots=True)
class Thing:
    """What a server says of one address: the properties that it gave."""

    href: str
    found: Element

    def text(self, name: str) -> str:
        return (self.found.findtext(name) or "").strip()

    def inner(self, name: str) -> str:
        """The address inside a property."""
        return (self.found.findtext(f"{name}/{DAV}href") or "").strip()

    @property
    def is_calendar(self) -> bool:
        return self.found.find(f"{DAV}resourcetype/{CALDAV}calendar") is not None


def read_things(content: bytes) -> list[Thing]:
    """The answers of a multi-status; properties with another status than 200 are left out."""
    root = read_xml(content)
    if root.tag != f"{DAV}multistatus":
        raise NotDavError("no multi-status")
    things = []
    for response in root.findall(f"{DAV}response"):
        found = Element("found")
        for part in response.findall(f"{DAV}propstat"):
            if " 200" in (part.findtext(f"{DAV}status") or " 200"):
                found.extend(part.findall(f"{DAV}prop/*"))
        things.append(Thing((response.findtext(f"{DAV}href") or "").strip(), found))
    return things


def read_xml(content: bytes) -> Element:
    """A tree from XML that may be hostile: no entities of its own, nothing from outside, bounded depth."""
    builder = TreeBuilder()
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise NotDavError("nested too deeply")
        builder.start(_tag(name), attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_tag(name))

    def declared(*_: Any) -> None:
        raise NotDavError("entities of its own")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = declared
    try:
        parser.Parse(content, True)  # noqa: FBT003  expat takes no names
    except (expat.ExpatError, LookupError) as error:
        raise NotDavError("not well-formed") from error
    return builder.close()


def _tag(name: str) -> str:
    space, _, local = name.rpartition(" ")
    return f"{{{space}}}{local}" if space else local
