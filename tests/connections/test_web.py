"""Requests: what is taken, where redirects may lead, and that credentials stay with their host."""

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

from scheduler.connections import dialling
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.web import Answer, check, request
from scheduler.rules.failures import Failure, FailureClass
from tests.connections.calls import NOW
from tests.connections.web_servers import Asked, Reply, hear_all, web, wild

SECRET = "hunter2"
LOGIN = {"Authorization": f"Bearer {SECRET}", "X-Api-Key": SECRET, "Accept": "text/plain"}


def failure(ask: Callable[[], Any]) -> Failure:
    with pytest.raises(ToolFailedError) as caught:
        ask()
    assert SECRET not in caught.value.failure.sentence
    return caught.value.failure


def get(url: str, **more: Any) -> Answer:
    return request("GET", url, **{"seconds": 30, **more})


def test_an_answer_is_taken_whole_with_its_headers() -> None:
    with web(lambda _: Reply(body=b'{"a": 1}', headers={"X-Kind": "json"})) as server:
        answer = get(f"{server.url}/a?b=c#part", headers={"X-Mine": "yes"})
        assert (answer.status, answer.json(), answer.headers["x-kind"]) == (200, {"a": 1}, "json")
        assert (answer.host, answer.acts) == ("127.0.0.1", False)
        [asked] = server.asked
        assert (asked.method, asked.path, asked.headers["X-Mine"]) == ("GET", "/a?b=c", "yes")


def test_a_body_is_sent() -> None:
    with web(lambda asked: Reply(201, asked.body)) as server:
        answer = request("POST", server.url, body=b"\0" * 300_000, seconds=30, acts=True)
        assert (answer.status, answer.body, answer.acts) == (201, b"\0" * 300_000, True)


def test_a_refusal_is_an_answer_too_and_only_its_beginning_is_read() -> None:
    with web(lambda _: Reply(404, b"x" * 1_000_000)) as server:
        answer = get(server.url, most=10)
        assert (answer.status, len(answer.body)) == (404, 64 * 1024)


def test_what_is_compressed_is_unpacked_up_to_the_limit() -> None:
    packed = gzip.compress(b"a" * 1000)
    with web(lambda _: Reply(body=packed, headers={"Content-Encoding": "gzip"})) as server:
        assert get(server.url, most=1000).body == b"a" * 1000
        told = failure(lambda: get(server.url, most=999))
        assert told.kind is FailureClass.LOGIC
        assert told.sentence == "127.0.0.1 answered with more than 999 bytes, the most that is taken."


def test_a_bomb_is_not_unpacked() -> None:
    """A few kilobytes that would become 200 MB cost little memory."""
    bomb = gzip.compress(b"\0" * 200_000_000, 1)
    with web(lambda _: Reply(body=bomb, headers={"Content-Encoding": "gzip"})) as server:
        tracemalloc.start()
        try:
            told = failure(lambda: get(server.url))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert (told.kind, "10 MB" in told.sentence) == (FailureClass.LOGIC, True)
    assert peak < 60_000_000


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "compress"])
def test_a_form_that_was_not_asked_for_is_refused(encoding: str) -> None:
    with web(lambda _: Reply(body=b"?", headers={"Content-Encoding": encoding})) as server:
        assert encoding in failure(lambda: get(server.url)).sentence


def test_a_download_replaces_its_target_in_one_step(tmp_path: Path) -> None:
    target = tmp_path / "report.pdf"
    target.write_bytes(b"old")
    with web(lambda _: Reply(body=b"new" * 100_000)) as server:
        answer = get(server.url, target=target)
    assert (answer.body, target.read_bytes()) == (b"", b"new" * 100_000)
    assert [place.name for place in tmp_path.iterdir()] == ["report.pdf"]


@pytest.mark.parametrize("status", [200, 500])
def test_a_download_that_fails_leaves_the_old_file(tmp_path: Path, status: int) -> None:
    target = tmp_path / "report.pdf"
    target.write_bytes(b"old")
    with web(lambda _: Reply(status, b"x" * 1000)) as server:
        if status == 200:
            assert failure(lambda: get(server.url, target=target, most=999)).kind is FailureClass.LOGIC
        else:
            assert get(server.url, target=target).body == b"x" * 1000
    assert (target.read_bytes(), len(list(tmp_path.iterdir()))) == (b"old", 1)


def test_a_download_without_a_folder_says_so(tmp_path: Path) -> None:
    with web(lambda _: Reply(body=b"x")) as server:
        told = failure(lambda: get(server.url, target=tmp_path / "gone" / "report.pdf"))
    assert (told.kind, told.sentence) == (FailureClass.LOGIC, "report.pdf is not there.")


def test_a_redirect_on_the_same_host_keeps_the_credentials() -> None:
    def answer(asked: Asked) -> Reply:
        return Reply(302, headers={"Location": "/b?x=1"}) if asked.path == "/a" else Reply(body=b"here")

    with web(answer) as server:
        got = get(f"{server.url}/a", headers=LOGIN)
        assert (got.body, got.url) == (b"here", f"{server.url}/b?x=1")
        assert [asked.headers.get("Authorization") for asked in server.asked] == [f"Bearer {SECRET}"] * 2


