"""The token endpoint: a code or a refresh token goes in, an access token comes out. What it says is never quoted."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from scheduler.connections import web
from scheduler.connections.certificates import believing
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.oauth.errors import NotAllowedError
from scheduler.connections.web_errors import retry_after
from scheduler.rules.failures import Failure, FailureClass, classify_status

_MOST = 100_000
_LONGEST = timedelta(days=3650).total_seconds()
_HEADERS = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What was handed out."""

    access: str = field(repr=False)
    refresh: str | None = field(repr=False)
    """None where none came: the one before goes on to be good."""
    expires_at: datetime | None
    """None for a token that is good until it is taken back."""
    scopes: frozenset[str] | None
    """None where nothing was said: all that were asked for."""


def client_of(settings: Mapping[str, Any]) -> dict[str, str]:
    """Which app asks, as the token endpoint wants to know it."""
    return {name: settings[name] for name in ("client_id", "client_secret") if settings.get(name)}


def ask_for_tokens(settings: Mapping[str, Any], form: Mapping[str, str], *, now: datetime, seconds: float) -> Tokens:
    """At the token address of the settings. NotAllowedError if it refuses; what else goes wrong passes by itself."""
    answer = web.request(
        "POST",
        settings["token_url"],
        headers=_HEADERS,
        body=urlencode({**form, **client_of(settings)}).encode(),
        seconds=seconds,
        most=_MOST,
        follow=0,
        context=believing(settings.get("certificate")),
    )
    if classify_status(max(answer.status, 400), mutating=False) is FailureClass.TRANSIENT:
        raise ToolFailedError(
            Failure(
                kind=FailureClass.TRANSIENT,
                sentence=f"{answer.host} cannot sign anybody in at the moment ({answer.status}).",
                retry_after=retry_after(answer.headers, now),
            )
        )
    if answer.status >= 400:
        raise _refused(answer.host)
    return _read(answer, now)


def _refused(host: str) -> NotAllowedError:
    return NotAllowedError(f"{host} no longer accepts this login. Connect again.")


def _read(answer: web.Answer, now: datetime) -> Tokens:
    try:
        given = answer.kept_json()
    except ToolFailedError as error:
        raise _strange(answer.host) from error
    if answer.status != 200 or not isinstance(given, dict):
        raise _strange(answer.host)
    if given.get("ok") is False or "error" in given:  # Slack refuses with a success
        raise _refused(answer.host)
    access, refresh, scope = given.get("access_token"), given.get("refresh_token"), given.get("scope")
    if not isinstance(access, str) or not access:
        raise _strange(answer.host)
    return Tokens(
        access=access,
        refresh=refresh if isinstance(refresh, str) and refresh else None,
        expires_at=_end(given.get("expires_in"), now),
        scopes=frozenset(scope.replace(",", " ").split()) if isinstance(scope, str) else None,
    )


def _strange(host: str) -> ToolFailedError:
    """Most often something between us and the service answered, such as the login page of a network."""
    return ToolFailedError.because(
        FailureClass.TRANSIENT,
        f"{host} answered with something that is not a login. If this network asks for one, log in there.",
    )


def _end(given: Any, now: datetime) -> datetime | None:
    try:
        seconds = float(given)
    except (TypeError, ValueError, OverflowError):
        return None
    return now + timedelta(seconds=min(max(seconds, 0.0), _LONGEST)) if math.isfinite(seconds) else None
