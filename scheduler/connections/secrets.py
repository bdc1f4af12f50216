"""Reading, refreshing and saving the secrets of connections; keyring errors become tool failures."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol, TypeVar

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.errors import VaultError, VaultUnavailableError
from scheduler.connections.keyring_entries import lock_entry
from scheduler.connections.oauth.token_refresh import Keep, Read, TokenRefresher
from scheduler.connections.vault import Vault

_NOTIFY_GRACE_S = 1.0
_POLL_S = 0.02

_Answer = TypeVar("_Answer")


class Secrets(Protocol):
    def read(self, connection: str) -> Mapping[str, Any]:
        """The secret fields of a connection; ToolFailedError if they cannot be read now."""

    def read_saved(self, connection: str) -> Mapping[str, Any]:
        """As stored, valid or not."""

    def keep(self, connection: str, secrets: Mapping[str, Any]) -> None:
        """Replace the stored ones; ToolFailedError if that fails."""

    def forget(self, connection: str) -> None:
        """Delete all of them; ToolFailedError if something remains."""


class NoSecrets:
    """Null object: reads nothing, refuses to store."""

    def read(self, connection: str) -> Mapping[str, Any]:  # noqa: ARG002  null object
        return {}

    def read_saved(self, connection: str) -> Mapping[str, Any]:  # noqa: ARG002  as above
        return {}

    def keep(self, connection: str, secrets: Mapping[str, Any]) -> None:  # noqa: ARG002  as above
        raise ToolFailedError(VaultUnavailableError().failure)

    def forget(self, connection: str) -> None:
        """Nothing to delete."""


class SecretStore:
    """Not for the engine's or the window's thread: the keyring may wait for the user.

    Raises ToolFailedError. An unavailable keyring makes runs wait; only a missing entry asks for a reconnect.
    """

    def __init__(self, now: Callable[[], datetime], vault: Vault | None = None) -> None:
        self._vault = vault or Vault()
        self._renewals = TokenRefresher(now, self._only_writer)
        self._is_notified: Callable[[], bool] = lambda: False

    def read(self, connection: str) -> Mapping[str, Any]:
        """The secret fields of a connection; a login that expires soon is refreshed and saved first."""
        return self._renewals.refresh_if_expiring(connection, self._get(connection), *self._entry(connection))

    def renew(self, connection: str, refused: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Refresh secrets that a service rejected and save them; None if they cannot be refreshed.

        ToolFailedError if the service does not issue a new login, now or ever.
        """
        return self._renewals.replace_rejected(connection, refused, *self._entry(connection))

    def read_saved(self, connection: str) -> Mapping[str, Any]:
        """As they were saved, valid or not. On the user's behalf: may show a dialog."""
        return _converting_errors(lambda: self._vault.get(connection))

    def keep(self, connection: str, secrets: Mapping[str, Any]) -> None:
        """Replace the saved secrets and read them back. On the user's behalf: may show a dialog."""
        with self._only_writer(connection):
            _converting_errors(lambda: self._vault.save(connection, secrets))

    def forget(self, connection: str) -> None:
        """Delete the entry. On the user's behalf: may show a dialog."""
        with self._only_writer(connection):
            _converting_errors(lambda: self._vault.remove(connection))

    def delete_leftovers(self, connection: str) -> None:
        """Delete what a crash may have left behind, if the keyring is unlocked."""
        self._vault.delete_if_unlocked(connection)

    def block_dialogs_while(self, is_notified: Callable[[], bool]) -> None:
        """`is_notified`: whether the user was notified that the keyring is locked and has not answered yet."""
        self._is_notified = is_notified

    def _may_open_dialog(self) -> bool:
        """One dialog for all waiting runs; the next one only after the user has answered the notification.

        After a dismissed dialog, the run that opened it gets a moment to notify the user.
        """
        while not (is_notified := self._is_notified()) and self._vault.seconds_since_refusal < _NOTIFY_GRACE_S:
            time.sleep(_POLL_S)
        return not is_notified

    def _get(self, connection: str) -> Mapping[str, Any]:
        return _converting_errors(lambda: self._vault.get(connection, self._may_open_dialog))

    def _entry(self, connection: str) -> tuple[Read, Keep]:
        def keep(renewed: Mapping[str, Any]) -> None:
            _converting_errors(lambda: self._vault.save(connection, renewed, self._may_open_dialog))

        def read() -> Mapping[str, Any]:
            """Not from the cache: another process may have refreshed it."""
            return _converting_errors(lambda: self._vault.get(connection, self._may_open_dialog, again=True))

        return read, keep

    def _only_writer(self, connection: str) -> AbstractContextManager[None]:
        return lock_entry(self._vault.entries.entry_name(connection), connection)


def _converting_errors(act: Callable[[], _Answer]) -> _Answer:
    try:
        return act()
    except VaultError as error:
        raise ToolFailedError(error.failure) from error
