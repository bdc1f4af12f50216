"""The loopback listener accepts only the right request, and no client can block it."""

import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from urllib.parse import urlsplit

import pytest

from scheduler.connections.oauth.errors import SignInCancelledError, SignInTimeoutError
from scheduler.connections.oauth.loopback import BrowserCallback, LoopbackListener

GOOD = "?state=right&code=c%2F1"


@contextmanager
def waiting(
    *, seconds: float = 60, stop: threading.Event | None = None
) -> Iterator[tuple[str, "Future[BrowserCallback]"]]:
    """A listener that waits on another thread and answers the callback."""

    def wait(door: LoopbackListener) -> BrowserCallback:
        arrival = door.wait_for_callback("right", seconds, stop)
        arrival.show_page("Connected <b>", "You & I.")
        return arrival

    with LoopbackListener() as door, ThreadPoolExecutor(1) as pool:
        yield door.address, pool.submit(wait, door)


def visit(url: str) -> tuple[int, str, dict[str, str]]:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status, answer.read().decode(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(), dict(error.headers)


def say(address: str, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", urlsplit(address).port or 0), 60) as visitor:
        visitor.sendall(request)
        answer = bytearray()
        while data := visitor.recv(65536):
            answer += data
    return bytes(answer)


def test_the_right_request_gets_the_final_page() -> None:
    with waiting() as (address, coming):
        status, page, headers = visit(address + GOOD)
        assert coming.result(60).parameters == {"state": "right", "code": "c/1"}
    assert status == 200
    assert "Connected &lt;b&gt;" in page and "You &amp; I." in page and "<script" not in page
    assert headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "color-scheme" in page


def test_the_address_is_on_loopback_and_new_each_time() -> None:
    with LoopbackListener() as one, LoopbackListener() as other:
        assert one.address.startswith("http://127.0.0.1:")
        assert one.address != other.address


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?code=c",
        "?state=wrong&code=stolen",
        "?state=&code=c",
        "?state=righ&code=c",
        "?state=right&state=wrong&code=c",
        "?state=right&code=one&code=two",
        "?state=right",
        "?state=right&code=c&error=access_denied",
        "?state=%ff&code=c",
    ],
)
def test_a_request_with_the_wrong_state_is_refused(query: str) -> None:
    with waiting() as (address, coming):
        status, page, _ = visit(address + query)
        assert status == 400 and "connect again in Dayhand" in page
        assert not coming.done()
        assert visit(address + GOOD)[0] == 200
        assert coming.result(60).parameters["code"] == "c/1"


def test_a_denied_sign_in_is_a_callback_too() -> None:
    with waiting() as (address, coming):
        visit(address + "?state=right&error=access_denied")
        assert coming.result(60).parameters["error"] == "access_denied"


def test_requests_for_other_paths_are_refused() -> None:
    with waiting() as (address, coming):
        base = address.rpartition("/")[0]
        assert visit(f"{base}/favicon.ico")[0] == 404
        assert visit(f"{base}/{GOOD}")[0] == 404
        assert not coming.done()
        visit(address + GOOD)
        coming.result(60)


@pytest.mark.parametrize(
    "request_line",
    [
        b"POST /signed-in?state=right&code=c HTTP/1.1",
        b"GET http://127.0.0.1/signed-in?state=right&code=c HTTP/1.1",
        b"GET //[ HTTP/1.1",
        b"GET /signed-in?state=right&code=c",
        b"\xff\x00\x01",
        b"",
    ],
)
def test_malformed_requests_are_refused(request_line: bytes) -> None:
    with waiting() as (address, coming):
        host = f"Host: 127.0.0.1:{urlsplit(address).port}\r\n\r\n".encode()
        assert say(address, request_line + b"\r\n" + host)[9:10] == b"4"
        assert not coming.done()
        visit(address + GOOD)
        coming.result(60)


@pytest.mark.parametrize("host", [b"", b"Host: evil.example\r\n", b"Host: 127.0.0.1\r\n", b"Host: %b\r\nHost: %b\r\n"])
def test_another_host_name_is_refused(host: bytes) -> None:
    """DNS rebinding: a remote page may point its host name here."""
    with waiting() as (address, coming):
        named = host.replace(b"%b", f"127.0.0.1:{urlsplit(address).port}".encode())
        assert say(address, b"GET /signed-in?state=right&code=c HTTP/1.1\r\n" + named + b"\r\n").startswith(
            b"HTTP/1.1 400"
        )
        visit(address + GOOD)
        assert coming.result(60).parameters["code"] == "c/1"


def test_the_size_of_a_request_is_limited() -> None:
    with waiting() as (address, coming):
        with suppress(ConnectionError):  # the listener may close before everything was sent
            assert say(address, b"GET /signed-in HTTP/1.1\r\nX: " + b"a" * 200_000).startswith(b"HTTP/1.1 431")
        assert not coming.done()
        visit(address + GOOD)
        coming.result(60)


def test_silent_clients_block_nobody() -> None:
    """Browsers open spare connections; others may open hundreds."""
    with ExitStack() as idle, waiting() as (address, coming):
        port = urlsplit(address).port or 0
        first, *_ = [idle.enter_context(socket.create_connection(("127.0.0.1", port), 60)) for _ in range(50)]
        with suppress(ConnectionError):
            assert first.recv(1) == b"", "who came first and said nothing makes room"
        assert visit(address + GOOD)[0] == 200
        coming.result(60)


def test_the_right_request_gets_through_a_crowd() -> None:
    with ExitStack() as crowd, waiting() as (address, coming):
        port = urlsplit(address).port or 0
        for _ in range(100):
            with suppress(ConnectionError):
                crowd.enter_context(socket.create_connection(("127.0.0.1", port), 60)).sendall(b"GET / HT")
        assert visit(address + GOOD)[0] == 200
        assert coming.result(60).parameters["code"] == "c/1"


def test_a_slow_request_does_not_block_a_faster_one() -> None:
    with waiting() as (address, coming):
        port = urlsplit(address).port or 0
        with socket.create_connection(("127.0.0.1", port), 60) as slow:
            slow.sendall(b"GET /signed-in?state=right&code=slow HTTP/1.1\r\n")
            visit(address + "?state=wrong")
            slow.sendall(f"Host: 127.0.0.1:{port}\r\n\r\n".encode())
            assert slow.recv(12) == b"HTTP/1.1 200"
            assert coming.result(60).parameters["code"] == "slow"


def test_waiting_times_out() -> None:
    with waiting(seconds=0.05) as (_, coming), pytest.raises(SignInTimeoutError, match="You did not sign in"):
        coming.result(60)


def test_the_user_can_cancel() -> None:
    stop = threading.Event()
    with waiting(stop=stop) as (_, coming):
        stop.set()
        with pytest.raises(SignInCancelledError):
            coming.result(60)


def test_the_listener_is_closed_afterwards() -> None:
    with waiting() as (address, coming):
        visit(address + GOOD)
        coming.result(60)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", urlsplit(address).port or 0), 60)
