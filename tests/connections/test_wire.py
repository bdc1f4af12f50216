"""Hostile and broken servers: every request ends, in a class and in a sentence that names the host."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme

from scheduler.connections import dialling, trust
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.web import Answer, request
from scheduler.rules.failures import Failure, FailureClass
from tests.connections.web_servers import Asked, Reply, Web, hear, web, wild

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
    return clock


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def get(url: str, **more: Any) -> Answer:
    return request("GET", url, **{"seconds": 30, **more})


def failure(ask: Callable[[], Any]) -> Failure:
    with pytest.raises(ToolFailedError) as caught:
        ask()
    return caught.value.failure


def both(url: str, **more: Any) -> tuple[Failure, Failure]:
    """How the same trouble ends for a look and for an action."""
    read = failure(lambda: get(url, **more))
    acted = failure(lambda: request("POST", url, body=b"mine", acts=True, **{"seconds": 30, **more}))
    return read, acted


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
        acted = failure(lambda: request("POST", server.url, body=b"mine", seconds=30, acts=True))
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
    def hint(connection: socket.socket, _: threading.Event) -> None:
        hear(connection)
        connection.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n")

    with wild(hint) as server:
        read, acted = both(server.url)
    assert (read.kind, acted.kind) == (FailureClass.LOGIC, FailureClass.UNSURE)


def test_an_address_that_is_not_there_leaves_time_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the look-up, which names a closed door before the open one."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        gone = closed.getsockname()
    with web(lambda _: Reply(body=b"here")) as server:
        there = ("127.0.0.1", int(server.url.rpartition(":")[2]))
        found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", place) for place in (gone, there)]
        monkeypatch.setattr(dialling, "_resolve", lambda *_: found)
        assert get("http://example.org/").body == b"here"


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


def test_nothing_was_sent_to_a_server_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    read, acted = both(url)
    assert (read.kind, acted.kind) == (FailureClass.TRANSIENT, FailureClass.TRANSIENT)
    assert read.sentence.startswith("127.0.0.1 could not be reached (Connection refused).")


def test_an_unknown_host_is_said() -> None:
    read, acted = both("http://nowhere.invalid/")
    assert (read.kind, acted.kind) == (FailureClass.TRANSIENT, FailureClass.TRANSIENT)
    assert read.sentence.startswith("nowhere.invalid was not found.")


@pytest.mark.parametrize(
    ("code", "counts"), [(socket.EAI_AGAIN, False), (socket.EAI_NONAME, True)], ids=["offline", "unknown"]
)
def test_being_offline_brings_nobody_nearer_to_being_blocked(
    code: int,
    counts: bool,  # noqa: FBT001  a case
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A stand-in for the system's look-up: a real one without a network cannot be had at will."""

    def look_up(*_: Any, **__: Any) -> None:
        raise socket.gaierror(code, "")

    monkeypatch.setattr(dialling.socket, "getaddrinfo", look_up)
    told = failure(lambda: get("http://example.org/"))
    assert (told.kind, told.counts) == (FailureClass.TRANSIENT, counts)


def test_a_look_up_that_hangs_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same stand-in: the system's look-up knows no deadline."""
    over = threading.Event()

    def look_up(*_: Any, **more: Any) -> list[Any]:
        if more.get("flags"):
            raise socket.gaierror(socket.EAI_NONAME, "")
        over.wait(60)
        return []

    monkeypatch.setattr(dialling.socket, "getaddrinfo", look_up)
    told = failure(lambda: get("http://example.org/", seconds=0.3))
    over.set()
    for thread in threading.enumerate():
        if thread.name == "look up":
            thread.join()
    assert (told.kind, told.sentence) == (
        FailureClass.TRANSIENT,
        "example.org could not be reached within 0.3 seconds.",
    )


AUTHORITY = trustme.CA()


def trusting() -> ssl.SSLContext:
    context = ssl.create_default_context()
    AUTHORITY.configure_trust(context)
    return context


@contextmanager
def secured(
    *names: str, until: datetime | None = None, answer: Callable[[Asked], Reply] = lambda _: Reply(body=b"safe")
) -> Iterator[Web]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert(*names, not_after=until).configure_cert(context)
    with web(answer, context) as server:
        yield server


def test_a_good_certificate_is_believed() -> None:
    with secured("127.0.0.1") as server:
        assert get(server.url, context=trusting()).body == b"safe"


def test_what_the_system_believes_is_believed_as_soon_as_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = tmp_path / "authority.pem"
    trustme.CA().cert_pem.write_to_path(authority)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with secured("127.0.0.1") as server:
        assert failure(lambda: get(server.url)).kind is FailureClass.TRANSIENT
        AUTHORITY.cert_pem.write_to_path(authority, append=True)
        assert get(server.url).body == b"safe"


def test_an_app_that_was_built_elsewhere_finds_what_this_system_believes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for a build: its library looks for certificates where this system has none."""
    AUTHORITY.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "gone"))
    monkeypatch.setattr(trust, "_PLACES", (str(tmp_path / "other"), str(tmp_path / "authority.pem")))
    with secured("127.0.0.1") as server:
        assert get(server.url).body == b"safe"


def test_certificates_are_loaded_once() -> None:
    assert trust.trusting() is trust.trusting()


def test_a_bad_certificate_is_not_believed_and_nothing_is_sent() -> None:
    yesterday = datetime.now(UTC) - timedelta(days=1)
    told = {}
    with secured("127.0.0.1") as server:
        told["unknown"] = both(server.url)
        assert server.asked == []
    with secured("127.0.0.1", until=yesterday) as server:
        told["expired"] = both(server.url, context=trusting())
        assert server.asked == []
    with secured("other.example") as server:
        told["mismatch"] = both(server.url, context=trusting())
        assert server.asked == []
    for read, acted in told.values():
        assert (read.kind, acted.kind) == (FailureClass.TRANSIENT, FailureClass.TRANSIENT)
        assert read.sentence.startswith("127.0.0.1 could not prove that it is 127.0.0.1 (")
    assert "certificate has expired" in told["expired"][0].sentence
    assert "IP address mismatch" in told["mismatch"][0].sentence


def test_what_speaks_no_tls_is_said() -> None:
    def plain(connection: socket.socket, _: threading.Event) -> None:
        connection.recv(10)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with wild(plain) as server:
        told = failure(lambda: get(server.url.replace("http", "https"), seconds=30))
    assert (told.kind, told.sentence.startswith("No secure connection to 127.0.0.1")) == (FailureClass.TRANSIENT, True)


def test_a_handshake_that_hangs_ends_at_the_deadline() -> None:
    with wild(lambda _, over: over.wait(60) and None) as server:
        read, acted = both(server.url.replace("http", "https"), seconds=0.3)
    assert (read.kind, acted.kind) == (FailureClass.TRANSIENT, FailureClass.TRANSIENT)


def test_no_login_goes_from_a_secure_connection_to_an_open_one() -> None:
    with (
        web(lambda _: Reply(body=b"open")) as other,
        secured("127.0.0.1", answer=lambda _: Reply(302, headers={"Location": other.url})) as server,
    ):
        told = failure(lambda: get(server.url, context=trusting(), headers={"Authorization": "Bearer hunter2"}))
        assert (told.kind, other.asked) == (FailureClass.LOGIC, [])
        assert get(server.url, context=trusting()).body == b"open"
