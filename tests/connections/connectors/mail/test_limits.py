"""How long a mail may take: as long as there is progress, but not forever."""

import base64
import socket
from collections.abc import Callable
from typing import Any

import pytest

from scheduler.connections import sockets, transfer_limits
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.mail.connection import MailServer, MailSocket
from scheduler.connections.connectors.mail.imap import imap
from scheduler.connections.connectors.mail.smtp import smtp
from scheduler.connections.transfer_limits import MIN_BYTES_PER_S, TransferLimit
from scheduler.rules.failures import FailureClass
from tests.clocks import MonotonicClock
from tests.connections.byte_server import scripted_replies, serve_conversation, with_tag
from tests.connections.scripted_mail_servers import Play, SmtpScript
from tests.connections.tool_calls import call, tool_of

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


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> MonotonicClock:
    clock = MonotonicClock()
    for module in (sockets, transfer_limits):
        monkeypatch.setattr(module, "monotonic", clock)
    return clock


@pytest.fixture
def line(clock: MonotonicClock, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> MonotonicClock:
    """Fake: a line with that many bytes per second; the clock advances with each byte transferred."""
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
too_slow = pytest.mark.parametrize("line", [MIN_BYTES_PER_S / 2], indirect=True)
TOO_SLOW = "The connection to 127.0.0.1 is too slow: less than 16 KB per second."


@slow
def test_sending_a_large_mail_may_take_long(line: MonotonicClock) -> None:
    with serve_conversation(SmtpScript("nowhere", Play())) as port:
        assert send(port, 6 * MEGABYTE)["recipients"] == ["a@example.org"]
    assert line.now > 30


@too_slow
def test_a_mail_that_is_sent_too_slowly_is_aborted_and_not_sent(line: MonotonicClock) -> None:
    script = SmtpScript("nowhere", Play())
    with serve_conversation(script) as port, pytest.raises(ToolFailedError) as failed:
        send(port, 6 * MEGABYTE)
    assert (failed.value.failure.kind, failed.value.failure.sentence) == (FailureClass.TRANSIENT, TOO_SLOW)
    assert not script.ended
    assert line.now < 100, "it is noticed early"


def fetch(conversation: Callable[[socket.socket], None]) -> Any:
    with serve_conversation(conversation) as port:
        settings = {"host": "127.0.0.1", "port": port, "security": "none", "user": "me", "password": PASSWORD}
        return tool_of(imap, "fetch").run(call(settings, uid=1))


def server_with_mail(size: int) -> Callable[[Any], None]:
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
def test_reading_a_large_mail_may_take_long(line: MonotonicClock) -> None:
    assert fetch(server_with_mail(6 * MEGABYTE))["uid"] == 1
    assert line.now > 30


@too_slow
def test_reading_too_slowly_is_aborted(line: MonotonicClock) -> None:
    with pytest.raises(ToolFailedError) as failed:
        fetch(server_with_mail(6 * MEGABYTE))
    assert (failed.value.failure.kind, failed.value.failure.sentence) == (FailureClass.TRANSIENT, TOO_SLOW)
    assert line.now < 100, "it is noticed early"


@pytest.mark.parametrize("line", [1 / 29], indirect=True)
def test_a_server_that_sends_single_bytes_times_out(line: MonotonicClock) -> None:
    """Every 29 seconds, so that no single wait is too long."""
    with pytest.raises(ToolFailedError) as failed:
        fetch(server_with_mail(1000))
    assert failed.value.failure.kind is FailureClass.TRANSIENT
    assert failed.value.failure.sentence == "127.0.0.1 did not answer within 30 seconds."


def test_the_send_buffer_of_the_system_is_small() -> None:
    """Otherwise a mail on a slow line would take longer than the timeout for its reply."""
    with serve_conversation(scripted_replies(b"")) as port:
        wire = MailSocket(MailServer(host="127.0.0.1", port=port, security="none"), 30)
        held = wire._socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
        wire.close()
    assert held / MIN_BYTES_PER_S <= 16, "seconds, at the slowest"
