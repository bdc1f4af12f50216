"""Reading mail from a real IMAP server: search results, unusual mails, and the class of each failure."""

import base64
import os
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.mail.connection import MailServer
from scheduler.connections.connectors.mail.imap import imap
from scheduler.connections.connectors.mail.imap_session import open_session, quote
from scheduler.connections.connectors.mail.imap_values import encode_folder_name
from scheduler.rules.failures import FailureClass
from tests.connections import imap_fixtures
from tests.connections.byte_server import cut_after, serve_conversation
from tests.connections.dovecot import free_port
from tests.connections.imap_fixtures import AUTHORITY, Box, subjects
from tests.connections.tool_calls import call

dovecot, user, box = imap_fixtures.dovecot, imap_fixtures.user, imap_fixtures.box


def test_search_describes_a_message(box: Box) -> None:
    box.deliver(
        "From: =?iso-8859-1?Q?J=FCrgen?= <j@example.org>",
        "To: Anna <anna@example.org>, b@example.org",
        "Subject: =?utf-8?B?R3LDvMOfZQ==?= aus Bern",
        "Message-ID: <first@example.org>",
        "Date: Mon, 4 May 2026 09:00:00 +0200",
    )
    [mail] = box.run("search")
    assert mail == {
        "uid": 1,
        "uidvalidity": mail["uidvalidity"],
        "message_id": "<first@example.org>",
        "from": "Jürgen <j@example.org>",
        "from_address": "j@example.org",
        "to": ["Anna <anna@example.org>", "b@example.org"],
        "cc": [],
        "subject": "Grüße aus Bern",
        "date": "2026-05-04T07:00:00+00:00",
        "size": mail["size"],
        "flags": [],
    }
    assert mail["uidvalidity"] > 0 and mail["size"] > 100


def test_reading_leaves_a_message_unread(box: Box) -> None:
    box.deliver("Subject: a")
    box.run("fetch", uid=1)
    box.run("search")
    assert subjects(box.run("search", unseen=True)) == ["a"]


def test_an_empty_folder_has_no_results(box: Box) -> None:
    assert box.run("search") == []
    assert box.run("search", after_uid=100) == []


def test_each_page_continues_after_the_last_one(box: Box) -> None:
    for number in range(7):
        box.deliver(f"Subject: {number}")
    seen: list[str] = []
    after = 0
    while page := box.run("search", after_uid=after, limit=3):
        assert len(page) <= 3
        seen += subjects(page)
        after = page[-1]["uid"]
    assert seen == [str(number) for number in range(7)]
    assert box.run("search", since_uid=after) == []


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"from": "anna"}, ["one"]),
        ({"from": "Jürgen"}, ["Straße"]),
        ({"subject": "straße"}, ["Straße"]),
        ({"subject": "straße", "from": "jürgen"}, ["Straße"]),
        ({"subject": "straße", "from": "Øyvind"}, []),
        ({"subject": 'a "quoted" \\ one'}, ['a "quoted" \\ one']),
        ({"subject": "x\r\nz LOGOUT"}, []),
        ({"since": "2099-01-01"}, []),
        ({"since": "2020-01-01T10:00:00", "subject": "one"}, ["one", 'a "quoted" \\ one']),
    ],
)
def test_any_text_can_be_searched(box: Box, parameters: dict[str, str], expected: list[str]) -> None:
    box.deliver("From: anna@example.org", "Subject: one")
    box.deliver("From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>", "Subject: =?utf-8?q?Stra=C3=9Fe?=")
    box.deliver("From: b@example.org", 'Subject: a "quoted" \\ one')
    assert subjects(box.run("search", **parameters)) == expected


@pytest.mark.parametrize(
    "parameters", [{"since": "yesterday"}, {"limit": 1001}, {"limit": -1}, {"subject": "\0"}, {"from": "a\0b"}]
)
def test_invalid_search_parameters_are_logic_errors(box: Box, parameters: dict[str, Any]) -> None:
    assert box.fails("search", **parameters).kind is FailureClass.LOGIC


@pytest.mark.parametrize("name", ["Entwürfe", "Tom & Jerry", "日本語", "a~b", "&", "😀/tief", 'with "quotes"'])
def test_folders_may_have_any_name(box: Box, name: str) -> None:
    with open_session(MailServer.from_settings(box.settings), 30) as client:
        client.command(b"CREATE", quote(encode_folder_name(name).decode()))
    box.deliver("Subject: a", "Message-ID: <a@b>")
    assert name in [folder["name"] for folder in box.run("folders")]
    box.run("move", uid=1, to=name)
    assert subjects(box.run("search", folder=name)) == ["a"]


