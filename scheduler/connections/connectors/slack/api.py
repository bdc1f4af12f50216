"""Requests to Slack's API, and what its error codes mean. Slack reports errors with status 200."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from scheduler.connections import http_client
from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.http_errors import connection_lost, parse_retry_after, status_failure
from scheduler.connections.json_reader import JsonObject
from scheduler.connections.urls import split_url
from scheduler.rules.failures import Failure, FailureClass
from scheduler.user_text import UserText

SLACK_URL = "https://slack.com"

_AUTH_ERRORS = frozenset(
    {"account_inactive", "invalid_auth", "not_authed", "token_expired", "token_revoked", "two_factor_setup_required"}
)
_PERMISSION_ERRORS = frozenset(
    {"access_denied", "ekm_access_denied", "missing_scope", "no_permission", "not_allowed_token_type"}
    | {"not_in_channel", "restricted_action", "team_access_not_granted"}
)
_RATE_LIMIT_ERRORS = frozenset({"rate_limited", "ratelimited"})
_SERVER_ERRORS = frozenset({"fatal_error", "internal_error", "request_timeout", "service_unavailable"})
_KNOWN_ERRORS = _AUTH_ERRORS | _PERMISSION_ERRORS | _RATE_LIMIT_ERRORS | _SERVER_ERRORS


def call_method(call: Call, method: str, parameters: Mapping[str, Any], *, acts: bool = False) -> JsonObject:
    """Call one of Slack's methods; ToolFailedError if it refuses or cannot be reached.

    Parameters are sent as a form, which every method accepts; nested values as JSON.
    """
    token = call.settings.get("access_token")
    if not token:
        raise ToolFailedError.because(
            FailureClass.AUTH, UserText("{connection} is not signed in. Connect it.", connection=call.connection)
        )
    form = {name: value if isinstance(value, str) else json.dumps(value) for name, value in parameters.items()}
    answer = http_client.request(
        "POST",
        f"{base_url(call.settings)}/api/{method}",
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/x-www-form-urlencoded"},
        body=urlencode(form).encode(),
        seconds=call.seconds,
        acts=acts,
        max_redirects=0,
    )
    return _read(answer, call.now)


def _read(answer: http_client.Answer, now: datetime) -> JsonObject:
    """Success is 200 with "ok": true, an error is 200 with "ok": false and an error code.

    Any other success does not come from Slack but, for example, from a network that asks for a login. It leaves open
    whether an action was done.
    """
    if answer.status != 200:
        raise status_failure(answer.status, answer.headers, answer.host, acts=answer.acts, now=now)
    result = answer.json_object()
    if result.get("ok") is True:
        return result
    code = result.get("error")
    if not isinstance(code, str) or not code or (result.get("ok") is not False and code not in _KNOWN_ERRORS):
        raise result.unexpected_shape()
    raise _failure(answer, code[:100], now)


def base_url(settings: Mapping[str, Any]) -> str:
    return str(settings.get("base_url") or SLACK_URL).rstrip("/")


def fetch_account(call: Call) -> str:
    """The workspace, by its own host name."""
    result = call_method(call, "auth.test", {})
    return split_url(result.text("url")).hostname or result.text("team")


def _failure(answer: http_client.Answer, code: str, now: datetime) -> ToolFailedError:
    """The failure for an error code."""
    host = answer.host
    if code in _RATE_LIMIT_ERRORS:
        wait = parse_retry_after(answer.headers, now)
        sentence = UserText("Too many requests to {host} ({code}).", host=host, code=code)
        return ToolFailedError(Failure(kind=FailureClass.TRANSIENT, sentence=sentence, retry_after=wait))
    if code in _SERVER_ERRORS:
        return connection_lost(
            UserText("{host} failed while it processed the request ({code}).", host=host, code=code), acts=answer.acts
        )
    if code in _AUTH_ERRORS:
        return ToolFailedError.because(
            FailureClass.AUTH,
            UserText("The sign-in to {host} is no longer valid ({code}). Connect again.", host=host, code=code),
        )
    if code in _PERMISSION_ERRORS:
        return ToolFailedError.because(
            FailureClass.PERMISSION,
            UserText(
                "{host} does not allow this ({code}). Allow it there, or connect another account.", host=host, code=code
            ),
        )
    return ToolFailedError.because(
        FailureClass.LOGIC, UserText("{host} refused the request ({code}).", host=host, code=code)
    )
