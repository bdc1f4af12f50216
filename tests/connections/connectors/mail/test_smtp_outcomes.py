"""What every reply of an SMTP server at every step means for the mail: applied, failed or unsure."""

from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.mail.smtp import smtp
from scheduler.rules.failures import FailureClass
from tests.connections.byte_server import serve_conversation
from tests.connections.scripted_mail_servers import (
    APPLIED,
    CLOSE,
    FAILED,
    RESET,
    STALL,
    UNSURE,
    Play,
    SmtpScript,
    outcome,
)
from tests.connections.tool_calls import call, tool_of

MAIL = {"to": ["anna@example.org", "ben@example.org"], "subject": "x", "text": "Hello"}

AFTER_THE_DOT: list[tuple[bytes | Play, str]] = [
    *((b"%d taken\r\n" % code, APPLIED) for code in (200, 211, 220, 221, 235, 250, 251, 252, 299)),
    (b"250\r\n", APPLIED),
    (b"250 taken\n", APPLIED),
    (b"250-first\r\n250-second\r\n250 third\r\n", APPLIED),
    (b"250 taken\r\n250 taken\r\n", APPLIED),
    (b"250 anna\r\n250 ben\r\n", APPLIED),
    (b"250 taken\r\n221 bye\r\n", APPLIED),
    (b"250 taken\r\n421 closing\r\n", APPLIED),
    (b"250 taken\r\nhello?\r\n", APPLIED),
    (b"250 taken\r\n55", APPLIED),
    (Play(b"250 taken\r\n", "close"), APPLIED),
    *((b"%d later\r\n" % code, FAILED) for code in (400, 421, 450, 451, 452, 499)),
    *((b"%d no\r\n" % code, FAILED) for code in (500, 530, 535, 550, 552, 554, 599)),
    (b"554-first\r\n554 second\r\n", FAILED),
    (b"550 anna\r\n452 ben\r\n", FAILED),
    (b"550 no\r\n421 closing\r\n", FAILED),
    (Play(b"550 no\r\n", "close"), FAILED),
    (Play(b"550 no\r\n", "stall"), FAILED),
    *((b"%d what\r\n" % code, UNSURE) for code in (0, 100, 150, 300, 334, 354, 399, 600, 999)),
    (b"354\r\n", UNSURE),
    (b"354 go on\r\n250 taken\r\n", UNSURE),
    (b"250 taken\r\n550 no\r\n", UNSURE),
    (b"250 anna\r\n452 ben\r\n", UNSURE),
    (b"550 anna\r\n250 ben\r\n", UNSURE),
    (b"250-taken\r\n550 no\r\n", UNSURE),
    (b"250ok\r\n", UNSURE),
    (b"2500 ok\r\n", UNSURE),
    (b"25\r\n", UNSURE),
    (b" 250 ok\r\n", UNSURE),
    (b"OK\r\n", UNSURE),
    (b"\r\n", UNSURE),
    (b"\x00\xff\r\n", UNSURE),
    (b"\xd9\xa2\xd9\xa5\xd9\xa0 ok\r\n", UNSURE),
    (b"250-more\r\n" * 101, UNSURE),
    (b"2" * 100_000, UNSURE),
    (Play(b"250 take", "close"), UNSURE),
    (Play(b"250 taken\r", "close"), UNSURE),
    (Play(b"250-taken\r\n", "close"), UNSURE),
    (Play(b"550-no\r\n", "reset"), UNSURE),
    (Play(b"250-taken\r\n", "stall"), UNSURE),
    (CLOSE, UNSURE),
    (RESET, UNSURE),
    (STALL, UNSURE),
]
INSTEAD_OF_354: list[tuple[bytes | Play, str]] = [
    (b"354 go on\r\n250 taken\r\n", UNSURE),
    (b"354 go on\r\n354 go on\r\n", UNSURE),
    (b"354 go on\r\n221 bye\r\n", UNSURE),
    (b"354 go on\r\nhello?\r\n", UNSURE),
    (b"354 go on\r\n250-taken\r\n550 no\r\n", UNSURE),
    (Play(b"354 go on\r\n25", "close"), UNSURE),
    (b"354 go on\r\n552 too large\r\n", FAILED),
    (b"354 go on\r\n421 closing\r\n", FAILED),
]
REFUSALS = [b"%d what\r\n" % code for code in (221, 334, 421, 450, 550)]
UNREADABLE = [
    b"600 what\r\n",
    b"hello?\r\n",
    b"\r\n",
    Play(b"25", "close"),
    Play(b"250-more\r\n", "close"),
    CLOSE,
    RESET,
]
BEFORE: list[tuple[str, bytes | Play]] = [
    *((step, play) for step in ("greeting", "EHLO", "MAIL", "RCPT", "DATA") for play in UNREADABLE),
    *((step, play) for step in ("greeting", "MAIL", "RCPT", "DATA") for play in REFUSALS),
    *((step, b"250 OK\r\n") for step in ("greeting", "DATA")),
    *((step, b"354 go on\r\n") for step in ("greeting", "MAIL", "RCPT")),
    # One reply too many, so that each later reply is taken for that of the next command.
    *((step, b"250 OK\r\n250 OK\r\n") for step in ("EHLO", "MAIL", "RCPT")),
    ("MAIL", STALL),
]


def play(step: str, at: bytes | Play, **changed: Any) -> tuple[str, SmtpScript]:
    played = at if isinstance(at, Play) else Play(at)
    script = SmtpScript(step, played)
    with serve_conversation(script) as port:
        settings = {"host": "127.0.0.1", "port": port, "security": "none", "from": "me@example.org", **changed}
        return outcome(smtp, "send", settings, played, **MAIL), script


@pytest.mark.parametrize(("at", "means"), AFTER_THE_DOT)
def test_the_outcome_of_a_reply_to_the_mail(at: bytes | Play, means: str) -> None:
    assert play("dot", at)[0] == means


@pytest.mark.parametrize(("at", "means"), INSTEAD_OF_354)
def test_an_early_reply_does_not_confirm_the_mail(at: bytes | Play, means: str) -> None:
    result, script = play("DATA", at)
    assert (result, script.ended) == (means, False), "the final dot is not sent"


@pytest.mark.parametrize(("step", "at"), BEFORE)
def test_before_the_final_dot_nothing_was_sent(step: str, at: bytes | Play) -> None:
    result, script = play(step, at)
    assert (result, script.ended) == (FAILED, False)


@pytest.mark.parametrize("at", REFUSALS)
def test_a_server_without_ehlo_is_greeted_with_helo(at: bytes) -> None:
    assert play("EHLO", at)[0] == APPLIED


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (b"451 later\r\n", FailureClass.TRANSIENT),
        (b"421 closing\r\n", FailureClass.TRANSIENT),
        (b"550 no\r\n", FailureClass.LOGIC),
        (b"530 log in\r\n", FailureClass.AUTH),
    ],
)
def test_the_code_of_a_refusal_decides_the_failure_class(reply: bytes, kind: FailureClass) -> None:
    with serve_conversation(SmtpScript("dot", Play(reply))) as port:
        settings = {"host": "127.0.0.1", "port": port, "security": "none", "from": "me@example.org"}
        with pytest.raises(ToolFailedError) as failed:
            tool_of(smtp, "send").run(call(settings, key="k", **MAIL))
    assert failed.value.failure.kind is kind


def test_an_unsure_mail_is_checked_for_ten_minutes() -> None:
    assert tool_of(smtp, "send").apply_window.total_seconds() == 600
