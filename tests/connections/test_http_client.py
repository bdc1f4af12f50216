"""HTTP requests: limits, headers, bodies and failures."""

import gzip
import json
import socket
import threading
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.http_client import Answer, check, request
from scheduler.rules.failures import Failure, FailureClass
from tests.connections.tool_calls import NOW
from tests.connections.web_servers import Reply, http_server, read_request, socket_server

SECRET = "hunter2"


def failure(ask: Callable[[], Any]) -> Failure:
    with pytest.raises(ToolFailedError) as caught:
        ask()
    assert SECRET not in caught.value.failure.sentence
    return caught.value.failure


def get(url: str, **more: Any) -> Answer:
    return request("GET", url, **{"seconds": 30, **more})


def test_an_answer_has_its_body_and_headers() -> None:
    with http_server(lambda _: Reply(body=b'{"a": 1}', headers={"X-Kind": "json"})) as server:
        answer = get(f"{server.url}/a?b=c#part", headers={"X-Mine": "yes"})
        assert (answer.status, answer.json(), answer.headers["x-kind"]) == (200, {"a": 1}, "json")
        assert (answer.host, answer.acts) == ("127.0.0.1", False)
        [received] = server.requests
        assert (received.method, received.path, received.headers["X-Mine"]) == ("GET", "/a?b=c", "yes")


def test_a_body_is_sent() -> None:
    with http_server(lambda received: Reply(201, received.body)) as server:
        answer = request("POST", server.url, body=b"\0" * 300_000, seconds=30, acts=True)
        assert (answer.status, answer.body, answer.acts) == (201, b"\0" * 300_000, True)


def test_only_the_beginning_of_an_error_body_is_read() -> None:
    with http_server(lambda _: Reply(404, b"x" * 1_000_000)) as server:
        answer = get(server.url, max_bytes=10)
        assert (answer.status, len(answer.body)) == (404, 64 * 1024)


def test_compressed_bodies_are_unpacked_up_to_the_limit() -> None:
    packed = gzip.compress(b"a" * 1000)
    with http_server(lambda _: Reply(body=packed, headers={"Content-Encoding": "gzip"})) as server:
        assert get(server.url, max_bytes=1000).body == b"a" * 1000
        error = failure(lambda: get(server.url, max_bytes=999))
        assert error.kind is FailureClass.LOGIC
        assert error.sentence == "127.0.0.1 answered with more than 999 bytes, which is the limit."


def test_a_decompression_bomb_is_not_unpacked() -> None:
    """A few kilobytes that decompress to 200 MB use little memory."""
    bomb = gzip.compress(b"\0" * 200_000_000, 1)
    with http_server(lambda _: Reply(body=bomb, headers={"Content-Encoding": "gzip"})) as server:
        tracemalloc.start()
        try:
            error = failure(lambda: get(server.url))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert (error.kind, "10 MB" in error.sentence) == (FailureClass.LOGIC, True)
    assert peak < 60_000_000


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "compress"])
def test_an_unsupported_encoding_is_refused(encoding: str) -> None:
    with http_server(lambda _: Reply(body=b"?", headers={"Content-Encoding": encoding})) as server:
        assert encoding in failure(lambda: get(server.url)).sentence


def test_a_download_replaces_its_target_atomically(tmp_path: Path) -> None:
    target = tmp_path / "report.pdf"
    target.write_bytes(b"old")
    with http_server(lambda _: Reply(body=b"new" * 100_000)) as server:
        answer = get(server.url, target=target)
    assert (answer.body, target.read_bytes()) == (b"", b"new" * 100_000)
    assert [place.name for place in tmp_path.iterdir()] == ["report.pdf"]


@pytest.mark.parametrize("status", [200, 500])
def test_a_download_that_fails_leaves_the_old_file(tmp_path: Path, status: int) -> None:
    target = tmp_path / "report.pdf"
    target.write_bytes(b"old")
    with http_server(lambda _: Reply(status, b"x" * 1000)) as server:
        if status == 200:
            assert failure(lambda: get(server.url, target=target, max_bytes=999)).kind is FailureClass.LOGIC
        else:
            assert get(server.url, target=target).body == b"x" * 1000
    assert (target.read_bytes(), len(list(tmp_path.iterdir()))) == (b"old", 1)


def test_a_download_to_a_missing_folder_fails(tmp_path: Path) -> None:
    with http_server(lambda _: Reply(body=b"x")) as server:
        error = failure(lambda: get(server.url, target=tmp_path / "gone" / "report.pdf"))
    assert (error.kind, error.sentence) == (FailureClass.LOGIC, "report.pdf does not exist.")


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "ftp://a/b", "example.org", "", "http://", "http://[::1", "http://a:99999/", "http://a b/"],
)
def test_invalid_addresses_are_refused(address: str) -> None:
    assert failure(lambda: get(address)).kind is FailureClass.LOGIC


