"""Decoding untrusted text: only real charsets are accepted."""

import pytest

from scheduler.connections.charsets import decode


def test_a_charset_is_found_by_any_of_its_names() -> None:
    assert decode("ü".encode("latin-1"), "ISO-8859-1") == decode("ü".encode(), "utf8") == "ü"


@pytest.mark.parametrize("name", ["punycode", "PUNYCODE", "idna", "base64", "zlib", "nonsense", "x" * 10_000])
def test_other_codecs_are_refused(name: str) -> None:
    with pytest.raises(LookupError):
        decode(b"a-b" * 100, name)
