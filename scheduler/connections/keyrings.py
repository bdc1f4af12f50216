"""The keyring of the operating system, and nothing that stands in for one."""

import importlib
import sys
from typing import Any

from scheduler.connections.vault_errors import NoVaultError, VaultDismissedError, VaultError, VaultLockedError

_TRUSTED = {
    "darwin": (("macOS", "Keyring"),),
    "win32": (("Windows", "WinVaultKeyring"),),
}
_TRUSTED_ELSEWHERE = (("SecretService", "Keyring"), ("kwallet", "DBusKeyring"), ("libsecret", "Keyring"))
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
    return max(works, key=lambda candidate: float(candidate.priority))()


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
