"""A fake of the module winreg for tests: the functions in use, for one user."""

from collections.abc import Iterator
from contextlib import contextmanager


class Registry:
    HKEY_CURRENT_USER, KEY_READ, KEY_SET_VALUE, REG_SZ = 1, 0x20019, 2, 1

    def __init__(self) -> None:
        self.keys: dict[str, dict[str, object]] = {}
        self.is_locked = False

    @contextmanager
    def OpenKey(  # noqa: N802  winreg's name
        self, root: int, path: str, _reserved: int = 0, access: int = KEY_READ
    ) -> Iterator[dict[str, object]]:
        assert root == self.HKEY_CURRENT_USER
        if path not in self.keys:
            raise FileNotFoundError(2, "The system cannot find the file specified")
        if self.is_locked and access != self.KEY_READ:
            raise PermissionError(13, "Access is denied")
        yield self.keys[path]

    @contextmanager
    def CreateKeyEx(  # noqa: N802  as above
        self, root: int, path: str, _reserved: int, access: int
    ) -> Iterator[dict[str, object]]:
        self.keys.setdefault(path, {})
        with self.OpenKey(root, path, 0, access) as key:
            yield key

    def QueryValueEx(self, key: dict[str, object], name: str) -> tuple[object, int]:  # noqa: N802  as above
        self._check(key, name)
        return key[name], self.REG_SZ

    def SetValueEx(  # noqa: N802  as above
        self, key: dict[str, object], name: str, _reserved: int, _kind: int, value: object
    ) -> None:
        key[name] = value

    def DeleteValue(self, key: dict[str, object], name: str) -> None:  # noqa: N802  as above
        self._check(key, name)
        del key[name]

    def _check(self, key: dict[str, object], name: str) -> None:
        if name not in key:
            raise FileNotFoundError(2, "The system cannot find the file specified")
