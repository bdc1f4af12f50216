"""Decoding untrusted bytes with a charset that their sender named."""

import codecs

_NOT_CHARSETS = frozenset({"idna", "punycode", "raw_unicode_escape", "unicode_escape"})
"""Codecs for host names, which take hours on long text, and for Python source."""


def decode(content: bytes, charset: str, errors: str = "strict") -> str:
    """Raises LookupError for an unknown charset and UnicodeError for bytes that are not valid in it."""
    if codecs.lookup(charset).name.replace("-", "_") in _NOT_CHARSETS:
        raise LookupError(charset)
    return content.decode(charset, errors)