def test_a_redirect_to_another_host_leaves_all_credentials_behind() -> None:
    with web(lambda _: Reply(body=b"there")) as other:
        port = other.url.rpartition(":")[2]
        goals = [other.url, f"http://localhost:{port}/", f"http://user:{SECRET}@127.0.0.1:{port}/"]
        with web(lambda asked: Reply(307, headers={"Location": goals[int(asked.path[1:])]})) as server:
            for number in range(3):
                assert get(f"{server.url}/{number}", headers=LOGIN).body == b"there"
        assert len(other.asked) == 3
        for asked in other.asked:
            assert asked.headers["Accept"] == "text/plain"
            assert not any(SECRET in value for value in asked.headers.values())


ELSEWHERE = "http://public.example/"
"""Asked through a proxy, which plays this server: every server that a test can start is on this computer."""


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.8.8.8",
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "169.254.169.254",
        "[fe80::1]",
        "named.example",
    ],
)
def test_a_server_elsewhere_cannot_send_us_to_this_computer(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name, its numbers, or what the name turns out to be."""
    with web(lambda _: Reply(body=b"secret")) as here:
        port = int(here.url.rpartition(":")[2])
        with web(lambda _: Reply(302, headers={"Location": f"http://{host}:{port}/"})) as public:
            monkeypatch.setenv("http_proxy", public.url)
            monkeypatch.setenv("no_proxy", "named.example")
            monkeypatch.setattr(dialling, "_resolve", stand_in_for_dns)
            told = failure(lambda: get(ELSEWHERE))
        assert here.asked == []
    assert (told.kind, told.sentence) == (
        FailureClass.LOGIC,
        "public.example redirects to this computer, which is not allowed.",
    )


def stand_in_for_dns(host: str, port: int, _: object) -> list[Any]:
    """Names of servers on this computer can be had only from a DNS server that is set up for the whole system."""
    return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port))]


def test_a_server_on_this_computer_may_send_us_on_within_it() -> None:
    with web(lambda _: Reply(body=b"there")) as other:
        port = other.url.rpartition(":")[2]
        with web(lambda _: Reply(302, headers={"Location": f"http://localhost:{port}/"})) as server:
            assert get(server.url).body == b"there"


@pytest.mark.parametrize("goal", ["file:///etc/passwd", "ftp://127.0.0.1/a", "data:text/plain,a", "javascript:a"])
def test_a_redirect_leads_to_web_servers_only(goal: str) -> None:
    with web(lambda _: Reply(302, headers={"Location": goal})) as server:
        told = failure(lambda: get(server.url))
    assert told.kind is FailureClass.LOGIC
    assert f"starts with {goal.partition(':')[0]}:, which is not followed" in told.sentence


@pytest.mark.parametrize("goal", ["http://[::1", "//[", "https://]/"])
def test_a_redirect_to_what_is_no_address_is_said(goal: str) -> None:
    with web(lambda _: Reply(302, headers={"Location": goal})) as server:
        told = failure(lambda: get(server.url))
    assert told.kind is FailureClass.LOGIC
    assert told.sentence == "127.0.0.1 sends us on to an address that cannot be read."


def test_a_circle_of_redirects_ends() -> None:
    with web(lambda _: Reply(302, headers={"Location": "/again"})) as server:
        told = failure(lambda: get(server.url, follow=3))
        assert (told.kind, len(server.asked)) == (FailureClass.LOGIC, 4)
        assert told.sentence == "127.0.0.1 sends us from one address to the next, more than 3 times."
        assert get(server.url, follow=0).status == 302


def test_an_action_is_repeated_elsewhere_only_on_the_same_host_and_only_if_it_was_not_done() -> None:
    def answer(asked: Asked) -> Reply:
        return Reply(status, headers={"Location": goal}) if asked.path == "/a" else Reply(body=asked.body)

    def post() -> Answer:
        return request("POST", f"{server.url}/a", body=b"mine", seconds=30, acts=True)

    with web(lambda _: Reply()) as other, web(answer) as server:
        status, goal = 308, "/b"
        assert post().body == b"mine"
        status = 303
        assert post().status == 303
        assert failure(lambda: check(post(), NOW)).kind is FailureClass.UNSURE
        status, goal = 307, other.url
        assert failure(post).kind is FailureClass.LOGIC
        assert other.asked == []


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "ftp://a/b", "example.org", "", "http://", "http://[::1", "http://a:99999/", "http://a b/"],
)
def test_what_is_not_the_address_of_a_web_server_is_refused(address: str) -> None:
    assert failure(lambda: get(address)).kind is FailureClass.LOGIC


def test_a_server_is_asked_by_the_name_that_browsers_would_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the rules of 2003 straße.example would be strasse.example, the server of somebody else."""
    with web(lambda _: Reply(body=b"here")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        for address in ("http://straße.example/a", "http://Straße.example:80/a", "http://xn--strae-oqa.example/a"):
            assert get(address).host == "xn--strae-oqa.example"
        assert {asked.headers["Host"].partition(":")[0] for asked in proxy.asked} == {"xn--strae-oqa.example"}


@pytest.mark.parametrize("host", ["127.1", "0x7f000001", "2130706433", "ex℀mple.org", "a\u200bb.org", "i❤.example"])
def test_a_name_that_programs_read_differently_is_refused(host: str) -> None:
    for address in (f"http://{host}/", f"http://user@{host}:80/"):
        assert failure(lambda address=address: get(address)).kind is FailureClass.LOGIC  # type: ignore[misc]


def test_a_password_in_an_address_is_refused() -> None:
    assert "fields of the connection" in failure(lambda: get(f"https://me:{SECRET}@example.org/")).sentence


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
def test_a_header_stays_one_header(name: str, value: str) -> None:
    with web(lambda _: Reply()) as server:
        assert failure(lambda: get(server.url, headers={name: value})).kind is FailureClass.LOGIC
        assert server.asked == []


@pytest.mark.parametrize("body", [b"<html>", b"", b"\xff", b"[1", b"1e"])
def test_what_is_not_json_is_said(body: bytes) -> None:
    answer = Answer(status=200, headers={}, body=body, url="https://example.org/a")
    told = failure(answer.json)
    assert (told.kind, told.sentence) == (
        FailureClass.LOGIC,
        "example.org answered with something that is not JSON.",
    )
    acted = Answer(status=200, headers={}, body=body, url="https://example.org/a", acts=True)
    assert failure(acted.json).kind is FailureClass.UNSURE


DEEP = b"[" * 700 + b"]" * 700


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"[NaN]", "holds a number that is not finite"),
        (b'{"a": -Infinity}', "holds a number that is not finite"),
        (b'{"a": 1e400}', "holds a number that is not finite"),
        (DEEP, "is nested deeper than 100 levels"),
        (b"[" * 100_000, "is nested deeper than 100 levels"),
    ],
)
def test_json_that_cannot_be_kept_is_a_failure_that_names_the_service(body: bytes, reason: str) -> None:
    answer = Answer(status=200, headers={}, body=body, url="https://example.org/a")
    told = failure(answer.json)
    assert (told.kind, told.sentence) == (
        FailureClass.LOGIC,
        f"example.org answered with JSON that cannot be used because it {reason}.",
    )


