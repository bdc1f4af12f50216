"""Redirects: where they may lead, and that credentials stay with their host."""

import socket
from typing import Any

import pytest

from scheduler.connections import sockets
from scheduler.connections.http_client import Answer, check, request
from scheduler.rules.failures import FailureClass
from tests.connections import http_failures
from tests.connections.http_failures import failure, get
from tests.connections.tool_calls import NOW
from tests.connections.web_servers import ReceivedRequest, Reply, http_server

no_proxy = http_failures.no_proxy
SECRET = "hunter2"
LOGIN = {"Authorization": f"Bearer {SECRET}", "X-Api-Key": SECRET, "Accept": "text/plain"}


def test_a_redirect_on_the_same_host_keeps_the_credentials() -> None:
    def answer(received: ReceivedRequest) -> Reply:
        return Reply(302, headers={"Location": "/b?x=1"}) if received.path == "/a" else Reply(body=b"here")

    with http_server(answer) as server:
        got = get(f"{server.url}/a", headers=LOGIN)
        assert (got.body, got.url) == (b"here", f"{server.url}/b?x=1")
        assert [received.headers.get("Authorization") for received in server.requests] == [f"Bearer {SECRET}"] * 2


def test_a_redirect_to_another_host_drops_all_credentials() -> None:
    with http_server(lambda _: Reply(body=b"there")) as other:
        port = other.url.rpartition(":")[2]
        goals = [other.url, f"http://localhost:{port}/", f"http://user:{SECRET}@127.0.0.1:{port}/"]
        with http_server(lambda received: Reply(307, headers={"Location": goals[int(received.path[1:])]})) as server:
            for number in range(3):
                assert get(f"{server.url}/{number}", headers=LOGIN).body == b"there"
        assert len(other.requests) == 3
        for received in other.requests:
            assert received.headers["Accept"] == "text/plain"
            assert not any(SECRET in value for value in received.headers.values())


ELSEWHERE = "http://public.example/"
"""Requested through a proxy that plays this server, as tests can only start local servers."""


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
def test_a_remote_server_cannot_redirect_to_this_computer(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name, its address or what the name resolves to."""
    with http_server(lambda _: Reply(body=b"secret")) as here:
        port = int(here.url.rpartition(":")[2])
        with http_server(lambda _: Reply(302, headers={"Location": f"http://{host}:{port}/"})) as public:
            monkeypatch.setenv("http_proxy", public.url)
            monkeypatch.setenv("no_proxy", "named.example")
            monkeypatch.setattr(sockets, "_resolve", stand_in_for_dns)
            error = failure(lambda: get(ELSEWHERE))
        assert here.requests == []
    assert (error.kind, error.sentence) == (
        FailureClass.LOGIC,
        "public.example redirects to this computer, which is not allowed.",
    )


def stand_in_for_dns(host: str, port: int, _: object) -> list[Any]:
    """Fake names for local servers would need a system-wide DNS server."""
    return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port))]


def test_a_local_server_may_redirect_to_this_computer() -> None:
    with http_server(lambda _: Reply(body=b"there")) as other:
        port = other.url.rpartition(":")[2]
        with http_server(lambda _: Reply(302, headers={"Location": f"http://localhost:{port}/"})) as server:
            assert get(server.url).body == b"there"


@pytest.mark.parametrize("goal", ["file:///etc/passwd", "ftp://127.0.0.1/a", "data:text/plain,a", "javascript:a"])
def test_only_http_redirects_are_followed(goal: str) -> None:
    with http_server(lambda _: Reply(302, headers={"Location": goal})) as server:
        error = failure(lambda: get(server.url))
    assert error.kind is FailureClass.LOGIC
    assert f"starts with {goal.partition(':')[0]}:, which is not supported" in error.sentence


@pytest.mark.parametrize("goal", ["http://[::1", "//[", "https://]/"])
def test_a_redirect_to_an_invalid_address_is_reported(goal: str) -> None:
    with http_server(lambda _: Reply(302, headers={"Location": goal})) as server:
        error = failure(lambda: get(server.url))
    assert error.kind is FailureClass.LOGIC
    assert error.sentence == "127.0.0.1 redirects to an invalid address."


def test_a_redirect_loop_ends() -> None:
    with http_server(lambda _: Reply(302, headers={"Location": "/again"})) as server:
        error = failure(lambda: get(server.url, max_redirects=3))
        assert (error.kind, len(server.requests)) == (FailureClass.LOGIC, 4)
        assert error.sentence == "127.0.0.1 redirected more than 3 times."
        assert get(server.url, max_redirects=0).status == 302


def test_an_action_follows_only_307_and_308_on_the_same_host() -> None:
    def answer(received: ReceivedRequest) -> Reply:
        return Reply(status, headers={"Location": goal}) if received.path == "/a" else Reply(body=received.body)

    def post() -> Answer:
        return request("POST", f"{server.url}/a", body=b"mine", seconds=30, acts=True)

    with http_server(lambda _: Reply()) as other, http_server(answer) as server:
        status, goal = 308, "/b"
        assert post().body == b"mine"
        status = 303
        assert post().status == 303
        assert failure(lambda: check(post(), NOW)).kind is FailureClass.UNSURE
        status, goal = 307, other.url
        assert failure(post).kind is FailureClass.LOGIC
        assert other.requests == []
