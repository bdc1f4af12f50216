"""RSS 2.0 and 1.0 and Atom: their entries, as they are written."""

import html
import re
from dataclasses import dataclass, field

from scheduler.connections.connectors.markup import BadXmlError, read_xml

_MOST = 1000
_LONGEST_TEXT = 100_000
_ATOM = frozenset({"http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"})
_CORE = _ATOM | {"", "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/"}
_MORE = {
    "http://purl.org/dc/elements/1.1/ date": "dc:date",
    "http://purl.org/rss/1.0/modules/content/ encoded": "content",
}
_ABOUT = "http://www.w3.org/1999/02/22-rdf-syntax-ns# about"
_ROOTS = frozenset({"rss", "RDF", "feed"})
_TAKEN = frozenset(
    {"title", "link", "guid", "id", "pubDate", "dc:date", "published", "issued", "updated", "modified"}
    | {"description", "summary", "content"}
)
_MARKUP = re.compile(r"<[^<>]*>")


@dataclass(slots=True)
class Found:
    """One entry as it was written: texts by name, the first of each that is not empty."""

    texts: dict[str, str] = field(default_factory=dict)

    def first(self, *names: str) -> str:
        return next((self.texts[name] for name in names if self.texts.get(name)), "")


def read_feed(content: bytes, charset: str | None = None) -> list[Found]:
    """The first thousand entries, in the order of the feed; BadXmlError if it is none."""
    reading = _Reading()
    read_xml(content, reading.start, reading.end, reading.text, charset)
    return reading.entries


class _Reading:
    def __init__(self) -> None:
        self.entries: list[Found] = []
        self._depth = 0
        self._entry: Found | None = None
        self._entry_depth = 0
        self._name = ""
        self._markup = False
        self._pieces: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        space, _, local = name.rpartition(" ")
        if self._depth == 1 and local not in _ROOTS:
            raise BadXmlError("is not RSS or Atom")
        if self._entry is None:
            if local in ("item", "entry") and space in _CORE and len(self.entries) < _MOST:
                self._entry, self._entry_depth = Found(), self._depth
                self._entry.texts["about"] = attributes.get(_ABOUT, "")
            return
        if self._depth == self._entry_depth + 1:
            self._name = local if space in _CORE and local in _TAKEN else _MORE.get(name, "")
            self._pieces = []
            kind = attributes.get("type", "")
            self._markup = kind in ("html", "text/html") if space in _ATOM else local in ("description", "encoded")
            if self._name == "link" and attributes.get("href"):
                self._keep("link" if attributes.get("rel", "alternate") == "alternate" else "other", attributes["href"])
                self._name = ""
            if self._name == "guid" and attributes.get("isPermaLink", "true") == "false":
                self._name = "id"

    def end(self, _: str) -> None:
        if self._entry is not None and self._depth == self._entry_depth + 1 and self._name:
            text = "".join(self._pieces)[:_LONGEST_TEXT]
            self._keep(self._name, html.unescape(_MARKUP.sub(" ", text)) if self._markup else text)
            self._name = ""
        elif self._entry is not None and self._depth == self._entry_depth:
            self.entries.append(self._entry)
            self._entry = None
        self._depth -= 1

    def text(self, text: str) -> None:
        if self._name:
            self._pieces.append(text)

    def _keep(self, name: str, text: str) -> None:
        assert self._entry is not None
        if not self._entry.texts.get(name):
            self._entry.texts[name] = " ".join(text.split())
