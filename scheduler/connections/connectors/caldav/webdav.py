"""WebDAV as far as calendars need it: questions in XML, and what a server says of several things at once."""

from dataclasses import dataclass
from xml.etree.ElementTree import Element, TreeBuilder

from scheduler.connections.connectors.markup import BadXmlError, read_xml

_MOST_ELEMENTS = 500_000
DAV = "{DAV:}"
CALDAV = "{urn:ietf:params:xml:ns:caldav}"


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
    root = _tree(content)
    if root.tag != f"{DAV}multistatus":
        raise BadXmlError("is no multi-status")
    things = []
    for response in root.findall(f"{DAV}response"):
        found = Element("found")
        for part in response.findall(f"{DAV}propstat"):
            if " 200" in (part.findtext(f"{DAV}status") or " 200"):
                found.extend(part.findall(f"{DAV}prop/*"))
        things.append(Thing((response.findtext(f"{DAV}href") or "").strip(), found))
    return things


def _tree(content: bytes) -> Element:
    builder, count = TreeBuilder(), 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > _MOST_ELEMENTS:  # a tree takes far more memory than its text
            raise BadXmlError("has more in it than is read")
        builder.start(_tag(name), attributes)

    read_xml(content, start, lambda name: builder.end(_tag(name)), builder.data)
    return builder.close()


def _tag(name: str) -> str:
    space, _, local = name.rpartition(" ")
    return f"{{{space}}}{local}" if space else local
