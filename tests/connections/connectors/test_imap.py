"""Reading mail from a real IMAP server: what is found, how odd mails come out, and what each failure means."""

import base64
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.imap import imap
from scheduler.rules.failures import Failure, FailureClass
from tests.connections.calls import call, tool_of
from tests.connections.dovecot import Dovecot, free_port, running_dovecot
from tests.connections.hostile_mail import cutting, saying

AUTHORITY = trustme.CA()
NUMBER = itertools.count(1)
PASSWORD = "hünter 2 \"quoted\\'"
USERS = [f"user{number}" for number in range(150)]


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Dovecot]:
    with running_dovecot(AUTHORITY, **dict.fromkeys(USERS, PASSWORD)) as one:
        yield one


@pytest.fixture
def box(dovecot: Dovecot) -> "Box":
    return Box(dovecot, USERS.pop())


class Box:
    """The account of one test."""

    def __init__(self, dovecot: Dovecot, user: str) -> None:
        self.dovecot, self.user = dovecot, user
        self.settings = dovecot.settings(user)

    def deliver(self, *headers: str, body: bytes = b"Hello\r\n", folder: str = "") -> None:
        number = next(NUMBER)
        if not any(header.startswith("Message-ID") for header in headers):
            headers = (*headers, f"Message-ID: <{number}@example.org>")
        message = "\r\n".join(headers).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + body
        self.dovecot.deliver(self.user, message, f"{number:09}", folder)

    def run(self, name: str, **parameters: Any) -> Any:
        return tool_of(imap, name).run(call(self.settings, key="k", **parameters))

    def check(self, name: str, **parameters: Any) -> Any:
        check = tool_of(imap, name).check
        assert check is not None
        return check(call(self.settings, key="k", **parameters))

    def fails(self, name: str, **parameters: Any) -> Failure:
        with pytest.raises(ToolFailedError) as failed:
            self.run(name, **parameters)
        return failed.value.failure


def subjects(mails: list[dict[str, Any]]) -> list[str]:
    return [mail["subject"] for mail in mails]


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
    from scheduler.connections.connectors.imap_folder import Server
    from scheduler.connections.connectors.imap_session import quoted, session
    from scheduler.connections.connectors.mail_names import encode_name

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


def test_moving_takes_it_from_one_folder_to_the_other(box: Box) -> None:
    box.deliver("Subject: a", "Message-ID: <a@example.org>")
    asked = {"uid": 1, "to": "Sent", "message_id": "<a@example.org>"}
    assert box.check("move", **asked).happened is False
    assert box.run("move", **asked) == {"folder": "Sent"}
    assert box.run("search") == []
    assert subjects(box.run("search", folder="Sent")) == ["a"]
    checked = box.check("move", **asked)
    assert (checked.happened, checked.result) == (True, {"folder": "Sent"})


def test_who_took_a_message_away_cannot_be_told_by_its_number(box: Box) -> None:
    box.deliver("Subject: a", "Message-ID: <a@example.org>")
    box.run("move", uid=1, to="Sent")
    for more in ({}, {"message_id": "<other@example.org>"}, {"message_id": "<a@example"}):
        with pytest.raises(ToolFailedError) as failed:
            box.check("move", uid=1, to="Sent", **more)
        assert failed.value.failure.kind is FailureClass.UNSURE


def test_moving_to_where_it_is_already_is_a_mistake(box: Box) -> None:
    box.deliver("Subject: a")
    assert box.fails("move", uid=1, to="INBOX").kind is FailureClass.LOGIC


def test_marks_are_set_and_taken_away(box: Box) -> None:
    box.deliver("Subject: a")
    asked = {"uid": 1, "add": ["seen", "Receipt"]}
    assert box.check("flag", **asked).happened is False
    box.run("flag", **asked)
    assert box.run("search")[0]["flags"] == ["Receipt", "seen"]
    assert box.check("flag", **asked).happened is True
    box.run("flag", uid=1, remove=["Seen"], add=["flagged"])
    assert box.run("search")[0]["flags"] == ["Receipt", "flagged"]
    assert box.check("flag", uid=1, remove=["seen"]).happened is True
    assert box.check("flag", **asked).happened is False


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"add": ["deleted) \r\nz LOGOUT"]},
        {"add": [""]},
        {"add": [5]},
        {"add": ["\\Deleted"]},
        {"add": ["seen"], "remove": ["seen"]},
    ],
)
def test_marks_that_cannot_be_are_refused(box: Box, asked: dict[str, Any]) -> None:
    box.deliver("Subject: a")
    assert box.fails("flag", uid=1, **asked).kind is FailureClass.LOGIC


def test_a_mark_on_a_message_that_is_gone_leaves_it_open(box: Box) -> None:
    with pytest.raises(ToolFailedError) as failed:
        box.check("flag", uid=1, add=["seen"])
    assert failed.value.failure.kind is FailureClass.UNSURE


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


def test_a_move_whose_answer_is_lost_is_found_to_have_happened(box: Box) -> None:
    """X2"""
    box.deliver("Subject: a", "Message-ID: <a@example.org>")
    asked = {"uid": 1, "to": "Sent", "message_id": "<a@example.org>"}
    with saying(cutting(box.dovecot.port, b"UID MOVE")) as port:
        box.settings["port"] = port
        assert box.fails("move", **asked).kind is FailureClass.UNSURE
        assert box.check("move", **asked).happened is True
        assert subjects(box.run("search", folder="Sent")) == ["a"]


def test_a_mark_whose_answer_is_lost_is_found_to_have_happened(box: Box) -> None:
    box.deliver("Subject: a")
    with saying(cutting(box.dovecot.port, b"UID STORE")) as port:
        box.settings["port"] = port
        assert box.fails("flag", uid=1, add=["seen"]).kind is FailureClass.UNSURE
        assert box.check("flag", uid=1, add=["seen"]).happened is True


@pytest.mark.parametrize("when", [b"CAPABILITY", b"AUTHENTICATE", b"EXAMINE", b"SEARCH", b"FETCH", b"LOGOUT"])
def test_reading_that_breaks_anywhere_is_tried_again(box: Box, when: bytes) -> None:
    box.deliver("Subject: a")
    with saying(cutting(box.dovecot.port, when)) as port:
        box.settings["port"] = port
        if when == b"LOGOUT":
            assert subjects(box.run("search")) == ["a"], "everything was said by then"
        else:
            assert box.fails("search").kind is FailureClass.TRANSIENT
