"""Sending mail through real SMTP and IMAP servers: exactly once, to all recipients or to none."""

import base64
import socket
import struct
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.connections.connectors.mail.compose import parse_address
from scheduler.connections.connectors.mail.connection import MailServer
from scheduler.connections.connectors.mail.smtp import smtp
from scheduler.rules.failures import Failure, FailureClass
from tests.connections import imap_fixtures, smtp_server
from tests.connections.byte_server import cut_after, serve_conversation
from tests.connections.dovecot import Dovecot, free_port
from tests.connections.imap_fixtures import AUTHORITY, PASSWORD
from tests.connections.smtp_server import SmtpServer, running_smtp_server
from tests.connections.tool_calls import call, tool_of

dovecot, user = imap_fixtures.dovecot, imap_fixtures.user
box = smtp_server.box
SEND = tool_of(smtp, "send")
TO_ANNA = {"to": "Anna <anna@example.org>", "subject": "Hi", "text": "Hello"}


def sent_mail(dovecot: Dovecot, user: str, **changed: Any) -> dict[str, Any]:
    """The settings of the IMAP server with the sent folder."""
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


def test_a_mail_arrives_as_composed(box: SmtpServer) -> None:
    content = bytes(range(256)) * 10
    result = send(
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
    assert taken.recipients == result["recipients"]
    assert result["recipients"] == ["j@example.org", "b@example.org", "c@example.org", "hidden@example.org"]
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


def test_the_message_id_follows_from_the_key(box: SmtpServer) -> None:
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
def test_header_and_recipient_injection_is_refused(box: SmtpServer, given: dict[str, Any]) -> None:
    assert fails(box.settings(), **given).kind is FailureClass.LOGIC
    assert box.taken == []


def test_an_invalid_sender_is_refused(box: SmtpServer) -> None:
    assert fails(box.settings(**{"from": "me@example.org\r\nX: y"})).kind is FailureClass.LOGIC


def test_addresses_may_be_non_ascii(box: SmtpServer) -> None:
    result = send(box.settings(), **{**TO_ANNA, "to": ["jürgen@example.org", "a@bücher.example"]})
    assert result["recipients"] == ["jürgen@example.org", "a@xn--bcher-kva.example"]
    assert box.taken[0].recipients == result["recipients"]
    assert "\r\nTo: jürgen@example.org, a@xn--bcher-kva.example\r\n".encode() in box.taken[0].content


def test_one_refused_recipient_stops_the_mail_and_is_named(box: SmtpServer) -> None:
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
def test_after_a_refusal_nothing_was_sent(box: SmtpServer, refuses: dict[str, str], kind: FailureClass) -> None:
    box.refuses = refuses
    failure = fails(box.settings())
    assert failure.kind is kind
    assert next(iter(refuses.values()))[:3] in failure.sentence
    assert box.taken == []
    box.refuses = {}
    send(box.settings(), **TO_ANNA)
    assert len(box.taken) == 1


def test_a_login_needs_the_right_password() -> None:
    with running_smtp_server(password="hünter 2") as box:
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
def test_encryption_requires_a_valid_certificate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, security: str
) -> None:
    with running_smtp_server(password="p", authority=AUTHORITY, security=security) as box:
        settings = box.settings(security=security, host="localhost")
        failure = fails(settings)
        assert failure.kind is FailureClass.TRANSIENT and "is not trusted" in failure.sentence
        AUTHORITY.cert_pem.write_to_path(tmp_path / "authority.pem")
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
        send(settings, **TO_ANNA)
        assert len(box.taken) == 1
        assert smtp.test(call(settings)).startswith("localhost is ready to send mail from me@example.org.")


def test_a_missing_starttls_is_refused(box: SmtpServer) -> None:
    failure = fails(box.settings(security="starttls", password="p", user="me"))
    assert failure.kind is FailureClass.LOGIC and "STARTTLS" in failure.sentence
    assert box.taken == []


def test_an_unreachable_server_is_a_transient_error() -> None:
    assert fails(SmtpServer(port=free_port()).settings()).kind is FailureClass.TRANSIENT


@pytest.mark.parametrize("when", ["after", "instead"])
def test_a_connection_lost_after_the_mail_is_unsure(box: SmtpServer, when: str) -> None:
    box.hangs_up = when
    failure = fails(box.settings())
    assert failure.kind is FailureClass.UNSURE and "anna@example.org" in failure.sentence
    assert len(box.taken) == (when == "after")


