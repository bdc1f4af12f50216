"""Bytes of others as text, by the name of a charset that they chose."""

import codecs

_SLOW = frozenset({"idna", "punycode"})
"""For names of servers: a long text in one of them takes hours."""


def decode(content: bytes, charset: str, errors: str = "strict") -> str:
    """LookupError for what is no charset, UnicodeError for what is not in it."""
    if codecs.lookup(charset).name in _SLOW:
        raise LookupError(charset)
    return content.decode(charset, errors)
