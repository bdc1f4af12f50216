"""Slow, endless or malicious mail servers: every call ends in time with a clear failure."""

import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.mail.imap import imap
from scheduler.connections.connectors.mail.smtp import smtp
from scheduler.rules.failures import Failure, FailureClass
from tests.connections.byte_server import scripted_replies, serve_conversation, with_tag
from tests.connections.tool_calls import call, tool_of

PASSWORD = "hunter2"
READY = (
    b"* OK hello\r\n",
    b"* CAPABILITY IMAP4rev1\r\nd1 OK\r\n",
    b"d2 OK\r\n",
    b"* CAPABILITY IMAP4rev1 MOVE\r\nd3 OK\r\n",
)
OPEN = (*READY, b"* OK [UIDVALIDITY 7]\r\nd4 OK\r\n")
FOUND = (*OPEN, b"* SEARCH 1\r\nd5 OK\r\n")


def endless(piece: bytes, *first: bytes) -> Callable[[socket.socket], None]:
    def converse(one: socket.socket) -> None:
        one.sendall(b"".join(first))
        while True:
            one.sendall(piece)

    return converse


def dripping(one: socket.socket) -> None:
    """One byte at a time, so that no single wait is long."""
    while True:
        one.sendall(b"*")
        time.sleep(0.02)


def silent(one: socket.socket) -> None:
    one.recv(1)
    one.recv(100_000)


def ask_imap(port: int, name: str = "search", seconds: float = 20, **parameters: Any) -> Failure:
    settings = {"host": "127.0.0.1", "port": port, "security": "none", "user": "me", "password": PASSWORD}
    with pytest.raises(ToolFailedError) as failed:
        tool_of(imap, name).run(call(settings, key="k", seconds=seconds, **parameters))
    assert PASSWORD not in failed.value.failure.sentence
    return failed.value.failure


def ask_smtp(port: int, seconds: float = 20, **changed: Any) -> Failure:
    settings = {"host": "127.0.0.1", "port": port, "security": "none", "from": "me@example.org", **changed}
    with pytest.raises(ToolFailedError) as failed:
        tool_of(smtp, "send").run(call(settings, key="k", seconds=seconds, to="a@example.org", text="x"))
    return failed.value.failure


@pytest.mark.parametrize(
    ("host", "port", "kind"),
    [
        ("127.0.0.1", 99999, FailureClass.LOGIC),
        ("127.0.0.1", -1, FailureClass.LOGIC),
        ("a\0b", 993, FailureClass.LOGIC),
        ("x" * 300, 993, FailureClass.LOGIC),
        ("ü" * 100 + ".invalid", 993, FailureClass.LOGIC),
        (".", 993, FailureClass.LOGIC),
    ],
)
def test_an_invalid_server_address_is_refused(host: str, port: int, kind: FailureClass) -> None:
    assert ask_smtp(port, host=host).kind is kind


@pytest.mark.parametrize("conversation", [dripping, silent])
def test_the_deadline_covers_the_whole_call(conversation: Callable[[socket.socket], None]) -> None:
    with serve_conversation(conversation) as port:
        for failure in (ask_imap(port, seconds=0.3), ask_smtp(port, seconds=0.3)):
            assert failure.kind is FailureClass.TRANSIENT
            assert "within 0.3 seconds" in failure.sentence


def test_a_silent_server_with_tls_times_out(tmp_path: object) -> None:
    with serve_conversation(silent) as port:
        failure = ask_smtp(port, seconds=0.3, security="tls")
    assert failure.kind is FailureClass.TRANSIENT


@pytest.mark.parametrize(
    "conversation",
    [
        endless(b"x" * 65536),
        endless(b"* OK more\r\n" * 1000, b"* OK\r\n"),
        scripted_replies(b"* OK {999999999999}\r\n"),
        scripted_replies(*READY[:3], b"d3 OK\r\n", b"* OK {160000000}\r\n"),
    ],
)
def test_an_endless_imap_response_is_cut_off(conversation: Callable[[socket.socket], None]) -> None:
    with serve_conversation(conversation) as port:
        assert ask_imap(port).kind is FailureClass.LOGIC


