"""Reading mail from a real IMAP server: what is found, how odd mails come out, and what each failure means."""

import base64
import os
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.mail.imap import imap
from scheduler.connections.connectors.mail.imap_session import quoted, session
from scheduler.connections.connectors.mail.names import encode_name
from scheduler.connections.connectors.mail.wire import Server
from scheduler.rules.failures import FailureClass
from tests.connections import mailbox
from tests.connections.calls import call
from tests.connections.dovecot import free_port
from tests.connections.hostile_mail import cutting, saying
from tests.connections.mailbox import AUTHORITY, Box, subjects

dovecot, user, box = mailbox.dovecot, mailbox.user, mailbox.box


def test_a_message_is_told_as_it_is(box: Box) -> None:
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


def test_reading_leaves_it_unread(box: Box) -> None:
    box.deliver("Subject: a")
    box.run("fetch", uid=1)
    box.run("search")
    assert subjects(box.run("search", unseen=True)) == ["a"]


def test_an_empty_folder_gives_nothing(box: Box) -> None:
    assert box.run("search") == []
    assert box.run("search", after_uid=100) == []


def test_pages_go_on_where_the_last_one_ended(box: Box) -> None:
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
    ("asked", "found"),
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
def test_a_search_may_ask_for_any_text(box: Box, asked: dict[str, str], found: list[str]) -> None:
    box.deliver("From: anna@example.org", "Subject: one")
    box.deliver("From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>", "Subject: =?utf-8?q?Stra=C3=9Fe?=")
    box.deliver("From: b@example.org", 'Subject: a "quoted" \\ one')
    assert subjects(box.run("search", **asked)) == found


@pytest.mark.parametrize(
    "asked", [{"since": "yesterday"}, {"limit": 1001}, {"limit": -1}, {"subject": "\0"}, {"from": "a\0b"}]
)
def test_what_no_search_can_mean_is_a_mistake_of_the_script(box: Box, asked: dict[str, Any]) -> None:
    assert box.fails("search", **asked).kind is FailureClass.LOGIC


@pytest.mark.parametrize("name", ["Entwürfe", "Tom & Jerry", "日本語", "a~b", "&", "😀/tief", 'with "quotes"'])
def test_folders_may_have_any_name(box: Box, name: str) -> None:
    with session(Server.of(box.settings), 30) as talk:
        talk.command(b"CREATE", quoted(encode_name(name).decode()))
    box.deliver("Subject: a", "Message-ID: <a@b>")
    assert name in [folder["name"] for folder in box.run("folders")]
    box.run("move", uid=1, to=name)
    assert subjects(box.run("search", folder=name)) == ["a"]


def test_the_server_marks_the_folder_of_sent_mail(box: Box) -> None:
    [sent] = [folder for folder in box.run("folders") if "sent" in folder["marks"]]
    assert sent["name"] == "Sent"


def test_a_folder_that_is_not_there_is_a_mistake_of_the_script(box: Box) -> None:
    box.deliver("Subject: a")
    for name, more in (("search", {}), ("fetch", {"uid": 1}), ("flag", {"uid": 1, "add": ["seen"]})):
        failure = box.fails(name, folder="Nowhere", **more)
        assert failure.kind is FailureClass.LOGIC and "Nowhere" in failure.sentence
    failure = box.fails("move", uid=1, to="Nowhere")
    assert failure.kind is FailureClass.LOGIC and "Nowhere" in failure.sentence


@pytest.mark.parametrize("uid", [0, -1, 2**32, 77])
def test_a_number_that_means_no_message_is_a_mistake_of_the_script(box: Box, uid: int) -> None:
    box.deliver("Subject: a")
    for name, more in (
        ("fetch", {}),
        ("attachment", {"number": 1}),
        ("move", {"to": "Sent"}),
        ("flag", {"add": ["x"]}),
    ):
        assert box.fails(name, uid=uid, **more).kind is FailureClass.LOGIC


