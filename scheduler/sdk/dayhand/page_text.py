"""The text of a web page as blocks, and finding one of them again after the page has changed.

A block is remembered by a mark: the elements it is in, the label beside it, the heading above it and the text before
it, never its position alone. If these no longer fit exactly one block, it is not found: a wrong price would be worse
than none. Pages are untrusted: everything is bounded.
"""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

HEADERS = {"Accept": "text/html, application/xhtml+xml;q=0.9, text/*;q=0.8, */*;q=0.1"}
"""For the request: the page as a browser gets it."""
MAX_PAGE_CHARS = 2_000_000
"""What follows is not read."""
_PAGE_TYPES = ("", "text/html", "application/xhtml+xml", "text/plain", "text/xml", "application/xml")
_CHARSET_BYTES = 4096
_CHARSET = re.compile(rb"""<meta\b[^>]{0,200}?charset\s{0,9}=\s{0,9}["']?([\w-]{1,30})""", re.IGNORECASE)
_CHARSETS = re.compile(
    r"windows-125\d|cp125\d|iso-8859-\d+|koi8-[ru]|gb2312|gbk|gb18030|big5|shift_jis|euc-jp|euc-kr|iso-2022-jp",
    re.ASCII,
)
"""Other codecs of Python are not for pages, or take hours."""
_MAX_UNPARSED_CHARS = 100_000
"""A longer tag or comment ends the page: the parser would read it again and again."""
_PIECE_CHARS = 20_000
_MAX_BLOCKS = 2_000
_MAX_PARTS = 100_000
"""Tags and texts; the page ends after that many."""
_MAX_DEPTH = 100
_MAX_TEXT_CHARS = 300
_MAX_CONTEXT_CHARS = 60
_MAX_STEPS = 8
_MAX_PRICE_CHARS = 40
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_CELLS = frozenset({"td", "th", "dd", "dt"})
_HIDDEN = frozenset({"script", "style", "template", "noscript", "svg", "iframe", "object", "select", "textarea"})
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
_INLINE = frozenset(
    {"a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd"}
    | {"label", "mark", "meter", "output", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup"}
    | {"time", "tt", "u", "var"}
)
_ENDED_BY = {
    "li": {"li"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "td": {"td", "th"},
    "th": {"td", "th"},
    "tr": {"td", "th", "tr"},
}
"""Elements that a start tag ends, because their end tags are optional."""
_SIGNS = r"(?:[€$£¥₹₽₩]|\b(?:EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK|kr|zł|Fr)\b\.?)"
_PRICE = re.compile(rf"{_SIGNS}\s?-?\d|\d[\d.,']*\s?{_SIGNS}", re.IGNORECASE)
_NUMBER = re.compile(r"\d[\d.,']*")
_CONTEXT = ("label", "heading", "before")


class PageBlock(NamedTuple):
    """One heading, paragraph, table cell or price of a page."""

    text: str
    kind: str
    """heading, cell, price or text."""
    mark: dict[str, Any]
    """How `find_block` finds it again: plain values that a script can hold as a constant."""


def read_html(answer: Mapping[str, Any]) -> str | None:
    """The page in an answer of the tool `get`, by its own charset if its headers name none; None if it is no page."""
    kind = str(answer.get("headers", {}).get("content-type", "")).partition(";")[0].strip().lower()
    if kind not in _PAGE_TYPES or "json" in answer:
        return None
    if "base64" not in answer:
        return str(answer.get("text", ""))
    content = base64.b64decode(answer["base64"])
    named = _CHARSET.search(content[:_CHARSET_BYTES])
    charset = "" if named is None else named[1].decode("ascii", "replace").lower()
    if not _CHARSETS.fullmatch(charset) or charset == "iso-8859-1":
        charset = "cp1252"  # as browsers do
    try:
        return None if b"\0" in content else content.decode(charset, "replace")
    except LookupError:
        return content.decode("cp1252", "replace")


def read_blocks(html: str) -> list[PageBlock]:
    """The blocks of a page, from top to bottom; empty if it has no text without a browser."""
    reader = _Reader()
    reader.read(html[:MAX_PAGE_CHARS])
    return _mark_blocks(reader.blocks)


def find_block(html: str, mark: Mapping[str, Any]) -> PageBlock | None:
    """The block that was marked, with the text it has now; None if it is gone or several could be it."""
    if not mark:
        return None
    blocks = read_blocks(html)
    path = mark.get("path") or []
    same_place = [one for one in blocks if one.mark["path"] == path]
    same_tag = [one for one in blocks if one.mark["path"][-1:] == path[-1:]]
    for candidates in (same_place, same_tag):
        found = [one for one in candidates if all(one.mark[key] == mark.get(key) for key in _CONTEXT)]
        if found and len(found) == mark.get("alike") and 0 <= mark.get("order", -1) < len(found):
            return found[int(mark["order"])]
    is_unique = mark.get("same_path") == 1 and len(same_place) == 1
    return same_place[0] if is_unique and _shares_context(same_place[0], mark) else None


def is_price(text: str) -> bool:
    """Whether it is little more than a number with a currency."""
    return len(text) <= _MAX_PRICE_CHARS and _PRICE.search(text) is not None


def read_number(text: str) -> float | None:
    """The first number of a text, such as 12.5 for "€ 12,50"; None without one."""
    found = _NUMBER.search(text)
    if found is None:
        return None
    digits = found.group(0).rstrip(".,'").replace("'", "")
    whole, sign, rest = digits.replace(",", ".").rpartition(".")
    if sign and len(rest) != 3:
        return float(f"{whole.replace('.', '')}.{rest}")
    return float(digits.replace(",", "").replace(".", ""))


def _shares_context(block: PageBlock, mark: Mapping[str, Any]) -> bool:
    """Whether anything around it is as before, or the elements alone are telling."""
    is_named = any("." in step or "#" in step for step in block.mark["path"])
    return is_named or any(mark.get(key) and block.mark[key] == mark[key] for key in _CONTEXT)


class _Element:
    """An open element of the page."""

    def __init__(self, name: str, step: str, parent: _Element | None, *, is_hidden: bool) -> None:
        self.name = name
        self.step = step
        self.parent: _Element | None = parent
        self.is_hidden: bool = is_hidden or (parent is not None and parent.is_hidden)
        self.first_blocks: list[_Found] = []
        """Its first two blocks, at any depth."""

    def ancestors(self) -> list[_Element]:
        """From itself up to the root."""
        found: list[_Element] = []
        element: _Element | None = self
        while element is not None:
            found.append(element)
            element = element.parent
        return found


class _Found:
    """A block as it is read; a price inside a longer text belongs to that text."""

    def __init__(self, text: str, element: _Element, owner: _Found | None = None) -> None:
        self.text = text
        self.element = element
        self.owner: _Found = owner or self

    @property
    def kind(self) -> str:
        names = [one.name for one in self.element.ancestors()]
        if is_price(self.text):
            return "price"
        if _HEADINGS.intersection(names):
            return "heading"
        return "cell" if _CELLS.intersection(names) else "text"


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[_Found] = []
        self._open = [_Element("", "", None, is_hidden=False)]
        self._pieces: list[tuple[str, _Element]] = []
        self._chars = self._parts = 0
        self._prices: list[tuple[str, _Element]] = []

    def read(self, html: str) -> None:
        for start in range(0, len(html), _PIECE_CHARS):
            self.feed(html[start : start + _PIECE_CHARS])
            is_too_long = len(self.rawdata) > _MAX_UNPARSED_CHARS or self._parts > _MAX_PARTS
            if is_too_long or len(self.blocks) >= _MAX_BLOCKS:
                break
        else:
            self.close()
        self._finish_block()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._parts += 1
        if tag in _VOID:
            if tag in ("br", "hr"):
                self._add_text(" ")
            return
        if tag not in _INLINE:
            self._finish_block()
            while self._open[-1].name in (_ENDED_BY.get(tag, ()) or ("p",)):
                self._open.pop()
        if len(self._open) < _MAX_DEPTH:
            given = {name: value or "" for name, value in attrs}
            is_hidden = tag in _HIDDEN or "hidden" in given or "display:none" in given.get("style", "").replace(" ", "")
            self._open.append(_Element(tag, _write_step(tag, given), self._open[-1], is_hidden=is_hidden))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A slash does not end an element of HTML."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        depth = next((place for place in range(len(self._open) - 1, 0, -1) if self._open[place].name == tag), None)
        if depth is None:
            return
        if tag in _INLINE:
            self._keep_price(self._open[depth])
        else:
            self._finish_block()
        del self._open[depth:]

    def handle_data(self, data: str) -> None:
        self._parts += 1
        self._add_text(data)

    def _add_text(self, data: str) -> None:
        if not self._open[-1].is_hidden and self._chars <= _MAX_TEXT_CHARS:
            self._pieces.append((data[: _MAX_TEXT_CHARS + 1], self._open[-1]))
            self._chars += len(data[: _MAX_TEXT_CHARS + 1].strip()) + 1

    def _keep_price(self, element: _Element) -> None:
        """Offer a price inside a longer text on its own."""
        if self._chars > _MAX_TEXT_CHARS:
            return
        inside = [text for text, where in self._pieces[-20:] if element in where.ancestors()]
        text = " ".join("".join(inside).split())
        if is_price(text):
            self._prices.append((text, element))

    def _finish_block(self) -> None:
        if not self._pieces:
            return
        pieces = [(text, where) for text, where in self._pieces if text.strip()]
        text = " ".join("".join(text for text, _ in self._pieces).split())[:_MAX_TEXT_CHARS]
        prices, self._prices = self._prices, []
        self._pieces, self._chars = [], 0
        if not text or len(self.blocks) >= _MAX_BLOCKS:
            return
        found = _Found(text, _find_common([where for _, where in pieces]))
        self.blocks.append(found)
        for element in found.element.ancestors():
            if len(element.first_blocks) < 2:
                element.first_blocks.append(found)
        self.blocks += [_Found(price, where, found) for price, where in prices if price != text]


def _write_step(tag: str, given: Mapping[str, str]) -> str:
    """The tag with its id and classes; names with digits are often made anew for each page view."""
    names = [f".{one}" for one in sorted(set(given.get("class", "")[:500].split()))]
    names[:0] = [f"#{given['id']}"] if given.get("id") else []
    kept = [one[:40] for one in names if not re.search(r"\d", one)]
    return tag[:20] + "".join(kept[:3])


def _find_common(elements: list[_Element]) -> _Element:
    """The innermost element that contains all of them."""
    common = elements[0].ancestors()
    for element in elements[1:20]:
        above = set(element.ancestors())
        while common[0] not in above:
            common.pop(0)
    return common[0]


def _mark_blocks(found: list[_Found]) -> list[PageBlock]:
    marks: list[dict[str, Any]] = []
    heading = next_heading = before = ""
    for one in found:
        if one.owner is one:
            heading, before = next_heading, _shorten(marks[-1]["own"]) if marks else ""
        steps = [element.step for element in one.element.ancestors() if element.step]
        marks.append(
            {
                "path": steps[:_MAX_STEPS][::-1],
                "label": _shorten(_find_label(one)),
                "heading": heading,
                "before": before,
                "own": one.owner.text,
            }
        )
        if one.kind == "heading":
            next_heading = _shorten(one.text)
    by_path = _count(marks, ("path",))
    by_all = _count(marks, ("path", *_CONTEXT))
    seen: dict[str, int] = {}
    blocks = []
    for one, mark in zip(found, marks):
        whole = _key(mark, ("path", *_CONTEXT))
        del mark["own"]
        more = {"same_path": by_path[_key(mark, ("path",))], "alike": by_all[whole], "order": seen.get(whole, 0)}
        seen[whole] = seen.get(whole, 0) + 1
        blocks.append(PageBlock(one.text, one.kind, {"text": one.text[:_MAX_CONTEXT_CHARS], **mark, **more}))
    return blocks


def _count(marks: list[dict[str, Any]], keys: tuple[str, ...]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for mark in marks:
        counts[_key(mark, keys)] = counts.get(_key(mark, keys), 0) + 1
    return counts


def _key(mark: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return repr([mark[key] for key in keys])


def _find_label(block: _Found) -> str:
    """The first other text in the innermost element that has one: the name in its row, card or list item."""
    for element in block.element.ancestors():
        for other in element.first_blocks:
            if other is not block.owner:
                return other.text
    return ""


def _shorten(text: str) -> str:
    """Without its numbers, which may change like the block itself."""
    return _NUMBER.sub("#", text)[:_MAX_CONTEXT_CHARS]