@pytest.mark.parametrize("piece", [b"250-more\r\n" * 1000, b"x" * 65536])
def test_an_endless_smtp_reply_is_cut_off(piece: bytes) -> None:
    with serve_conversation(endless(piece, b"220 hello\r\n")) as port:
        assert ask_smtp(port).kind in (FailureClass.LOGIC, FailureClass.TRANSIENT)


@pytest.mark.parametrize(
    "replies",
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n",),
        (b"* BYE too many connections\r\n",),
        (*READY[:2], b"* BYE shutting down\r\n"),
        (*READY[:2], b"d2 NO [UNAVAILABLE] no answer from the directory\r\n"),
        (*READY, b"d4 NO [INUSE] being rebuilt\r\n"),
        (*OPEN, b"d5 NO [THROTTLED] not so fast\r\n"),
        (*FOUND, b"* 1 FETCH (UID 1 FLAGS (\\Seen\r\nd6 OK\r\n"),
        (*FOUND, b"* 1 FETCH )\r\nd6 OK\r\n"),
        (*FOUND, b"* 1 FETCH " + b"(" * 1000 + b")" * 1000 + b"\r\nd6 OK\r\n"),
        (*FOUND, b"* 1 FETCH (UID 1 FLAGS (" + b"() " * 20_000 + b"))\r\nd6 OK\r\n"),
        (*FOUND, b'* 1 FETCH (UID 1 X "' + b"a" * 15_000_000 + b'")\r\nd6 OK\r\n'),
        (*FOUND, b"* 1 FETCH (UID 1 X " + b"a" * 15_000_000 + b")\r\nd6 OK\r\n"),
        (*FOUND, b"+ go on\r\n"),
    ],
)
def test_temporary_problems_are_transient(replies: tuple[bytes, ...]) -> None:
    with serve_conversation(scripted_replies(*replies)) as port:
        assert ask_imap(port).kind is FailureClass.TRANSIENT


@pytest.mark.parametrize(
    ("replies", "kind"),
    [
        ((*READY[:2], b"d2 NO your password hunter2 is wrong\r\n"), FailureClass.AUTH),
        ((*READY[:2], b"d2 BAD \x00\xff\r\n"), FailureClass.AUTH),
        ((READY[0], b"* CAPABILITY IMAP4rev1 LOGINDISABLED\r\nd1 OK\r\n"), FailureClass.LOGIC),
        ((*OPEN, b"d5 NO [BADCHARSET] no\r\n"), FailureClass.LOGIC),
        ((*OPEN, b"d5 BAD what\r\n"), FailureClass.LOGIC),
    ],
)
def test_the_response_code_decides_the_failure_class(replies: tuple[bytes, ...], kind: FailureClass) -> None:
    with serve_conversation(scripted_replies(*replies)) as port:
        assert ask_imap(port).kind is kind


def test_unsolicited_responses_are_ignored() -> None:
    """Updates about other messages, numbers without a message, and items in another order."""
    odd = (
        b"* 9 EXISTS\r\n* 1 FETCH (FLAGS (\\Seen))\r\n* 8 FETCH (UID 99)\r\n"
        b'* 1 FETCH (BODY[HEADER.FIELDS (SUBJECT)]<0> "Subject: UID 5)\\"" RFC822.SIZE x FLAGS NIL UID 1)\r\nd6 OK\r\n'
    )
    settings = {"host": "127.0.0.1", "security": "none", "user": "me", "password": PASSWORD}
    with serve_conversation(scripted_replies(*FOUND, odd)) as port:
        [mail] = tool_of(imap, "search").run(call({**settings, "port": port}))
    assert (mail["uid"], mail["subject"], mail["size"], mail["flags"]) == (1, 'UID 5)"', 0, [])
    assert mail["uidvalidity"] == 7


