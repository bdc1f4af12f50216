"""Starting other programs inside the sandbox: the Python an author chose, and uv, which installs packages."""

import sys
from collections.abc import Sequence
from pathlib import Path

import dayhand

from scheduler.user_text import UserText

HAS_SANDBOX = sys.platform.startswith("linux")
_SANDBOX = Path(dayhand.__file__).with_name("_sandbox.py")
_NO_SANDBOX = UserText(
    "Dayhand cannot isolate scripts on this system: they can do everything that you can, without asking. Add only "
    "scripts that you trust."
)


def warn_without_sandbox() -> UserText | None:
    """What the user should know before adding a script; None if the system has a sandbox."""
    return None if HAS_SANDBOX else _NO_SANDBOX


def sandboxed(command: Sequence[str]) -> list[str]:
    """The command line that runs it in the sandbox, through our own Python; a frozen app is its own Python."""
    if not HAS_SANDBOX:
        return [*command]
    own = ["--sandbox"] if getattr(sys, "frozen", False) else ["-I", "-S", str(_SANDBOX)]
    return [sys.executable, *own, *command]
