"""Hostile and broken servers: every request ends, in a class and in a sentence that names the host."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from scheduler.connections import dialling, limited_socket, transfer_limits
from scheduler.connections.web import request
from scheduler.rules.failures import FailureClass
from tests.connections import trouble
from tests.connections.trouble import both, failure, get, post
from tests.connections.web_servers import Reply, hear, hear_all, web, wild

no_proxy = trouble.no_proxy
TRICKLES = 600
"""Pieces, a second between each: a server that is given all the time it wants does answer in the end."""


class Clock:
    """The clock of deadlines, which servers move."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(dialling, "monotonic", clock)
    monkeypatch.setattr(transfer_limits, "monotonic", clock)
    return clock


SLOW_STATUS = (b"", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 204 No Content\r\n\r\n")
SLOW_HEADERS = (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x", b"\r\nContent-Length: 0\r\n\r\n")
SLOW_BODY = (b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % TRICKLES, b"x", b"")


@pytest.mark.parametrize("parts", [SLOW_STATUS, SLOW_HEADERS, SLOW_BODY])
def test_however_little_arrives_at_a_time_the_deadline_holds(parts: tuple[bytes, bytes, bytes], clock: Clock) -> None:
    def behave(connection: socket.socket, _: threading.Event) -> None:
        hear(connection)
        begin, piece, end = parts
        connection.sendall(begin)
        for _ in range(TRICKLES):
            clock.now += 1
            connection.sendall(piece)
        connection.sendall(end)

    with wild(behave) as server:
        read = failure(lambda: get(server.url))
    with wild(behave) as server:  # a server for each, so that none moves the clock of another
        acted = failure(lambda: post(server.url))
    with wild(behave) as server:
        assert get(server.url, seconds=2 * TRICKLES).status in (200, 204)
    assert (read.kind, read.counts) == (FailureClass.TRANSIENT, True)
    assert read.sentence == "127.0.0.1 gave no whole answer within 30 seconds."
    assert acted.kind is FailureClass.UNSURE
    assert acted.sentence.endswith("look whether it did.")


def test_a_server_that_says_nothing_or_takes_no_body_is_left_at_the_deadline() -> None:
    with wild(lambda _, over: over.wait(60) and None) as server:
        for body in (b"x", b"x" * 50_000_000):
            told = failure(lambda body=body: request("PUT", server.url, body=body, seconds=3, acts=True))  # type: ignore[misc]
            assert told.kind is FailureClass.UNSURE
            assert told.sentence.startswith("127.0.0.1 gave no whole answer within 3 seconds.")


def test_an_endless_body_is_not_taken() -> None:
    def endless(connection: socket.socket, over: threading.Event) -> None:
        hear(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not over.is_set():
            connection.sendall(b"x" * 65536)

    with wild(endless) as server:
        read, acted = both(server.url, most=1_000_000)
    assert (read.kind, acted.kind) == (FailureClass.LOGIC, FailureClass.UNSURE)
    assert read.sentence == "127.0.0.1 answered with more than 1 MB, the most that is taken."


def endless_line(connection: socket.socket, over: threading.Event) -> None:
    hear(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while not over.is_set():
        connection.sendall(b"x" * 65536)


def endless_lines(connection: socket.socket, over: threading.Event) -> None:
    hear(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while not over.is_set():
        connection.sendall(b"X-More: %s\r\n" % (b"x" * 60_000))


def endless_continues(connection: socket.socket, over: threading.Event) -> None:
    hear(connection)
    while not over.is_set():
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)


def many_lines(connection: socket.socket, _: threading.Event) -> None:
    hear(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n" + b"X-More: x\r\n" * 1000 + b"\r\n")


@pytest.mark.parametrize("behave", [endless_line, endless_lines, endless_continues, many_lines])
def test_headers_without_end_are_not_read(behave: Callable[[socket.socket, threading.Event], None]) -> None:
    with wild(behave) as server:
        read, acted = both(server.url)
    assert (read.kind, read.sentence) == (FailureClass.LOGIC, "127.0.0.1 sent more headers than are read.")
    assert acted.kind is FailureClass.UNSURE


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"hello\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    ],
)
def test_an_answer_that_breaks_off_is_no_answer(said: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def hang_up(connection: socket.socket, _: threading.Event) -> None:
        hear(connection)
        connection.sendall(said)

    with wild(hang_up) as server:
        read, acted = both(server.url)
        download = failure(lambda: get(server.url, target=tmp_path / "file"))
    assert (read.kind, download.kind, acted.kind) == (
        FailureClass.TRANSIENT,
        FailureClass.TRANSIENT,
        FailureClass.UNSURE,
    )
    assert read.sentence == "The connection to 127.0.0.1 broke before its answer was there."
    assert list(tmp_path.iterdir()) == []
    assert caplog.records == [], "an address may hold a secret"


def test_an_answer_of_a_kind_that_nobody_asked_for_is_none() -> None:
    def switch(connection: socket.socket, _: threading.Event) -> None:
        hear(connection)
        connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")

    with wild(switch) as server:
        read, acted = both(server.url)
    assert (read.kind, acted.kind) == (FailureClass.LOGIC, FailureClass.UNSURE)


ANNOUNCED = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n", b"HTTP/1.0 102 Processing\r\n\r\n"
FINAL = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}"


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("before", [*ANNOUNCED, b"".join(ANNOUNCED) * 20, b"HTTP/1.1 100 Continue\r\n\r\n", b""])
def test_what_only_announces_an_answer_is_read_past(before: bytes, size: int) -> None:
    """Whatever the pieces in which it arrives, and up to a number of them."""

    def announce(connection: socket.socket, _: threading.Event) -> None:
        hear_all(connection)
        said = before + FINAL
        for start in range(0, len(said), size):
            connection.sendall(said[start : start + size])

    with wild(announce) as server:
        assert (get(server.url).status, post(server.url).body) == (201, b"{}")


def test_an_announcement_without_an_answer_is_none() -> None:
    def announce(connection: socket.socket, _: threading.Event) -> None:
        hear_all(connection)
        connection.sendall(ANNOUNCED[0])

    with wild(announce) as server:
        read, acted = both(server.url)
    assert (read.kind, acted.kind) == (FailureClass.TRANSIENT, FailureClass.UNSURE)


class Slow(Clock):
    """Each look at it takes a twentieth of a second, so what needs many takes long."""

    def __call__(self) -> float:
        self.now += 0.05
        return self.now


def test_as_long_as_bytes_move_a_transfer_may_take_longer_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, body = Slow(), b"x" * 20_000_000
    monkeypatch.setattr(dialling, "monotonic", clock)
    monkeypatch.setattr(transfer_limits, "monotonic", clock)
    with web(lambda _: Reply(body=body)) as server:
        assert len(get(server.url, most=len(body), seconds=10).body) == len(body)
        received, clock.now = clock.now, 0
        assert post(server.url, body=body, most=len(body), seconds=10).status == 200
        assert server.asked[-1].body == body
    assert min(received, clock.now) > 20


def test_what_is_sent_does_not_wait_in_a_buffer_for_longer_than_the_limit() -> None:
    """Else the time that a slow line needs for it would count as time without progress."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as inner:
        limited_socket.LimitedSocket(inner, transfer_limits.TransferLimit(30, 1))
        waiting = inner.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
    assert waiting <= 30 * transfer_limits.MIN_BYTES_PER_S


def test_slower_than_the_slowest_rate_is_given_up_on(clock: Clock) -> None:
    """A byte every second is progress, and would hold a thread for weeks."""

    def trickle(connection: socket.socket, over: threading.Event) -> None:
        hear(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        while not over.is_set():
            clock.now += 1
            connection.sendall(b"x")

    with wild(trickle) as server:
        told = failure(lambda: get(server.url))
    assert told.kind is FailureClass.TRANSIENT


def endless_trailers(connection: socket.socket, over: threading.Event) -> None:
    hear_all(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
    while not over.is_set():
        connection.sendall(b"X: x\r\n" * 1000)


def endless_extensions(connection: socket.socket, over: threading.Event) -> None:
    hear_all(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not over.is_set():
        connection.sendall((b"1;a=" + b"x" * 60_000 + b"\r\nx\r\n") * 10)


@pytest.mark.parametrize("behave", [endless_trailers, endless_extensions])
def test_however_much_moves_beside_the_body_it_ends(
    behave: Callable[[socket.socket, threading.Event], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At full speed, and with hardly a byte of the body that could become too much."""
    clock = Slow()
    monkeypatch.setattr(dialling, "monotonic", clock)
    monkeypatch.setattr(transfer_limits, "monotonic", clock)
    with wild(behave) as server:
        read, acted = both(server.url, most=100_000)
    assert (read.kind, acted.kind) == (FailureClass.TRANSIENT, FailureClass.UNSURE)


def test_a_server_may_answer_before_it_has_heard_all() -> None:
    """It hangs up in the middle of a large body, and its refusal says that nothing was done."""

    def impatient(connection: socket.socket, _: threading.Event) -> None:
        hear(connection)
        connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass

    with wild(impatient) as server:
        assert request("POST", server.url, body=b"x" * 5_000_000, seconds=60, acts=True).status == 413
