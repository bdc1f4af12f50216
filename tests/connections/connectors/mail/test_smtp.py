"""Sending mail through a real SMTP server, with the sent mail at a real IMAP server: once, to all or to nobody."""

import base64
import socket
import struct
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.connections.connectors.mail.smtp import smtp
from scheduler.connections.connectors.mail.wire import Server
from scheduler.connections.connectors.mail.writing import read_person
from scheduler.rules.failures import Failure, FailureClass
from tests.connections import mailbox, postbox
from tests.connections.calls import call, tool_of
from tests.connections.dovecot import Dovecot, free_port
from tests.connections.hostile_mail import cutting, saying
from tests.connections.mailbox import AUTHORITY, PASSWORD
from tests.connections.postbox import Postbox, running_postbox

dovecot, user = mailbox.dovecot, mailbox.user
box = postbox.box
SEND = tool_of(smtp, "send")
TO_ANNA = {"to": "Anna <anna@example.org>", "subject": "Hi", "text": "Hello"}


def sent_mail(dovecot: Dovecot, user: str, **changed: Any) -> dict[str, Any]:
    """The settings of the IMAP server that holds the sent mail."""
    return {
        "imap_host": "127.0.0.1",
        "imap_port": dovecot.port,
        "imap_security": "none",
        "imap_user": user,
        "imap_password": PASSWORD,
        **changed,
    }


def send(settings: dict[str, Any], *, key: str = "key", seconds: float = 30, **parameters: Any) -> Any:
    return SEND.run(call(settings, key=key, seconds=seconds, **parameters))


def fails(settings: dict[str, Any], **parameters: Any) -> Failure:
    with pytest.raises(ToolFailedError) as failed:
        send(settings, **{**TO_ANNA, **parameters})
    return failed.value.failure


def check(settings: dict[str, Any], key: str = "key") -> Checked:
    assert SEND.check is not None
    return SEND.check(call(settings, key=key, **TO_ANNA))


def check_fails(settings: dict[str, Any]) -> Failure:
    with pytest.raises(ToolFailedError) as failed:
        check(settings)
    return failed.value.failure


def test_a_mail_arrives_as_it_was_written(box: Postbox) -> None:
    content = bytes(range(256)) * 10
    told = send(
        box.settings(),
        to=["Jürgen, der <j@example.org>", "b@example.org"],
        cc="c@example.org",
        bcc=["hidden@example.org"],
        subject="Grüße 😀 " + "lang " * 30,
        text="Erste Zeile\n.\n..\nFrom here\n" + "ä" * 2000,
        html="<p>Grüße</p>",
        attachments=[
            {"name": "Übersicht.pdf", "base64": base64.b64encode(content).decode(), "type": "application/pdf"}
        ],
    )
    [taken] = box.taken
    mail = taken.read()
    assert taken.sender == "me@example.org"
    assert taken.recipients == told["recipients"]
    assert told["recipients"] == ["j@example.org", "b@example.org", "c@example.org", "hidden@example.org"]
    assert [(one.display_name, one.addr_spec) for one in mail["To"].addresses] == [  # type: ignore[attr-defined]
        ("Jürgen, der", "j@example.org"),
        ("", "b@example.org"),
    ]
    assert mail["From"] == "Dayhand <me@example.org>"
    assert mail["Cc"] == "c@example.org" and b"hidden@" not in taken.content
    assert mail["Subject"] == "Grüße 😀 " + "lang " * 30
    assert mail["Date"].datetime.isoformat() == "2026-05-04T09:00:00+00:00"  # type: ignore[attr-defined]
    text, html = mail.get_body(("plain",)), mail.get_body(("html",))
    assert text is not None
    assert text.get_content() == "Erste Zeile\r\n.\r\n..\r\nFrom here\r\n" + "ä" * 2000 + "\r\n"
    assert html is not None and html.get_content().strip() == "<p>Grüße</p>"
    [attached] = mail.iter_attachments()
    assert (attached.get_filename(), attached.get_content_type()) == ("Übersicht.pdf", "application/pdf")
    assert attached.get_content() == content
    assert taken.content.isascii() and max(map(len, taken.content.split(b"\r\n"))) < 998


