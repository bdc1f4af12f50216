"""Servers that are not there, or cannot prove who they are: nothing is sent, and it is said what to look at."""

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
from scheduler.connections.connectors.mail.wire import Server, Wire
from scheduler.rules.failures import FailureClass
from tests.connections import trouble
from tests.connections.trouble import both, failure, get
from tests.connections.web_servers import Asked, Reply, Web, web, wild

no_proxy = trouble.no_proxy


def call_mail(host: str, seconds: float = 30) -> None:
    Wire(Server(host=host, port=143, security="none"), seconds).close()


def call_web(host: str, seconds: float = 30) -> None:
    get(f"http://{host}/", seconds=seconds)


either = pytest.mark.parametrize("dial", [call_mail, call_web])


def test_an_address_that_is_not_there_leaves_time_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the look-up, which names a closed door before the open one."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        gone = closed.getsockname()
    with web(lambda _: Reply(body=b"here")) as server:
        there = ("127.0.0.1", int(server.url.rpartition(":")[2]))
        found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", place) for place in (gone, there)]
        monkeypatch.setattr(dialling, "_resolve", lambda *_: found)
        assert get("http://example.org/").body == b"here"
        call_mail("example.org")


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


@pytest.mark.parametrize("name", ["nowhere.invalid", f"{'x' * 70}.example.org", "ä..example.org"])
def test_so_is_a_mail_server_with_a_name_that_is_none(name: str) -> None:
    assert failure(lambda: call_mail(name)).sentence.startswith(f"{name} was not found.")


@either
@pytest.mark.parametrize(
    ("code", "counts"), [(socket.EAI_AGAIN, False), (socket.EAI_NONAME, True)], ids=["offline", "unknown"]
)
def test_being_offline_brings_nobody_nearer_to_being_blocked(
    dial: Callable[..., None],
    code: int,
    counts: bool,  # noqa: FBT001  a case
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A stand-in for the system's look-up: a real one without a network cannot be had at will."""

    def look_up(*_: Any, **__: Any) -> None:
        raise socket.gaierror(code, "")

    monkeypatch.setattr(dialling.socket, "getaddrinfo", look_up)
    told = failure(lambda: dial("example.org"))
    assert (told.kind, told.counts) == (FailureClass.TRANSIENT, counts)


@either
def test_a_look_up_that_hangs_is_left_behind(dial: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same stand-in: the system's look-up knows no deadline."""
    over = threading.Event()

    def look_up(*_: Any, **more: Any) -> list[Any]:
        if more.get("flags"):
            raise socket.gaierror(socket.EAI_NONAME, "")
        over.wait(60)
        return []

    monkeypatch.setattr(dialling.socket, "getaddrinfo", look_up)
    told = failure(lambda: dial("example.org", seconds=0.3))
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
