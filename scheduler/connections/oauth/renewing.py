"""Logins that expire are renewed before they do, one at a time for each connection."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from typing import Any

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.oauth.errors import NotAllowedError
from scheduler.connections.oauth.tokens import ask_for_tokens, client_of

MARGIN = timedelta(minutes=5)
"""How long before its end a login is renewed: longer than any call takes."""
_SECONDS = 20.0

Secrets = Mapping[str, Any]


def renew(connection: str, secrets: Secrets, *, now: datetime, seconds: float = _SECONDS) -> dict[str, Any]:
    """The same secrets with a new login; the refresh token is replaced if another one came."""
    if not secrets.get("refresh_token") or not secrets.get("token_url"):
        raise NotAllowedError(f"The login of {connection} has expired. Connect again.")
    form = {"grant_type": "refresh_token", "refresh_token": secrets["refresh_token"]} | client_of(secrets)
    try:
        tokens = ask_for_tokens(secrets["token_url"], form, now=now, seconds=seconds)
    except NotAllowedError as error:
        account = f" of {secrets['account']}" if secrets.get("account") else ""
        raise NotAllowedError(f"{connection} can no longer use the account{account}. Connect again.") from error
    return {
        **secrets,
        "access_token": tokens.access,
        "refresh_token": tokens.refresh or secrets["refresh_token"],
        "expires_at": None if tokens.expires_at is None else tokens.expires_at.isoformat(),
    }


class Renewals:
    """Hands out secrets that are good for the next minutes. Any thread may ask; they share one renewal."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._turn = threading.Lock()
        self._going: dict[str, Future[Secrets]] = {}
        self._unkept: dict[str, tuple[str, Secrets]] = {}

    def fresh(
        self, connection: str, secrets: Secrets, read: Callable[[], Secrets], keep: Callable[[Secrets], None]
    ) -> Secrets:
        """As they are, or renewed and kept first. `read` and `keep` are the vault's, for this connection."""
        if not self._ends_soon(secrets):
            return secrets
        with self._turn:
            going = self._going.get(connection)
            if going is None:
                mine = self._going[connection] = Future()
        if going is not None:
            try:
                return going.result()
            except ToolFailedError as error:
                raise ToolFailedError(error.failure) from error
        try:
            renewed = self._renew(connection, read, keep)
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(renewed)
            return renewed
        finally:
            with self._turn:
                del self._going[connection]

    def _renew(self, connection: str, read: Callable[[], Secrets], keep: Callable[[Secrets], None]) -> Secrets:
        current = read()
        if not self._ends_soon(current):
            return current
        renewed = self._renewed_but_not_kept(connection, current)
        if renewed is None:
            try:
                renewed = renew(connection, current, now=self._now())
            except NotAllowedError:
                raise
            except ToolFailedError:
                if self._ends_soon(current, margin=timedelta(0)):
                    raise
                return current
            # The old refresh token may be worth nothing now, so a keyring that is locked must not lose the new one.
            self._unkept[connection] = (str(current.get("refresh_token")), renewed)
        keep(renewed)
        self._unkept.pop(connection, None)
        return renewed

    def _renewed_but_not_kept(self, connection: str, current: Secrets) -> Secrets | None:
        origin, renewed = self._unkept.get(connection, (None, None))
        return renewed if renewed is not None and origin == current.get("refresh_token") else None

    def _ends_soon(self, secrets: Secrets, margin: timedelta = MARGIN) -> bool:
        given = secrets.get("expires_at")
        return isinstance(given, str) and datetime.fromisoformat(given) - margin <= self._now()