def test_the_same_call_has_the_same_identity_and_another_has_another(box: Postbox) -> None:
    first, again = (send(box.settings(), key="one", **TO_ANNA) for _ in range(2))
    other = send(box.settings(), key="two", **TO_ANNA)
    assert first["message_id"] == again["message_id"] != other["message_id"]
    assert {taken.read()["Message-ID"] for taken in box.taken} == {first["message_id"], other["message_id"]}
    assert first["message_id"].endswith("@example.org>")


@pytest.mark.parametrize(
    "given",
    [
        {"to": "anna@example.org\r\nBcc: eve@example.org"},
        {"to": "anna@example.org>\r\nRCPT TO:<eve@example.org"},
        {"to": "Anna\nBcc: eve@example.org <anna@example.org>"},
        {"to": "Anna\u2028 <anna@example.org>"},
        {"to": "anna"},
        {"to": "anna@"},
        {"to": "a b@example.org"},
        {"to": "a@b@example.org"},
        {"to": "anna@example.org, eve@example.org"},
        {"to": "Eve <eve@example.org> <anna@example.org>"},
        {"to": ["anna@example.org", 5]},
        {"to": {"address": "anna@example.org"}},
        {"to": []},
        {"to": None},
        {"to": [f"a{number}@example.org" for number in range(101)]},
        {"to": "x" * 300 + "@example.org"},
        {"to": "a@" + "ü" * 300},
        {"cc": "eve@example.org\r\n"},
        {"subject": "Hi\r\nBcc: eve@example.org"},
        {"subject": "Hi\nBcc: eve@example.org"},
        {"subject": "Hi\x00"},
        {"subject": "x" * 1000},
        {"text": None},
        {"text": "\ud800"},
        {"attachments": ["x"]},
        {"attachments": [{"name": "a", "base64": "*"}]},
        {"attachments": [{"name": "a\r\nX: y", "base64": ""}]},
        {"attachments": [{"name": "../a", "base64": ""}]},
        {"attachments": [{"name": "a", "base64": "", "type": "text/html\r\nX: y"}]},
        {"attachments": [{"name": "a", "base64": "", "type": "message/rfc822"}]},
        {"attachments": [{"name": "a", "base64": "", "path": "/etc/passwd"}]},
        {"attachments": [{"name": "a", "base64": base64.b64encode(bytes(20 * 1024 * 1024)).decode()}]},
    ],
)
def test_nothing_that_a_script_gives_becomes_a_header_or_a_recipient(box: Postbox, given: dict[str, Any]) -> None:
    assert fails(box.settings(), **given).kind is FailureClass.LOGIC
    assert box.taken == []


def test_a_sender_that_is_no_address_is_refused(box: Postbox) -> None:
    assert fails(box.settings(**{"from": "me@example.org\r\nX: y"})).kind is FailureClass.LOGIC


def test_addresses_may_be_foreign(box: Postbox) -> None:
    told = send(box.settings(), **{**TO_ANNA, "to": ["jürgen@example.org", "a@bücher.example"]})
    assert told["recipients"] == ["jürgen@example.org", "a@xn--bcher-kva.example"]
    assert box.taken[0].recipients == told["recipients"]
    assert "\r\nTo: jürgen@example.org, a@xn--bcher-kva.example\r\n".encode() in box.taken[0].content


def test_one_refused_recipient_stops_the_mail_for_all_and_is_named(box: Postbox) -> None:
    box.refuses = {"eve@example.org": "550 5.1.1 No such user", "late@example.org": "450 Later"}
    failure = fails(box.settings(), to=["anna@example.org", "late@example.org", "eve@example.org"])
    assert failure.kind is FailureClass.LOGIC
    assert "eve@example.org" in failure.sentence and "No such user" in failure.sentence
    assert "anna@" not in failure.sentence and "late@" not in failure.sentence
    assert box.taken == []


