"""What workers need of the operating system: the same names from Unix and from Windows."""

import sys

if sys.platform == "win32":  # pragma: no cover  not run here
    from scheduler.workers.windows import (
        NEWS,
        PASSED_ON,
        Poll,
        end_family,
        exit_code,
        hand_over,
        number_of,
        read,
        take_in,
        unblock,
        widen,
        write_all,
    )
else:
    from scheduler.workers.unix import (
        NEWS,
        PASSED_ON,
        Poll,
        end_family,
        exit_code,
        hand_over,
        number_of,
        read,
        take_in,
        unblock,
        widen,
        write_all,
    )

__all__ = [
    "NEWS",
    "PASSED_ON",
    "Poll",
    "end_family",
    "exit_code",
    "hand_over",
    "number_of",
    "read",
    "take_in",
    "unblock",
    "widen",
    "write_all",
]
