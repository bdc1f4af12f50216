"""A mark that child processes inherit on Linux, and that only root can remove.

It consists of resource limits, which can only be lowered, and which have had no effect since Linux 2.4: one says that
a process runs for a script, another for which worker, also if the process deletes its environment.
"""

from __future__ import annotations

import sys

_RESIDENT_MEMORY, _FILE_LOCKS = 5, 10
MOST_MEMORY = 1 << 62
"""More than any computer has: the limit of processes whose worker does not matter, and the least of all others."""


def mark_process(number: int = MOST_MEMORY) -> None:
    """Mark this process and everything it will start; other processes have no such limits."""
    if not sys.platform.startswith("linux"):
        return
    import resource  # noqa: PLC0415  Unix only

    resource.setrlimit(_FILE_LOCKS, (0, 0))
    if resource.getrlimit(_RESIDENT_MEMORY)[1] == resource.RLIM_INFINITY:
        resource.setrlimit(_RESIDENT_MEMORY, (number, number))
