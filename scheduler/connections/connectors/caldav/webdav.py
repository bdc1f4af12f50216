"""The part of WebDAV that calendars need: multi-status responses."""

from dataclasses import dataclass
from xml.etree.ElementTree import Element, TreeBuilder

from scheduler.connections.connectors.safe_xml import BadXmlError, parse_xml
from scheduler.user_text import UserText

_MAX_ELEMENTS = 500_000
DAV = "{DAV:}"
CALDAV = "{urn:ietf:params:xml:ns:caldav}"


@dataclass(frozen=True, slots=True)
class DavResource:
    """One resource in a response, with the properties that the server returned."""

    href: str
    properties: Element

    def text(self, name: str) -> str:
        return (self.properties.findtext(name) or "").strip()

    def inner_href(self, name: str) -> str:
        """The href inside a property."""
        return (self.properties.findtext(f"{name}/{DAV}href") or "").strip()

    @property
    def is_calendar(self) -> bool:
        return self.properties.find(f"{DAV}resourcetype/{CALDAV}calendar") is not None


def parse_multistatus(content: bytes) -> list[DavResource]:
    """The resources of a multi-status response; only properties with status 200 are kept."""
    root = _tree(content)
    if root.tag != f"{DAV}multistatus":
        raise BadXmlError(UserText("is not a multi-status response"))
    things = []
    for response in root.findall(f"{DAV}response"):
        found = Element("found")
        for part in response.findall(f"{DAV}propstat"):
            if " 200" in (part.findtext(f"{DAV}status") or " 200"):
                found.extend(part.findall(f"{DAV}prop/*"))
        things.append(DavResource((response.findtext(f"{DAV}href") or "").strip(), found))
    return things


def _tree(content: bytes) -> Element:
    builder, count = TreeBuilder(), 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > _MAX_ELEMENTS:  # a tree takes far more memory than its text
            raise BadXmlError(UserText("has too many elements"))
        builder.start(_tag(name), attributes)

    parse_xml(content, start, lambda name: builder.end(_tag(name)), builder.data)
    return builder.close()


def _tag(name: str) -> str:
    space, _, local = name.rpartition(" ")
    return f"{{{space}}}{local}" if space else local
