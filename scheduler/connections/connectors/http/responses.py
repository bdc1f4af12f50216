"""Responses of a web API: as scripts get them, the error message in them, and whether they confirm an action."""

import base64
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from scheduler.connections import charsets
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.errors import logic_failure
from scheduler.connections.host_names import is_local_name
from scheduler.connections.http_client import Answer
from scheduler.connections.http_errors import unusable_answer
from scheduler.rules.failures import Failure, FailureClass
from scheduler.user_text import UserText

_FAIL_ON = ("any", "temporary", "nothing")
"""Which failures of a read end the attempt of a script; others are returned to it."""
_CHARSET = re.compile(r'charset="?([A-Za-z0-9_.:-]+)', re.IGNORECASE)
_MESSAGE_KEYS = ("message", "error_description", "detail", "error", "title")
_MAX_MESSAGE_CHARS = 200
_UNREADABLE = UserText("The response is too large or cannot be decoded.")
_NOT_JSON = UserText("The response is marked as JSON but is not valid JSON.")


def describe_response(answer: Answer) -> dict[str, Any]:
    """Status, headers, and the body as "json", "text" or else "base64".

    If the response to an action cannot be read, "note" says so: the action was done anyway.
    """
    headers = {name.lower(): value for name, value in answer.headers.items() if name.lower() != "set-cookie"}
    result: dict[str, Any] = {"status": answer.status, "headers": headers}
    if answer.incomplete:
        return {**result, "note": _UNREADABLE}
    kind = headers.get("content-type", "").lower()
    if answer.body and "json" in kind.partition(";")[0]:
        try:
            return {**result, "json": answer.json()}
        except ToolFailedError:
            if not answer.acts:
                raise  # but an action was done, whatever its response looks like
            result["note"] = _NOT_JSON
    found = _CHARSET.search(kind)
    try:
        if b"\0" not in answer.body:
            return {**result, "text": charsets.decode(answer.body, found[1] if found else "utf-8")}
    except (UnicodeError, LookupError):
        pass
    return {**result, "base64": base64.b64encode(answer.body).decode()}


def read_fail_on(parameters: Mapping[str, Any]) -> str:
    fail_on = str(parameters.get("fail_on") or _FAIL_ON[0])
    if fail_on not in _FAIL_ON:
        raise logic_failure(UserText('"fail_on" must be one of {choices}.', choices=", ".join(_FAIL_ON)))
    return fail_on


def ends_attempt(failure: Failure, fail_on: str, *, has_login: bool) -> bool:
    """Being offline, or a login that no longer works, always does: the script cannot help."""
    if fail_on == "any" or not failure.counts or (failure.kind is FailureClass.AUTH and has_login):
        return True
    return fail_on == "temporary" and failure.kind is FailureClass.TRANSIENT


def error_message(answer: Answer, secrets: Iterable[str]) -> str:
    """The error message in a JSON response, on one line and without secrets that the server repeats."""
    try:
        value = json.loads(answer.body)
    except (ValueError, RecursionError):
        return ""
    for _ in range(3):
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, dict):
            value = next((value[key] for key in _MESSAGE_KEYS if value.get(key)), None)
    if not isinstance(value, str):
        return ""
    for secret in secrets:
        value = value.replace(secret, "…")
    line = " ".join("".join(c if c.isprintable() else " " for c in value).split())
    return line.rstrip(".") if len(line) <= _MAX_MESSAGE_CHARS else f"{line[:_MAX_MESSAGE_CHARS]}…"


_UNCLEAR_STATUSES = (206, 207)
"""Partial content, and several outcomes at once."""
_HTML_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?+\s*+(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_MAX_SCANNED_BYTES = 10_000


def unconfirmed_error(answer: Answer) -> ToolFailedError | None:
    """Why a success status does not prove that the action was done; None if it does.

    Nothing is known about the API, so any other success counts, whatever its body. Over plain HTTP, however, the login
    page of a network can pretend to be the server.
    """
    if answer.status in _UNCLEAR_STATUSES:
        return unusable_answer(
            UserText(
                "{host} answered with {status}, which does not confirm that it was done.",
                host=answer.host,
                status=answer.status,
            ),
            acts=True,
        )
    if (
        answer.url.startswith("http:")
        and not is_local_name(answer.host)
        and _HTML_PAGE.match(answer.body[:_MAX_SCANNED_BYTES])
    ):
        return unusable_answer(
            UserText("{host} answered with a web page. It may be the login page of this network.", host=answer.host),
            acts=True,
        )
    return None
