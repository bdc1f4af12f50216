"""Starting other programs inside the sandbox: the Python an author chose, and uv, which installs packages."""

import ctypes
import sys
from collections.abc import Sequence
from pathlib import Path

import dayhand
from dayhand._sandbox import find_calls, landlock_version

from scheduler.user_text import UserText

HAS_SANDBOX = sys.platform.startswith("linux")
_SANDBOX = Path(dayhand.__file__).with_name("_sandbox.py")
_COMPLETE, _WITHOUT_SIGNALS = 6, 2
"""Versions of Landlock."""

_ISOLATED = UserText(
    "Scripts without jobs cannot reach your keyring, your screen or other programs. Files and the network stay open "
    "to them. Jobs run with your rights."
)
_NO_SANDBOX = UserText(
    "Dayhand cannot isolate scripts on this system: they can do everything that you can, without asking. Add only "
    "scripts that you trust."
)
_NO_CALLS = UserText(
    "Dayhand cannot isolate scripts on this kind of processor: they can reach your keyring and your screen. Add only "
    "scripts that you trust."
)
_NO_LANDLOCK = UserText(
    "Scripts without jobs cannot reach your keyring or your screen, but this Linux cannot keep them from inspecting "
    "and ending other programs. Linux 6.12 and later can, with Landlock turned on."
)
_NO_SIGNALS = UserText(
    "Scripts without jobs cannot reach your keyring, your screen or other programs, but this Linux cannot keep them "
    "from ending other programs. Linux 6.12 and later can."
)


def warn_about_sandbox() -> UserText | None:
    """What the user should know before adding a script; None if this system isolates scripts completely."""
    if not HAS_SANDBOX:
        return _NO_SANDBOX
    if find_calls() is None:
        return _NO_CALLS
    version = landlock_version(ctypes.CDLL(None))
    return None if version >= _COMPLETE else _NO_SIGNALS if version >= _WITHOUT_SIGNALS else _NO_LANDLOCK


def describe_sandbox() -> UserText:
    """What scripts can reach on this system."""
    return warn_about_sandbox() or _ISOLATED


def sandboxed(command: Sequence[str]) -> list[str]:
    """The command line that runs it in the sandbox, through our own Python; a frozen app is its own Python."""
    if not HAS_SANDBOX:
        return [*command]
    own = ["--sandbox"] if getattr(sys, "frozen", False) else ["-I", "-S", str(_SANDBOX)]
    return [sys.executable, *own, *command]
