"""Starting at login on Windows: a value in the person's registry. Free of Qt; run under Wine, not on Windows."""

import errno
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from subprocess import list2cmdline
from typing import Any

_NAME = "Dayhand"
_RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"
_APPROVED = r"Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"
"""What the person chose in Task Manager or in Settings: bytes, of which the first is odd for what must not start."""
_LONGEST = 260
"""Windows starts no longer command lines from there."""


class RunKey:
    """Whoever starts Windows' programs reads both keys, so both decide."""

    place = rf"HKEY_CURRENT_USER\{_RUN}"

    def __init__(self, command: Sequence[str], registry: Any = None) -> None:
        """The registry is Python's module winreg."""
        self._line = list2cmdline(command)
        self._registry = registry or import_module("winreg")

    def is_on(self) -> bool:
        approved = self._read(_APPROVED)
        is_refused = isinstance(approved, bytes) and bool(approved) and approved[0] % 2 == 1
        return bool(self._read(_RUN)) and not is_refused

    def turn_on(self) -> None:
        if len(self._line) > _LONGEST:
            raise OSError(errno.ENAMETOOLONG, f"Windows starts only commands of up to {_LONGEST} characters at login")
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