def test_what_an_action_answered_is_used_as_far_as_it_can_be_kept() -> None:
    body = b'{"ok": true, "much": 1e400, "deep": %b, "list": [NaN, 1]}' % DEEP
    told = Answer(status=200, headers={}, body=body, url="https://example.org/a", acts=True).told()
    assert (told.get("ok"), told.get("much"), told.get("list")) == (True, None, [None, 1])
    json.dumps(told.get("deep"), allow_nan=False)


READS = {401: "auth", 403: "permission", 404: "logic", 422: "logic", 302: "logic"} | dict.fromkeys(
    (408, 425, 429, 500, 503, 599), "transient"
)
ACTS = (
    READS | {307: "logic", 308: "logic"} | {408: "unsure", 500: "unsure", 503: "unsure", 599: "unsure", 302: "unsure"}
)


@pytest.mark.parametrize(("acts", "expected"), [(False, READS), (True, ACTS)])
def test_a_status_becomes_a_class(acts: bool, expected: dict[int, str]) -> None:  # noqa: FBT001  a case
    for status, kind in expected.items():
        answer = Answer(status=status, headers={}, body=b"", url="https://example.org/", acts=acts)
        told = failure(lambda answer=answer: check(answer, NOW, "no luck"))  # type: ignore[misc]
        assert told.kind == kind, status
        assert "example.org" in told.sentence
        assert status < 400 or f"({status}" in told.sentence
        assert status < 400 or ": no luck)" in told.sentence


def test_a_success_that_broke_off_is_none_unless_its_status_says_enough() -> None:
    def break_off(connection: socket.socket, _: threading.Event) -> None:
        hear_all(connection)
        connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\nabc")

    with wild(break_off) as server:
        answer = request("POST", server.url, body=b"mine", seconds=30, acts=True)
    assert answer.status == 201
    for read in (lambda: check(answer, NOW), answer.json, answer.told):
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
def test_a_server_says_when_to_come_back(headers: dict[str, str], seconds: int | None) -> None:
    with web(lambda _: Reply(429, headers=headers)) as server:
        answer = get(server.url)
    dated = {name: value for name, value in answer.headers.items() if name != "Date" or "Date" in headers}
    plain = Answer(status=429, headers=dated, body=b"", url=server.url)
    told = failure(lambda: check(plain, datetime(2026, 5, 4, 9, 0, tzinfo=UTC)))
    assert told.kind is FailureClass.TRANSIENT
    assert told.retry_after == (None if seconds is None else timedelta(seconds=seconds))


def test_json_is_read_as_it_was_written() -> None:
    value = {"text": "größer", "list": [1, 2.5, None, True]}
    with web(lambda _: Reply(body=json.dumps(value).encode())) as server:
        assert get(server.url).json() == value
