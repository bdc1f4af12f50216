"""Folder names, malformed headers, saved attachments, addresses, and IMAP responses."""

import base64
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.mail import headers
from scheduler.connections.connectors.mail.attachments import safe_name, save_attachment
from scheduler.connections.connectors.mail.compose import compose, message_id_for
from scheduler.connections.connectors.mail.connection import MailServer
from scheduler.connections.connectors.mail.imap_values import (
    BadImapResponseError,
    ImapResponse,
    decode_folder_name,
    encode_folder_name,
    parse_fetch,
)
from scheduler.file_system.windows_names import find_name_mistake

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("INBOX", b"INBOX"),
        ("Tom & Jerry", b"Tom &- Jerry"),
        ("~peter/mail/台北/日本語", b"~peter/mail/&U,BTFw-/&ZeVnLIqe-"),
        ("Entwürfe", b"Entw&APw-rfe"),
        ("&&", b"&-&-"),
        ("😀", b"&2D3eAA-"),
    ],
)
def test_folder_names_are_encoded_as_in_the_standard(name: str, written: bytes) -> None:
    assert encode_folder_name(name) == written
    assert decode_folder_name(written) == name


@settings(deadline=None)
@given(WORDS)
def test_every_folder_name_is_read_back(name: str) -> None:
    written = encode_folder_name(name)
    assert decode_folder_name(written) == name
    assert all(0x20 <= byte <= 0x7E for byte in written)


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_decode_to_a_name(written: bytes) -> None:
    assert isinstance(decode_folder_name(written), str)


@pytest.mark.parametrize("written", [b"Entw\xc3\xbcrfe", b"&APw", b"a&!!-b", b"&2D0-"])
def test_a_name_in_another_encoding_is_kept(written: bytes) -> None:
    assert decode_folder_name(written) == written.decode()


def headers_of(raw: bytes) -> dict[str, str]:
    return headers.all_headers(headers.parse(raw))


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"=?utf-8?Q?a=C3=BCb?=", "aüb"),
        (b"=?utf-8?B?w7w=?= =?utf-8?B?w7w=?=", "üü"),
        (b"=?nonsense?Q?a=FCb?=", "a\ufffdb"),
        (b"=?hex?Q?6162?=", "6162"),
        (b"=?utf-8?B?w7w?=", "ü"),
        (b"=?utf-8?B?a?=", "=?utf-8?B?a?="),
        ("grüße".encode(), "grüße"),
        ("grüße".encode("latin-1"), "grüße"),
        (b"two\r\n lines", "two lines"),
        (b"bell \x07 and =?utf-8?Q?=0D=0ABcc:_eve?=", "bell and Bcc: eve"),
    ],
)
def test_a_subject_in_any_encoding_is_one_line(raw: bytes, shown: str) -> None:
    assert headers_of(b"Subject: " + raw + b"\r\n\r\n")["subject"] == shown


def test_a_display_name_cannot_spoof_the_address() -> None:
    raw = b"From: =?utf-8?q?boss=40example=2Eorg_=3Cboss=40example=2Eorg=3E?= <eve@example.org>\r\n\r\n"
    [(name, address)] = headers.parse_addresses(headers.parse(raw), "from")
    assert address == "eve@example.org" and "boss" in name


@pytest.mark.parametrize("deep", [900, 9_000])
def test_unclosed_brackets_are_tolerated(deep: int) -> None:
    raw = b"From: eve " + b"(" * deep + b"\r\nSubject: hi\r\n\r\n"
    [(name, address)] = headers.parse_addresses(headers.parse(raw), "from")
    assert name.startswith("eve") or address == "eve"


def test_the_headers_are_bounded() -> None:
    mail = headers.parse(b"Subject: hi\r\n" + b"a:\r\n" * 1_000_000)
    assert headers.get_header(mail, "subject") == "hi"
    assert len(mail.keys()) < 20_000


def test_an_invalid_date_falls_back_to_the_arrival() -> None:
    mail = headers.parse(b"Date: someday\r\n\r\n")
    assert (
        headers.sent_at(mail, headers.format_internal_date("04-May-2026 09:00:00 +0200")) == "2026-05-04T07:00:00+00:00"
    )
    assert headers.sent_at(mail, headers.format_internal_date("nonsense")) is None


@pytest.mark.parametrize(
    ("given_name", "safe"),
    [
        ("bill.pdf", "bill.pdf"),
        ("../../etc/passwd", "_.._etc_passwd"),
        ("..\\..\\boot.ini", "_.._boot.ini"),
        (".bashrc", "bashrc"),
        ("...", "attachment"),
        ("", "attachment"),
        ("\xa0", "attachment"),
        ("\xa0.pdf", "pdf"),
        ("a\0b\n.txt", "a_b_.txt"),
        ("C:evil.txt", "C_evil.txt"),
    ],
)
def test_a_saved_file_has_a_safe_name(given_name: str, safe: str) -> None:
    assert safe_name(given_name) == safe


