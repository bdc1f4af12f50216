"""Secrets of connections, one entry each in the operating system's keyring and in no other place."""

import json
import math
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYetError
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from scheduler.connections.entries import SERVICE, Entries
from scheduler.connections.keyrings import explain_keyring, find_keyring, is_open
from scheduler.connections.vault_errors import (
    NotInVaultError,
    NotKeptError,
    VaultDismissedError,
    VaultError,
    VaultLateError,
    VaultLockedError,
)

_Answer = TypeVar("_Answer")


class Vault:
    """Asks the keyring one thing at a time and never waits for it longer than `seconds`.

    A keyring may show a dialog, so a call may take as long as a person. One that is late goes on by itself, and what
    it brings is there for the next call; until then no second dialog is opened.
    """

    def __init__(
        self,
        seconds: float = 20,
        changed: Callable[[VaultError | None], None] = lambda _: None,
        entries: Entries = Entries(),  # noqa: B008  it never changes
    ) -> None:
        """`changed` is told, in any thread, when the keyring is no longer available, and when it answers (again)."""
        self.entries = entries
        self._seconds = seconds
        self._changed = changed
        self._state: type[VaultError] | str | None = "not asked yet"
        self._refused = 0.0
        self._noting = threading.Lock()
        self._turn = threading.Lock()
        self._read: dict[str, dict[str, Any]] = {}

    @property
    def seconds_since_refusal(self) -> float:
        """How long ago it was locked and stayed so when it was asked; infinite if that is over."""
        return time.monotonic() - self._refused if self._was_refused else math.inf

    @property
    def _was_refused(self) -> bool:
        return self._state in (VaultDismissedError, VaultLockedError)

    def put(self, connection: str, secrets: Mapping[str, Any], may_ask: Callable[[], bool] = lambda: True) -> None:
        """Keep the secret fields of a connection in place of those before, and make sure that they are kept.

        `may_ask` says, when its turn has come, whether a dialog may be shown for it; here as below.
        """
        written = json.dumps(dict(secrets))
        self._ask(lambda keyring: self._put(keyring, connection, written), may_ask)

    def get(
        self, connection: str, may_ask: Callable[[], bool] = lambda: True, *, again: bool = False
    ) -> dict[str, Any]:
        """The secret fields of a connection; read once while the app runs, or `again` if others may change them."""
        known = None if again else self._read.get(connection)
        if known is None:
            known = self._ask(lambda keyring: self._get(keyring, connection, again=again), may_ask)
        return dict(known)

    def remove(self, connection: str) -> None:
        """Leave nothing of it; that there was nothing is fine."""
        self._ask(lambda keyring: self._remove(keyring, connection))

    def tidy(self, connection: str) -> None:
        """The same if it can be done at once; if not, nothing is wrong and nobody is told."""

        def tidy(keyring: Any) -> None:
            if is_open():
                self._remove(keyring, connection)

        with suppress(VaultError):
            self._ask(tidy, told=False)

    def forget(self) -> None:
        """Ask the keyring again from now on."""
        self._read.clear()

    def look(self) -> None:
        """Whether what was wrong is over, found out without a dialog and without waiting here."""
        if not isinstance(self._state, type) or not self._turn.acquire(blocking=False):
            return

        def find_out() -> None:
            try:
                is_over = bool(is_open())
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
            self._refused = time.monotonic()
        if before != kind:
            self._changed(trouble)

    def _get(self, keyring: Any, connection: str, *, again: bool) -> dict[str, Any]:
        known = self._read.get(connection)
        if known is not None and not again:
            return known
        try:
            read = json.loads(self._find(keyring, connection) or "null")
        except ValueError:
            read = None
        if not isinstance(read, dict):
            raise NotInVaultError(connection)
        self._read[connection] = read
        return read

    def _find(self, keyring: Any, connection: str) -> str | None:
        """What is kept; an entry from before there were identities is taken over."""
        written: str | None = keyring.get_password(SERVICE, self.entries.name(connection))
        old_name = self.entries.old_name(connection)
        if written is None and old_name is not None:
            written = keyring.get_password(SERVICE, old_name)
            if written is not None:
                self._put(keyring, connection, written)
        return written

    def _put(self, keyring: Any, connection: str, written: str) -> None:
        name = self.entries.name(connection)
        keyring.set_password(SERVICE, name, written)
        self._read.pop(connection, None)  # not before: one that is locked still has what was read
        if keyring.get_password(SERVICE, name) != written:
            raise NotKeptError(connection)
        self._remove_old(keyring, connection)
        self._read[connection] = json.loads(written)

    def _remove(self, keyring: Any, connection: str) -> None:
        _delete(keyring, self.entries.name(connection))
        self._remove_old(keyring, connection)
        self._read.pop(connection, None)

    def _remove_old(self, keyring: Any, connection: str) -> None:
        old_name = self.entries.old_name(connection)
        if old_name is not None and self.entries.owns_old:
            _delete(keyring, old_name)

    def _ask(
        self, act: Callable[[Any], _Answer], may_ask: Callable[[], bool] = lambda: True, *, told: bool = True
    ) -> _Answer:
        give_up = time.monotonic() + self._seconds
        if not self._turn.acquire(timeout=self._seconds):
            raise self._late(told=told)
        answer: Future[_Answer] = Future()
        try:
            quietly = not may_ask()
            work = partial(self._work, act, answer, quietly=quietly, told=told)
            threading.Thread(target=work, name="keyring", daemon=True).start()
        except BaseException:
            self._turn.release()
            raise
        try:
            return answer.result(max(0.0, give_up - time.monotonic()))
        except NotYetError as error:
            if answer.done():
                return answer.result()
            raise self._late(told=told) from error

    def _late(self, *, told: bool) -> VaultLateError:
        late = VaultLateError()
        if told:
            self._note(late)
        return late

    def _refuse_dialogs(self) -> None:
        """Where nobody can tell whether there would be one, what came of the last one decides."""
        is_ready = is_open()
        if is_ready is False or (is_ready is None and self._was_refused):
            raise VaultDismissedError if self._state is VaultDismissedError else VaultLockedError

    def _work(self, act: Callable[[Any], _Answer], answer: Future[_Answer], *, quietly: bool, told: bool) -> None:
        try:
            keyring = find_keyring()
            if quietly:
                self._refuse_dialogs()
            found = act(keyring)
        except Exception as error:  # noqa: BLE001  the outermost frame of its thread
            known = error if isinstance(error, VaultError) else explain_keyring(error)
            if known is not None and known is not error:
                known.__cause__ = error
            answer.set_exception(known or error)
            if known is not None and told:
                self._note(known if known.is_away else None)
        else:
            answer.set_result(found)
            if told:
                self._note(None)
        finally:
            self._turn.release()


def _delete(keyring: Any, name: str) -> None:
    if keyring.get_password(SERVICE, name) is not None:
        keyring.delete_password(SERVICE, name)
