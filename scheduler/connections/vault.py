"""The secrets of connections, stored only in the operating system's keyring, one entry per connection."""

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

from scheduler.connections.errors import (
    SecretMissingError,
    SecretNotSavedError,
    VaultDismissedError,
    VaultError,
    VaultLockedError,
    VaultTimeoutError,
)
from scheduler.connections.keyring_backend import find_keyring, is_unlocked, to_vault_error
from scheduler.connections.keyring_entries import SERVICE, KeyringEntries
from scheduler.user_text import UserText

_Answer = TypeVar("_Answer")


class Vault:
    """Runs one keyring call at a time and waits for it at most `seconds`.

    A call may show a dialog and wait for the user. A late call continues in the background and its result is cached for
    the next one; no second dialog opens until then.
    """

    def __init__(
        self,
        seconds: float = 20,
        changed: Callable[[VaultError | None], None] = lambda _: None,
        entries: KeyringEntries = KeyringEntries(),  # noqa: B008  immutable
    ) -> None:
        """`changed` is called, on any thread, when the keyring becomes unavailable or available."""
        self.entries = entries
        self._seconds = seconds
        self._changed = changed
        self._state: type[VaultError] | str | None = UserText("not asked yet")
        self._refused_at = 0.0
        self._state_lock = threading.Lock()
        self._call_lock = threading.Lock()
        self._cache: dict[str, dict[str, Any]] = {}

    @property
    def seconds_since_refusal(self) -> float:
        """Since the user last left the keyring locked; infinite if it is unlocked now."""
        return time.monotonic() - self._refused_at if self._was_refused else math.inf

    @property
    def _was_refused(self) -> bool:
        return self._state in (VaultDismissedError, VaultLockedError)

    def save(self, connection: str, secrets: Mapping[str, Any], may_ask: Callable[[], bool] = lambda: True) -> None:
        """Save the secret fields of a connection and read them back.

        `may_ask` is called right before and returns whether a dialog may be shown.
        """
        written = json.dumps(dict(secrets))
        self._run(lambda keyring: self._put(keyring, connection, written), may_ask)

    def get(
        self, connection: str, may_ask: Callable[[], bool] = lambda: True, *, again: bool = False
    ) -> dict[str, Any]:
        """The secret fields of a connection, from the cache unless `again`, as other processes may change them."""
        known = None if again else self._cache.get(connection)
        if known is None:
            known = self._run(lambda keyring: self._get(keyring, connection, again=again), may_ask)
        return dict(known)

    def remove(self, connection: str) -> None:
        """Delete the entry, if there is one."""
        self._run(lambda keyring: self._remove(keyring, connection))

    def delete_if_unlocked(self, connection: str) -> None:
        """Delete the entry if the keyring is unlocked; no error otherwise."""

        def tidy(keyring: Any) -> None:
            if is_unlocked():
                self._remove(keyring, connection)

        with suppress(VaultError):
            self._run(tidy, report=False)

    def check_availability(self) -> None:
        """Check in the background, without a dialog, whether an unavailable keyring is available again."""
        if not isinstance(self._state, type) or not self._call_lock.acquire(blocking=False):
            return

        def check() -> None:
            try:
                is_available = bool(is_unlocked())
            except Exception:  # noqa: BLE001  any error means that it is not available
                is_available = False
            finally:
                self._call_lock.release()
            if is_available:
                self._report(None)

        threading.Thread(target=check, name="keyring", daemon=True).start()

    def _report(self, error: VaultError | None) -> None:
        """Report each change once."""
        kind = None if error is None else type(error)
        with self._state_lock:
            before, self._state = self._state, kind
            self._refused_at = time.monotonic()
        if before != kind:
            self._changed(error)

    def _get(self, keyring: Any, connection: str, *, again: bool) -> dict[str, Any]:
        known = self._cache.get(connection)
        if known is not None and not again:
            return known
        try:
            read = json.loads(self._find(keyring, connection) or "null")
        except ValueError:
            read = None
        if not isinstance(read, dict):
            raise SecretMissingError(connection)
        self._cache[connection] = read
        return read

    def _find(self, keyring: Any, connection: str) -> str | None:
        """The stored text; an entry from before identities existed is taken over."""
        written: str | None = keyring.get_password(SERVICE, self.entries.entry_name(connection))
        old_name = self.entries.old_entry_name(connection)
        if written is None and old_name is not None:
            written = keyring.get_password(SERVICE, old_name)
            if written is not None:
                self._put(keyring, connection, written)
        return written

    def _put(self, keyring: Any, connection: str, written: str) -> None:
        name = self.entries.entry_name(connection)
        keyring.set_password(SERVICE, name, written)
        self._cache.pop(connection, None)  # only now: if the keyring is locked, the cached secrets stay valid
        if keyring.get_password(SERVICE, name) != written:
            raise SecretNotSavedError(connection)
        self._remove_old(keyring, connection)
        self._cache[connection] = json.loads(written)

    def _remove(self, keyring: Any, connection: str) -> None:
        _delete(keyring, self.entries.entry_name(connection))
        self._remove_old(keyring, connection)
        self._cache.pop(connection, None)

    def _remove_old(self, keyring: Any, connection: str) -> None:
        old_name = self.entries.old_entry_name(connection)
        if old_name is not None and self.entries.owns_old:
            _delete(keyring, old_name)

    def _run(
        self, act: Callable[[Any], _Answer], may_ask: Callable[[], bool] = lambda: True, *, report: bool = True
    ) -> _Answer:
        deadline = time.monotonic() + self._seconds
        if not self._call_lock.acquire(timeout=self._seconds):
            raise self._timed_out(report=report)
        answer: Future[_Answer] = Future()
        try:
            no_dialog = not may_ask()
            work = partial(self._work_in_thread, act, answer, no_dialog=no_dialog, report=report)
            threading.Thread(target=work, name="keyring", daemon=True).start()
        except BaseException:
            self._call_lock.release()
            raise
        try:
            return answer.result(max(0.0, deadline - time.monotonic()))
        except NotYetError as error:
            if answer.done():
                return answer.result()
            raise self._timed_out(report=report) from error

    def _timed_out(self, *, report: bool) -> VaultTimeoutError:
        late = VaultTimeoutError()
        if report:
            self._report(late)
        return late

    def _refuse_dialogs(self) -> None:
        """Raise if a call would show a dialog; if that is unknown, the result of the last dialog decides."""
        is_ready = is_unlocked()
        if is_ready is False or (is_ready is None and self._was_refused):
            raise VaultDismissedError if self._state is VaultDismissedError else VaultLockedError

    def _work_in_thread(
        self, act: Callable[[Any], _Answer], answer: Future[_Answer], *, no_dialog: bool, report: bool
    ) -> None:
        try:
            keyring = find_keyring()
            if no_dialog:
                self._refuse_dialogs()
            found = act(keyring)
        except Exception as error:  # noqa: BLE001  the outermost frame of its thread
            known = error if isinstance(error, VaultError) else to_vault_error(error)
            if known is not None and known is not error:
                known.__cause__ = error
            answer.set_exception(known or error)
            if known is not None and report:
                self._report(known if known.is_unavailable else None)
        else:
            answer.set_result(found)
            if report:
                self._report(None)
        finally:
            self._call_lock.release()


def _delete(keyring: Any, name: str) -> None:
    if keyring.get_password(SERVICE, name) is not None:
        keyring.delete_password(SERVICE, name)
