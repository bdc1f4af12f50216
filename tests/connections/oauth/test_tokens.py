"""The token endpoint: what is retried, what asks for a reconnect, and which answers are valid."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.oauth.errors import SignInDeniedError
from scheduler.connections.oauth.tokens import Tokens, request_tokens
from scheduler.rules.failures import FailureClass
from tests.connections.web_servers import HttpServer, ReceivedRequest, Reply, http_server

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


class Endpoint:
    """A token endpoint with scripted answers."""

    def __init__(self) -> None:
        self.reply = Reply()
        self.web: HttpServer

    def answer(self, _: ReceivedRequest) -> Reply:
        return self.reply

    def ask(self, status: int, content: Any, **headers: str) -> Tokens:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.reply = Reply(status=status, body=body, headers=named)
        form = {"grant_type": "refresh_token", "refresh_token": "se cret&"}
        return request_tokens({"token_url": f"{self.web.url}/token"}, form, now=NOW, seconds=30)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    with http_server(made.answer) as made.web:
        yield made


def test_an_answer_is_read_whole(endpoint: Endpoint) -> None:
    got = endpoint.ask(200, {"access_token": "a", "refresh_token": "r", "expires_in": 3600, "scope": "mail,files read"})
    assert got == Tokens(
        access="a", refresh="r", expires_at=NOW + timedelta(hours=1), scopes=frozenset({"mail", "files", "read"})
    )
    request = endpoint.web.requests[-1]
    assert request.method == "POST" and request.path == "/token"
    assert parse_qs(request.body.decode()) == {"grant_type": ["refresh_token"], "refresh_token": ["se cret&"]}


def test_what_is_missing_is_none(endpoint: Endpoint) -> None:
    assert endpoint.ask(200, {"access_token": "a"}) == Tokens(access="a", refresh=None, expires_at=None, scopes=None)


@pytest.mark.parametrize("given", [None, "soon", [], float("1e400"), {}, 10**400])
def test_an_invalid_expiry_is_none(endpoint: Endpoint, given: Any) -> None:
    body = json.dumps({"access_token": "a", "expires_in": given}).replace("Infinity", "1e400").encode()
    assert endpoint.ask(200, body).expires_at is None


@pytest.mark.parametrize(("given", "kept"), [("60", timedelta(minutes=1)), (-5, timedelta(0)), (1e300, None)])
def test_expiry_is_limited_to_a_sensible_range(endpoint: Endpoint, given: Any, kept: timedelta | None) -> None:
    end = endpoint.ask(200, {"access_token": "a", "expires_in": given}).expires_at
    assert end is not None
    assert end == NOW + (timedelta(days=3650) if kept is None else kept)


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_busy_endpoint_is_transient(endpoint: Endpoint, status: int) -> None:
    with pytest.raises(ToolFailedError) as failed:
        endpoint.ask(status, {"error": "invalid_grant"}, Retry_After="120")
    assert failed.value.failure.kind is FailureClass.TRANSIENT
    assert failed.value.failure.retry_after == timedelta(seconds=120)
    assert not isinstance(failed.value, SignInDeniedError)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 422])
def test_any_other_refusal_asks_for_a_reconnect(endpoint: Endpoint, status: int) -> None:
    with pytest.raises(SignInDeniedError) as failed:
        endpoint.ask(status, b"<h1>se cret& is no good</h1>")
    assert failed.value.failure.kind is FailureClass.AUTH
    assert "se cret" not in failed.value.failure.sentence and "Connect again" in failed.value.failure.sentence


@pytest.mark.parametrize("content", [{"ok": False, "error": "invalid_code"}, {"error": "invalid_grant"}])
def test_an_error_with_a_success_status_is_a_refusal(endpoint: Endpoint, content: Any) -> None:
    with pytest.raises(SignInDeniedError):
        endpoint.ask(200, content)


@pytest.mark.parametrize(
    ("status", "content"),
    [
        (200, b"<html>Log in to this hotel</html>"),
        (200, []),
        (200, {"access_token": ""}),
        (200, {"access_token": 5}),
        (200, {}),
        (302, b""),
        (204, b""),
        (200, b"[" * 100_000),
    ],
)
def test_the_sign_in_page_of_a_network_is_no_reason_to_reconnect(endpoint: Endpoint, status: int, content: Any) -> None:
    with pytest.raises(ToolFailedError) as failed:
        endpoint.ask(status, content, Location="/elsewhere")
    assert failed.value.failure.kind is FailureClass.TRANSIENT


def test_an_endless_answer_is_not_read(endpoint: Endpoint) -> None:
    with pytest.raises(ToolFailedError):
        endpoint.ask(200, {"access_token": "a" * 200_000})


def test_an_unreachable_endpoint_is_transient() -> None:
    with http_server(lambda _: Reply()) as gone:
        pass
    with pytest.raises(ToolFailedError) as failed:
        request_tokens({"token_url": gone.url}, {}, now=NOW, seconds=30)
    assert failed.value.failure.kind is FailureClass.TRANSIENT


def test_tokens_are_never_printed() -> None:
    text = repr(Tokens(access="hunter2", refresh="hunter3", expires_at=NOW, scopes=None))
    assert "hunter" not in text
