"""Starting foreign programs inside the fence: Pythons that authors chose, and what installs their packages."""

import sys
from collections.abc import Sequence
from pathlib import Path

import dayhand

_FENCE = Path(dayhand.__file__).with_name("_fence.py")


def fenced(command: Sequence[str]) -> list[str]:
    """The command that runs it there, through our own Python; a frozen app is its own Python."""
    if not sys.platform.startswith("linux"):
        return [*command]
    own = ["--fence"] if getattr(sys, "frozen", False) else ["-I", "-S", str(_FENCE)]
    return [sys.executable, *own, *command]
