"""How long a mail may take: as long as it gets on, and not as long as a server likes."""

import base64
import socket
from collections.abc import Callable
from typing import Any

import pytest

from scheduler.connections import dialling, transfer_limits
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.mail.imap import imap
from scheduler.connections.connectors.mail.smtp import smtp
from scheduler.connections.connectors.mail.wire import Server, Wire
from scheduler.connections.transfer_limits import MIN_BYTES_PER_S, TransferLimit
from scheduler.rules.failures import FailureClass
from tests.connections.calls import call, tool_of
from tests.connections.hostile_mail import answering, saying, with_tag
from tests.connections.mail_script import Play, SmtpScript

MEGABYTE = 1024 * 1024
PASSWORD = "hunter2"
OPEN = (
    b"* OK hello\r\n",
    b"* CAPABILITY IMAP4rev1\r\nd1 OK\r\n",
    b"d2 OK\r\n",
    b"* CAPABILITY IMAP4rev1\r\nd3 OK\r\n",
    b"* OK [UIDVALIDITY 7]\r\nd4 OK\r\n",
    b"* 1 FETCH (UID 1 RFC822.SIZE 1)\r\nd5 OK\r\n",
)


class Clock:
    """The clock of deadlines."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (dialling, transfer_limits):
        monkeypatch.setattr(module, "monotonic", clock)
    return clock


@pytest.fixture
def line(clock: Clock, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Clock:
    """A stand-in for a line with so many bytes a second: the clock goes on with each byte that is moved."""
    note_progress = TransferLimit.note_progress

    def move(limit: TransferLimit, count: int) -> None:
        clock.now += count / request.param
        note_progress(limit, count)

    monkeypatch.setattr(TransferLimit, "note_progress", move)
    return clock


def send(port: int, size: int) -> Any:
    settings = {"host": "127.0.0.1", "port": port, "security": "none", "from": "me@example.org"}
    attached = [{"name": "a", "base64": base64.b64encode(bytes(size)).decode()}]
    return tool_of(smtp, "send").run(call(settings, key="k", to="a@example.org", text="x", attachments=attached))


slow = pytest.mark.parametrize("line", [200_000, 20_000], indirect=True)
crawling = pytest.mark.parametrize("line", [MIN_BYTES_PER_S / 2], indirect=True)
TOO_SLOW = "The connection to 127.0.0.1 is too slow: less than 16 KB a second."


@slow
def test_a_large_mail_gets_its_time(line: Clock) -> None:
    with saying(SmtpScript("nowhere", Play())) as port:
        assert send(port, 6 * MEGABYTE)["recipients"] == ["a@example.org"]
    assert line.now > 30


@crawling
def test_a_mail_that_crawls_is_given_up_and_was_not_sent(line: Clock) -> None:
    script = SmtpScript("nowhere", Play())
    with saying(script) as port, pytest.raises(ToolFailedError) as failed:
        send(port, 6 * MEGABYTE)
    assert (failed.value.failure.kind, failed.value.failure.sentence) == (FailureClass.TRANSIENT, TOO_SLOW)
    assert not script.ended
    assert line.now < 100, "it is noticed early"


def fetch(conversation: Callable[[socket.socket], None]) -> Any:
    with saying(conversation) as port:
        settings = {"host": "127.0.0.1", "port": port, "security": "none", "user": "me", "password": PASSWORD}
        return tool_of(imap, "fetch").run(call(settings, uid=1))


def holding(size: int) -> Callable[[Any], None]:
    """A server with one mail of that size."""

    def converse(one: socket.socket) -> None:
        one.sendall(OPEN[0])
        with one.makefile("rb") as lines:
            for reply in OPEN[1:]:
                one.sendall(with_tag(reply, lines.readline()))
            last = lines.readline()
            one.sendall(b"* 1 FETCH (UID 1 BODY[] {%d}\r\n" % size)
            one.sendall(b"x" * size)
            one.sendall(with_tag(b")\r\nd6 OK\r\n", last))

    return converse


@slow
def test_reading_a_large_mail_gets_its_time(line: Clock) -> None:
    assert fetch(holding(6 * MEGABYTE))["uid"] == 1
    assert line.now > 30


@crawling
def test_reading_a_mail_that_crawls_is_given_up(line: Clock) -> None:
    with pytest.raises(ToolFailedError) as failed:
        fetch(holding(6 * MEGABYTE))
    assert (failed.value.failure.kind, failed.value.failure.sentence) == (FailureClass.TRANSIENT, TOO_SLOW)
    assert line.now < 100, "it is noticed early"


@pytest.mark.parametrize("line", [1 / 29], indirect=True)
def test_a_server_that_sends_a_byte_now_and_then_is_left(line: Clock) -> None:
    """Every 29 seconds, so no single wait is too long."""
    with pytest.raises(ToolFailedError) as failed:
        fetch(holding(1000))
    assert failed.value.failure.kind is FailureClass.TRANSIENT
    assert failed.value.failure.sentence == "127.0.0.1 did not answer within 30 seconds."


def test_the_system_holds_back_little_of_what_is_sent() -> None:
    """Else a mail on a slow line would be on its way for longer than its answer is waited for."""
    with saying(answering(b"")) as port:
        wire = Wire(Server(host="127.0.0.1", port=port, security="none"), 30)
        held = wire._socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        wire.close()
    assert held / MIN_BYTES_PER_S <= 16, "seconds, at the slowest"