def test_requests_use_the_host_name_that_browsers_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """IDNA 2003 would make straße.example strasse.example, another server."""
    with http_server(lambda _: Reply(body=b"here")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        for address in ("http://straße.example/a", "http://Straße.example:80/a", "http://xn--strae-oqa.example/a"):
            assert get(address).host == "xn--strae-oqa.example"
        assert {received.headers["Host"].partition(":")[0] for received in proxy.requests} == {"xn--strae-oqa.example"}


@pytest.mark.parametrize("host", ["127.1", "0x7f000001", "2130706433", "ex℀mple.org", "a\u200bb.org", "i❤.example"])
def test_an_ambiguous_host_name_is_refused(host: str) -> None:
    for address in (f"http://{host}/", f"http://user@{host}:80/"):
        assert failure(lambda address=address: get(address)).kind is FailureClass.LOGIC  # type: ignore[misc]


def test_a_password_in_an_address_is_refused() -> None:
    assert (
        "must not contain a user name or password" in failure(lambda: get(f"https://me:{SECRET}@example.org/")).sentence
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Key", f"{SECRET}\r\nX-More: 1"),
        ("X-Key", f"{SECRET}\u20ac"),
        ("X Key", "a"),
        ("X-Key:", "a"),
        ("Host", "example.org"),
        ("content-length", "3"),
        ("Transfer-Encoding", "chunked"),
    ],
)
def test_headers_cannot_be_injected(name: str, value: str) -> None:
    with http_server(lambda _: Reply()) as server:
        assert failure(lambda: get(server.url, headers={name: value})).kind is FailureClass.LOGIC
        assert server.requests == []


@pytest.mark.parametrize("body", [b"<html>", b"", b"\xff", b"[1", b"1e"])
def test_invalid_json_is_reported(body: bytes) -> None:
    answer = Answer(status=200, headers={}, body=body, url="https://example.org/a")
    error = failure(answer.json)
    assert (error.kind, error.sentence) == (
        FailureClass.LOGIC,
        "example.org answered with something that is not JSON.",
    )
    acted = Answer(status=200, headers={}, body=body, url="https://example.org/a", acts=True)
    assert failure(acted.json).kind is FailureClass.UNSURE


DEEP = b"[" * 700 + b"]" * 700


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"[NaN]", "contains a number that is not finite"),
        (b'{"a": -Infinity}', "contains a number that is not finite"),
        (b'{"a": 1e400}', "contains a number that is not finite"),
        (DEEP, "is nested deeper than 100 levels"),
        (b"[" * 100_000, "is nested deeper than 100 levels"),
    ],
)
def test_json_that_cannot_be_stored_is_a_failure_that_names_the_server(body: bytes, reason: str) -> None:
    answer = Answer(status=200, headers={}, body=body, url="https://example.org/a")
    error = failure(answer.json)
    assert (error.kind, error.sentence) == (
        FailureClass.LOGIC,
        f"example.org answered with JSON that cannot be used because it {reason}.",
    )


def test_the_answer_of_an_action_is_used_without_unstorable_values() -> None:
    body = b'{"ok": true, "much": 1e400, "deep": %b, "list": [NaN, 1]}' % DEEP
    error = Answer(status=200, headers={}, body=body, url="https://example.org/a", acts=True).json_object()
    assert (error.get("ok"), error.get("much"), error.get("list")) == (True, None, [None, 1])
    json.dumps(error.get("deep"), allow_nan=False)


READS = {401: "auth", 403: "permission", 404: "logic", 422: "logic", 302: "logic"} | dict.fromkeys(
    (408, 425, 429, 500, 503, 599), "transient"
)
ACTS = (
    READS | {307: "logic", 308: "logic"} | {408: "unsure", 500: "unsure", 503: "unsure", 599: "unsure", 302: "unsure"}
)


@pytest.mark.parametrize(("acts", "expected"), [(False, READS), (True, ACTS)])
def test_a_status_becomes_a_failure_class(acts: bool, expected: dict[int, str]) -> None:  # noqa: FBT001  a case
    for status, kind in expected.items():
        answer = Answer(status=status, headers={}, body=b"", url="https://example.org/", acts=acts)
        error = failure(lambda answer=answer: check(answer, NOW, "no luck"))  # type: ignore[misc]
        assert error.kind == kind, status
        assert "example.org" in error.sentence
        assert status < 400 or f"({status}" in error.sentence
        assert status < 400 or ": no luck)" in error.sentence


def test_a_success_that_broke_off_is_a_failure() -> None:
    def break_off(connection: socket.socket, _: threading.Event) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\nabc")

    with socket_server(break_off) as server:
        answer = request("POST", server.url, body=b"mine", seconds=30, acts=True)
    assert answer.status == 201
    for read in (lambda: check(answer, NOW), answer.json, answer.json_object):
        assert failure(read).kind is FailureClass.UNSURE


def test_a_success_passes() -> None:
    answer = Answer(status=204, headers={}, body=b"", url="https://example.org/", acts=True)
    assert check(answer, NOW) is answer


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "120"}, 120),
        ({"Retry-After": "99999999999999999999"}, 86400),
        ({"Retry-After": "Mon, 04 May 2026 09:05:00 GMT"}, 300),
        ({"Retry-After": "Mon, 04 May 2026 09:05:00 GMT", "Date": "Mon, 04 May 2026 09:04:00 GMT"}, 60),
        ({"Retry-After": "Mon, 04 May 2020 09:05:00 GMT"}, 0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-5"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_parsed(headers: dict[str, str], seconds: int | None) -> None:
    with http_server(lambda _: Reply(429, headers=headers)) as server:
        answer = get(server.url)
    dated = {name: value for name, value in answer.headers.items() if name != "Date" or "Date" in headers}
    plain = Answer(status=429, headers=dated, body=b"", url=server.url)
    error = failure(lambda: check(plain, datetime(2026, 5, 4, 9, 0, tzinfo=UTC)))
    assert error.kind is FailureClass.TRANSIENT
    assert error.retry_after == (None if seconds is None else timedelta(seconds=seconds))


def test_json_is_read_unchanged() -> None:
    value = {"text": "größer", "list": [1, 2.5, None, True]}
    with http_server(lambda _: Reply(body=json.dumps(value).encode())) as server:
        assert get(server.url).json() == value
