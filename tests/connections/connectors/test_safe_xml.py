"""XML of strangers: read in whatever letters it is written, refused where it is a trap."""

import pytest

from scheduler.connections.connectors.markup import BadXmlError, read_xml

JAPANESE = "日本語のニュース"


def texts_of(content: bytes, charset: str | None = None) -> str:
    heard: list[str] = []
    read_xml(content, lambda *_: None, lambda _: None, heard.append, charset)
    return "".join(heard)


def reason_for(content: bytes) -> str:
    with pytest.raises(BadXmlError) as refused:
        texts_of(content)
    return refused.value.reason


@pytest.mark.parametrize("name", ["shift_jis", "euc-jp", "iso-2022-jp", "utf-8", "utf-16", "utf-7"])
def test_letters_of_many_bytes_are_read(name: str) -> None:
    declared = f'<?xml version="1.0" encoding="{name}"?><a>{JAPANESE}</a>'.encode(name)
    assert texts_of(declared) == JAPANESE
    assert texts_of(f"<a>{JAPANESE}</a>".encode(name), name) == JAPANESE


def test_what_it_declares_itself_counts_more_than_what_the_server_says() -> None:
    assert texts_of('<?xml version="1.0" encoding="latin-1"?><a>ü</a>'.encode("latin-1"), "utf-8") == "ü"


@pytest.mark.parametrize("name", ["punycode", "idna", "hex", "undefined", "unicode_escape", "klingon"])
def test_what_is_no_charset_is_told(name: str) -> None:
    assert reason_for(f'<?xml version="1.0" encoding="{name}"?><a>x</a>'.encode()) == "is not well-formed XML"


def test_names_of_html_are_known_and_others_left_out() -> None:
    assert texts_of(b"<a>x&nbsp;&uuml;&nonsense;y</a>") == "x\xa0üy"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><a>&c;</a>', "declares entities of its own"),
        (b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "declares entities of its own"),
        (b'<!DOCTYPE a [<!ENTITY % b SYSTEM "http://localhost/"> %b;]><a/>', "declares entities of its own"),
        (b"<a>" * 201, "is nested too deeply"),
        (b"<a>", "is not well-formed XML"),
        (b"", "is not well-formed XML"),
    ],
)
def test_traps_are_told_apart(content: bytes, reason: str) -> None:
    assert reason_for(content).startswith(reason)


def test_nothing_is_fetched_from_outside() -> None:
    assert texts_of(b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>x</a>') == "x"
