"""Imported behind a script that is only tried: commands of its jobs are said in the log and not run."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from . import _command

if TYPE_CHECKING:
    from ._link import Link

MARK = "would run: "
"""How the line in the log begins; the command follows as JSON."""


def say_command(
    link: Link,
    command: list[str],
    *,
    check: bool,  # noqa: ARG001  as the one that runs it
    secrets: dict[str, str] | None = None,  # noqa: ARG001  as the real one takes it
) -> int:
    """As if it had run and ended well."""
    words = [os.path.expanduser(word) if word.startswith("~") else word for word in command]
    link.log(MARK + json.dumps(words))
    return 0


_command.run_command = say_command
