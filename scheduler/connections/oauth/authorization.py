"""Signing in: browser, loopback listener and the exchange of a PKCE-protected code for tokens."""

import base64
import hashlib
import secrets
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from scheduler.connections.connector import Call, Connector, ToolFailedError
from scheduler.connections.errors import logic_failure
from scheduler.connections.oauth.browser import open_browser as open_system_browser
from scheduler.connections.oauth.errors import SignInDeniedError, WrongAccountError
from scheduler.connections.oauth.loopback import BrowserCallback, LoopbackListener
from scheduler.connections.oauth.provider import OAuth
from scheduler.connections.oauth.tokens import Tokens, client_credentials, request_tokens
from scheduler.connections.urls import split_url
from scheduler.user_text import UserText

SIGN_IN_TIMEOUT_S = 300.0
_REQUEST_TIMEOUT_S = 30.0
_LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")


def authorize(  # noqa: PLR0913  keyword-only options
    connector: Connector,
    settings: Mapping[str, Any],
    *,
    connection: str,
    now: Callable[[], datetime],
    previous_account: str | None = None,
    open_browser: Callable[[str], None] = open_system_browser,
    seconds: float = SIGN_IN_TIMEOUT_S,
    stop: threading.Event | None = None,
) -> dict[str, Any]:
    """Let the user sign in, and return the new secret fields of the connection.

    If there is a `previous_account`, no other account may sign in. Blocks until the user has signed in, at most
    `seconds`, or until `stop` is set. Raises ToolFailedError.
    """
    oauth = connector.oauth
    assert oauth is not None, connector.kind
    if not settings.get("client_id"):
        raise SignInDeniedError(
            UserText(
                "{connection} has no client ID, so you cannot sign in. Connect again and enter one.",
                connection=connection,
            )
        )
    page = _require_https(UserText("sign-in page"), oauth.authorize_url(settings))
    exchange = {**settings, "token_url": _require_https(UserText("token address"), oauth.token_url(settings))}
    state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(64)
    with LoopbackListener() as listener:
        hint = {name: previous_account} if (name := oauth.account_hint_parameter) and previous_account else {}
        open_browser(_authorization_url(page, oauth, settings, listener.address, state, verifier, hint))
        arrival = listener.wait_for_callback(state, seconds, stop)
        try:
            code = _read_code(arrival, connector.title)
            form = {"grant_type": "authorization_code", "code": code, "redirect_uri": listener.address}
            form |= {"code_verifier": verifier}
            tokens = request_tokens(exchange, form, now=now(), seconds=_REQUEST_TIMEOUT_S)
            _check_scopes(_scopes(oauth, settings), tokens, connector.title)
            signed_in = {**settings, "access_token": tokens.access}
            call = Call(
                parameters={}, settings=signed_in, key="", now=now(), seconds=_REQUEST_TIMEOUT_S, connection=connection
            )
            account = oauth.account(call)
            if previous_account is not None and account.casefold() != previous_account.casefold():
                raise WrongAccountError(connection, previous_account, account)
        except ToolFailedError as error:
            arrival.show_page(UserText("Not connected"), error.failure.sentence)
            raise
        arrival.show_page(UserText("Connected"), _describe_success(connector.title, account))
    return {
        "access_token": tokens.access,
        "refresh_token": tokens.refresh,
        "expires_at": None if tokens.expires_at is None else tokens.expires_at.isoformat(),
        "account": account,
        **{name: exchange[name] for name in ("token_url", "certificate") if exchange.get(name)},
        **client_credentials(settings),
    }


def _describe_success(title: str, account: str) -> str:
    return UserText("Dayhand now uses {title} as {account}. You can close this page.", title=title, account=account)


def code_challenge(verifier: str) -> str:
    """The S256 code challenge of RFC 7636."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def _require_https(name: str, address: str) -> str:
    """Return the address; only loopback addresses may be unencrypted."""
    parts = split_url(address)
    if parts.scheme != "https" and parts.hostname not in _LOOPBACK_HOSTS:
        raise logic_failure(
            UserText("The {name} of the service must be an address that starts with https://.", name=name)
        )
    return address


def _authorization_url(
    page: str,
    oauth: OAuth,
    settings: Mapping[str, Any],
    redirect_uri: str,
    state: str,
    verifier: str,
    hint: Mapping[str, str],
) -> str:
    parameters = {
        **oauth.extra_parameters,
        **hint,
        "response_type": "code",
        "client_id": settings["client_id"],
        "redirect_uri": redirect_uri,
        "scope": oauth.scope_separator.join(_scopes(oauth, settings)),
        "state": state,
        "code_challenge": code_challenge(verifier),
        "code_challenge_method": "S256",
    }
    return f"{page}{'&' if '?' in page else '?'}{urlencode(parameters)}"


def _read_code(arrival: BrowserCallback, title: str) -> str:
    error = arrival.parameters.get("error")
    if error == "access_denied":
        raise SignInDeniedError(
            UserText("Access to {title} was denied, so nothing was connected. Connect again to allow it.", title=title)
        )
    if error is not None:
        raise SignInDeniedError(
            UserText(
                "{title} refused the sign-in. Check the client ID of the connection, then connect again.", title=title
            )
        )
    return arrival.parameters["code"]


def _scopes(oauth: OAuth, settings: Mapping[str, Any]) -> tuple[str, ...]:
    return (*oauth.scopes, *oauth.extra_scopes(settings))


def _check_scopes(requested: tuple[str, ...], tokens: Tokens, title: str) -> None:
    """Users may untick permissions; tools would then fail later, one by one."""
    if tokens.scopes is not None and not tokens.scopes.issuperset(requested):
        missing = ", ".join(scope for scope in requested if scope not in tokens.scopes)
        raise SignInDeniedError(
            UserText(
                "{title} was allowed only in part; missing: {missing}. Connect again and allow everything.",
                title=title,
                missing=missing,
            )
        )
