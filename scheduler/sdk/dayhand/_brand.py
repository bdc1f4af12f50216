"""A mark that Linux hands on to whatever a process starts, and that nobody but root can take off again.

It is a limit, which may only be lowered; this one has been without any use since Linux 2.4.
"""

from __future__ import annotations

import sys

_FILE_LOCKS = 10
_BELOW_UNLIMITED = 1 << 62


def brand() -> None:
    """Mark this process, and so all that it will start."""
    if not sys.platform.startswith("linux"):
        return
    import resource  # noqa: PLC0415  Unix only

    most = resource.getrlimit(_FILE_LOCKS)[1]
    lower = _BELOW_UNLIMITED if most == resource.RLIM_INFINITY else max(0, most - 1)
    resource.setrlimit(_FILE_LOCKS, (lower, lower))
