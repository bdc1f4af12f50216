"""Logins that expire are renewed before they do, one at a time for each connection."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta
from typing import Any

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.oauth.errors import NotAllowedError
from scheduler.connections.oauth.tokens import ask_for_tokens

MARGIN = timedelta(minutes=5)
"""How long before its end a login is renewed: longer than any call takes."""
_SECONDS = 20.0

Secrets = Mapping[str, Any]
Read = Callable[[], Secrets]
Keep = Callable[[Secrets], None]


def renew(connection: str, secrets: Secrets, *, now: datetime, seconds: float = _SECONDS) -> dict[str, Any]:
    """The same secrets with a new login; the refresh token is replaced if another one came."""
    if not secrets.get("refresh_token") or not secrets.get("token_url"):
        raise NotAllowedError(f"The login of {connection} has expired. Connect again.")
    form = {"grant_type": "refresh_token", "refresh_token": secrets["refresh_token"]}
    try:
        tokens = ask_for_tokens(secrets, form, now=now, seconds=seconds)
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

    def __init__(
        self,
        now: Callable[[], datetime],
        only_writer: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext(),
    ) -> None:
        """`only_writer` keeps other processes from renewing that connection meanwhile."""
        self._now = now
        self._only_writer = only_writer
        self._turn = threading.Lock()
        self._going: dict[str, Future[Secrets]] = {}
        self._unkept: dict[str, tuple[str, Secrets]] = {}
        self._in_place: dict[str, tuple[str, datetime]] = {}

    def fresh(self, connection: str, secrets: Secrets, read: Read, keep: Keep) -> Secrets:
        """As they are, or renewed and kept first. `read` and `keep` are the vault's, for this connection.

        `read` asks the keyring itself: a refresh token that another process has used is worth nothing any more.
        """
        if not self._ends_soon(secrets):
            return secrets
        return self._one_at_a_time(connection, lambda: self._renew(connection, self._ends_soon, read, keep))

    def replace(self, connection: str, refused: Secrets, read: Read, keep: Keep) -> Secrets | None:
        """Others than those that a service refused before their end; None if only signing in anew can help.

        A login that came in place of a refused one, a moment ago, and is refused as well is not replaced again.
        """
        token = refused.get("access_token")
        if not token or not refused.get("refresh_token") or not refused.get("token_url"):
            return None
        in_place, since = self._in_place.get(connection, (None, None))
        if since is not None and token == in_place and self._now() - since < MARGIN:
            return None

        def keep_in_place(renewed: Secrets) -> None:
            keep(renewed)
            self._in_place[connection] = (str(renewed["access_token"]), self._now())

        def is_refused(current: Secrets) -> bool:
            return bool(current.get("access_token") == token)

        for _ in range(2):  # the first may be somebody else's, who made do with what there was
            renewed = self._one_at_a_time(connection, lambda: self._renew(connection, is_refused, read, keep_in_place))
            if not is_refused(renewed):
                return renewed
        return None

    def _one_at_a_time(self, connection: str, renew: Callable[[], Secrets]) -> Secrets:
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
            renewed = renew()
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(renewed)
            return renewed
        finally:
            with self._turn:
                del self._going[connection]

    def _renew(self, connection: str, is_over: Callable[[Secrets], bool], read: Read, keep: Keep) -> Secrets:
        with self._only_writer(connection):
            return self._renew_alone(connection, is_over, read, keep)

    def _renew_alone(self, connection: str, is_over: Callable[[Secrets], bool], read: Read, keep: Keep) -> Secrets:
        current = read()
        if not is_over(current):
            return current
        renewed = self._renewed_but_not_kept(connection, current)
        if renewed is None:
            try:
                renewed = renew(connection, current, now=self._now())
            except NotAllowedError:
                raise
            except ToolFailedError:
                if not self._ends_soon(current) or self._ends_soon(current, margin=timedelta(0)):
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