def test_the_sent_folder_is_marked(box: Box) -> None:
    [sent] = [folder for folder in box.run("folders") if "sent" in folder["marks"]]
    assert sent["name"] == "Sent"


def test_an_unknown_folder_is_a_logic_error(box: Box) -> None:
    box.deliver("Subject: a")
    for name, more in (("search", {}), ("fetch", {"uid": 1}), ("flag", {"uid": 1, "add": ["seen"]})):
        failure = box.fails(name, folder="Nowhere", **more)
        assert failure.kind is FailureClass.LOGIC and "Nowhere" in failure.sentence
    failure = box.fails("move", uid=1, to="Nowhere")
    assert failure.kind is FailureClass.LOGIC and "Nowhere" in failure.sentence


@pytest.mark.parametrize("uid", [0, -1, 2**32, 77])
def test_an_unknown_message_number_is_a_logic_error(box: Box, uid: int) -> None:
    box.deliver("Subject: a")
    for name, more in (
        ("fetch", {}),
        ("attachment", {"number": 1}),
        ("move", {"to": "Sent"}),
        ("flag", {"add": ["x"]}),
    ):
        assert box.fails(name, uid=uid, **more).kind is FailureClass.LOGIC


def test_a_mail_with_all_kinds_of_parts_is_read(box: Box, tmp_path: Path) -> None:
    body = (
        b"--x\r\nContent-Type: multipart/alternative; boundary=y\r\n\r\n"
        b"--y\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\nGr\xfc\xdfe\r\n"
        b"--y\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<b>Hi</b>\r\n--y--\r\n"
        b"--x\r\nContent-Type: application/pdf; name*=utf-8''r%C3%A9sum%C3%A9.pdf\r\n"
        b"Content-Transfer-Encoding: base64\r\n\r\n" + base64.b64encode(b"%PDF") + b"\r\n"
        b'--x\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="../../evil\r\n .txt"'
        b"\r\n\r\nnote\r\n"
        b"--x\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\nInside\r\n--x--\r\n"
    )
    box.deliver("Subject: all", "X-Twice: a", "X-Twice: b", "Content-Type: multipart/mixed; boundary=x", body=body)
    mail = box.run("fetch", uid=1)
    assert (mail["text"].strip(), mail["html"].strip()) == ("Grüße", "<b>Hi</b>")
    assert mail["headers"]["x-twice"] == "a\nb"
    assert [(one["number"], one["type"]) for one in mail["attachments"]] == [
        (1, "application/pdf"),
        (2, "text/plain"),
        (3, "message/rfc822"),
    ]
    assert mail["attachments"][0]["name"] == "résumé.pdf" and mail["truncated"] is False
    assert base64.b64decode(box.run("attachment", uid=1, number=1)["base64"]) == b"%PDF"
    assert b"Inside" in base64.b64decode(box.run("attachment", uid=1, number=3)["base64"])
    saved = Path(box.run("attachment", uid=1, number=2, save_to=str(tmp_path / "new"))["path"])
    assert saved.parent == tmp_path / "new" and saved.read_bytes().strip() == b"note"
    assert box.fails("attachment", uid=1, number=4).kind is FailureClass.LOGIC
    assert box.fails("attachment", uid=1, number=1, save_to="relative").kind is FailureClass.LOGIC


def test_a_mail_without_a_message_id_gets_a_stable_one(box: Box) -> None:
    box.deliver("Subject: a", "Message-ID:")
    box.deliver("Subject: b", "Message-ID:")
    first, second = box.run("search")
    assert first["message_id"] != second["message_id"] and first["message_id"]
    assert box.run("fetch", uid=1)["message_id"] == first["message_id"]
    box.run("move", uid=1, to="Sent")
    assert box.run("search", folder="Sent")[0]["message_id"] == first["message_id"]


