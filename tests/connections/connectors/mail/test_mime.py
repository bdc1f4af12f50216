"""Splitting mails into parts: well-formed, broken, and built to exhaust the parser."""

import json
from email.message import EmailMessage
from email.policy import SMTP

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.connections.connectors.mail import headers, mime_parts

MULTIPART = b"Content-Type: multipart/mixed; boundary=x\r\n\r\n"
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=60)


@settings(deadline=None)
@given(TEXTS, TEXTS, st.lists(st.binary(max_size=300), max_size=4), st.binary(max_size=50))
def test_the_parts_of_a_mail_are_read_back(text: str, html: str, files: list[bytes], inner: bytes) -> None:
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
    parts = mime_parts.split_parts(mail.as_bytes())
    assert mime_parts.body_text(parts, "text/plain")[0] == f"{text}\n"
    assert mime_parts.body_text(parts, "text/html")[0] == f"{html}\n"
    *attached, last = mime_parts.find_attachments(parts)
    assert [(one.name, one.content) for one in attached] == [(f"{n} ü.pdf", one) for n, one in enumerate(files)]
    assert (last.name, last.kind) == ("inner.eml", "message/rfc822")
    assert [one.content for one in mime_parts.split_parts(last.content)] == [inner]


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_can_be_parsed(content: bytes) -> None:
    raw = b"Content-Type: multipart/mixed; boundary=x\r\nSubject: " + content + b"\r\n\r\n--x\r\n" + content
    mail = headers.parse(raw)
    parts = mime_parts.split_parts(raw)
    result = [
        headers.all_headers(mail),
        headers.parse_addresses(mail, "from"),
        headers.sent_at(mail),
        mime_parts.body_text(parts, "text/plain"),
        mime_parts.describe_attachments(parts),
        headers.message_id(mail, raw),
    ]
    json.dumps(result).encode()


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
def test_broken_mime_is_tolerated(pieces: list[bytes]) -> None:
    raw = b"".join(pieces)
    mail = headers.parse(raw)
    parts = mime_parts.split_parts(raw)
    result = [mime_parts.body_text(parts, kind) for kind in ("text/plain", "text/html")]
    json.dumps(
        [result, mime_parts.describe_attachments(parts), headers.parse_addresses(mail, "from"), headers.sent_at(mail)]
    )


def test_deeply_nested_mime_is_one_part() -> None:
    raw = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(5000))
    [part] = mime_parts.split_parts(b"Subject: deep\r\n" + raw)
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
def test_boundaries_and_transfer_encodings_are_removed(body: bytes, texts: list[str]) -> None:
    parts = mime_parts.split_parts(MULTIPART + body)
    assert [mime_parts.body_text([one], "text/plain")[0] for one in parts] == texts


def test_text_is_truncated_after_a_million_characters() -> None:
    text, is_cut = mime_parts.body_text(mime_parts.split_parts(b"\r\n" + b"x" * 1_000_005), "text/plain")
    assert len(text) == 1_000_000 and is_cut


def test_text_in_punycode_is_not_decoded() -> None:
    """Decoding punycode takes quadratic time: hours for a mail that anyone can send."""
    raw = b"Content-Type: text/plain; charset=punycode\r\n\r\na-" + b"b" * 3_000_000
    text, is_cut = mime_parts.body_text(mime_parts.split_parts(raw), "text/plain")
    assert text.startswith("a-bbb") and is_cut


@pytest.mark.parametrize(
    "raw",
    [
        MULTIPART + b"--x\r\n\r\n" * 1_000_000,
        MULTIPART + (b"--x\r\n" + b"a:\n" * 3_000) * 1_000,
        MULTIPART + (b"--x\nContent-Type: message/rfc822\n\n" + b"a:\n" * 3_000) * 1_000,
        b"Content-Type: message/rfc822\r\n\r\n" * 300 + b"a\n" * 3_000_000,
        b"Content-Type: text/plain; " + b"a=b;" * 1_000_000 + b"\r\n\r\nhi",
        b"Content-Disposition: attachment; " + b"".join(b"filename*%d=a;\n " % n for n in range(200_000)) + b"\n\nhi",
        b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(300))
        + b"a\n" * 3_000_000,
    ],
    ids=["parts", "headers", "mails", "mails in mails", "parameters", "names", "depth"],
)
def test_a_malicious_mail_is_parsed_quickly(raw: bytes) -> None:
    """Each took minutes, gigabytes or the whole stack with a naive parser."""
    assert 1 <= len(mime_parts.split_parts(raw)) <= 1_000
