"""Refreshing tokens: before they expire and once after a 401, one refresh at a time per connection."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeVar, runtime_checkable

from scheduler.connections.connector import Call, Tool, ToolFailedError
from scheduler.connections.oauth.errors import SignInDeniedError
from scheduler.connections.oauth.tokens import request_tokens
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

REFRESH_MARGIN = timedelta(minutes=5)
"""How long before expiry a login is refreshed: longer than any call takes."""
_TIMEOUT_S = 20.0

Secrets = Mapping[str, Any]
Read = Callable[[], Secrets]
Keep = Callable[[Secrets], None]
_Answer = TypeVar("_Answer")


def refresh_tokens(connection: str, secrets: Secrets, *, now: datetime, seconds: float = _TIMEOUT_S) -> dict[str, Any]:
    """The secrets with new tokens; keeps the old refresh token if no new one was issued."""
    if not secrets.get("refresh_token") or not secrets.get("token_url"):
        raise SignInDeniedError(
            UserText("The sign-in of {connection} has expired. Connect again.", connection=connection)
        )
    form = {"grant_type": "refresh_token", "refresh_token": secrets["refresh_token"]}
    try:
        tokens = request_tokens(secrets, form, now=now, seconds=seconds)
    except SignInDeniedError as error:
        if account := secrets.get("account"):
            sentence = UserText(
                "{connection} can no longer use the account of {account}. Connect again.",
                connection=connection,
                account=account,
            )
        else:
            sentence = UserText("{connection} can no longer use the account. Connect again.", connection=connection)
        raise SignInDeniedError(sentence) from error
    return {
        **secrets,
        "access_token": tokens.access,
        "refresh_token": tokens.refresh or secrets["refresh_token"],
        "expires_at": None if tokens.expires_at is None else tokens.expires_at.isoformat(),
    }


class TokenRefresher:
    """Returns secrets that stay valid for the next minutes. Thread-safe: threads share one refresh."""

    def __init__(
        self,
        now: Callable[[], datetime],
        only_writer: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext(),
    ) -> None:
        """`only_writer` locks a connection against other processes."""
        self._now = now
        self._only_writer = only_writer
        self._lock = threading.Lock()
        self._running: dict[str, Future[Secrets]] = {}
        self._unsaved: dict[str, tuple[str, Secrets]] = {}
        self._replacements: dict[str, tuple[str, datetime]] = {}

    def refresh_if_expiring(self, connection: str, secrets: Secrets, read: Read, keep: Keep) -> Secrets:
        """The secrets, refreshed and saved first if they expire soon. `read` and `keep` access the vault entry.

        `read` must bypass the cache: a refresh token that another process has used is invalid.
        """
        if not self._expires_soon(secrets):
            return secrets
        return self._share_refresh(connection, lambda: self._renew(connection, self._expires_soon, read, keep))

    def replace_rejected(self, connection: str, refused: Secrets, read: Read, keep: Keep) -> Secrets | None:
        """Refresh secrets that a service rejected before they expired; None if the user must sign in again.

        A fresh replacement that is rejected as well is not replaced again.
        """
        token = refused.get("access_token")
        if not token or not refused.get("refresh_token") or not refused.get("token_url"):
            return None
        replacement, since = self._replacements.get(connection, (None, None))
        if since is not None and token == replacement and self._now() - since < REFRESH_MARGIN:
            return None

        def keep_replacement(renewed: Secrets) -> None:
            keep(renewed)
            self._replacements[connection] = (str(renewed["access_token"]), self._now())

        def is_rejected(current: Secrets) -> bool:
            return bool(current.get("access_token") == token)

        for _ in range(2):  # the first may be another thread's refresh, which kept the old token
            renewed = self._share_refresh(
                connection, lambda: self._renew(connection, is_rejected, read, keep_replacement)
            )
            if not is_rejected(renewed):
                return renewed
        return None

    def _share_refresh(self, connection: str, renew: Callable[[], Secrets]) -> Secrets:
        with self._lock:
            running = self._running.get(connection)
            if running is None:
                mine = self._running[connection] = Future()
        if running is not None:
            try:
                return running.result()
            except ToolFailedError as error:
                raise ToolFailedError(error.failure) from error
        try:
            renewed = renew()
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(renewed)
            return renewed
        finally:
            with self._lock:
                del self._running[connection]

    def _renew(self, connection: str, needs_refresh: Callable[[Secrets], bool], read: Read, keep: Keep) -> Secrets:
        with self._only_writer(connection):
            return self._renew_locked(connection, needs_refresh, read, keep)

    def _renew_locked(
        self, connection: str, needs_refresh: Callable[[Secrets], bool], read: Read, keep: Keep
    ) -> Secrets:
        current = read()
        if not needs_refresh(current):
            return current
        renewed = self._find_unsaved(connection, current)
        if renewed is None:
            try:
                renewed = refresh_tokens(connection, current, now=self._now())
            except SignInDeniedError:
                raise
            except ToolFailedError:
                if not self._expires_soon(current) or self._expires_soon(current, margin=timedelta(0)):
                    raise
                return current
            # The old refresh token may be invalid now, so a locked keyring must not lose the new one.
            self._unsaved[connection] = (str(current.get("refresh_token")), renewed)
        keep(renewed)
        self._unsaved.pop(connection, None)
        return renewed

    def _find_unsaved(self, connection: str, current: Secrets) -> Secrets | None:
        origin, renewed = self._unsaved.get(connection, (None, None))
        return renewed if renewed is not None and origin == current.get("refresh_token") else None

    def _expires_soon(self, secrets: Secrets, margin: timedelta = REFRESH_MARGIN) -> bool:
        given = secrets.get("expires_at")
        return isinstance(given, str) and datetime.fromisoformat(given) - margin <= self._now()


@runtime_checkable
class LoginRenewer(Protocol):
    """Refreshes logins that a service rejected."""

    def renew(self, connection: str, refused: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """New secrets in place of the rejected ones; None if they cannot be refreshed."""


def retry_after_401(run: Callable[[Call], _Answer], call: Call, renewer: LoginRenewer) -> _Answer:
    """Run the call; if its login is rejected, refresh it and run once more.

    After a rejected login an action has certainly not happened, so repeating it is safe.
    """
    try:
        return run(call)
    except ToolFailedError as error:
        if error.failure.kind is not FailureClass.AUTH:
            raise
        renewed = renewer.renew(call.connection, call.settings)
        if renewed is None:
            raise
    call.settings.update(renewed)  # in place: the caller redacts and compares what was used
    return run(call)  # with the full timeout again, as it limits only the time without progress


def with_retry_after_401(tool: Tool, renewer: LoginRenewer) -> Tool:
    """The tool and its checker with one retry after a rejected login."""
    check, identify = tool.check, tool.identify_target
    return replace(
        tool,
        run=lambda call: retry_after_401(tool.run, call, renewer),
        check=None if check is None else lambda call: retry_after_401(check, call, renewer),
        identify_target=None if identify is None else lambda call: retry_after_401(identify, call, renewer),
    )
