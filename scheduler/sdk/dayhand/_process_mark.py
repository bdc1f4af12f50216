"""A mark that child processes inherit on Linux, and that only root can remove.

It is a resource limit, which can only be lowered; this one has been unused since Linux 2.4.
"""

from __future__ import annotations

import sys

_FILE_LOCKS = 10


def mark_process() -> None:
    """Mark this process and everything it will start, with a limit of 0, which no other process has."""
    if not sys.platform.startswith("linux"):
        return
    import resource  # noqa: PLC0415  Unix only

    resource.setrlimit(_FILE_LOCKS, (0, 0))
