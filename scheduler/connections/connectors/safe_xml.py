"""XML that may be hostile, as it comes: no entities of its own, nothing from outside, bounded depth."""

import re
from collections.abc import Callable
from html.entities import html5
from typing import Any
from xml.parsers import expat

from scheduler.connections import charsets

_DEEPEST = 200
_DECLARED = re.compile(rb"""\A\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_BUILT_IN = frozenset({"utf-8", "utf-16", "iso-8859-1", "us-ascii"})

Start = Callable[[str, dict[str, str]], object]
"""Hears the name of an element, with its namespace and a blank before it, and its attributes."""


class BadXmlError(ValueError):
    """It cannot or may not be read; `reason` completes "because it"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_xml(
    content: bytes,
    start: Start,
    end: Callable[[str], object],
    text: Callable[[str], object],
    charset: str | None = None,
) -> None:
    """Tell what is in it from its beginning to its end; `charset` counts where it declares none itself."""
    depth = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise BadXmlError("is nested too deeply")
        start(name, attributes)

    def finish(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(name)

    def declare(*_: Any) -> None:
        raise BadXmlError("declares entities of its own, which are not read")

    try:
        content, known = _in_known_letters(content.lstrip(), charset)
        parser = expat.ParserCreate(known, namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = begin
        parser.EndElementHandler = finish
        parser.CharacterDataHandler = text
        parser.EntityDeclHandler = declare
        # Names that only HTML knows, such as &nbsp;, are then skipped and not an error; nothing is fetched.
        parser.UseForeignDTD(True)  # noqa: FBT003  expat takes no names
        parser.ExternalEntityRefHandler = lambda *_: 1
        parser.SkippedEntityHandler = lambda name, is_parameter: (
            None if is_parameter else text(html5.get(f"{name};", ""))
        )
        parser.Parse(content, True)  # noqa: FBT003  as above
    except (expat.ExpatError, LookupError, UnicodeError) as error:
        raise BadXmlError("is not well-formed XML") from error


def _in_known_letters(content: bytes, charset: str | None) -> tuple[bytes, str | None]:
    """The parser knows few charsets, and none of those that take several bytes for most letters."""
    declared = _DECLARED.match(content)
    name = declared[1].decode() if declared else charset
    if name is None or name.lower() in _BUILT_IN:
        return content, None if declared else charset
    return charsets.decode(content, name, "replace").encode(errors="replace"), "utf-8"
