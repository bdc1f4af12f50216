"""A parser for untrusted XML: no custom entities, nothing external, bounded depth."""

import re
from collections.abc import Callable
from html.entities import html5
from typing import Any
from xml.parsers import expat

from scheduler.connections import charsets
from scheduler.user_text import UserText

_MAX_DEPTH = 200
_DECLARED = re.compile(rb"""\A\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_BUILT_IN = frozenset({"utf-8", "utf-16", "iso-8859-1", "us-ascii"})

Start = Callable[[str, dict[str, str]], object]
"""Gets the name of an element, as "namespace name", and its attributes."""


class BadXmlError(ValueError):
    """The XML cannot or must not be read; `reason` completes "because it"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def parse_xml(
    content: bytes,
    start: Start,
    end: Callable[[str], object],
    text: Callable[[str], object],
    charset: str | None = None,
) -> None:
    """Report elements and text to the callbacks in document order; `charset` applies if the document declares none."""
    depth = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MAX_DEPTH:
            raise BadXmlError(UserText("is nested too deeply"))
        start(name, attributes)

    def finish(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(name)

    def declare(*_: Any) -> None:
        raise BadXmlError(UserText("declares custom entities, which are not supported"))

    try:
        content, known = _in_known_charset(content.lstrip(), charset)
        parser = expat.ParserCreate(known, namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = begin
        parser.EndElementHandler = finish
        parser.CharacterDataHandler = text
        parser.EntityDeclHandler = declare
        # With this, HTML entities such as &nbsp; are skipped instead of being an error; nothing is fetched.
        parser.UseForeignDTD(True)  # noqa: FBT003  expat takes no keywords
        parser.ExternalEntityRefHandler = lambda *_: 1
        parser.SkippedEntityHandler = lambda name, is_parameter: (
            None if is_parameter else text(html5.get(f"{name};", ""))
        )
        parser.Parse(content, True)  # noqa: FBT003  as above
    except (expat.ExpatError, LookupError, UnicodeError) as error:
        raise BadXmlError(UserText("is not well-formed XML")) from error


def _in_known_charset(content: bytes, charset: str | None) -> tuple[bytes, str | None]:
    """Convert to UTF-8 what expat cannot read: it knows few charsets, and no multi-byte ones."""
    declared = _DECLARED.match(content)
    name = declared[1].decode() if declared else charset
    if name is None or name.lower() in _BUILT_IN:
        return content, None if declared else charset
    return charsets.decode(content, name, "replace").encode(errors="replace"), "utf-8"