@pytest.mark.parametrize(
    ("refuses", "kind"),
    [
        ({"anna@example.org": "450 4.7.1 Greylisted, come back later"}, FailureClass.TRANSIENT),
        ({"anna@example.org": "421 Too busy"}, FailureClass.TRANSIENT),
        ({"me@example.org": "550 Not you"}, FailureClass.LOGIC),
        ({"me@example.org": "530 5.7.0 Authentication required"}, FailureClass.AUTH),
        ({"DATA": "451 Try again"}, FailureClass.TRANSIENT),
        ({"DATA": "554 Spam"}, FailureClass.LOGIC),
    ],
)
def test_every_refusal_means_that_nothing_was_sent(box: Postbox, refuses: dict[str, str], kind: FailureClass) -> None:
    box.refuses = refuses
    failure = fails(box.settings())
    assert failure.kind is kind
    assert next(iter(refuses.values()))[:3] in failure.sentence
    assert box.taken == []
    box.refuses = {}
    send(box.settings(), **TO_ANNA)
    assert len(box.taken) == 1


def test_the_password_opens_the_door() -> None:
    with running_postbox(password="hünter 2") as box:
        send(box.settings(), **TO_ANNA)
        assert len(box.taken) == 1
        failure = fails(box.settings(password="wrong horse"))
        assert failure.kind is FailureClass.AUTH and "wrong horse" not in failure.sentence
        assert fails(box.settings(user="")).kind is FailureClass.AUTH
        box.login_says = "454 4.7.0 Temporary authentication failure"
        assert fails(box.settings()).kind is FailureClass.TRANSIENT
        box.login_says = "535 your password hünter 2 is wrong"
        assert "hünter 2" not in fails(box.settings()).sentence


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_encryption_needs_a_certificate_that_holds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, security: str
) -> None:
    with running_postbox(password="p", authority=AUTHORITY, security=security) as box:
        settings = box.settings(security=security, host="localhost")
        failure = fails(settings)
        assert failure.kind is FailureClass.TRANSIENT and "could not prove" in failure.sentence
        AUTHORITY.cert_pem.write_to_path(tmp_path / "authority.pem")
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
        send(settings, **TO_ANNA)
        assert len(box.taken) == 1
        assert smtp.test(call(settings)).startswith("localhost is ready to send mail from me@example.org.")


def test_starttls_that_is_not_offered_is_never_gone_without(box: Postbox) -> None:
    failure = fails(box.settings(security="starttls", password="p", user="me"))
    assert failure.kind is FailureClass.LOGIC and "STARTTLS" in failure.sentence
    assert box.taken == []


def test_a_server_that_is_not_there_has_sent_nothing() -> None:
    assert fails(Postbox(port=free_port()).settings()).kind is FailureClass.TRANSIENT


@pytest.mark.parametrize("when", ["after", "instead"])
def test_a_connection_lost_after_the_mail_leaves_it_open(box: Postbox, when: str) -> None:
    box.hangs_up = when
    failure = fails(box.settings())
    assert failure.kind is FailureClass.UNSURE and "anna@example.org" in failure.sentence
    assert len(box.taken) == (when == "after")


def test_what_was_sent_is_kept_with_the_sent_mail_and_found_there(box: Postbox, dovecot: Dovecot, user: str) -> None:
    settings = box.settings(**sent_mail(dovecot, user))
    assert check_fails(settings).kind is FailureClass.TRANSIENT, "not to be there proves nothing"
    told = send(settings, **TO_ANNA)
    assert told["in_sent"] is True
    [kept] = dovecot.messages(user, "Sent")
    assert message_from_bytes(kept, policy=default)["Message-ID"] == told["message_id"]
    assert check(settings) == Checked(happened=True, result=told)
    assert check_fails(settings | {"from": "me@example.com"}).kind is FailureClass.TRANSIENT


def test_a_server_that_keeps_it_itself_has_one_copy(box: Postbox, dovecot: Dovecot, user: str) -> None:
    box.keeps = lambda content: dovecot.deliver(user, content, "kept", "Sent")
    told = send(box.settings(**sent_mail(dovecot, user)), **TO_ANNA)
    assert told["in_sent"] is True
    assert len(dovecot.messages(user, "Sent")) == 1


