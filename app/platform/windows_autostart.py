"""Starting at login on Windows: a value in the user's registry. Without Qt; tested under Wine, not on Windows."""

import errno
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from subprocess import list2cmdline
from typing import Any

_NAME = "Dayhand"
_RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"
_APPROVED = r"Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"
"""The user's choice in Task Manager or Settings: bytes, the first of which is odd if disabled."""
_MAX_CHARS = 260
"""Windows ignores longer command lines there."""


class RunKey:
    """Windows reads both keys at login, so both decide."""

    location = rf"HKEY_CURRENT_USER\{_RUN}"

    def __init__(self, command: Sequence[str], registry: Any = None) -> None:
        """`registry` is the module winreg."""
        self._line = list2cmdline(command)
        self._registry = registry or import_module("winreg")

    def is_on(self) -> bool:
        approved = self._read(_APPROVED)
        is_disabled = isinstance(approved, bytes) and bool(approved) and approved[0] % 2 == 1
        return bool(self._read(_RUN)) and not is_disabled

    def turn_on(self) -> None:
        if len(self._line) > _MAX_CHARS:
            raise OSError(errno.ENAMETOOLONG, f"Windows starts only commands of up to {_MAX_CHARS} characters at login")
        registry = self._registry
        with registry.CreateKeyEx(registry.HKEY_CURRENT_USER, _RUN, 0, registry.KEY_SET_VALUE) as key:
            registry.SetValueEx(key, _NAME, 0, registry.REG_SZ, self._line)
        self._delete(_APPROVED)

    def turn_off(self) -> None:
        self._delete(_RUN)
        self._delete(_APPROVED)

    def _read(self, path: str) -> object:
        registry = self._registry
        try:
            with registry.OpenKey(registry.HKEY_CURRENT_USER, path) as key:
                value, _ = registry.QueryValueEx(key, _NAME)
        except OSError:
            return None
        return value

    def _delete(self, path: str) -> None:
        registry = self._registry
        with (
            suppress(FileNotFoundError),
            registry.OpenKey(registry.HKEY_CURRENT_USER, path, 0, registry.KEY_SET_VALUE) as key,
        ):
            registry.DeleteValue(key, _NAME)
