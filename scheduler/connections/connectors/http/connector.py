"""Any web API: read from it, page through it, download from it, and send to it."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from scheduler.connections.connector import (
    Call,
    Connector,
    Field,
    FieldKind,
    Parameter,
    ParameterKind,
    Tool,
    ToolExample,
    ToolFailedError,
)
from scheduler.connections.connectors.base_url import build_url
from scheduler.connections.connectors.folder import pinned_path, resolve_path, resolve_root
from scheduler.connections.connectors.http.responses import (
    describe_response,
    ends_attempt,
    error_message,
    read_fail_on,
    unconfirmed_error,
)
from scheduler.connections.connectors.http_auth import CERTIFICATE, auth_headers, ssl_context
from scheduler.connections.errors import logic_failure
from scheduler.connections.http_client import Answer, check, request
from scheduler.connections.oauth.fields import sign_in_fields
from scheduler.connections.oauth.provider import OAuth
from scheduler.connections.safe_files import converting_disk_errors
from scheduler.connections.urls import join_url, split_url
from scheduler.rules.failures import FailureClass, classify_http_status
from scheduler.user_text import UserText

_MAX_BYTES = 10_000_000
_MAX_ACTION_BYTES = 4_000_000
_MAX_FILE_BYTES = 1_000_000_000
_MAX_PAGES = 100
_METHODS = ("POST", "PUT", "PATCH", "DELETE")
_RESERVED_HEADERS = frozenset({"authorization", "cookie", "proxy-authorization", "idempotency-key"})
_LINK = re.compile(r'<([^<>]*+)>((?:\s*+;\s*+[^\s=;,"]++\s*+(?:=\s*+(?:"[^"]*+"|[^\s;,"]*+))?)*+)')
_REL = re.compile(r';\s*+rel\s*+=\s*+"?([^";,]*+)', re.IGNORECASE)


def _request(call: Call, method: str, url: str, **more: Any) -> Answer:
    """The response, if it is a success."""
    return _checked(call, request(method, url, context=ssl_context(call), **{"seconds": call.seconds, **more}))


def _checked(call: Call, answer: Answer) -> Answer:
    secrets = [call.settings[name] for name in ("secret", "access_token") if call.settings.get(name)]
    return check(answer, call.now, error_message(answer, secrets) if answer.status >= 400 else "")


def _url(call: Call) -> str:
    return build_url(call.settings["base_url"], call.parameters["path"], call.parameters.get("query"))


def _headers(call: Call, accept: str = "application/json, text/*;q=0.9, */*;q=0.5") -> dict[str, str]:
    """The headers of the script and of the connection; a script cannot change the latter."""
    login = auth_headers(call)
    kept = _RESERVED_HEADERS | {name.lower() for name in login}
    given: Mapping[str, Any] = call.parameters.get("headers") or {}
    for name, value in given.items():
        if name.lower() in kept:
            raise logic_failure(UserText('The header "{name}" is set by the connection. Leave it out.', name=name))
        if not isinstance(value, str):
            raise logic_failure(UserText('The header "{name}" must be a text.', name=name))
    plain = {} if any(name.lower() == "accept" for name in given) else {"Accept": accept}
    return {**plain, **given, **login}


def _get(call: Call) -> dict[str, Any]:
    fail_on = read_fail_on(call.parameters)
    url, headers, status = _url(call), _headers(call), 0
    try:
        answer = request(
            "GET", url, headers=headers, seconds=call.seconds, max_bytes=_MAX_BYTES, context=ssl_context(call)
        )
        status = answer.status
        return describe_response(_checked(call, answer))
    except ToolFailedError as error:
        if ends_attempt(error.failure, fail_on, has_login=call.settings.get("auth", "none") != "none"):
            raise
        return {"status": status, "headers": {}, "error": error.failure.sentence}


def _get_all(call: Call) -> dict[str, Any]:
    from scheduler.connections.transfer_limits import TransferLimit  # noqa: PLC0415  imported late to keep startup fast

    pages = call.parameters.get("pages") or 10
    if not 1 <= pages <= _MAX_PAGES:
        raise logic_failure(UserText('"pages" must be between 1 and {max_pages}.', max_pages=_MAX_PAGES))
    limit = TransferLimit(call.seconds, _MAX_BYTES)
    headers, room = _headers(call), _MAX_BYTES
    items: list[Any] = []
    url: str | None = _url(call)
    seen: set[str] = set()
    while url and len(seen) < pages:
        seen.add(url)
        answer = _request(call, "GET", url, headers=headers, max_bytes=room, limit=limit)
        items += _items(answer, call.parameters.get("items"))
        room -= len(answer.body)
        url = _next_url(call, answer)
        if url in seen:
            raise logic_failure(UserText("{host} repeats a page as the next one.", host=answer.host))
    return {"items": items, "pages": len(seen), "next": url}


def _items(answer: Answer, name: str | None) -> list[Any]:
    value = answer.json()
    if name is not None and isinstance(value, dict):
        value = value.get(name)
    if isinstance(value, list):
        return value
    if name:
        raise logic_failure(UserText('The response of {host} has no list in "{name}".', host=answer.host, name=name))
    raise logic_failure(
        UserText('The response of {host} is not a list. Give the name of the list in it as "items".', host=answer.host)
    )


def _next_url(call: Call, answer: Answer) -> str | None:
    """The next page according to the Link header; it must be below the address of the connection."""
    for target_url, about in _LINK.findall(answer.headers.get("Link", "")):
        relation = _REL.search(about)
        if relation and "next" in relation[1].lower().split():
            if not (page := join_url(answer.url, target_url)):
                raise logic_failure(UserText("{host} gave an invalid address for the next page.", host=answer.host))
            return build_url(call.settings["base_url"], page)
    return None


def _download(call: Call) -> dict[str, Any]:
    if not call.settings.get("folder"):
        raise logic_failure(
            UserText("{connection} has no download folder. Choose one in the connection.", connection=call.connection)
        )
    url = _url(call)
    name = call.parameters.get("name") or unquote(PurePosixPath(split_url(url).path).name)
    if not name:
        raise logic_failure(UserText('The path has no file name. Give one as "name".'))
    root = resolve_root(replace(call, settings={"path": call.settings["folder"]}))
    target = resolve_path(root, name, follow=False)
    with converting_disk_errors(name), pinned_path(root, target, make=True) as there:
        answer = _request(call, "GET", url, headers=_headers(call, "*/*"), max_bytes=_MAX_FILE_BYTES, target=there)
        size = there.stat().st_size
    kind = answer.headers.get("Content-Type", "")
    return {"path": str(target), "name": target.relative_to(root).as_posix(), "size": size, "content_type": kind}


def _send(call: Call) -> dict[str, Any]:
    if not call.key:
        raise ToolFailedError.because(FailureClass.INTERNAL, UserText("The request has no idempotency key."))
    method = (call.parameters.get("method") or "POST").upper()
    if method not in _METHODS:
        raise logic_failure(UserText('"method" must be one of {methods}.', methods=", ".join(_METHODS)))
    headers = {**_headers(call), "Idempotency-Key": call.key}
    body = None
    if call.parameters.get("json") is not None:
        try:
            body = json.dumps(call.parameters["json"], allow_nan=False).encode()
        except ValueError as error:
            raise logic_failure(UserText('"json" contains a number that JSON cannot represent.')) from error
        headers.setdefault("Content-Type", "application/json")
    answer = _request(call, method, _url(call), headers=headers, body=body, max_bytes=_MAX_ACTION_BYTES, acts=True)
    if unconfirmed := unconfirmed_error(answer):
        raise unconfirmed
    return describe_response(answer)


def _test(call: Call) -> str:
    url = build_url(call.settings["base_url"], "")
    answer = request(
        "GET", url, headers=_headers(call), seconds=call.seconds, max_bytes=_MAX_BYTES, context=ssl_context(call)
    )
    if classify_http_status(answer.status, mutating=False) is FailureClass.LOGIC and answer.status >= 400:
        return UserText(
            "{host} is reachable, but its base address returned {status}, so the login was not tested.",
            host=answer.host,
            status=answer.status,
        )
    return UserText("{host} is reachable.", host=_checked(call, answer).host)


_PATH = Parameter(ParameterKind.TEXT, help="Path below the address of the connection, such as items/3.")
_QUERY = Parameter(ParameterKind.OBJECT, required=False, help='Query parameters, such as {"page": 2}.')
_HEADERS = Parameter(ParameterKind.OBJECT, required=False, help="More headers; the login is added automatically.")
_COMMON = {"path": _PATH, "query": _QUERY, "headers": _HEADERS}
_WITH_OAUTH2 = ("auth", ("oauth2",))

http = Connector(
    kind="http",
    title="Web API",
    help=UserText("Reads from any web API, downloads from it and sends to it."),
    fields=(
        Field(
            name="base_url",
            label="Address",
            help="Base address of the API, for example https://api.example.org/v1; nothing outside it is used.",
        ),
        Field(
            name="auth",
            label="Login",
            help="How to log in to the API.",
            kind=FieldKind.CHOICE,
            choices=("none", "basic", "bearer", "header", "oauth2"),
            default="none",
        ),
        Field(name="user", label="User name", help="For the basic login.", required=False, when=("auth", ("basic",))),
        Field(
            name="secret",
            label="Password or token",
            help="The password (basic), the token (bearer) or the value of the header.",
            secret=True,
            required=False,
            when=("auth", ("basic", "bearer", "header")),
        ),
        Field(
            name="header",
            label="Header",
            help="Name of the header that contains the value.",
            required=False,
            default="X-Api-Key",
            when=("auth", ("header",)),
            is_endpoint=False,
        ),
        *sign_in_fields(
            UserText("For the oauth2 login: from the app that you registered with the service."),
            required=False,
            when=_WITH_OAUTH2,
        ),
        Field(
            name="authorize_url",
            label="Sign-in page",
            help="For the oauth2 login, for example https://example.org/oauth/authorize.",
            required=False,
            when=_WITH_OAUTH2,
            is_endpoint=False,
        ),
        Field(
            name="token_url",
            label="Token address",
            help="For the oauth2 login, for example https://example.org/oauth/token.",
            required=False,
            when=_WITH_OAUTH2,
            is_endpoint=False,
        ),
        Field(
            name="scopes",
            label="Scopes",
            help="For the oauth2 login, separated by spaces.",
            required=False,
            when=_WITH_OAUTH2,
            is_endpoint=False,
        ),
        Field(
            name="folder", label="Downloads", help="Folder for downloaded files.", required=False, kind=FieldKind.PATH
        ),
        CERTIFICATE,
    ),
    tools=(
        Tool(
            name="get",
            may=UserText("read from {name}"),
            help=UserText('Read a path: "json", "text" or "base64", with status and headers; at most 10 MB.'),
            parameters={
                **_COMMON,
                "fail_on": Parameter(
                    ParameterKind.TEXT,
                    required=False,
                    help='Which failures end the attempt: "any" (default), "temporary" ones, which are retried, or '
                    '"nothing". Others return "error", and "status", which is 0 without a response.',
                ),
            },
            example=ToolExample(
                {"path": "items/3"}, {"status": 200, "headers": {"content-type": "application/json"}, "json": {"id": 3}}
            ),
            run=_get,
        ),
        Tool(
            name="get_all",
            may=UserText("read from {name}"),
            help=UserText(
                'Read all pages of a list by following the Link header. "next" is the page after the last '
                "one read; continue there."
            ),
            parameters={
                **_COMMON,
                "items": Parameter(ParameterKind.TEXT, required=False, help="Name of the list in the response."),
                "pages": Parameter(ParameterKind.WHOLE, required=False, help="Maximum number of pages; default 10."),
            },
            example=ToolExample(
                {"path": "items", "query": {"state": "open"}}, {"items": [{"id": 3}], "pages": 1, "next": None}
            ),
            run=_get_all,
        ),
        Tool(
            name="download",
            may=UserText("download from {name}"),
            help=UserText("Download a path into the download folder, replacing a file of the same name; at most 1 GB."),
            parameters={
                **_COMMON,
                "name": Parameter(ParameterKind.TEXT, required=False, help="Name of the file; default from the path."),
            },
            example=ToolExample(
                {"path": "files/bill.pdf"},
                {
                    "path": "/home/anna/Downloads/bill.pdf",
                    "name": "bill.pdf",
                    "size": 20480,
                    "content_type": "application/pdf",
                },
            ),
            run=_download,
        ),
        Tool(
            name="send",
            may=UserText("send data to {name} and change it"),
            help=UserText("Send JSON, with an idempotency key so that the API can recognize a retry."),
            parameters={
                **_COMMON,
                "method": Parameter(ParameterKind.TEXT, required=False, help="POST (default), PUT, PATCH or DELETE."),
                "json": Parameter(ParameterKind.ANY, required=False, help="What to send."),
            },
            example=ToolExample(
                {"path": "items", "json": {"title": "Milk"}},
                {"status": 201, "headers": {"content-type": "application/json"}, "json": {"id": 4}},
            ),
            run=_send,
            mutating=True,
            acts_on_others=True,
            # Not idempotent: many servers ignore the key, and there is no way to ask.
        ),
    ),
    test=_test,
    oauth=OAuth(
        authorize_url=lambda settings: settings.get("authorize_url") or "",
        token_url=lambda settings: settings.get("token_url") or "",
        account=lambda call: call.settings.get("account") or split_url(call.settings["base_url"]).netloc,
        extra_scopes=lambda settings: tuple((settings.get("scopes") or "").split()),
        is_needed=lambda settings: settings.get("auth") == "oauth2",
    ),
)
