"""Where Google's services are, and what they say when they refuse."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

from scheduler.connections import web
from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.connectors.paging import Page, page_through
from scheduler.connections.mistakes import wrong
from scheduler.connections.told import Told
from scheduler.connections.web_errors import refusal, retry_after
from scheduler.rules.failures import Failure, FailureClass

_GOOGLES = {
    "authorize": "https://accounts.google.com/o/oauth2/v2/auth",
    "token": "https://oauth2.googleapis.com/token",
    "account": "https://www.googleapis.com/oauth2/v2/userinfo",
    "mail": "https://gmail.googleapis.com/gmail/v1/users/me",
    "calendar": "https://www.googleapis.com/calendar/v3/calendars",
    "files": "https://www.googleapis.com/drive/v3/files",
    "upload": "https://www.googleapis.com/upload/drive/v3/files",
}
_BELOW = {
    "authorize": "/o/oauth2/v2/auth",
    "token": "/oauth2/token",
    "account": "/oauth2/v2/userinfo",
    "mail": "/gmail/v1/users/me",
    "calendar": "/calendar/v3/calendars",
    "files": "/drive/v3/files",
    "upload": "/upload/drive/v3/files",
}
"""The same services below one address of somebody else's."""
_TOO_FAST = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})
_LONGEST = 200


class MissingError(ToolFailedError):
    """There is no such thing, or none that this account can see."""


class TakenError(ToolFailedError):
    """There is one with this id already."""


class GoneError(ToolFailedError):
    """There was such a thing, and somebody has deleted it."""


_TOLD_APART = {404: MissingError, 409: TakenError, 410: GoneError}


def place_of(settings: Mapping[str, Any], service: str) -> str:
    base = settings.get("base_url")
    return f"{base.rstrip('/')}{_BELOW[service]}" if base else _GOOGLES[service]


def segment(text: str) -> str:
    """As one step of a path, whatever is in it."""
    if text in ("", ".", ".."):
        raise wrong(f'"{text}" is not an id.')
    return quote(text, safe="")


def ask(  # noqa: PLR0913  one door for all that can differ
    call: Call,
    method: str,
    service: str,
    path: str = "",
    *,
    query: Mapping[str, Any] | None = None,
    body: bytes | None = None,
    content: str = "application/json",
    acts: bool = False,
) -> Told:
    """What a service answers with; ToolFailedError if it refuses or cannot be reached.

    Done is an action that is answered with 200 or 201 and an object with an id, as all do that are asked for here.
    """
    answer = web.request(
        method,
        f"{place_of(call.settings, service)}{path}?{urlencode(query or {}, doseq=True)}".rstrip("?"),
        headers={"Authorization": f"Bearer {_token(call)}"} | ({} if body is None else {"Content-Type": content}),
        body=body,
        seconds=call.seconds,
        most=50_000_000,
        acts=acts,
        follow=0,
    )
    if answer.status in (200, 201):
        given = answer.told()
        if acts and not given.text("id"):
            raise given.strange()
        return given.lenient() if acts else given
    reason, said = _explain(answer)
    if answer.status == 403 and reason in _TOO_FAST:
        raise ToolFailedError(
            Failure(
                kind=FailureClass.TRANSIENT,
                sentence=f"{answer.host} asks us to be slower ({said or reason}).",
                retry_after=retry_after(answer.headers, call.now),
            )
        )
    refused = refusal(answer.status, answer.headers, answer.host, acts=acts, now=call.now, said=said)
    raise _TOLD_APART.get(answer.status, ToolFailedError)(refused.failure)


def ask_all(call: Call, service: str, path: str, items: str, query: Mapping[str, Any], limit: int) -> Iterator[Told]:
    """At most `limit` of what is listed, page after page, within the time of one call."""

    def page(call: Call, way: str, _: int) -> Page:
        asked = dict(query) | ({"pageToken": way} if way else {})
        answer = ask(call, "GET", service, path, query=asked)
        return answer.each(items), answer.text("nextPageToken")

    return page_through(call, limit, page)


def account_of(call: Call) -> str:
    """The mail address of who signed in."""
    email = ask(call, "GET", "account").text("email")
    if "@" not in email:
        raise ToolFailedError.because(FailureClass.TRANSIENT, "Google did not say who signed in. Try again.")
    return email


def _token(call: Call) -> str:
    token = call.settings.get("access_token")
    if not token:
        raise ToolFailedError.because(FailureClass.AUTH, f"Nobody is signed in to {call.connection}. Connect it.")
    return str(token)


def _explain(answer: web.Answer) -> tuple[str, str]:
    """The reason in one word, and what people are told, cut short."""
    try:
        error = replace(answer, acts=False).json()["error"]
        reasons = [str(one.get("reason")) for one in error.get("errors") or [] if isinstance(one, dict)]
        said = " ".join(str(error.get("message") or "").split())
        return (reasons or [""])[0], said[:_LONGEST].rstrip(".")
    except (ToolFailedError, KeyError, TypeError, AttributeError):
        return "", ""
