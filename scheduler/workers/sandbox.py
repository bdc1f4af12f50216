"""Starting other programs inside the sandbox: the Python an author chose, and uv, which installs packages."""

import sys
from collections.abc import Sequence
from pathlib import Path

import dayhand

_SANDBOX = Path(dayhand.__file__).with_name("_sandbox.py")


def sandboxed(command: Sequence[str]) -> list[str]:
    """The command line that runs it in the sandbox, through our own Python; a frozen app is its own Python."""
    if not sys.platform.startswith("linux"):
        return [*command]
    own = ["--sandbox"] if getattr(sys, "frozen", False) else ["-I", "-S", str(_SANDBOX)]
    return [sys.executable, *own, *command]
