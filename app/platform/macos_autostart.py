"""Starting at login on macOS: a launch agent of the user. Tested with a fake launchctl, not on macOS."""

import os
import plistlib
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

from app.data.atomic_file import write_atomically

_LABEL = "io.github.dayhand.Dayhand"
_TIMEOUT_S = 10.0


class LaunchAgent:
    """The file says what to start; launchd separately remembers what the user disabled."""

    def __init__(self, command: Sequence[str], home: Path | None = None, launchctl: str = "/bin/launchctl") -> None:
        self._command = command
        self._file = (home or Path.home()) / "Library" / "LaunchAgents" / f"{_LABEL}.plist"
        self._launchctl = launchctl

    @property
    def location(self) -> str:
        return str(self._file)

    def is_on(self) -> bool:
        agent = self._read()
        return agent.get("RunAtLoad") is True and agent.get("Disabled") is not True and not self._is_disabled()

    def turn_on(self) -> None:
        agent = {
            "Label": _LABEL,
            "ProgramArguments": list(self._command),
            "RunAtLoad": True,
            "LimitLoadToSessionType": "Aqua",
            "ProcessType": "Interactive",
        }
        self._file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self._file, plistlib.dumps(agent))
        self._run_launchctl("enable", f"{_domain()}/{_LABEL}")

    def turn_off(self) -> None:
        self._file.unlink(missing_ok=True)

    def _read(self) -> dict[str, Any]:
        try:
            agent = plistlib.loads(self._file.read_bytes())
        except (OSError, ValueError, ExpatError):
            return {}
        return agent if isinstance(agent, dict) else {}

    def _is_disabled(self) -> bool:
        """Launchctl prints `"label" => disabled`, on older systems `=> true`."""
        output = self._run_launchctl("print-disabled", _domain())
        return any(f'"{_LABEL}" => {word}' in output for word in ("disabled", "true"))

    def _run_launchctl(self, *arguments: str) -> str:
        """Its output; empty if it cannot be run."""
        command = [self._launchctl, *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)  # noqa: S603  fixed arguments
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return done.stdout


def _domain() -> str:
    return f"gui/{os.getuid()}"
