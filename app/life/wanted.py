"""What was asked for at the start."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How long to run, and what to say first."""

    seconds: float | None = None
    until_idle: bool = False
    demo: bool = False
    greeting: str = ""
    folder_option: str = ""
    """What commands must add to find this folder."""
    to_stderr: bool = False
    """Stdout is for a program."""
    background: bool = False
    """Without showing the window."""
    script: str = ""
    """To be shown in the window, whole path."""
