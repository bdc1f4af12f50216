"""A mark that Linux hands on to whatever a process starts, and that nobody but root can take off again.

It is a limit, which may only be lowered; this one has been without any use since Linux 2.4.
"""

from __future__ import annotations

import sys

_FILE_LOCKS = 10


def brand() -> None:
    """Mark this process, and so all that it will start: with a limit of 0, which nobody has and nobody can lower."""
    if not sys.platform.startswith("linux"):
        return
    import resource  # noqa: PLC0415  Unix only

    resource.setrlimit(_FILE_LOCKS, (0, 0))
