"""The token endpoint: exchanges a code or a refresh token for an access token. Its answers are never quoted."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from scheduler.connections import http_client
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.http_errors import parse_retry_after
from scheduler.connections.oauth.errors import SignInDeniedError
from scheduler.connections.tls import custom_tls_context
from scheduler.rules.failures import Failure, FailureClass, classify_http_status
from scheduler.user_text import UserText

_MAX_BYTES = 100_000
_MAX_LIFETIME_S = timedelta(days=3650).total_seconds()
_HEADERS = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    access: str = field(repr=False)
    refresh: str | None = field(repr=False)
    """None if none was issued: the previous one stays valid."""
    expires_at: datetime | None
    """None for a token that is valid until revoked."""
    scopes: frozenset[str] | None
    """None if not stated: all that were requested."""


def client_credentials(settings: Mapping[str, Any]) -> dict[str, str]:
    """The client credentials for the token endpoint."""
    return {name: settings[name] for name in ("client_id", "client_secret") if settings.get(name)}


def request_tokens(settings: Mapping[str, Any], form: Mapping[str, str], *, now: datetime, seconds: float) -> Tokens:
    """Request tokens; SignInDeniedError if the endpoint refuses, other failures are transient."""
    answer = http_client.request(
        "POST",
        settings["token_url"],
        headers=_HEADERS,
        body=urlencode({**form, **client_credentials(settings)}).encode(),
        seconds=seconds,
        max_bytes=_MAX_BYTES,
        max_redirects=0,
        context=custom_tls_context(settings.get("certificate")),
    )
    if classify_http_status(max(answer.status, 400), mutating=False) is FailureClass.TRANSIENT:
        raise ToolFailedError(
            Failure(
                kind=FailureClass.TRANSIENT,
                sentence=UserText(
                    "Signing in at {host} is not possible right now ({status}).", host=answer.host, status=answer.status
                ),
                retry_after=parse_retry_after(answer.headers, now),
            )
        )
    if answer.status >= 400:
        raise _refused(answer.host)
    return _parse(answer, now)


def _refused(host: str) -> SignInDeniedError:
    return SignInDeniedError(UserText("{host} no longer accepts this login. Connect again.", host=host))


def _parse(answer: http_client.Answer, now: datetime) -> Tokens:
    try:
        given = answer.storable_json()
    except ToolFailedError as error:
        raise _unexpected(answer.host) from error
    if answer.status != 200 or not isinstance(given, dict):
        raise _unexpected(answer.host)
    if given.get("ok") is False or "error" in given:  # Slack refuses with a success
        raise _refused(answer.host)
    access, refresh, scope = given.get("access_token"), given.get("refresh_token"), given.get("scope")
    if not isinstance(access, str) or not access:
        raise _unexpected(answer.host)
    return Tokens(
        access=access,
        refresh=refresh if isinstance(refresh, str) and refresh else None,
        expires_at=_expiry(given.get("expires_in"), now),
        scopes=frozenset(scope.replace(",", " ").split()) if isinstance(scope, str) else None,
    )


def _unexpected(host: str) -> ToolFailedError:
    """Usually the sign-in page of a network answered instead of the service."""
    return ToolFailedError.because(
        FailureClass.TRANSIENT,
        UserText(
            "{host} sent an unexpected answer. If this network has a sign-in page, sign in there first.", host=host
        ),
    )


def _expiry(given: Any, now: datetime) -> datetime | None:
    try:
        seconds = float(given)
    except (TypeError, ValueError, OverflowError):
        return None
    return now + timedelta(seconds=min(max(seconds, 0.0), _MAX_LIFETIME_S)) if math.isfinite(seconds) else None
