"""Requests through a proxy: told to it if open, through a tunnel if secure, and never for this computer itself."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import trustme

from scheduler.connections import dialling
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.web import Answer, request
from scheduler.rules.failures import Failure, FailureClass
from tests.connections.web_servers import Reply, hear, web, wild

AUTHORITY = trustme.CA()


def get(url: str, **more: Any) -> Answer:
    return request("GET", url, seconds=30, **more)


def failure(url: str) -> Failure:
    with pytest.raises(ToolFailedError) as caught:
        get(url)
    assert "hunter2" not in caught.value.failure.sentence
    return caught.value.failure


@contextmanager
def tunnels(goal: int, heard: list[bytes]) -> Iterator[str]:
    """A proxy that connects everybody to one port of this computer, whatever they ask for."""

    def pump(source: socket.socket, target: socket.socket) -> None:
        try:
            while more := source.recv(65536):
                target.sendall(more)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def behave(connection: socket.socket, _: threading.Event) -> None:
        heard.append(hear(connection))
        with socket.create_connection(("127.0.0.1", goal)) as onwards:
            connection.sendall(b"HTTP/1.1 200 Connected\r\nVia: test\r\n\r\n")
            back = threading.Thread(target=pump, args=(onwards, connection))
            back.start()
            pump(connection, onwards)
            back.join()

    with wild(behave) as proxy:
        yield proxy.url


def test_a_secure_server_is_reached_through_a_tunnel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy sees the name of the server and its own login, and nothing of the request."""
    context, trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    AUTHORITY.issue_cert("api.example").configure_cert(context)
    AUTHORITY.configure_trust(trusting)
    heard: list[bytes] = []
    with (
        web(lambda _: Reply(body=b"safe"), context) as server,
        tunnels(int(server.url.rpartition(":")[2]), heard) as proxy,
    ):
        monkeypatch.setenv("https_proxy", proxy.replace("//", "//me:hunter%32@"))
        answer = get("https://api.example/a", headers={"X-Api-Key": "mine"}, context=trusting)
        assert (answer.body, server.asked[0].headers["X-Api-Key"]) == (b"safe", "mine")
    [asked] = heard
    assert asked.split(b"\r\n") == [
        b"CONNECT api.example:443 HTTP/1.1",
        b"Host: api.example:443",
        b"Proxy-Authorization: Basic bWU6aHVudGVyMg==",
        b"",
        b"",
    ]


def test_an_open_server_is_asked_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with web(lambda asked: Reply(body=asked.path.encode())) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.replace("//", "//me:hunter2@"))
        assert get("http://api.example/a?b=c#d").body == b"http://api.example/a?b=c"
        [asked] = proxy.asked
        assert (asked.headers["Host"], asked.headers["Proxy-Authorization"]) == (
            "api.example",
            "Basic bWU6aHVudGVyMg==",
        )


def test_this_computer_and_exceptions_are_asked_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    with web(lambda _: Reply(body=b"direct")) as server, web(lambda _: Reply(500)) as proxy:
        port = int(server.url.rpartition(":")[2])
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "api.example")
        assert get(server.url).body == b"direct"
        assert get(f"http://localhost:{port}/").body == b"direct"
        found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port))]
        monkeypatch.setattr(dialling, "_resolve", lambda *_: found)
        assert get(f"http://api.example:{port}/").body == b"direct"
        assert proxy.asked == []


@pytest.mark.parametrize(
    "said", [b"HTTP/1.1 407 No\r\n\r\n", b"HTTP/1.1 200", b"", b"\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000]
)
def test_a_proxy_that_does_not_connect_us_is_told_of(said: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def behave(connection: socket.socket, _: threading.Event) -> None:
        hear(connection)
        connection.sendall(said)

    with wild(behave) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url.replace("//", "//me:hunter2@"))
        told = failure("https://api.example/")
    assert told.kind is FailureClass.TRANSIENT
    assert told.sentence.startswith("The proxy 127.0.0.1 did not ")


@pytest.mark.parametrize("address", ["socks5://127.0.0.1:1", "http://", "http://a:99999"])
def test_a_proxy_that_cannot_be_used_is_told_of(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", address)
    assert failure("https://api.example/").kind is FailureClass.LOGIC
