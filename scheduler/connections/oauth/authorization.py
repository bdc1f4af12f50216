"""Signing in: the system's browser, a door on this computer, a code that is worth nothing to anybody else."""

import base64
import hashlib
import secrets
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from scheduler.connections.addresses import parts_of
from scheduler.connections.connector import Call, Connector, ToolFailedError
from scheduler.connections.mistakes import wrong
from scheduler.connections.oauth.browser import open_browser as open_system_browser
from scheduler.connections.oauth.errors import NotAllowedError, OtherAccountError
from scheduler.connections.oauth.loopback import Arrival, Loopback
from scheduler.connections.oauth.provider import OAuth
from scheduler.connections.oauth.tokens import Tokens, ask_for_tokens, client_of

PATIENCE = 300.0
_SECONDS = 30.0
_HERE = ("localhost", "127.0.0.1", "::1")


def authorise(  # noqa: PLR0913  one door for all that can differ
    connector: Connector,
    settings: Mapping[str, Any],
    *,
    connection: str,
    now: Callable[[], datetime],
    before: str | None = None,
    open_browser: Callable[[str], None] = open_system_browser,
    seconds: float = PATIENCE,
    stop: threading.Event | None = None,
) -> dict[str, Any]:
    """Let the person sign in, and return the secret fields that come of it, to be kept in place of those before.

    `before` is the account that the connection belongs to, if it has one: nobody else may sign in. It takes as long
    as the person, at most `seconds`; setting `stop` ends it. ToolFailedError says why there is no login.
    """
    oauth = connector.oauth
    assert oauth is not None, connector.kind
    if not settings.get("client_id"):
        raise NotAllowedError(f"{connection} has no client ID, so nobody can sign in. Connect again and give one.")
    page = _private("sign-in page", oauth.authorize_url(settings))
    exchange = {**settings, "token_url": _private("token address", oauth.token_url(settings))}
    state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(64)
    with Loopback() as door:
        hint = {} if before is None or oauth.hint is None else {oauth.hint: before}
        open_browser(_address(page, oauth, settings, door.address, state, verifier, hint))
        arrival = door.wait(state, seconds, stop)
        try:
            code = _code(arrival, connector.title)
            form = {"grant_type": "authorization_code", "code": code, "redirect_uri": door.address}
            form |= {"code_verifier": verifier}
            tokens = ask_for_tokens(exchange, form, now=now(), seconds=_SECONDS)
            _check_scopes(_scopes(oauth, settings), tokens, connector.title)
            known = {**settings, "access_token": tokens.access}
            asking = Call(parameters={}, settings=known, key="", now=now(), seconds=_SECONDS, connection=connection)
            account = oauth.account(asking)
            if before is not None and account.casefold() != before.casefold():
                raise OtherAccountError(connection, before, account)
        except ToolFailedError as error:
            arrival.answer("Not connected", error.failure.sentence)
            raise
        arrival.answer("Connected", f"Dayhand now uses {connector.title} as {account}. You can close this page.")
    return {
        "access_token": tokens.access,
        "refresh_token": tokens.refresh,
        "expires_at": None if tokens.expires_at is None else tokens.expires_at.isoformat(),
        "account": account,
        **{name: exchange[name] for name in ("token_url", "certificate") if exchange.get(name)},
        **client_of(settings),
    }


def challenge_of(verifier: str) -> str:
    """S256 of RFC 7636."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def _private(name: str, address: str) -> str:
    """What is sent there must not be read on its way."""
    parts = parts_of(address)
    if parts.scheme != "https" and parts.hostname not in _HERE:
        raise wrong(f"Signing in needs the {name} of the service, an address that begins with https.")
    return address


def _address(
    page: str, oauth: OAuth, settings: Mapping[str, Any], back: str, state: str, verifier: str, hint: Mapping[str, str]
) -> str:
    asked = {
        **oauth.extra,
        **hint,
        "response_type": "code",
        "client_id": settings["client_id"],
        "redirect_uri": back,
        "scope": oauth.separator.join(_scopes(oauth, settings)),
        "state": state,
        "code_challenge": challenge_of(verifier),
        "code_challenge_method": "S256",
    }
    return f"{page}{'&' if '?' in page else '?'}{urlencode(asked)}"


def _code(arrival: Arrival, title: str) -> str:
    error = arrival.parameters.get("error")
    if error == "access_denied":
        raise NotAllowedError(
            f"{title} was not allowed to be used, so nothing was connected. Connect again to allow it."
        )
    if error is not None:
        raise NotAllowedError(
            f"{title} refused the sign-in. Check the client ID of the connection, then connect again."
        )
    return arrival.parameters["code"]


def _scopes(oauth: OAuth, settings: Mapping[str, Any]) -> tuple[str, ...]:
    return (*oauth.scopes, *oauth.own_scopes(settings))


def _check_scopes(asked: tuple[str, ...], tokens: Tokens, title: str) -> None:
    """People may untick parts of what is asked; tools would then fail one by one, later."""
    if tokens.scopes is not None and not tokens.scopes.issuperset(asked):
        missing = ", ".join(scope for scope in asked if scope not in tokens.scopes)
        raise NotAllowedError(
            f"{title} was allowed only in part; missing: {missing}. Connect again and allow all of it."
        )
