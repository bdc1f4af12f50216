"""Bytes of others as text, by the name of a charset that they chose."""

import codecs

_OTHERS = frozenset({"idna", "punycode", "raw_unicode_escape", "unicode_escape"})
"""For names of servers, where a long text takes hours, and for Python itself."""


def decode(content: bytes, charset: str, errors: str = "strict") -> str:
    """LookupError for what is no charset, UnicodeError for what is not in it."""
    if codecs.lookup(charset).name.replace("-", "_") in _OTHERS:
        raise LookupError(charset)
    return content.decode(charset, errors)
