"""A parser for RSS 2.0, RSS 1.0 and Atom that returns the entries as written."""

import html
import re
from dataclasses import dataclass, field

from scheduler.connections.connectors.safe_xml import BadXmlError, parse_xml
from scheduler.user_text import UserText

_MAX_ENTRIES = 1000
_MAX_TEXT_CHARS = 100_000
_ATOM = frozenset({"http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"})
_CORE = _ATOM | {"", "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/"}
_EXTENSIONS = {
    "http://purl.org/dc/elements/1.1/ date": "dc:date",
    "http://purl.org/rss/1.0/modules/content/ encoded": "content",
}
_ABOUT = "http://www.w3.org/1999/02/22-rdf-syntax-ns# about"
_ROOTS = frozenset({"rss", "RDF", "feed"})
_ELEMENTS = frozenset(
    {"title", "link", "guid", "id", "pubDate", "dc:date", "published", "issued", "updated", "modified"}
    | {"description", "summary", "content"}
)
_MARKUP = re.compile(r"<[^<>]*>")


@dataclass(slots=True)
class FeedEntry:
    """One entry: texts by element name, the first non-empty one of each."""

    texts: dict[str, str] = field(default_factory=dict)

    def first(self, *names: str) -> str:
        return next((self.texts[name] for name in names if self.texts.get(name)), "")


def parse_feed(content: bytes, charset: str | None = None) -> list[FeedEntry]:
    """The first thousand entries, in feed order; BadXmlError if it is not a feed."""
    parser = _FeedParser()
    parse_xml(content, parser.start, parser.end, parser.text, charset)
    return parser.entries


class _FeedParser:
    def __init__(self) -> None:
        self.entries: list[FeedEntry] = []
        self._depth = 0
        self._entry: FeedEntry | None = None
        self._entry_depth = 0
        self._name = ""
        self._is_markup = False
        self._pieces: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        space, _, local = name.rpartition(" ")
        if self._depth == 1 and local not in _ROOTS:
            raise BadXmlError(UserText("is not RSS or Atom"))
        if self._entry is None:
            if local in ("item", "entry") and space in _CORE and len(self.entries) < _MAX_ENTRIES:
                self._entry, self._entry_depth = FeedEntry(), self._depth
                self._entry.texts["about"] = attributes.get(_ABOUT, "")
            return
        if self._depth == self._entry_depth + 1:
            self._name = local if space in _CORE and local in _ELEMENTS else _EXTENSIONS.get(name, "")
            self._pieces = []
            kind = attributes.get("type", "")
            self._is_markup = kind in ("html", "text/html") if space in _ATOM else local in ("description", "encoded")
            if self._name == "link" and attributes.get("href"):
                self._keep("link" if attributes.get("rel", "alternate") == "alternate" else "other", attributes["href"])
                self._name = ""
            if self._name == "guid" and attributes.get("isPermaLink", "true") == "false":
                self._name = "id"

    def end(self, _: str) -> None:
        if self._entry is not None and self._depth == self._entry_depth + 1 and self._name:
            text = "".join(self._pieces)[:_MAX_TEXT_CHARS]
            self._keep(self._name, html.unescape(_MARKUP.sub(" ", text)) if self._is_markup else text)
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