@settings(deadline=None)
@given(WORDS | st.text("./\\ \0a", max_size=20) | st.text("ü😀.", min_size=200, max_size=400))
def test_every_safe_name_is_one_visible_file(name: str) -> None:
    safe = safe_name(name)
    assert safe and "/" not in safe and not safe.startswith(".") and len(safe.encode()) <= 200
    assert Path(safe).name == safe


def test_saving_again_reuses_the_file_and_other_content_gets_a_number(tmp_path: Path) -> None:
    first = save_attachment(str(tmp_path), "bill.pdf", b"one")
    assert save_attachment(str(tmp_path), "bill.pdf", b"one") == first
    second = save_attachment(str(tmp_path), "bill.pdf", b"two")
    assert (first.name, second.name) == ("bill.pdf", "bill (2).pdf")
    assert save_attachment(str(tmp_path), "bill.pdf", b"two") == second
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bill (2).pdf", "bill.pdf"]


def test_saving_does_not_follow_links(tmp_path: Path) -> None:
    (tmp_path / "bill.pdf").symlink_to(tmp_path / "elsewhere")
    assert save_attachment(str(tmp_path), "bill.pdf", b"one").name == "bill (2).pdf"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("folder", ["relative", "", "~nobody-at-all/x", "/dev/null/x", "/tmp/\0", "/tmp/\ud800"])
def test_saving_requires_a_valid_folder(folder: str) -> None:
    with pytest.raises(ToolFailedError):
        save_attachment(folder, "a", b"")


@settings(deadline=None)
@given(WORDS, WORDS, WORDS, WORDS)
def test_no_text_injects_a_header_or_recipient(subject: str, name: str, text: str, key: str) -> None:
    parameters = {"to": f"{name} <anna@example.org>", "subject": subject, "text": text}
    try:
        letter = compose(parameters, "me@example.org", key, NOW)
    except ToolFailedError:
        return
    mail = message_from_bytes(letter.content, policy=default)
    assert letter.recipients == ("anna@example.org",)
    assert {header.lower() for header in mail.keys()} == {  # noqa: SIM118  it is not a mapping
        *("from", "to", "subject", "date", "message-id"),
        *("content-type", "content-transfer-encoding", "mime-version"),
    }
    assert [one.addr_spec for one in mail["To"].addresses] == ["anna@example.org"]
    assert mail["Message-ID"] == message_id_for(key, "me@example.org") == letter.message_id


def test_a_response_with_literals_is_parsed() -> None:
    answer = ImapResponse(
        (b'* 3 FETCH (UID 9 X ("a\\"b" NIL (C)) BODY[TEXT (A B)]<0> {5}', b" Y {0}", b")"), (b"(x) \0", b"")
    )
    assert parse_fetch(answer) == {"UID": b"9", "X": [b'a"b', None, [b"C"]], "BODY": b"(x) \0", "Y": b""}


@settings(deadline=None)
@given(st.lists(st.sampled_from([b"(", b")", b'"', b"\\", b" ", b"UID", b"{3}", b"[", b"]", b"x", b"*"]), max_size=30))
def test_any_response_is_parsed_or_refused(pieces: list[bytes]) -> None:
    try:
        parse_fetch(ImapResponse((b"* 1 FETCH " + b"".join(pieces),)))
    except BadImapResponseError:
        return


def test_server_messages_are_shown_short_and_without_the_password() -> None:
    server = MailServer(host="h", port=1, security="none", user="u", password="hunter2")
    assert server.quote(b"no hunter2\r\n\x1b[31m" + b"x" * 900) == "no ••• [31m" + "x" * 189
    assert "hunter2" not in repr(server)


def test_the_password_is_hidden_in_every_encoding() -> None:
    password = 'hun"ter\\2 söhne'
    server = MailServer(host="h", port=1, security="none", user="u", password=password)
    spellings = [
        password,
        'hun\\"ter\\\\2 söhne',
        base64.b64encode(password.encode()).decode(),
        base64.b64encode(f"\0u\0{password}".encode()).decode(),
    ]
    for spelling in spellings:
        assert server.quote(f"unknown command: LOGIN {spelling}!") == "unknown command: LOGIN •••!"


@pytest.mark.parametrize(("given_name", "safe"), [("NUL.txt", "_NUL.txt"), ("com1", "_com1"), ("null.txt", "null.txt")])
def test_no_attachment_is_saved_to_a_device_of_windows(
    given_name: str, safe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scheduler.connections.connectors.mail.attachments.find_name_mistake", find_name_mistake)
    assert safe_name(given_name) == safe
