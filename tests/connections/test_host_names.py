"""Host names: their wire form, and warnings about suspicious ones."""

import pytest

from scheduler.connections.host_names import (
    BadHostNameError,
    HostWarning,
    HostWarningKind,
    find_warnings,
    to_display,
    to_wire,
)


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("example.org", "example.org"),
        ("Example.ORG.", "example.org."),
        ("my_host", "my_host"),
        ("straße.de", "xn--strae-oqa.de"),  # IDNA 2003 made this strasse.de, another server
        ("STRASSE.de", "strasse.de"),
        ("Straße.DE", "xn--strae-oqa.de"),
        ("faß.example", "xn--fa-hia.example"),
        ("βόλος.com", "xn--nxasmm1c.com"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("bu\u0308cher.example", "xn--bcher-kva.example"),
        ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
        ("ｅxample.org", "example.org"),
        ("xn--strae-oqa.de", "xn--strae-oqa.de"),
        ("192.0.2.1", "192.0.2.1"),
        ("[2001:DB8::1]", "[2001:db8::1]"),
        ("::1", "::1"),
    ],
)
def test_the_wire_form_of_a_name(written: str, sent: str) -> None:
    assert to_wire(written) == sent


@pytest.mark.parametrize(
    "written",
    [
        "",
        ".",
        "a..b",
        "-a.org",
        "a-.org",
        "a b.org",
        "a/b",
        "a@b",
        "a%2eb",
        "a:80",
        "[::1",
        "x" * 64,
        "a." * 127 + "de",
        "127.1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "１２７.1",
        "ex℀mple.org",
        "a\u200bb.org",
        "\u202egro.org",
        "xn--a-ecp.ru\0",
        "i❤.ws",
        "a\nb.org",
    ],
)
def test_invalid_names_are_refused(written: str) -> None:
    with pytest.raises(BadHostNameError):
        to_wire(written)


def test_a_name_is_displayed_in_its_own_script() -> None:
    assert to_display("xn--strae-oqa.de") == "straße.de"
    assert to_display("xn--a.de") == "xn--a.de"


def kinds(host: str, *known: str) -> set[HostWarningKind]:
    return {one.kind for one in find_warnings(host, known)}


@pytest.mark.parametrize(
    ("host", "kind"),
    [
        ("pаypal.com", HostWarningKind.MIXED_SCRIPTS),  # a Cyrillic letter among Latin ones
        ("xn--pypal-4ve.com", HostWarningKind.MIXED_SCRIPTS),
        ("gοοgle.com", HostWarningKind.MIXED_SCRIPTS),  # two Greek ones
        ("аррӏе.com", HostWarningKind.LOOKS_LATIN),  # all of them Cyrillic
        ("xn--80ak6aa92e.com", HostWarningKind.LOOKS_LATIN),
        ("ɡooɡle.com", HostWarningKind.LOOKS_LATIN),
        ("g00gle.com", HostWarningKind.DIGITS),
        ("micr0soft.com", HostWarningKind.DIGITS),
        ("straße.de", HostWarningKind.OTHER_FORM),
    ],
)
def test_look_alike_names_are_flagged(host: str, kind: HostWarningKind) -> None:
    assert kind in kinds(host)


@pytest.mark.parametrize(
    "host",
    [
        "example.org",
        "mail1.example.org",
        "s3.example.org",
        "192.0.2.1",
        "[::1]",
        "xn--strae-oqa.de",
        "xn--80aswg.xn--p1ai",
        "xn--r8jz45g.jp",
        "xn--9ckk2d5c.jp",
        "localhost",
    ],
)
def test_ordinary_names_are_not_flagged(host: str) -> None:
    assert find_warnings(host) == []


@pytest.mark.parametrize("host", ["paypa1.com", "pаypal.com", "páypal.com"])
def test_a_look_alike_of_a_known_name_is_reported_with_it(host: str) -> None:
    assert HostWarning(HostWarningKind.LOOKS_LIKE_KNOWN, host, "paypal.com") in find_warnings(host, ["paypal.com"])


def test_two_letters_that_look_like_one_are_recognized() -> None:
    assert kinds("rnail.example", "mail.example") == {HostWarningKind.LOOKS_LIKE_KNOWN}
    assert kinds("nail.example", "mail.example") == set()


def test_a_known_name_is_not_flagged_for_looking_like_itself() -> None:
    assert find_warnings("xn--strae-oqa.de", ["straße.de"]) == []
