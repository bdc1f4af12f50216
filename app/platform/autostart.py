"""Starting with the person's session: on Linux a desktop entry, elsewhere nothing yet."""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate
_ENTRY = "dayhand.desktop"
_GROUP = "[Desktop Entry]"
_UNQUOTED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@+,%")


class AutostartError(Exception):
    """It could not be switched; the sentence says why."""


class Autostart(Protocol):
    def is_on(self) -> bool:
        """As the session will find it, whoever wrote it."""

    def turn_on(self) -> None:
        """AutostartError if that is impossible."""

    def turn_off(self) -> None:
        """AutostartError if that is impossible."""


class NoAutostart:
    """For systems where nobody has written it yet."""

    def is_on(self) -> bool:
        return False

    def turn_on(self) -> None:
        raise AutostartError(
            translate(
                "autostart",
                "Dayhand cannot start by itself on this system. Add it to the programs that start at login.",
            )
        )

    def turn_off(self) -> None:
        """It never is on."""


class DesktopEntry:
    """The person's entry decides; a packaged one for everybody counts where the person has none."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] = os.environ) -> None:
        self._command = command
        home = Path(environment.get("HOME") or Path.home())
        own = environment.get("XDG_CONFIG_HOME") or home / ".config"
        shared = environment.get("XDG_CONFIG_DIRS") or "/etc/xdg"
        self._own = Path(own) / "autostart" / _ENTRY
        self._shared = [Path(folder) / "autostart" / _ENTRY for folder in shared.split(":") if folder]

    def is_on(self) -> bool:
        found = (_read(path) for path in (self._own, *self._shared))
        entry = next((values for values in found if values is not None), None)
        if entry is None:
            return False
        return entry.get("Hidden") != "true" and entry.get("X-GNOME-Autostart-enabled") != "false"

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
        if any(_read(path) is not None for path in self._shared):
            self._write({"Type": "Application", "Name": "Dayhand", "Hidden": "true"})
            return
        try:
            self._own.unlink(missing_ok=True)
        except OSError as error:
            raise _error(self._own, error, on=False) from error

    def _write(self, values: Mapping[str, str]) -> None:
        """Beside the old one, then in its place: a session that reads it meanwhile finds the one or the other."""
        fresh = self._own.with_name(f".{_ENTRY}.{uuid4().hex}")
        text = "\n".join([_GROUP, *(f"{name}={_escape(value)}" for name, value in values.items()), ""])
        try:
            self._own.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh.write_text(text, encoding="utf-8")
            fresh.replace(self._own)
        except OSError as error:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)
            raise _error(self._own, error, on="Hidden" not in values) from error


def find_autostart(command: Sequence[str], platform: str = sys.platform) -> Autostart:
    """What this operating system has for it. Windows and macOS have their place here."""
    return DesktopEntry(command) if platform.startswith("linux") else NoAutostart()


def _error(path: Path, error: OSError, *, on: bool) -> AutostartError:
    why = error.strerror or str(error)
    if on:
        sentence = translate(
            "autostart", "Starting at login could not be turned on: {why}. Check that you may write to {path}."
        )
    else:
        sentence = translate(
            "autostart", "Starting at login could not be turned off: {why}. Check that you may write to {path}."
        )
    return AutostartError(sentence.format(why=why, path=path))


def _read(path: Path) -> dict[str, str] | None:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    values: dict[str, str] = {}
    group = ""
    for line in text.splitlines():
        if line.startswith("["):
            group = line.strip()
        elif group == _GROUP and not line.startswith("#"):
            name, _, value = line.partition("=")
            values.setdefault(name.strip(), value.strip())
    return values


def _quote(part: str) -> str:
    """One argument of a command line, by the rules of desktop entries."""
    doubled = part.replace("%", "%%")
    if part and _UNQUOTED.issuperset(part):
        return doubled
    for character in '\\"`$':
        doubled = doubled.replace(character, f"\\{character}")
    return f'"{doubled}"'


def _escape(value: str) -> str:
    """A value of the file itself, in which a backslash begins an escape."""
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