def test_a_mail_that_was_taken_before_the_connection_broke_is_found(box: Postbox, dovecot: Dovecot, user: str) -> None:
    """X2"""
    settings = box.settings(**sent_mail(dovecot, user))
    box.keeps = lambda content: dovecot.deliver(user, content, "kept", "Sent")
    box.hangs_up = "after"
    assert fails(settings).kind is FailureClass.UNSURE
    assert check(settings).happened is True
    assert check(settings).result["recipients"] == ["anna@example.org"]


def test_without_sent_mail_nobody_can_tell(box: Postbox) -> None:
    """X4"""
    failure = check_fails(box.settings())
    assert failure.kind is FailureClass.UNSURE


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        ({"imap_password": "wrong"}, FailureClass.AUTH),
        ({"imap_port": 1}, FailureClass.TRANSIENT),
        ({"sent_folder": "Nowhere"}, FailureClass.LOGIC),
    ],
)
def test_trouble_with_the_sent_mail_does_not_undo_the_sending(
    box: Postbox, dovecot: Dovecot, user: str, changed: dict[str, Any], kind: FailureClass
) -> None:
    settings = box.settings(**sent_mail(dovecot, user, **changed))
    told = send(settings, **TO_ANNA)
    assert told["in_sent"] is False and told["note"].startswith("It was sent, but not kept")
    assert len(box.taken) == 1
    assert check_fails(settings).kind is kind
    with pytest.raises(ToolFailedError):
        smtp.test(call(settings))


def test_the_test_says_where_it_will_look(box: Postbox, dovecot: Dovecot, user: str) -> None:
    assert "you will be asked" in smtp.test(call(box.settings()))
    assert smtp.test(call(box.settings(**sent_mail(dovecot, user)))).endswith("looked for in Sent.")


@pytest.mark.parametrize(
    ("when", "kind", "taken"),
    [
        (b"EHLO", FailureClass.TRANSIENT, 0),
        (b"MAIL FROM", FailureClass.TRANSIENT, 0),
        (b"RCPT TO", FailureClass.TRANSIENT, 0),
        (b"DATA", FailureClass.TRANSIENT, 0),
        (b".\r\n", FailureClass.UNSURE, 1),
    ],
)
def test_only_after_the_last_dot_it_may_have_been_sent(
    box: Postbox, when: bytes, kind: FailureClass, taken: int
) -> None:
    with saying(cutting(box.port, when)) as port:
        assert fails(box.settings(port=port)).kind is kind
    assert len(box.taken) == taken


def test_a_connection_lost_in_the_middle_of_the_mail_has_sent_nothing() -> None:
    """The last dot never left, so there is nothing to be unsure of."""

    def hang_up_early(one: socket.socket) -> None:
        with one.makefile("rb") as lines:
            one.sendall(b"220 ready\r\n")
            for reply in (b"250 hello", b"250 OK", b"250 OK", b"354 go on"):
                lines.readline()
                one.sendall(reply + b"\r\n")
            lines.read(100_000)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with saying(hang_up_early) as port:
        failure = fails({**Postbox(port=port).settings()}, text="long line\n" * 2_000_000)
    assert failure.kind is FailureClass.TRANSIENT


def test_a_goodbye_that_is_not_heard_changes_nothing(box: Postbox) -> None:
    with saying(cutting(box.port, b"QUIT")) as port:
        send(box.settings(port=port), **TO_ANNA)
    assert len(box.taken) == 1


def test_a_domain_is_the_one_that_browsers_and_other_mail_programs_go_to() -> None:
    """By IDNA 2008: straße.de and strasse.de have different owners."""
    assert read_person("Anna <anna@straße.de>", "to").addr_spec == "anna@xn--strae-oqa.de"
    assert Server.of({"host": "mail.straße.de", "port": 25, "security": "none"}).host == "mail.xn--strae-oqa.de"


@pytest.mark.parametrize("address", ["anna@ex\u200bample.org", "anna@127.1", "anna@-x-.example"])
def test_a_domain_that_cannot_be_one_is_refused(address: str) -> None:
    with pytest.raises(ToolFailedError):
        read_person(address, "to")