def test_a_huge_mail_is_truncated_and_its_attachment_can_only_be_saved(box: Box, tmp_path: Path) -> None:
    content = os.urandom(11 * 1024 * 1024)
    encoded = base64.encodebytes(content)
    body = (
        b"--x\r\n\r\nfirst\r\n--x\r\nContent-Type: application/zip; name=big.zip\r\n"
        b"Content-Transfer-Encoding: base64\r\n\r\n" + encoded + b"\r\n--x--\r\n"
    )
    box.deliver("Subject: huge", "Content-Type: multipart/mixed; boundary=x", body=body)
    mail = box.run("fetch", uid=1)
    assert mail["truncated"] is True and mail["text"] == "first" and mail["size"] > len(encoded)
    failure = box.fails("attachment", uid=1, number=1)
    assert failure.kind is FailureClass.LOGIC and "save_to" in failure.sentence
    saved = box.run("attachment", uid=1, number=1, save_to=str(tmp_path))
    assert saved["size"] == len(content) and Path(saved["path"]).read_bytes() == content


def test_numbers_from_before_a_renumbering_are_refused(box: Box) -> None:
    for number in range(3):
        box.deliver(f"Subject: {number}")
    *_, last = box.run("search")
    place = box.dovecot.maildir(box.user)
    for path in place.glob("dovecot*"):
        path.unlink()
    (place / "dovecot-uidlist").write_text(f"3 V{last['uidvalidity'] + 1} N1\n")
    os.chown(place / "dovecot-uidlist", place.stat().st_uid, place.stat().st_gid)
    known = {"uidvalidity": last["uidvalidity"]}
    mails = box.run("search", after_uid=last["uid"], **known)
    assert subjects(mails) == ["0", "1", "2"], "the search starts over"
    assert {mail["uidvalidity"] for mail in mails} == {last["uidvalidity"] + 1}
    for name, more in (("fetch", {}), ("move", {"to": "Sent"}), ("flag", {"add": ["seen"]})):
        failure = box.fails(name, uid=1, **known, **more)
        assert failure.kind is FailureClass.LOGIC and "renumbered" in failure.sentence
    assert box.run("search", after_uid=3, uidvalidity=last["uidvalidity"] + 1) == []


def test_a_wrong_password_is_an_auth_error_and_not_shown(box: Box) -> None:
    box.settings["password"] = "wrong horse"
    failure = box.fails("search")
    assert failure.kind is FailureClass.AUTH
    assert box.user in failure.sentence and "wrong horse" not in failure.sentence
    with pytest.raises(ToolFailedError):
        imap.test(call(box.settings))


def test_an_unreachable_server_is_a_transient_error(box: Box) -> None:
    box.settings["port"] = free_port()
    failure = box.fails("search")
    assert (failure.kind, failure.counts) == (FailureClass.TRANSIENT, True)
    box.settings["host"] = "no-such-host.invalid"
    assert box.fails("search").kind is FailureClass.TRANSIENT


@pytest.mark.parametrize(("security", "port"), [("tls", "tls_port"), ("starttls", "port")])
def test_encryption_requires_a_valid_certificate(
    box: Box, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, security: str, port: str
) -> None:
    box.settings |= {"host": "localhost", "security": security, "port": getattr(box.dovecot, port)}
    failure = box.fails("search")
    assert failure.kind is FailureClass.TRANSIENT and "is not trusted" in failure.sentence
    AUTHORITY.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    assert box.run("search") == []
    assert imap.test(call(box.settings)).startswith(f"Logged in to localhost as {box.user}")
    box.settings["host"] = "127.0.0.1"
    assert box.fails("search").kind is FailureClass.TRANSIENT, "the certificate has another name"


def test_tls_on_a_plain_port_is_a_clear_error(box: Box) -> None:
    box.settings |= {"security": "tls", "port": box.dovecot.port}
    failure = box.fails("search")
    assert failure.kind is FailureClass.TRANSIENT and "encryption" in failure.sentence


def test_a_server_restart_is_a_transient_error(box: Box) -> None:
    box.deliver("Subject: a")
    box.run("search")
    box.dovecot.stop()
    assert box.fails("search").kind is FailureClass.TRANSIENT
    box.dovecot.start()
    assert subjects(box.run("search")) == ["a"]


@pytest.mark.parametrize("when", [b"CAPABILITY", b"AUTHENTICATE", b"EXAMINE", b"SEARCH", b"FETCH", b"LOGOUT"])
def test_a_lost_connection_while_reading_is_a_transient_error(box: Box, when: bytes) -> None:
    box.deliver("Subject: a")
    with serve_conversation(cut_after(box.dovecot.port, when)) as port:
        box.settings["port"] = port
        if when == b"LOGOUT":
            assert subjects(box.run("search")) == ["a"], "all responses had arrived by then"
        else:
            assert box.fails("search").kind is FailureClass.TRANSIENT
