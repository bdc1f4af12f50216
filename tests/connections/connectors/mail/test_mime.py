"""Mails taken apart: as other programs built them, broken, and built to keep a reader busy for hours."""

import json
from email.message import EmailMessage
from email.policy import SMTP

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.connections.connectors.mail import parts, reading

SEVERAL = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n"
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=60)


@settings(deadline=None)
@given(TEXTS, TEXTS, st.lists(st.binary(max_size=300), max_size=4), st.binary(max_size=50))
def test_what_was_put_into_a_mail_is_taken_out_of_it(text: str, html: str, files: list[bytes], inner: bytes) -> None:
    mail = EmailMessage(policy=SMTP)
    mail["Subject"] = "outer"
    mail.set_content(text)
    mail.add_alternative(html, subtype="html")
    for number, content in enumerate(files):
        mail.add_attachment(content, maintype="application", subtype="pdf", filename=f"{number} ü.pdf")
    forwarded = EmailMessage(policy=SMTP)
    forwarded["Subject"] = "inner"
    forwarded.set_content(inner, maintype="application", subtype="octet-stream")
    mail.add_attachment(forwarded)
    found = parts.take_apart(mail.as_bytes())
    assert parts.text_of(found, "text/plain")[0] == f"{text}\n"
    assert parts.text_of(found, "text/html")[0] == f"{html}\n"
    *attached, last = parts.attached(found)
    assert [(one.name, one.content) for one in attached] == [(f"{n} ü.pdf", one) for n, one in enumerate(files)]
    assert (last.name, last.kind) == ("inner.eml", "message/rfc822")
    assert [one.content for one in parts.take_apart(last.content)] == [inner]


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_at_all_are_a_mail(content: bytes) -> None:
    raw = b"Content-Type: multipart/mixed; boundary=x\r\nSubject: " + content + b"\r\n\r\n--x\r\n" + content
    mail = reading.parse(raw)
    found = parts.take_apart(raw)
    told = [
        reading.headers(mail),
        reading.people(mail, "from"),
        reading.sent_at(mail),
        parts.text_of(found, "text/plain"),
        parts.tell_attachments(found),
        reading.identity(mail, raw),
    ]
    json.dumps(told).encode()


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                b"Content-Type: ",
                b"multipart/mixed",
                b"; boundary=",
                b"x",
                b"--x",
                b"--x--",
                b"\r\n",
                b"\n",
                b"text/html",
                b"; charset=",
                b"utf-7",
                b"idna",
                b"Content-Transfer-Encoding: base64",
                b"====",
                b"x-uuencode",
                b"Content-Disposition: attachment; filename*=",
                b"utf-8''%ZZ",
                b"zz''%FF",
                b"message/rfc822",
                b"message/delivery-status",
                b"\xff\xfe",
                b"From: ",
                b"=?x?q?=",
                b"<@>,;",
                b"Date: ",
                b"99 Foo 0000",
            ]
        ),
        max_size=40,
    )
)
def test_broken_mime_is_read_as_well_as_it_can(pieces: list[bytes]) -> None:
    raw = b"".join(pieces)
    mail = reading.parse(raw)
    found = parts.take_apart(raw)
    told = [parts.text_of(found, kind) for kind in ("text/plain", "text/html")]
    json.dumps([told, parts.tell_attachments(found), reading.people(mail, "from"), reading.sent_at(mail)])


def test_mime_that_is_nested_beyond_reason_ends() -> None:
    raw = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(5000))
    [part] = parts.take_apart(b"Subject: deep\r\n" + raw)
    assert part.kind == "multipart/mixed"


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        (b"--x\r\n\r\na\r\n--x\r\n\r\nb\r\n--x--\r\nend", ["a", "b"]),
        (b"before\r\n--x \t\r\n\r\na\r\n\r\n--x--", ["a\n"]),
        (b"--x\n\na\n--x\n--x\n\nb", ["a", "", "b"]),
        (b"--x\r\rb\r--x--", ["b"]),
        (b"--x\r\nno header, and no empty line\r\n--x--", ["no header, and no empty line"]),
        (b"--x\r\n\r\na--x\r\n--xy\r\n --x\r\n--x--", ["a--x\n--xy\n --x"]),
        (b"--x\r\nContent-Transfer-Encoding: BASE64\r\n\r\nYWI\r\n--x--", ["ab"]),
        (b"--x\r\nContent-Transfer-Encoding: base64\r\n\r\nY!W\r\nJjZ\r\n--x--", ["abc"]),
        (b"--x\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\na=C3=\r\n=BC\r\n--x--", ["aü"]),
    ],
)
def test_borders_and_protection_are_taken_off(body: bytes, texts: list[str]) -> None:
    found = parts.take_apart(SEVERAL + body)
    assert [parts.text_of([one], "text/plain")[0] for one in found] == texts


def test_text_beyond_a_million_characters_is_cut() -> None:
    text, is_cut = parts.text_of(parts.take_apart(b"\r\n" + b"x" * 1_000_005), "text/plain")
    assert len(text) == 1_000_000 and is_cut


def test_a_text_in_the_letters_of_server_names_is_shown_as_it_is() -> None:
    """Punycode takes time by the square of its length: hours for a mail that anybody may send."""
    raw = b"Content-Type: text/plain; charset=punycode\r\n\r\na-" + b"b" * 3_000_000
    text, is_cut = parts.text_of(parts.take_apart(raw), "text/plain")
    assert text.startswith("a-bbb") and is_cut


@pytest.mark.parametrize(
    "raw",
    [
        SEVERAL + b"--x\r\n\r\n" * 1_000_000,
        SEVERAL + (b"--x\r\n" + b"a:\n" * 3_000) * 1_000,
        SEVERAL + (b"--x\nContent-Type: message/rfc822\n\n" + b"a:\n" * 3_000) * 1_000,
        b"Content-Type: message/rfc822\r\n\r\n" * 300 + b"a\n" * 3_000_000,
        b"Content-Type: text/plain; " + b"a=b;" * 1_000_000 + b"\r\n\r\nhi",
        b"Content-Disposition: attachment; " + b"".join(b"filename*%d=a;\n " % n for n in range(200_000)) + b"\n\nhi",
        b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(300))
        + b"a\n" * 3_000_000,
    ],
    ids=["parts", "headers", "mails", "mails in mails", "parameters", "names", "depth"],
)
def test_a_mail_that_is_built_to_keep_us_busy_is_read_in_a_moment(raw: bytes) -> None:
    """Each took minutes, gigabytes or the stack with a reader that follows every turn."""
    assert 1 <= len(parts.take_apart(raw)) <= 1_000
