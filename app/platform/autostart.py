"""Starting at login: one switch, however the operating system stores it."""

import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QCoreApplication

from app.data.data_dir import data_dir

translate = QCoreApplication.translate


class AutostartError(Exception):
    """Could not be switched; the message says why."""


class Autostart(Protocol):
    def is_on(self) -> bool:
        """As the next login will find it, whichever program wrote it."""

    def turn_on(self) -> None:
        """AutostartError if that is impossible."""

    def turn_off(self) -> None:
        """AutostartError if that is impossible."""


class AutostartEntry(Protocol):
    """The login entry of one operating system. Raises OSError, without messages for the user."""

    @property
    def location(self) -> str:
        """Where it is stored, so that the user can find it."""

    def is_on(self) -> bool: ...

    def turn_on(self) -> None: ...

    def turn_off(self) -> None: ...


class NoAutostart:
    """For unsupported systems."""

    def is_on(self) -> bool:
        return False

    def turn_on(self) -> None:
        raise AutostartError(
            translate(
                "autostart",
                "Dayhand cannot start automatically on this system. Add it to the programs that start at login.",
            )
        )

    def turn_off(self) -> None:
        """Never on."""


class SystemAutostart:
    """The entry of this system, with messages for its errors."""

    def __init__(self, entry: AutostartEntry) -> None:
        self._entry = entry

    def is_on(self) -> bool:
        return self._entry.is_on()

    def turn_on(self) -> None:
        self._try(
            self._entry.turn_on,
            translate(
                "autostart", "Starting at login could not be turned on: {why}. Check that you may write to {path}."
            ),
        )

    def turn_off(self) -> None:
        self._try(
            self._entry.turn_off,
            translate(
                "autostart", "Starting at login could not be turned off: {why}. Check that you may write to {path}."
            ),
        )

    def _try(self, act: Callable[[], None], message: str) -> None:
        try:
            act()
        except OSError as error:
            why = error.strerror or str(error)
            raise AutostartError(message.format(why=why, path=self._entry.location)) from error


def find_autostart(command: Sequence[str], platform: str = sys.platform) -> Autostart:
    """The autostart of this operating system."""
    entry = _find_entry(command, platform)
    return NoAutostart() if entry is None else SystemAutostart(entry)


def _find_entry(command: Sequence[str], platform: str) -> AutostartEntry | None:
    if platform == "win32":
        from app.platform.windows_autostart import RunKey  # noqa: PLC0415  only for this system

        return RunKey(command)
    if platform == "darwin":
        from app.platform.macos_autostart import LaunchAgent  # noqa: PLC0415  as above

        return LaunchAgent(command)
    if platform.startswith("linux"):
        from app.platform.linux_autostart import DesktopEntry  # noqa: PLC0415  as above

        return DesktopEntry(command)
    return None


def program_command() -> list[str]:
    """The command that starts this very program, whatever else is installed under its name."""
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "app.main"]


def autostart_command(folder: Path, system: str = sys.platform) -> Sequence[str]:
    """The command that starts Dayhand at login, with this data folder."""
    program, *arguments = program_command()
    if system == "win32" and arguments:  # python.exe would open a console window
        program = str(Path(program).with_name("pythonw.exe"))
    is_default = folder == data_dir(Namespace(data_dir=None))
    return [program, *arguments, "start", "--background", *([] if is_default else ["--data-dir", str(folder)])]
