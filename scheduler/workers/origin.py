"""Who started a process: the user, or a script. Callers treat an unknown origin like a script.

Every descendant inherits the mark, even when the processes in between have exited: on Linux that of
`dayhand._process_mark`, on Windows a job object. macOS has nothing like it, so there every process counts as started by
the user.
"""

import os
import select
from enum import StrEnum

from scheduler.workers.processes import Process, read_proc
from scheduler.workers.system import HAS_PROCESS_MARKS, find_process, is_marked

_LAUNCHERS = {b"cron", b"crond", b"anacron", b"atd", b"dbus-daemon", b"dbus-broker-lau"}
"""Programs that start others on request: their children do not inherit the requester's mark."""
_USER_MANAGER = b"/user@"
_MAX_ANCESTORS = 1_000


class ProcessOrigin(StrEnum):
    USER = "user"
    SCRIPT = "script"
    UNKNOWN = "unknown"
    """It has exited, is not visible, or a service started it on request."""


def own_origin() -> ProcessOrigin:
    """The origin of this process, a command on the command line."""
    return origin_of(os.getpid(), None)


def is_app_started_by_script() -> bool:
    """Whether a script started this process, the app. Unlike a command, the app may be started as a service."""
    process = find_process(os.getpid()) if HAS_PROCESS_MARKS else None
    if process is None:
        return HAS_PROCESS_MARKS
    marks = [is_marked(one.pid) for one in _with_ancestors(process)]
    return marks[0] is None or any(marks)


def origin_of(pid: int, pidfd: int | None) -> ProcessOrigin:
    """The origin of a process. The pidfd, if given, makes sure that the pid was not reused."""
    if not HAS_PROCESS_MARKS:
        return ProcessOrigin.USER
    process = find_process(pid)
    if process is None or not process.is_alive:
        return ProcessOrigin.UNKNOWN
    origin = _classify(process)
    return ProcessOrigin.UNKNOWN if pidfd is not None and _has_exited(pidfd) else origin


def _classify(process: Process) -> ProcessOrigin:
    family = _with_ancestors(process)
    marks = [is_marked(one.pid) for one in family]
    if any(marks):
        return ProcessOrigin.SCRIPT
    if marks[0] is None or (not process.has_terminal and _is_started_on_request(family)):
        return ProcessOrigin.UNKNOWN
    return ProcessOrigin.USER


def _with_ancestors(process: Process) -> list[Process]:
    """As far up as this user can see."""
    family = [process]
    while len(family) < _MAX_ANCESTORS and (parent := find_process(family[-1].parent)) is not None:
        family.append(parent)
    return family


def _is_started_on_request(family: list[Process]) -> bool:
    """Whether the user's service manager or another launcher started it, as with `systemd-run` and `at`."""
    if any(one.name in _LAUNCHERS for one in family):
        return True
    try:
        groups = read_proc(family[0].pid, "cgroup").splitlines()
    except OSError:
        return False
    return any(_USER_MANAGER in group and group.endswith(b".service") for group in groups)


def _has_exited(pidfd: int) -> bool:
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(0))