def test_a_mail_with_everything_is_taken_apart(box: Box, tmp_path: Path) -> None:
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


def test_a_mail_without_an_identity_gets_one_that_stays(box: Box) -> None:
    box.deliver("Subject: a", "Message-ID:")
    box.deliver("Subject: b", "Message-ID:")
    first, second = box.run("search")
    assert first["message_id"] != second["message_id"] and first["message_id"]
    assert box.run("fetch", uid=1)["message_id"] == first["message_id"]
    box.run("move", uid=1, to="Sent")
    assert box.run("search", folder="Sent")[0]["message_id"] == first["message_id"]


def test_a_huge_mail_is_read_in_part_and_its_attachment_only_saved(box: Box, tmp_path: Path) -> None:
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


def test_numbers_from_before_the_server_counted_anew_are_not_trusted(box: Box) -> None:
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
    assert subjects(mails) == ["0", "1", "2"], "it starts over"
    assert {mail["uidvalidity"] for mail in mails} == {last["uidvalidity"] + 1}
    for name, more in (("fetch", {}), ("move", {"to": "Sent"}), ("flag", {"add": ["seen"]})):
        failure = box.fails(name, uid=1, **known, **more)
        assert failure.kind is FailureClass.LOGIC and "anew" in failure.sentence
    assert box.run("search", after_uid=3, uidvalidity=last["uidvalidity"] + 1) == []


def test_a_wrong_password_asks_for_a_new_login_and_is_not_told(box: Box) -> None:
    box.settings["password"] = "wrong horse"
    failure = box.fails("search")
    assert failure.kind is FailureClass.AUTH
    assert box.user in failure.sentence and "wrong horse" not in failure.sentence
    with pytest.raises(ToolFailedError):
        imap.test(call(box.settings))


def test_a_server_that_is_gone_is_waited_for(box: Box) -> None:
    box.settings["port"] = free_port()
    failure = box.fails("search")
    assert (failure.kind, failure.counts) == (FailureClass.TRANSIENT, True)
    box.settings["host"] = "no-such-host.invalid"
    assert box.fails("search").kind is FailureClass.TRANSIENT


@pytest.mark.parametrize(("security", "port"), [("tls", "tls_port"), ("starttls", "port")])
def test_encryption_needs_a_certificate_that_holds(
    box: Box, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, security: str, port: str
) -> None:
    box.settings |= {"host": "localhost", "security": security, "port": getattr(box.dovecot, port)}
    failure = box.fails("search")
    assert failure.kind is FailureClass.TRANSIENT and "could not prove" in failure.sentence
    AUTHORITY.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    assert box.run("search") == []
    assert imap.test(call(box.settings)).startswith(f"{box.user} is logged in at localhost")
    box.settings["host"] = "127.0.0.1"
    assert box.fails("search").kind is FailureClass.TRANSIENT, "it is not the name on the certificate"


def test_tls_where_there_is_none_says_so(box: Box) -> None:
    box.settings |= {"security": "tls", "port": box.dovecot.port}
    failure = box.fails("search")
    assert failure.kind is FailureClass.TRANSIENT and "encryption" in failure.sentence


def test_a_restart_is_waited_for(box: Box) -> None:
    box.deliver("Subject: a")
    box.run("search")
    box.dovecot.stop()
    assert box.fails("search").kind is FailureClass.TRANSIENT
    box.dovecot.start()
    assert subjects(box.run("search")) == ["a"]


@pytest.mark.parametrize("when", [b"CAPABILITY", b"AUTHENTICATE", b"EXAMINE", b"SEARCH", b"FETCH", b"LOGOUT"])
def test_reading_that_breaks_anywhere_is_tried_again(box: Box, when: bytes) -> None:
    box.deliver("Subject: a")
    with saying(cutting(box.dovecot.port, when)) as port:
        box.settings["port"] = port
        if when == b"LOGOUT":
            assert subjects(box.run("search")) == ["a"], "everything was said by then"
        else:
            assert box.fails("search").kind is FailureClass.TRANSIENT
