"""Unreachable and untrusted servers: nothing is sent, and the error says what to check."""

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

from scheduler.connections import sockets, tls
from scheduler.connections.connectors.mail.connection import MailServer, MailSocket
from scheduler.rules.failures import FailureClass
from tests.connections import http_failures
from tests.connections.http_failures import failure, get, read_and_action_failures
from tests.connections.web_servers import HttpServer, ReceivedRequest, Reply, http_server, socket_server

no_proxy = http_failures.no_proxy


def call_mail(host: str, seconds: float = 30) -> None:
    MailSocket(MailServer(host=host, port=143, security="none"), seconds).close()


def call_web(host: str, seconds: float = 30) -> None:
    get(f"http://{host}/", seconds=seconds)


either = pytest.mark.parametrize("dial", [call_mail, call_web])


def test_an_unreachable_address_leaves_time_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fake resolver that returns a closed port before the open one."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        gone = closed.getsockname()
    with http_server(lambda _: Reply(body=b"here")) as server:
        there = ("127.0.0.1", int(server.url.rpartition(":")[2]))
        addresses = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", place) for place in (gone, there)]
        monkeypatch.setattr(sockets, "_resolve", lambda *_: addresses)
        assert get("http://example.org/").body == b"here"
        call_mail("example.org")


def test_nothing_was_sent_to_an_unreachable_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    read, acted = read_and_action_failures(url)
    assert (read.kind, acted.kind) == (FailureClass.TRANSIENT, FailureClass.TRANSIENT)
    assert read.sentence.startswith("127.0.0.1 could not be reached (Connection refused).")


def test_an_unknown_host_is_reported() -> None:
    read, acted = read_and_action_failures("http://nowhere.invalid/")
    assert (read.kind, acted.kind) == (FailureClass.TRANSIENT, FailureClass.TRANSIENT)
    assert read.sentence.startswith("nowhere.invalid was not found.")


@pytest.mark.parametrize("name", ["nowhere.invalid", f"{'x' * 70}.example.org", "ä..example.org"])
def test_an_invalid_mail_server_name_is_reported(name: str) -> None:
    assert failure(lambda: call_mail(name)).sentence.startswith(f"{name} was not found.")


@either
@pytest.mark.parametrize(
    ("code", "counts"), [(socket.EAI_AGAIN, False), (socket.EAI_NONAME, True)], ids=["offline", "unknown"]
)
def test_being_offline_does_not_count_as_a_failure(
    dial: Callable[..., None],
    code: int,
    counts: bool,  # noqa: FBT001  a case
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fake resolver: being offline cannot be produced for real."""

    def look_up(*_: Any, **__: Any) -> None:
        raise socket.gaierror(code, "")

    monkeypatch.setattr(sockets.socket, "getaddrinfo", look_up)
    error = failure(lambda: dial("example.org"))
    assert (error.kind, error.counts) == (FailureClass.TRANSIENT, counts)


@either
def test_a_resolver_that_hangs_is_abandoned(dial: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """A fake resolver: getaddrinfo has no timeout."""
    over = threading.Event()

    def look_up(*_: Any, **more: Any) -> list[Any]:
        if more.get("flags"):
            raise socket.gaierror(socket.EAI_NONAME, "")
        over.wait(60)
        return []

    monkeypatch.setattr(sockets.socket, "getaddrinfo", look_up)
    error = failure(lambda: dial("example.org", seconds=0.3))
    over.set()
    for thread in threading.enumerate():
        if thread.name == "look up":
            thread.join()
    assert (error.kind, error.sentence) == (
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
    *names: str,
    until: datetime | None = None,
    answer: Callable[[ReceivedRequest], Reply] = lambda _: Reply(body=b"safe"),
) -> Iterator[HttpServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert(*names, not_after=until).configure_cert(context)
    with http_server(answer, context) as server:
        yield server


def test_a_valid_certificate_is_trusted() -> None:
    with secured("127.0.0.1") as server:
        assert get(server.url, context=trusting()).body == b"safe"


def test_changes_of_the_system_certificates_apply_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = tmp_path / "authority.pem"
    trustme.CA().cert_pem.write_to_path(authority)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    with secured("127.0.0.1") as server:
        assert failure(lambda: get(server.url)).kind is FailureClass.TRANSIENT
        AUTHORITY.cert_pem.write_to_path(authority, append=True)
        assert get(server.url).body == b"safe"


def test_a_frozen_app_finds_the_system_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulates a frozen app whose library expects certificates in another place."""
    AUTHORITY.cert_pem.write_to_path(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone"))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path / "gone"))
    monkeypatch.setattr(tls, "_CA_FILES", (str(tmp_path / "other"), str(tmp_path / "authority.pem")))
    with secured("127.0.0.1") as server:
        assert get(server.url).body == b"safe"


def test_certificates_are_loaded_once() -> None:
    assert tls.tls_context() is tls.tls_context()


def test_an_invalid_certificate_is_not_trusted_and_nothing_is_sent() -> None:
    yesterday = datetime.now(UTC) - timedelta(days=1)
    errors = {}
    with secured("127.0.0.1") as server:
        errors["unknown"] = read_and_action_failures(server.url)
        assert server.requests == []
    with secured("127.0.0.1", until=yesterday) as server:
        errors["expired"] = read_and_action_failures(server.url, context=trusting())
        assert server.requests == []
    with secured("other.example") as server:
        errors["mismatch"] = read_and_action_failures(server.url, context=trusting())
        assert server.requests == []
    for read, acted in errors.values():
        assert (read.kind, acted.kind) == (FailureClass.TRANSIENT, FailureClass.TRANSIENT)
        assert read.sentence.startswith("The certificate of 127.0.0.1 is not trusted (")
    assert "certificate has expired" in errors["expired"][0].sentence
    assert "IP address mismatch" in errors["mismatch"][0].sentence


def test_a_server_without_tls_is_reported() -> None:
    def plain(connection: socket.socket, _: threading.Event) -> None:
        connection.recv(10)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socket_server(plain) as server:
        error = failure(lambda: get(server.url.replace("http", "https"), seconds=30))
    assert error.kind is FailureClass.TRANSIENT
    assert error.sentence.startswith("No secure connection to 127.0.0.1")


def test_a_handshake_that_hangs_ends_at_the_deadline() -> None:
    with socket_server(lambda _, over: over.wait(60) and None) as server:
        read, acted = read_and_action_failures(server.url.replace("http", "https"), seconds=0.3)
    assert (read.kind, acted.kind) == (FailureClass.TRANSIENT, FailureClass.TRANSIENT)


def test_no_login_is_sent_from_https_to_http() -> None:
    with (
        http_server(lambda _: Reply(body=b"open")) as other,
        secured("127.0.0.1", answer=lambda _: Reply(302, headers={"Location": other.url})) as server,
    ):
        error = failure(lambda: get(server.url, context=trusting(), headers={"Authorization": "Bearer hunter2"}))
        assert (error.kind, other.requests) == (FailureClass.LOGIC, [])
        assert get(server.url, context=trusting()).body == b"open"
