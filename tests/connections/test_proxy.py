"""Requests through a proxy: directly for http, through a tunnel for https, never for this computer."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import trustme

from scheduler.connections import sockets
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.http_client import Answer, request
from scheduler.rules.failures import Failure, FailureClass
from tests.connections.web_servers import Reply, http_server, read_headers, socket_server

AUTHORITY = trustme.CA()


def get(url: str, **more: Any) -> Answer:
    return request("GET", url, seconds=30, **more)


def failure(url: str) -> Failure:
    with pytest.raises(ToolFailedError) as caught:
        get(url)
    assert "hunter2" not in caught.value.failure.sentence
    return caught.value.failure


@contextmanager
def tunnels(goal: int, received: list[bytes]) -> Iterator[str]:
    """A proxy that connects every request to one local port."""

    def pump(source: socket.socket, target: socket.socket) -> None:
        try:
            while more := source.recv(65536):
                target.sendall(more)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def behave(connection: socket.socket, _: threading.Event) -> None:
        received.append(read_headers(connection))
        with socket.create_connection(("127.0.0.1", goal)) as onwards:
            connection.sendall(b"HTTP/1.1 200 Connected\r\nVia: test\r\n\r\n")
            back = threading.Thread(target=pump, args=(onwards, connection))
            back.start()
            pump(connection, onwards)
            back.join()

    with socket_server(behave) as proxy:
        yield proxy.url


def test_https_goes_through_a_tunnel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy sees the server name and its own login, but nothing of the request."""
    context, trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    AUTHORITY.issue_cert("api.example").configure_cert(context)
    AUTHORITY.configure_trust(trusting)
    received: list[bytes] = []
    with (
        http_server(lambda _: Reply(body=b"safe"), context) as server,
        tunnels(int(server.url.rpartition(":")[2]), received) as proxy,
    ):
        monkeypatch.setenv("https_proxy", proxy.replace("//", "//me:hunter%32@"))
        answer = get("https://api.example/a", headers={"X-Api-Key": "mine"}, context=trusting)
        assert (answer.body, server.requests[0].headers["X-Api-Key"]) == (b"safe", "mine")
    [request] = received
    assert request.split(b"\r\n") == [
        b"CONNECT api.example:443 HTTP/1.1",
        b"Host: api.example:443",
        b"Proxy-Authorization: Basic bWU6aHVudGVyMg==",
        b"",
        b"",
    ]


def test_http_goes_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with http_server(lambda request: Reply(body=request.path.encode())) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.replace("//", "//me:hunter2@"))
        assert get("http://api.example/a?b=c#d").body == b"http://api.example/a?b=c"
        [request] = proxy.requests
        assert (request.headers["Host"], request.headers["Proxy-Authorization"]) == (
            "api.example",
            "Basic bWU6aHVudGVyMg==",
        )


def test_this_computer_and_no_proxy_hosts_are_reached_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    with http_server(lambda _: Reply(body=b"direct")) as server, http_server(lambda _: Reply(500)) as proxy:
        port = int(server.url.rpartition(":")[2])
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "api.example")
        assert get(server.url).body == b"direct"
        assert get(f"http://localhost:{port}/").body == b"direct"
        addresses = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", port))]
        monkeypatch.setattr(sockets, "_resolve", lambda *_: addresses)
        assert get(f"http://api.example:{port}/").body == b"direct"
        assert proxy.requests == []


@pytest.mark.parametrize(
    "reply", [b"HTTP/1.1 407 No\r\n\r\n", b"HTTP/1.1 200", b"", b"\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000]
)
def test_a_failing_proxy_is_reported(reply: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def behave(connection: socket.socket, _: threading.Event) -> None:
        read_headers(connection)
        connection.sendall(reply)

    with socket_server(behave) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url.replace("//", "//me:hunter2@"))
        error = failure("https://api.example/")
    assert error.kind is FailureClass.TRANSIENT
    assert error.sentence.startswith(("The proxy 127.0.0.1 did not answer", "The proxy 127.0.0.1 could not connect"))


@pytest.mark.parametrize("address", ["socks5://127.0.0.1:1", "http://", "http://a:99999"])
def test_an_invalid_proxy_is_reported(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", address)
    assert failure("https://api.example/").kind is FailureClass.LOGIC
