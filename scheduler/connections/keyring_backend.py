"""The operating system's keyring, never a plain-text substitute."""

import importlib
import sys
from contextlib import closing
from functools import cache
from typing import Any

from scheduler.connections.errors import VaultDismissedError, VaultError, VaultLockedError, VaultUnavailableError

_TRUSTED = {
    "darwin": (("macOS", "Keyring"),),
    "win32": (("Windows", "WinVaultKeyring"),),
}
_TRUSTED_ON_LINUX = (("SecretService", "Keyring"), ("kwallet", "DBusKeyring"), ("libsecret", "Keyring"))
_FREEDESKTOP = "keyring.backends.SecretService"
_UNAVAILABLE_ERRORS = {"KeyringError", "SecretStorageException", "DBusErrorResponse", "OSError"}


def find_keyring() -> Any:
    """The best backend that works right now.

    keyring.get_keyring() is not used: it chooses once, so it misses a service that starts later, and it may fall back
    to plain-text files.
    """
    working = []
    for module, name in _TRUSTED.get(sys.platform, _TRUSTED_ON_LINUX):
        candidate = getattr(importlib.import_module(f"keyring.backends.{module}"), name)
        if candidate.viable:
            working.append(candidate)
    if not working:
        raise VaultUnavailableError
    best = max(working, key=lambda candidate: float(candidate.priority))
    return (_without_leaks(best) if best.__module__ == _FREEDESKTOP else best)()


@cache
def _without_leaks(secret_service: Any) -> Any:
    """The same backend, but closing its D-Bus connection after a failed call."""
    library = importlib.import_module("secretstorage")
    errors = importlib.import_module("keyring.errors")

    class LeakFreeKeyring(secret_service):  # type: ignore[misc]
        def get_preferred_collection(self) -> Any:
            bus = library.dbus_init()
            try:
                collection = library.get_default_collection(bus)
                if collection.is_locked():
                    collection.unlock()
                    if collection.is_locked():
                        raise errors.KeyringLocked
            except BaseException:
                bus.close()
                raise
            return collection

    return LeakFreeKeyring


def is_unlocked() -> bool | None:
    """Whether the keyring is unlocked, checked without a dialog; None if that cannot be checked."""
    if not any(kind.__module__ == _FREEDESKTOP for kind in type(find_keyring()).__mro__):
        return None
    secretstorage = importlib.import_module("secretstorage")
    with closing(secretstorage.dbus_init()) as bus:
        try:
            return not secretstorage.Collection(bus, "/org/freedesktop/secrets/aliases/default").is_locked()
        except secretstorage.ItemNotFoundException:  # creating one needs a dialog
            return False


def to_vault_error(error: Exception) -> VaultError | None:
    """Convert a keyring's error; None for a bug of ours. Types are compared by name: not all backends are installed."""
    types = {kind.__name__ for link in _chain(error) for kind in type(link).__mro__}
    if "PromptDismissedException" in types:
        return VaultDismissedError()
    if types & {"KeyringLocked", "LockedException"}:
        return VaultLockedError()
    return VaultUnavailableError() if types & _UNAVAILABLE_ERRORS else None


def _chain(error: BaseException) -> list[BaseException]:
    links = [error]
    while (cause := links[-1].__cause__ or links[-1].__context__) is not None and cause not in links:
        links.append(cause)
    return links
