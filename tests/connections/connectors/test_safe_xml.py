"""Untrusted XML: read in any charset, refused if it is an attack."""

import pytest

from scheduler.connections.connectors.safe_xml import BadXmlError, parse_xml

JAPANESE = "日本語のニュース"


def texts_of(content: bytes, charset: str | None = None) -> str:
    texts: list[str] = []
    parse_xml(content, lambda *_: None, lambda _: None, texts.append, charset)
    return "".join(texts)


def reason_for(content: bytes) -> str:
    with pytest.raises(BadXmlError) as refused:
        texts_of(content)
    return refused.value.reason


@pytest.mark.parametrize("name", ["shift_jis", "euc-jp", "iso-2022-jp", "utf-8", "utf-16", "utf-7"])
def test_multi_byte_charsets_are_read(name: str) -> None:
    declared = f'<?xml version="1.0" encoding="{name}"?><a>{JAPANESE}</a>'.encode(name)
    assert texts_of(declared) == JAPANESE
    assert texts_of(f"<a>{JAPANESE}</a>".encode(name), name) == JAPANESE


def test_the_declared_charset_wins_over_the_header() -> None:
    assert texts_of('<?xml version="1.0" encoding="latin-1"?><a>ü</a>'.encode("latin-1"), "utf-8") == "ü"


@pytest.mark.parametrize("name", ["punycode", "idna", "hex", "undefined", "unicode_escape", "klingon"])
def test_an_unknown_charset_is_refused(name: str) -> None:
    assert reason_for(f'<?xml version="1.0" encoding="{name}"?><a>x</a>'.encode()) == "is not well-formed XML"


def test_html_entities_are_resolved_and_unknown_ones_dropped() -> None:
    assert texts_of(b"<a>x&nbsp;&uuml;&nonsense;y</a>") == "x\xa0üy"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><a>&c;</a>', "declares custom entities"),
        (b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "declares custom entities"),
        (b'<!DOCTYPE a [<!ENTITY % b SYSTEM "http://localhost/"> %b;]><a/>', "declares custom entities"),
        (b"<a>" * 201, "is nested too deeply"),
        (b"<a>", "is not well-formed XML"),
        (b"", "is not well-formed XML"),
    ],
)
def test_attacks_are_refused_with_their_reason(content: bytes, reason: str) -> None:
    assert reason_for(content).startswith(reason)


def test_nothing_external_is_fetched() -> None:
    assert texts_of(b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>x</a>') == "x"
