"""Starting at login on macOS: a launch agent of the person. Tested with a stand-in of launchctl, not run on macOS."""

import os
import plistlib
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

from app.keeping.replacing import replace_file

_LABEL = "io.github.dayhand.Dayhand"
_PATIENCE = 10.0


class LaunchAgent:
    """The file says what to start; launchd remembers by itself what the person turned off without it."""

    def __init__(self, command: Sequence[str], home: Path | None = None, launchctl: str = "/bin/launchctl") -> None:
        self._command = command
        self._file = (home or Path.home()) / "Library" / "LaunchAgents" / f"{_LABEL}.plist"
        self._launchctl = launchctl

    @property
    def place(self) -> str:
        return str(self._file)

    def is_on(self) -> bool:
        agent = self._read()
        return agent.get("RunAtLoad") is True and agent.get("Disabled") is not True and not self._is_overridden()

    def turn_on(self) -> None:
        agent = {
            "Label": _LABEL,
            "ProgramArguments": list(self._command),
            "RunAtLoad": True,
            "LimitLoadToSessionType": "Aqua",
            "ProcessType": "Interactive",
        }
        self._file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(self._file, plistlib.dumps(agent))
        self._control("enable", f"{_domain()}/{_LABEL}")

    def turn_off(self) -> None:
        self._file.unlink(missing_ok=True)

    def _read(self) -> dict[str, Any]:
        try:
            agent = plistlib.loads(self._file.read_bytes())
        except (OSError, ValueError, ExpatError):
            return {}
        return agent if isinstance(agent, dict) else {}

    def _is_overridden(self) -> bool:
        """Its lines say `"label" => disabled`, on older systems `=> true`."""
        told = self._control("print-disabled", _domain())
        return any(f'"{_LABEL}" => {word}' in told for word in ("disabled", "true"))

    def _control(self, *arguments: str) -> str:
        """What launchctl says; nothing where it cannot be asked."""
        command = [self._launchctl, *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)  # noqa: S603  our own words
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return done.stdout


def _domain() -> str:
    return f"gui/{os.getuid()}"
