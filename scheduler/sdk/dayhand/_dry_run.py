"""Imported after a script in a dry run: commands of its jobs are logged instead of run."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from . import _command

if TYPE_CHECKING:
    from ._channel import HostChannel

MARK = "would run: "
"""Starts the line in the log; the command follows as JSON."""


def log_command(
    link: HostChannel,
    command: list[str],
    *,
    check: bool,  # noqa: ARG001  same signature as the real one
    secrets: dict[str, str] | None = None,  # noqa: ARG001
) -> int:
    """Log the command and report success."""
    words = [os.path.expanduser(word) if word.startswith("~") else word for word in command]
    link.log(MARK + json.dumps(words))
    return 0


_command.run_command = log_command
