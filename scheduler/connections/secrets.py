"""The secrets of connections as runs and people ask for them: from the vault, and what it says in the words of runs."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, TypeVar

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.entry_lock import only_writer
from scheduler.connections.oauth.renewing import Keep, Read, Renewals
from scheduler.connections.vault import Vault
from scheduler.connections.vault_errors import VaultError

_TELLING, _PAUSE = 1.0, 0.02

_Answer = TypeVar("_Answer")


class Keeper:
    """Any thread but the engine's and the window's may ask: the keyring may take as long as a person.

    ToolFailedError says what helps. A keyring that is not available now makes runs wait; only an entry that is not
    there asks for a reconnect.
    """

    def __init__(self, now: Callable[[], datetime], vault: Vault | None = None) -> None:
        self._vault = vault or Vault()
        self._renewals = Renewals(now, self._only_writer)
        self._is_said: Callable[[], bool] = lambda: False

    def read(self, connection: str) -> Mapping[str, Any]:
        """The secret fields of a connection, fit to be used now: what expires soon is renewed, and kept first."""
        return self._renewals.fresh(connection, self._get(connection), *self._entry(connection))

    def renew(self, connection: str, refused: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Others in place of secrets that a service refused, kept before they are handed out; None if there are none.

        ToolFailedError if the service does not give a new login, now or ever.
        """
        return self._renewals.replace(connection, refused, *self._entry(connection))

    def recall(self, connection: str) -> Mapping[str, Any]:
        """As they were kept, whether they are still good or not; for the person, who may be shown a dialog."""
        return _in_words(lambda: self._vault.get(connection))

    def keep(self, connection: str, secrets: Mapping[str, Any]) -> None:
        """Put them in place of those before; they were read back when this returns. For the person as well."""
        with self._only_writer(connection):
            _in_words(lambda: self._vault.put(connection, secrets))

    def forget(self, connection: str) -> None:
        """Leave nothing of it. For the person as well."""
        with self._only_writer(connection):
            _in_words(lambda: self._vault.remove(connection))

    def tidy(self, connection: str) -> None:
        """Take away what a crash may have left, if the keyring is open; else it does no harm."""
        self._vault.tidy(connection)

    def heed(self, is_said: Callable[[], bool]) -> None:
        """`is_said` tells whether the person has been told that the keyring is locked, and has not answered yet."""
        self._is_said = is_said

    def _may_open_dialog(self) -> bool:
        """One for all runs that wait: the next when the person has answered what they were told of it.

        The run whose dialog was just closed is about to tell them.
        """
        while not (is_said := self._is_said()) and self._vault.seconds_since_refusal < _TELLING:
            time.sleep(_PAUSE)
        return not is_said

    def _get(self, connection: str) -> Mapping[str, Any]:
        return _in_words(lambda: self._vault.get(connection, self._may_open_dialog))

    def _entry(self, connection: str) -> tuple[Read, Keep]:
        def keep(renewed: Mapping[str, Any]) -> None:
            _in_words(lambda: self._vault.put(connection, renewed, self._may_open_dialog))

        def read() -> Mapping[str, Any]:
            """Not as it was read before: another process may have renewed it since."""
            return _in_words(lambda: self._vault.get(connection, self._may_open_dialog, again=True))

        return read, keep

    def _only_writer(self, connection: str) -> AbstractContextManager[None]:
        return only_writer(self._vault.entries.name(connection), connection)


def _in_words(act: Callable[[], _Answer]) -> _Answer:
    try:
        return act()
    except VaultError as error:
        raise ToolFailedError(error.failure) from error
