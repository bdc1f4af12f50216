"""Secrets of connections, one entry each in the operating system's keyring and in no other place."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYetError
from typing import Any, TypeVar

from scheduler.connections.keyrings import explain_keyring, find_keyring, is_open
from scheduler.connections.vault_errors import NotInVaultError, NotKeptError, VaultError, VaultLateError

SERVICE = "dayhand"

_Answer = TypeVar("_Answer")


class Vault:
    """Asks the keyring one thing at a time and never waits for it longer than `seconds`.

    A keyring may show a dialog, so a call may take as long as a person. One that is late goes on by itself, and what
    it brings is there for the next call; until then no second dialog is opened.
    """

    def __init__(self, seconds: float = 20, changed: Callable[[VaultError | None], None] = lambda _: None) -> None:
        """`changed` is told, in any thread, when the keyring is no longer available, and when it answers (again)."""
        self._seconds = seconds
        self._changed = changed
        self._state: type[VaultError] | str | None = "not asked yet"
        self._noting = threading.Lock()
        self._turn = threading.Lock()
        self._read: dict[str, dict[str, Any]] = {}

    def put(self, connection: str, secrets: Mapping[str, Any]) -> None:
        """Keep the secret fields of a connection in place of those before, and make sure that they are kept."""
        written = json.dumps(dict(secrets))

        def put(keyring: Any) -> None:
            self._read.pop(connection, None)
            keyring.set_password(SERVICE, connection, written)
            if keyring.get_password(SERVICE, connection) != written:
                raise NotKeptError(connection)
            self._read[connection] = json.loads(written)

        self._ask(put)

    def get(self, connection: str) -> dict[str, Any]:
        """The secret fields of a connection; read once while the app runs."""
        known = self._read.get(connection)
        return dict(self._ask(lambda keyring: self._get(keyring, connection)) if known is None else known)

    def remove(self, connection: str) -> None:
        """Leave nothing of it; that there was nothing is fine."""

        def remove(keyring: Any) -> None:
            self._read.pop(connection, None)
            if keyring.get_password(SERVICE, connection) is not None:
                keyring.delete_password(SERVICE, connection)

        self._ask(remove)

    def forget(self) -> None:
        """Ask the keyring again from now on."""
        self._read.clear()

    def look(self) -> None:
        """Whether what was wrong is over, found out without a dialog and without waiting here."""
        if not isinstance(self._state, type) or not self._turn.acquire(blocking=False):
            return

        def find_out() -> None:
            try:
                is_over = is_open()
            except Exception:  # noqa: BLE001  whatever it is, it is not over
                is_over = False
            finally:
                self._turn.release()
            if is_over:
                self._note(None)

        threading.Thread(target=find_out, name="keyring", daemon=True).start()

    def _note(self, trouble: VaultError | None) -> None:
        """Each change is told once."""
        kind = None if trouble is None else type(trouble)
        with self._noting:
            before, self._state = self._state, kind
        if before != kind:
            self._changed(trouble)

    def _get(self, keyring: Any, connection: str) -> dict[str, Any]:
        known = self._read.get(connection)
        if known is not None:
            return known
        try:
            read = json.loads(keyring.get_password(SERVICE, connection) or "null")
        except ValueError:
            read = None
        if not isinstance(read, dict):
            raise NotInVaultError(connection)
        return self._read.setdefault(connection, read)

    def _ask(self, act: Callable[[Any], _Answer]) -> _Answer:
        give_up = time.monotonic() + self._seconds
        if not self._turn.acquire(timeout=self._seconds):
            raise self._late()
        answer: Future[_Answer] = Future()
        threading.Thread(target=self._work, args=(act, answer), name="keyring", daemon=True).start()
        try:
            return answer.result(max(0.0, give_up - time.monotonic()))
        except NotYetError as error:
            if answer.done():
                return answer.result()
            raise self._late() from error

    def _late(self) -> VaultLateError:
        late = VaultLateError()
        self._note(late)
        return late

    def _work(self, act: Callable[[Any], _Answer], answer: Future[_Answer]) -> None:
        try:
            found = act(find_keyring())
        except Exception as error:  # noqa: BLE001  the outermost frame of its thread
            told = error if isinstance(error, VaultError) else explain_keyring(error)
            if told is not None and told is not error:
                told.__cause__ = error
            answer.set_exception(told or error)
            if told is not None:
                self._note(told if told.is_away else None)
        else:
            answer.set_result(found)
            self._note(None)
        finally:
            self._turn.release()
