"""The keyring of the operating system, and nothing that stands in for one."""

import importlib
import sys
from contextlib import closing
from functools import cache
from typing import Any

from scheduler.connections.vault_errors import NoVaultError, VaultDismissedError, VaultError, VaultLockedError

_TRUSTED = {
    "darwin": (("macOS", "Keyring"),),
    "win32": (("Windows", "WinVaultKeyring"),),
}
_TRUSTED_ELSEWHERE = (("SecretService", "Keyring"), ("kwallet", "DBusKeyring"), ("libsecret", "Keyring"))
_FREEDESKTOP = "keyring.backends.SecretService"
_UNREACHABLE = {"KeyringError", "SecretStorageException", "DBusErrorResponse", "OSError"}


def find_keyring() -> Any:
    """The best that works at this moment.

    keyring's own choice is not asked: it is made once, so a service that comes up later stays unseen; and where it
    finds none it may settle for files in plain text.
    """
    works = []
    for module, name in _TRUSTED.get(sys.platform, _TRUSTED_ELSEWHERE):
        candidate = getattr(importlib.import_module(f"keyring.backends.{module}"), name)
        if candidate.viable:
            works.append(candidate)
    if not works:
        raise NoVaultError
    best = max(works, key=lambda candidate: float(candidate.priority))
    return (_tidy(best) if best.__module__ == _FREEDESKTOP else best)()


@cache
def _tidy(secret_service: Any) -> Any:
    """The same without what it leaves behind: it keeps a connection to the bus for every call that fails."""
    library = importlib.import_module("secretstorage")
    errors = importlib.import_module("keyring.errors")

    class Tidy(secret_service):  # type: ignore[misc]
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

    return Tidy


def is_open() -> bool | None:
    """Whether it can be read at once, found out without a dialog; None where that cannot be found out."""
    if not any(kind.__module__ == _FREEDESKTOP for kind in type(find_keyring()).__mro__):
        return None
    secretstorage = importlib.import_module("secretstorage")
    with closing(secretstorage.dbus_init()) as bus:
        try:
            return not secretstorage.Collection(bus, "/org/freedesktop/secrets/aliases/default").is_locked()
        except secretstorage.ItemNotFoundException:  # a dialog would make one
            return False


def explain_keyring(error: Exception) -> VaultError | None:
    """What an error of a keyring means, or None if it is a mistake of ours. By type; some are only installed there."""
    types = {kind.__name__ for link in _chain(error) for kind in type(link).__mro__}
    if "PromptDismissedException" in types:
        return VaultDismissedError()
    if types & {"KeyringLocked", "LockedException"}:
        return VaultLockedError()
    return NoVaultError() if types & _UNREACHABLE else None


def _chain(error: BaseException) -> list[BaseException]:
    links = [error]
    while (cause := links[-1].__cause__ or links[-1].__context__) is not None and cause not in links:
        links.append(cause)
    return links