def test_invalid_numbers_are_ignored() -> None:
    """Python refuses to parse numbers of more than a few thousand digits."""
    long = b"9" * 10_000
    replies = (
        *READY,
        b"* OK [UIDVALIDITY " + long + b"]\r\n* OK [UIDVALIDITY 7]\r\nd4 OK\r\n",
        b"* SEARCH " + long + b" 1 -2 3x\r\nd5 OK\r\n",
        b"* 1 FETCH (UID " + long + b")\r\n* 1 FETCH (UID 1 RFC822.SIZE " + long + b")\r\nd6 OK\r\n",
    )
    settings = {"host": "127.0.0.1", "security": "none", "user": "me", "password": PASSWORD}
    with serve_conversation(scripted_replies(*replies)) as port:
        [mail] = tool_of(imap, "search").run(call({**settings, "port": port}))
    assert (mail["uid"], mail["uidvalidity"], mail["size"]) == (1, 7, 0)


@pytest.mark.parametrize("flags", [b"NIL", b'"x"', b"x", b"(NIL)", b"((\\Seen))", b"()"])
def test_invalid_flags_are_ignored(flags: bytes) -> None:
    settings = {"host": "127.0.0.1", "security": "none", "user": "me", "password": PASSWORD}
    with serve_conversation(scripted_replies(*FOUND, b"* 1 FETCH (UID 1 FLAGS " + flags + b")\r\nd6 OK\r\n")) as port:
        [mail] = tool_of(imap, "search").run(call({**settings, "port": port}))
    with serve_conversation(scripted_replies(*READY, b"* LIST " + flags + b' "/" INBOX\r\nd4 OK\r\n')) as port:
        [folder] = tool_of(imap, "folders").run(call({**settings, "port": port}))
    assert mail["flags"] == [] and folder == {"name": "INBOX", "marks": []}


@pytest.mark.parametrize("name", ["move", "flag"])
@pytest.mark.parametrize("last", [b"", b"* BYE\r\n", b"+ go on\r\n", b"* OK {999999999999}\r\n", b"* OK {3}\r\n"])
def test_an_action_with_an_invalid_response_is_unsure(name: str, last: bytes) -> None:
    def converse(one: socket.socket) -> None:
        with one.makefile("rb") as lines:
            one.sendall(OPEN[0])
            for reply in (*OPEN[1:], b"* 1 FETCH (UID 1 FLAGS ())\r\nd5 OK\r\n", last):
                one.sendall(with_tag(reply, lines.readline()))

    more = {"to": "Archive"} if name == "move" else {"add": ["seen"]}
    with serve_conversation(converse) as port:
        assert ask_imap(port, name, uid=1, **more).kind is FailureClass.UNSURE


def test_data_injected_before_encryption_is_refused() -> None:
    """A man in the middle appends responses to the one that starts encryption."""
    for ask, replies in (
        (ask_imap, (READY[0], b"* CAPABILITY IMAP4rev1 STARTTLS\r\nd1 OK\r\n", b"d2 OK\r\nd3 OK injected\r\n")),
        (ask_smtp, (b"220 hi\r\n", b"250-hi\r\n250 STARTTLS\r\n", b"220 go\r\n250 injected\r\n")),
    ):
        with serve_conversation(scripted_replies(*replies)) as port:
            failure = _with_starttls(ask, port)
        assert failure.kind is FailureClass.TRANSIENT and "sent unencrypted data" in failure.sentence


def _with_starttls(ask: Callable[..., Failure], port: int) -> Failure:
    if ask is ask_smtp:
        return ask_smtp(port, security="starttls")
    settings = {"host": "127.0.0.1", "port": port, "security": "starttls", "user": "me", "password": PASSWORD}
    with pytest.raises(ToolFailedError) as failed:
        tool_of(imap, "search").run(call(settings))
    return failed.value.failure


@pytest.mark.parametrize(
    "greeting", [b"554 go away\r\n", b"421 later\r\n", b"hello\r\n", b"220\r\n500 what\r\n500 no\r\n"]
)
def test_a_server_that_refuses_the_connection_sent_nothing(greeting: bytes) -> None:
    with serve_conversation(scripted_replies(greeting)) as port:
        assert ask_smtp(port, seconds=5).kind in (FailureClass.LOGIC, FailureClass.TRANSIENT)
