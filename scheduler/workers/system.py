"""What workers need from the operating system: one set of names for Unix and Windows."""

import sys

if sys.platform == "win32":  # pragma: no cover  not run here
    from scheduler.workers.windows import (
        HAS_PROCESS_MARKS,
        PASSED_VARIABLES,
        PYTHON_IN_ENVIRONMENT,
        READABLE,
        Poll,
        enlarge_pipe,
        inheritable_number,
        lower_priority,
        offer_secrets,
        read,
        set_nonblocking,
        start_process,
        wait_for_exit_code,
        write_all,
    )
    from scheduler.workers.windows_jobs import (
        KILLED_CODE,
        find_process,
        is_marked,
        kill_tree,
        kill_with_descendants,
        terminate_tree,
    )
else:
    from scheduler.workers.processes import find_process, is_marked, kill_with_descendants
    from scheduler.workers.unix import (
        HAS_PROCESS_MARKS,
        KILLED_CODE,
        PASSED_VARIABLES,
        PYTHON_IN_ENVIRONMENT,
        READABLE,
        Poll,
        enlarge_pipe,
        inheritable_number,
        kill_tree,
        lower_priority,
        offer_secrets,
        read,
        set_nonblocking,
        start_process,
        terminate_tree,
        wait_for_exit_code,
        write_all,
    )

__all__ = [
    "HAS_PROCESS_MARKS",
    "KILLED_CODE",
    "PASSED_VARIABLES",
    "PYTHON_IN_ENVIRONMENT",
    "READABLE",
    "Poll",
    "enlarge_pipe",
    "find_process",
    "inheritable_number",
    "is_marked",
    "kill_tree",
    "kill_with_descendants",
    "lower_priority",
    "offer_secrets",
    "read",
    "set_nonblocking",
    "start_process",
    "terminate_tree",
    "wait_for_exit_code",
    "write_all",
]
