"""Redirects: where they may lead, and that credentials stay with their host."""

import socket
from typing import Any

import pytest

from scheduler.connections import dialling
from scheduler.connections.web import Answer, check, request
from scheduler.rules.failures import FailureClass
from tests.connections import trouble
from tests.connections.calls import NOW
from tests.connections.trouble import failure, get
from tests.connections.web_servers import Asked, Reply, web

no_proxy = trouble.no_proxy
SECRET = "hunter2"
LOGIN = {"Authorization": f"Bearer {SECRET}", "X-Api-Key": SECRET, "Accept": "text/plain"}


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
