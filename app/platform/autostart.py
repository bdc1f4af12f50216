"""Starting with the person's session: one switch, whatever the operating system keeps it in."""

import sys
from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate


class AutostartError(Exception):
    """It could not be switched; the sentence says why."""


class Autostart(Protocol):
    def is_on(self) -> bool:
        """As the session will find it, whoever wrote it."""

    def turn_on(self) -> None:
        """AutostartError if that is impossible."""

    def turn_off(self) -> None:
        """AutostartError if that is impossible."""


class Entry(Protocol):
    """What one operating system starts with the session. Knows nothing of sentences: it raises OSError."""

    @property
    def place(self) -> str:
        """Where it is, in words that the person can look up."""

    def is_on(self) -> bool: ...

    def turn_on(self) -> None: ...

    def turn_off(self) -> None: ...


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


class SystemAutostart:
    """An entry of this system, with sentences for what goes wrong."""

    def __init__(self, entry: Entry) -> None:
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

    def _try(self, act: Callable[[], None], sentence: str) -> None:
        try:
            act()
        except OSError as error:
            why = error.strerror or str(error)
            raise AutostartError(sentence.format(why=why, path=self._entry.place)) from error


def find_autostart(command: Sequence[str], platform: str = sys.platform) -> Autostart:
    """What this operating system has for it."""
    entry = _find_entry(command, platform)
    return NoAutostart() if entry is None else SystemAutostart(entry)


def _find_entry(command: Sequence[str], platform: str) -> Entry | None:
    if platform == "win32":
        from app.platform.run_key import RunKey  # noqa: PLC0415  of no use on other systems

        return RunKey(command)
    if platform == "darwin":
        from app.platform.launch_agent import LaunchAgent  # noqa: PLC0415  as above

        return LaunchAgent(command)
    if platform.startswith("linux"):
        from app.platform.desktop_entry import DesktopEntry  # noqa: PLC0415  as above

        return DesktopEntry(command)
    return None
