"""Any web API: ask it, page through it, download from it, and send to it."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from scheduler.connections.addresses import join, parts_of
from scheduler.connections.connector import (
    Call,
    Connector,
    Field,
    FieldKind,
    Parameter,
    ParameterKind,
    Tool,
    ToolFailedError,
)
from scheduler.connections.connectors.address import below
from scheduler.connections.connectors.folder import held, place_in, root_of
from scheduler.connections.connectors.http.answers import said, shown
from scheduler.connections.connectors.http.outcomes import doubt
from scheduler.connections.connectors.login import CERTIFICATE, login_headers, trust
from scheduler.connections.disk import explained
from scheduler.connections.mistakes import wrong
from scheduler.connections.oauth.fields import sign_in_fields
from scheduler.connections.oauth.provider import OAuth
from scheduler.connections.web import Answer, check, request
from scheduler.rules.failures import FailureClass, classify_status

_LARGEST = 10_000_000
_LARGEST_OF_ACTION = 4_000_000
_LARGEST_FILE = 1_000_000_000
_MOST_PAGES = 100
_METHODS = ("POST", "PUT", "PATCH", "DELETE")
_KEPT_TO_US = frozenset({"authorization", "cookie", "proxy-authorization", "idempotency-key"})
_LINK = re.compile(r'<([^<>]*+)>((?:\s*+;\s*+[^\s=;,"]++\s*+(?:=\s*+(?:"[^"]*+"|[^\s;,"]*+))?)*+)')
_REL = re.compile(r';\s*+rel\s*+=\s*+"?([^";,]*+)', re.IGNORECASE)


def _ask(call: Call, method: str, url: str, **more: Any) -> Answer:
    """The answer, if it is a success."""
    return _checked(call, request(method, url, context=trust(call), **{"seconds": call.seconds, **more}))


def _checked(call: Call, answer: Answer) -> Answer:
    secrets = [call.settings[name] for name in ("secret", "access_token") if call.settings.get(name)]
    return check(answer, call.now, said(answer, secrets) if answer.status >= 400 else "")


def _address(call: Call) -> str:
    return below(call.settings["base_url"], call.parameters["path"], call.parameters.get("query"))


def _headers(call: Call, accept: str = "application/json, text/*;q=0.9, */*;q=0.5") -> dict[str, str]:
    """Those of the script, and those of the connection, which a script cannot change."""
    login = login_headers(call)
    kept = _KEPT_TO_US | {name.lower() for name in login}
    given: Mapping[str, Any] = call.parameters.get("headers") or {}
    for name, value in given.items():
        if name.lower() in kept:
            raise wrong(f'The header "{name}" is set by the connection; leave it out.')
        if not isinstance(value, str):
            raise wrong(f'The header "{name}" takes a text.')
    plain = {} if any(name.lower() == "accept" for name in given) else {"Accept": accept}
    return {**plain, **given, **login}


def _get(call: Call) -> dict[str, Any]:
    return shown(_ask(call, "GET", _address(call), headers=_headers(call), most=_LARGEST))


def _get_all(call: Call) -> dict[str, Any]:
    from scheduler.connections.transfer_limits import TransferLimit  # noqa: PLC0415  costs the start of the app

    pages = call.parameters.get("pages") or 10
    if not 1 <= pages <= _MOST_PAGES:
        raise wrong(f'"pages" takes a number from 1 to {_MOST_PAGES}.')
    limit = TransferLimit(call.seconds, _LARGEST)
    headers, room = _headers(call), _LARGEST
    items: list[Any] = []
    url: str | None = _address(call)
    seen: set[str] = set()
    while url and len(seen) < pages:
        seen.add(url)
        answer = _ask(call, "GET", url, headers=headers, most=room, limit=limit)
        items += _items(answer, call.parameters.get("items"))
        room -= len(answer.body)
        url = _next(call, answer)
        if url in seen:
            raise wrong(f"{answer.host} names a page as the next that was there before.")
    return {"items": items, "pages": len(seen), "next": url}


def _items(answer: Answer, name: str | None) -> list[Any]:
    value = answer.json()
    if name is not None and isinstance(value, dict):
        value = value.get(name)
    if isinstance(value, list):
        return value
    where = f'a list in "{name}"' if name else 'a list; say in "items" in which part of it the list is'
    raise wrong(f"What {answer.host} answered is not {where}.")


def _next(call: Call, answer: Answer) -> str | None:
    """The next page as the Link header names it; it may be anywhere below the address of the connection."""
    for goal, about in _LINK.findall(answer.headers.get("Link", "")):
        relation = _REL.search(about)
        if relation and "next" in relation[1].lower().split():
            if not (page := join(answer.url, goal)):
                raise wrong(f"{answer.host} names a next page whose address cannot be read.")
            return below(call.settings["base_url"], page)
    return None


def _download(call: Call) -> dict[str, Any]:
    if not call.settings.get("folder"):
        raise wrong(f"{call.connection} has no folder for downloads. Choose one in the connection.")
    url = _address(call)
    name = call.parameters.get("name") or unquote(PurePosixPath(parts_of(url).path).name)
    if not name:
        raise wrong('The path ends without a name. Give the file one in "name".')
    root = root_of(replace(call, settings={"path": call.settings["folder"]}))
    target = place_in(root, name, follow=False)
    with explained(name), held(root, target, make=True) as there:
        answer = _ask(call, "GET", url, headers=_headers(call, "*/*"), most=_LARGEST_FILE, target=there)
        size = there.stat().st_size
    kind = answer.headers.get("Content-Type", "")
    return {"path": str(target), "name": target.relative_to(root).as_posix(), "size": size, "content_type": kind}


def _send(call: Call) -> dict[str, Any]:
    if not call.key:
        raise ToolFailedError.because(FailureClass.INTERNAL, "A request came without a key that tells it from others.")
    method = (call.parameters.get("method") or "POST").upper()
    if method not in _METHODS:
        raise wrong(f'"method" takes one of {", ".join(_METHODS)}.')
    headers = {**_headers(call), "Idempotency-Key": call.key}
    body = None
    if call.parameters.get("json") is not None:
        try:
            body = json.dumps(call.parameters["json"], allow_nan=False).encode()
        except ValueError as error:
            raise wrong('"json" holds a number that JSON cannot write.') from error
        headers.setdefault("Content-Type", "application/json")
    answer = _ask(call, method, _address(call), headers=headers, body=body, most=_LARGEST_OF_ACTION, acts=True)
    if in_doubt := doubt(answer):
        raise in_doubt
    return shown(answer)


def _test(call: Call) -> str:
    url = below(call.settings["base_url"], "")
    answer = request("GET", url, headers=_headers(call), seconds=call.seconds, most=_LARGEST, context=trust(call))
    if classify_status(answer.status, mutating=False) is FailureClass.LOGIC and answer.status >= 400:
        return f"{answer.host} answers, though not at its first page ({answer.status}), so the login was not tested."
    return f"{_checked(call, answer).host} answers."


_PATH = Parameter(ParameterKind.TEXT, help="Below the address of the connection, such as items/3.")
_QUERY = Parameter(ParameterKind.OBJECT, required=False, help='What follows the question mark, such as {"page": 2}.')
_HEADERS = Parameter(ParameterKind.OBJECT, required=False, help="More headers; the login is added by itself.")
_WHERE = {"path": _PATH, "query": _QUERY, "headers": _HEADERS}
_BROWSER = ("auth", ("oauth2",))

http = Connector(
    kind="http",
    title="Web API",
    help="Asks any web API, downloads from it and sends to it.",
    fields=(
        Field(
            name="base_url",
            label="Address",
            help="Where the API begins, as in https://api.example.org/v1; nothing outside it is asked.",
        ),
        Field(
            name="auth",
            label="Login",
            help="How the API knows you.",
            kind=FieldKind.CHOICE,
            choices=("none", "basic", "bearer", "header", "oauth2"),
            default="none",
        ),
        Field(name="user", label="User", help="For the login basic.", required=False, when=("auth", ("basic",))),
        Field(
            name="secret",
            label="Password or token",
            help="The password of basic, the token of bearer, or the value of the header.",
            secret=True,
            required=False,
            when=("auth", ("basic", "bearer", "header")),
        ),
        Field(
            name="header",
            label="Header",
            help="Which header the login header uses.",
            required=False,
            default="X-Api-Key",
            when=("auth", ("header",)),
            locates=False,
        ),
        *sign_in_fields(
            "For the login oauth2: from the app that you made at the service.", required=False, when=_BROWSER
        ),
        Field(
            name="authorize_url",
            label="Sign-in page",
            help="For the login oauth2, as in https://example.org/oauth/authorize.",
            required=False,
            when=_BROWSER,
            locates=False,
        ),
        Field(
            name="token_url",
            label="Token address",
            help="For the login oauth2, as in https://example.org/oauth/token.",
            required=False,
            when=_BROWSER,
            locates=False,
        ),
        Field(
            name="scopes",
            label="Scopes",
            help="For the login oauth2, with spaces between them.",
            required=False,
            when=_BROWSER,
            locates=False,
        ),
        Field(name="folder", label="Downloads", help="Where files go.", required=False, kind=FieldKind.PATH),
        CERTIFICATE,
    ),
    tools=(
        Tool(
            name="get",
            may="read from {name}",
            help='What is at a path: "json", "text" or "base64", with status and headers; at most 10 MB.',
            parameters=_WHERE,
            run=_get,
        ),
        Tool(
            name="get_all",
            may="read from {name}",
            help='The items of a list over all its pages, as far as the Link header names more. "next" is the page '
            "after the last one that was read, to go on with.",
            parameters={
                **_WHERE,
                "items": Parameter(ParameterKind.TEXT, required=False, help="In which part of the answer the list is."),
                "pages": Parameter(ParameterKind.WHOLE, required=False, help="How many at most; 10 if not given."),
            },
            run=_get_all,
        ),
        Tool(
            name="download",
            may="download from {name}",
            help="Save what is at a path in the folder for downloads; a file of that name is replaced. At most 1 GB.",
            parameters={
                **_WHERE,
                "name": Parameter(ParameterKind.TEXT, required=False, help="The file's name; the path's if not given."),
            },
            run=_download,
        ),
        Tool(
            name="send",
            may="send to {name} and change things there",
            help="Send JSON, with a key by which the API can tell a second try from a second order.",
            parameters={
                **_WHERE,
                "method": Parameter(ParameterKind.TEXT, required=False, help="POST if not given; PUT, PATCH, DELETE."),
                "json": Parameter(ParameterKind.ANY, required=False, help="What to send."),
            },
            run=_send,
            mutating=True,
            acts_on_others=True,
            # Not idempotent: many servers ignore the key, and none can be asked whether it does.
        ),
    ),
    test=_test,
    oauth=OAuth(
        authorize_url=lambda settings: settings.get("authorize_url") or "",
        token_url=lambda settings: settings.get("token_url") or "",
        account=lambda call: call.settings.get("account") or parts_of(call.settings["base_url"]).netloc,
        own_scopes=lambda settings: tuple((settings.get("scopes") or "").split()),
        wanted=lambda settings: settings.get("auth") == "oauth2",
    ),
)
