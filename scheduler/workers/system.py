"""What workers need from the operating system: one set of names for Unix and Windows."""

import sys

if sys.platform == "win32":  # pragma: no cover  not run here
    from scheduler.workers.windows import (
        PASSED_VARIABLES,
        READABLE,
        Poll,
        adopt_process,
        enlarge_pipe,
        inheritable_number,
        kill_with_descendants,
        popen_arguments,
        read,
        set_nonblocking,
        wait_for_exit_code,
        write_all,
    )
else:
    from scheduler.workers.unix import (
        PASSED_VARIABLES,
        READABLE,
        Poll,
        adopt_process,
        enlarge_pipe,
        inheritable_number,
        kill_with_descendants,
        popen_arguments,
        read,
        set_nonblocking,
        wait_for_exit_code,
        write_all,
    )

__all__ = [
    "PASSED_VARIABLES",
    "READABLE",
    "Poll",
    "adopt_process",
    "enlarge_pipe",
    "inheritable_number",
    "kill_with_descendants",
    "popen_arguments",
    "read",
    "set_nonblocking",
    "wait_for_exit_code",
    "write_all",
]
