"""Requests to Google's services, and what their errors mean."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

from scheduler.connections import http_client
from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.connectors.paging import ResultPage, iterate_pages
from scheduler.connections.errors import logic_failure
from scheduler.connections.http_errors import parse_retry_after, status_failure
from scheduler.connections.json_reader import JsonObject
from scheduler.rules.failures import Failure, FailureClass
from scheduler.user_text import UserText

_URLS = {
    "authorize": "https://accounts.google.com/o/oauth2/v2/auth",
    "token": "https://oauth2.googleapis.com/token",
    "account": "https://www.googleapis.com/oauth2/v2/userinfo",
    "mail": "https://gmail.googleapis.com/gmail/v1/users/me",
    "calendar": "https://www.googleapis.com/calendar/v3/calendars",
    "files": "https://www.googleapis.com/drive/v3/files",
    "upload": "https://www.googleapis.com/upload/drive/v3/files",
}
_PATHS = {
    "authorize": "/o/oauth2/v2/auth",
    "token": "/oauth2/token",
    "account": "/oauth2/v2/userinfo",
    "mail": "/gmail/v1/users/me",
    "calendar": "/calendar/v3/calendars",
    "files": "/drive/v3/files",
    "upload": "/upload/drive/v3/files",
}
"""The same services below the base address of another server."""
_RATE_LIMIT_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})
_MAX_MESSAGE_CHARS = 200


class GoogleNotFoundError(ToolFailedError):
    """The object does not exist, or this account cannot see it."""


class GoogleConflictError(ToolFailedError):
    """An object with this id exists already."""


class GoogleGoneError(ToolFailedError):
    """The object was deleted."""


_ERRORS_BY_STATUS = {404: GoogleNotFoundError, 409: GoogleConflictError, 410: GoogleGoneError}


def service_url(settings: Mapping[str, Any], service: str) -> str:
    base = settings.get("base_url")
    return f"{base.rstrip('/')}{_PATHS[service]}" if base else _URLS[service]


def quote_segment(text: str) -> str:
    """Quote a text as one path segment."""
    if text in ("", ".", ".."):
        raise logic_failure(UserText('"{text}" is not a valid id.', text=text))
    return quote(text, safe="")


def send_request(  # noqa: PLR0913  each varies between the tools
    call: Call,
    method: str,
    service: str,
    path: str = "",
    *,
    query: Mapping[str, Any] | None = None,
    body: bytes | None = None,
    content: str = "application/json",
    acts: bool = False,
) -> JsonObject:
    """The JSON response of a service; ToolFailedError if it refuses or cannot be reached.

    An action is done if the response is 200 or 201 with an object that has an id, as for all actions used here.
    """
    answer = http_client.request(
        method,
        f"{service_url(call.settings, service)}{path}?{urlencode(query or {}, doseq=True)}".rstrip("?"),
        headers={"Authorization": f"Bearer {_token(call)}"} | ({} if body is None else {"Content-Type": content}),
        body=body,
        seconds=call.seconds,
        max_bytes=50_000_000,
        acts=acts,
        max_redirects=0,
    )
    if answer.status in (200, 201):
        result = answer.json_object()
        if acts and not result.text("id"):
            raise result.unexpected_shape()
        return result.lenient() if acts else result
    reason, said = _explain(answer)
    if answer.status == 403 and reason in _RATE_LIMIT_REASONS:
        raise ToolFailedError(
            Failure(
                kind=FailureClass.TRANSIENT,
                sentence=UserText("Too many requests to {host} ({said}).", host=answer.host, said=said or reason),
                retry_after=parse_retry_after(answer.headers, call.now),
            )
        )
    refused = status_failure(answer.status, answer.headers, answer.host, acts=acts, now=call.now, server_message=said)
    raise _ERRORS_BY_STATUS.get(answer.status, ToolFailedError)(refused.failure)


def request_all(
    call: Call, service: str, path: str, items: str, query: Mapping[str, Any], limit: int
) -> Iterator[JsonObject]:
    """At most `limit` items of a list, page by page, within the time of one call."""

    def page(call: Call, token: str, _: int) -> ResultPage:
        parameters = dict(query) | ({"pageToken": token} if token else {})
        answer = send_request(call, "GET", service, path, query=parameters)
        return answer.objects(items), answer.text("nextPageToken")

    return iterate_pages(call, limit, page)


def fetch_account(call: Call) -> str:
    """The mail address of the signed-in account."""
    email = send_request(call, "GET", "account").text("email")
    if "@" not in email:
        raise ToolFailedError.because(
            FailureClass.TRANSIENT, UserText("Google did not return the account that signed in. Try again.")
        )
    return email


def _token(call: Call) -> str:
    token = call.settings.get("access_token")
    if not token:
        raise ToolFailedError.because(
            FailureClass.AUTH, UserText("{connection} is not signed in. Connect it.", connection=call.connection)
        )
    return str(token)


def _explain(answer: http_client.Answer) -> tuple[str, str]:
    """The error's reason code and its message, shortened."""
    try:
        error = replace(answer, acts=False).json()["error"]
        reasons = [str(one.get("reason")) for one in error.get("errors") or [] if isinstance(one, dict)]
        said = " ".join(str(error.get("message") or "").split())
        return (reasons or [""])[0], said[:_MAX_MESSAGE_CHARS].rstrip(".")
    except (ToolFailedError, KeyError, TypeError, AttributeError):
        return "", ""
