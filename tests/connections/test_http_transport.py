"""Hostile and broken servers: every request ends with a failure class and a sentence that names the host."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from scheduler.connections import sockets, transfer_limits
from scheduler.connections.http_client import request
from scheduler.rules.failures import FailureClass
from tests.clocks import MonotonicClock
from tests.connections import http_failures
from tests.connections.http_failures import failure, get, post, read_and_action_failures
from tests.connections.web_servers import Reply, http_server, read_headers, read_request, socket_server

no_proxy = http_failures.no_proxy
TRICKLES = 600
"""Pieces, a second apart: without a deadline the server would answer eventually."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> MonotonicClock:
    clock = MonotonicClock()
    monkeypatch.setattr(sockets, "monotonic", clock)
    monkeypatch.setattr(transfer_limits, "monotonic", clock)
    return clock


SLOW_STATUS = (b"", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 204 No Content\r\n\r\n")
SLOW_HEADERS = (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x", b"\r\nContent-Length: 0\r\n\r\n")
SLOW_BODY = (b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % TRICKLES, b"x", b"")


@pytest.mark.parametrize("parts", [SLOW_STATUS, SLOW_HEADERS, SLOW_BODY])
def test_the_deadline_holds_for_slow_trickles(parts: tuple[bytes, bytes, bytes], clock: MonotonicClock) -> None:
    def behave(connection: socket.socket, _: threading.Event) -> None:
        read_headers(connection)
        begin, piece, end = parts
        connection.sendall(begin)
        for _ in range(TRICKLES):
            clock.now += 1
            connection.sendall(piece)
        connection.sendall(end)

    with socket_server(behave) as server:
        read = failure(lambda: get(server.url))
    with socket_server(behave) as server:  # one server each, so that none moves another's clock
        acted = failure(lambda: post(server.url))
    with socket_server(behave) as server:
        assert get(server.url, seconds=2 * TRICKLES).status in (200, 204)
    assert (read.kind, read.counts) == (FailureClass.TRANSIENT, True)
    assert read.sentence == "127.0.0.1 did not answer completely within 30 seconds."
    assert acted.kind is FailureClass.UNSURE
    assert acted.sentence.endswith("check before you try again.")


def test_a_silent_server_times_out() -> None:
    with socket_server(lambda _, over: over.wait(60) and None) as server:
        for body in (b"x", b"x" * 50_000_000):
            error = failure(lambda body=body: request("PUT", server.url, body=body, seconds=3, acts=True))  # type: ignore[misc]
            assert error.kind is FailureClass.UNSURE
            assert error.sentence.startswith("127.0.0.1 did not answer completely within 3 seconds.")


def test_an_endless_body_is_refused() -> None:
    def endless(connection: socket.socket, over: threading.Event) -> None:
        read_headers(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not over.is_set():
            connection.sendall(b"x" * 65536)

    with socket_server(endless) as server:
        read, acted = read_and_action_failures(server.url, max_bytes=1_000_000)
    assert (read.kind, acted.kind) == (FailureClass.LOGIC, FailureClass.UNSURE)
    assert read.sentence == "127.0.0.1 answered with more than 1 MB, which is the limit."


def endless_line(connection: socket.socket, over: threading.Event) -> None:
    read_headers(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while not over.is_set():
        connection.sendall(b"x" * 65536)


def endless_lines(connection: socket.socket, over: threading.Event) -> None:
    read_headers(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while not over.is_set():
        connection.sendall(b"X-More: %s\r\n" % (b"x" * 60_000))


def endless_continues(connection: socket.socket, over: threading.Event) -> None:
    read_headers(connection)
    while not over.is_set():
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)


def many_lines(connection: socket.socket, _: threading.Event) -> None:
    read_headers(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n" + b"X-More: x\r\n" * 1000 + b"\r\n")


@pytest.mark.parametrize("behave", [endless_line, endless_lines, endless_continues, many_lines])
def test_endless_headers_are_refused(behave: Callable[[socket.socket, threading.Event], None]) -> None:
    with socket_server(behave) as server:
        read, acted = read_and_action_failures(server.url)
    assert (read.kind, read.sentence) == (FailureClass.LOGIC, "127.0.0.1 sent too many headers.")
    assert acted.kind is FailureClass.UNSURE


@pytest.mark.parametrize(
    "answer",
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
def test_a_truncated_answer_is_a_failure(answer: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def hang_up(connection: socket.socket, _: threading.Event) -> None:
        read_headers(connection)
        connection.sendall(answer)

    with socket_server(hang_up) as server:
        read, acted = read_and_action_failures(server.url)
        download = failure(lambda: get(server.url, target=tmp_path / "file"))
    assert (read.kind, download.kind, acted.kind) == (
        FailureClass.TRANSIENT,
        FailureClass.TRANSIENT,
        FailureClass.UNSURE,
    )
    assert read.sentence == "The connection to 127.0.0.1 was lost before it answered."
    assert list(tmp_path.iterdir()) == []
    assert caplog.records == [], "an address may hold a secret"


def test_an_unexpected_status_is_a_failure() -> None:
    def switch(connection: socket.socket, _: threading.Event) -> None:
        read_headers(connection)
        connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")

    with socket_server(switch) as server:
        read, acted = read_and_action_failures(server.url)
    assert (read.kind, acted.kind) == (FailureClass.LOGIC, FailureClass.UNSURE)


ANNOUNCED = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n", b"HTTP/1.0 102 Processing\r\n\r\n"
FINAL = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}"


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("before", [*ANNOUNCED, b"".join(ANNOUNCED) * 20, b"HTTP/1.1 100 Continue\r\n\r\n", b""])
def test_informational_answers_are_skipped(before: bytes, size: int) -> None:
    """However it is split, and up to a maximum number."""

    def announce(connection: socket.socket, _: threading.Event) -> None:
        read_request(connection)
        sent = before + FINAL
        for start in range(0, len(sent), size):
            connection.sendall(sent[start : start + size])

    with socket_server(announce) as server:
        assert (get(server.url).status, post(server.url).body) == (201, b"{}")


def test_an_informational_answer_alone_is_a_failure() -> None:
    def announce(connection: socket.socket, _: threading.Event) -> None:
        read_request(connection)
        connection.sendall(ANNOUNCED[0])

    with socket_server(announce) as server:
        read, acted = read_and_action_failures(server.url)
    assert (read.kind, acted.kind) == (FailureClass.TRANSIENT, FailureClass.UNSURE)


class Slow(MonotonicClock):
    """Each reading advances it by a twentieth of a second."""

    def __call__(self) -> float:
        self.now += 0.05
        return self.now


def test_a_transfer_with_progress_may_take_longer_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, body = Slow(), b"x" * 20_000_000
    monkeypatch.setattr(sockets, "monotonic", clock)
    monkeypatch.setattr(transfer_limits, "monotonic", clock)
    with http_server(lambda _: Reply(body=body)) as server:
        assert len(get(server.url, max_bytes=len(body), seconds=10).body) == len(body)
        received, clock.now = clock.now, 0
        assert post(server.url, body=body, max_bytes=len(body), seconds=10).status == 200
        assert server.requests[-1].body == body
    assert min(received, clock.now) > 20


def test_the_send_buffer_drains_within_the_limit() -> None:
    """Otherwise the time to transmit it over a slow line would count as time without progress."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as inner:
        transfer_limits.LimitedSocket(inner, transfer_limits.TransferLimit(30, 1))
        waiting = inner.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
    assert waiting <= 30 * transfer_limits.MIN_BYTES_PER_S


def test_a_transfer_below_the_minimum_rate_times_out(clock: MonotonicClock) -> None:
    """A byte per second is progress, and would block a thread for weeks."""

    def trickle(connection: socket.socket, over: threading.Event) -> None:
        read_headers(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        while not over.is_set():
            clock.now += 1
            connection.sendall(b"x")

    with socket_server(trickle) as server:
        error = failure(lambda: get(server.url))
    assert error.kind is FailureClass.TRANSIENT


def endless_trailers(connection: socket.socket, over: threading.Event) -> None:
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
    while not over.is_set():
        connection.sendall(b"X: x\r\n" * 1000)


def endless_extensions(connection: socket.socket, over: threading.Event) -> None:
    read_request(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not over.is_set():
        connection.sendall((b"1;a=" + b"x" * 60_000 + b"\r\nx\r\n") * 10)


@pytest.mark.parametrize("behave", [endless_trailers, endless_extensions])
def test_endless_data_around_the_body_times_out(
    behave: Callable[[socket.socket, threading.Event], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At full speed, and with hardly any body that could exceed its limit."""
    clock = Slow()
    monkeypatch.setattr(sockets, "monotonic", clock)
    monkeypatch.setattr(transfer_limits, "monotonic", clock)
    with socket_server(behave) as server:
        read, acted = read_and_action_failures(server.url, max_bytes=100_000)
    assert (read.kind, acted.kind) == (FailureClass.TRANSIENT, FailureClass.UNSURE)


def test_a_server_may_answer_before_it_has_read_everything() -> None:
    """It closes in the middle of a large body, and its refusal means that nothing was done."""

    def impatient(connection: socket.socket, _: threading.Event) -> None:
        read_headers(connection)
        connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass

    with socket_server(impatient) as server:
        assert request("POST", server.url, body=b"x" * 5_000_000, seconds=60, acts=True).status == 413