def test_sent_mail_is_saved_in_the_sent_folder_and_found_there(box: SmtpServer, dovecot: Dovecot, user: str) -> None:
    settings = box.settings(**sent_mail(dovecot, user))
    assert check_fails(settings).kind is FailureClass.TRANSIENT, "its absence proves nothing"
    result = send(settings, **TO_ANNA)
    assert result["in_sent"] is True
    [kept] = dovecot.messages(user, "Sent")
    assert message_from_bytes(kept, policy=default)["Message-ID"] == result["message_id"]
    assert check(settings) == Checked(happened=True, result=result)
    assert check_fails(settings | {"from": "me@example.com"}).kind is FailureClass.TRANSIENT


def test_a_server_that_files_sent_mail_itself_has_one_copy(box: SmtpServer, dovecot: Dovecot, user: str) -> None:
    box.keeps = lambda content: dovecot.deliver(user, content, "kept", "Sent")
    result = send(box.settings(**sent_mail(dovecot, user)), **TO_ANNA)
    assert result["in_sent"] is True
    assert len(dovecot.messages(user, "Sent")) == 1


def test_a_mail_that_was_accepted_before_the_connection_broke_is_found(
    box: SmtpServer, dovecot: Dovecot, user: str
) -> None:
    settings = box.settings(**sent_mail(dovecot, user))
    box.keeps = lambda content: dovecot.deliver(user, content, "kept", "Sent")
    box.hangs_up = "after"
    assert fails(settings).kind is FailureClass.UNSURE
    assert check(settings).happened is True
    assert check(settings).result["recipients"] == ["anna@example.org"]


def test_without_a_sent_folder_the_checker_is_unsure(box: SmtpServer) -> None:
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
def test_an_error_in_the_sent_folder_does_not_fail_the_sending(
    box: SmtpServer, dovecot: Dovecot, user: str, changed: dict[str, Any], kind: FailureClass
) -> None:
    settings = box.settings(**sent_mail(dovecot, user, **changed))
    result = send(settings, **TO_ANNA)
    assert result["in_sent"] is False and result["note"].startswith("The mail was sent, but not saved")
    assert len(box.taken) == 1
    assert check_fails(settings).kind is kind
    with pytest.raises(ToolFailedError):
        smtp.test(call(settings))


def test_testing_reports_the_sent_folder(box: SmtpServer, dovecot: Dovecot, user: str) -> None:
    assert "you will be asked" in smtp.test(call(box.settings()))
    assert smtp.test(call(box.settings(**sent_mail(dovecot, user)))).endswith("The sent folder is Sent.")


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
def test_a_lost_connection_is_unsure_only_after_the_final_dot(
    box: SmtpServer, when: bytes, kind: FailureClass, taken: int
) -> None:
    with serve_conversation(cut_after(box.port, when)) as port:
        assert fails(box.settings(port=port)).kind is kind
    assert len(box.taken) == taken


def test_a_connection_lost_in_the_middle_of_the_mail_sent_nothing() -> None:
    """The final dot was never sent, so the mail was certainly not accepted."""

    def hang_up_early(one: socket.socket) -> None:
        with one.makefile("rb") as lines:
            one.sendall(b"220 ready\r\n")
            for reply in (b"250 hello", b"250 OK", b"250 OK", b"354 go on"):
                lines.readline()
                one.sendall(reply + b"\r\n")
            lines.read(100_000)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with serve_conversation(hang_up_early) as port:
        failure = fails({**SmtpServer(port=port).settings()}, text="long line\n" * 2_000_000)
    assert failure.kind is FailureClass.TRANSIENT


def test_a_lost_quit_changes_nothing(box: SmtpServer) -> None:
    with serve_conversation(cut_after(box.port, b"QUIT")) as port:
        send(box.settings(port=port), **TO_ANNA)
    assert len(box.taken) == 1


def test_domains_are_encoded_as_in_browsers() -> None:
    """IDNA 2008: straße.de and strasse.de have different owners."""
    assert parse_address("Anna <anna@straße.de>", "to").addr_spec == "anna@xn--strae-oqa.de"
    assert (
        MailServer.from_settings({"host": "mail.straße.de", "port": 25, "security": "none"}).host
        == "mail.xn--strae-oqa.de"
    )


@pytest.mark.parametrize("address", ["anna@ex\u200bample.org", "anna@127.1", "anna@-x-.example"])
def test_an_invalid_domain_is_refused(address: str) -> None:
    with pytest.raises(ToolFailedError):
        parse_address(address, "to")
