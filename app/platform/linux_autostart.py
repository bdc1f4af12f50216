"""Starting at login on Linux: an XDG autostart entry."""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from app.data.atomic_file import write_atomically
from app.platform.desktop_entries import GROUP, find_program, read_entry

_ENTRY = "dayhand.desktop"
_UNQUOTED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@+,%")


class DesktopEntry:
    """The user's entry takes precedence over a system-wide one."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] = os.environ) -> None:
        self._command = command
        self._path = environment.get("PATH")
        home = Path(environment.get("HOME") or Path.home())
        own = environment.get("XDG_CONFIG_HOME") or home / ".config"
        shared = environment.get("XDG_CONFIG_DIRS") or "/etc/xdg"
        self._own = Path(own) / "autostart" / _ENTRY
        self._shared = [Path(folder) / "autostart" / _ENTRY for folder in shared.split(":") if folder]

    @property
    def location(self) -> str:
        return str(self._own)

    def is_on(self) -> bool:
        found = (read_entry(path) for path in (self._own, *self._shared))
        entry = next((values for values in found if values is not None), None)
        if entry is None:
            return False
        is_enabled = entry.get("Hidden") != "true" and entry.get("X-GNOME-Autostart-enabled") != "false"
        return is_enabled and shutil.which(find_program(entry.get("Exec", "")), path=self._path) is not None

    def turn_on(self) -> None:
        self._write(
            {
                "Type": "Application",
                "Name": "Dayhand",
                "Comment": "Runs your recurring chores, and asks before it acts",
                "Exec": " ".join(_quote(part) for part in self._command),
                "Icon": "dayhand",
                "Terminal": "false",
                "X-GNOME-Autostart-enabled": "true",
            }
        )

    def turn_off(self) -> None:
        if any(read_entry(path) is not None for path in self._shared):
            self._write({"Type": "Application", "Name": "Dayhand", "Hidden": "true"})
            return
        self._own.unlink(missing_ok=True)

    def _write(self, values: Mapping[str, str]) -> None:
        text = "\n".join([GROUP, *(f"{name}={_escape(value)}" for name, value in values.items()), ""])
        self._own.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(self._own, text.encode())


def _quote(part: str) -> str:
    """Quote one argument by the rules of desktop entries."""
    doubled = part.replace("%", "%%")
    if part and _UNQUOTED.issuperset(part):
        return doubled
    for character in '\\"`$':
        doubled = doubled.replace(character, f"\\{character}")
    return f'"{doubled}"'


def _escape(value: str) -> str:
    """Escape a value for the file, in which a backslash starts an escape."""
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
