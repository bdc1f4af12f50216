"""Who started a process: the user, or a script. What cannot be found out counts as a script's.

Linux hands the mark of `dayhand._brand` down to every descendant, whoever is gone in between. Other systems have
nothing like it, so there everything counts as the user's.
"""

import math
import os
import select
import sys
from collections.abc import Callable
from enum import StrEnum
from importlib import import_module

from dayhand._brand import brand

from scheduler.workers.processes import Process, look_up, read_fact

CAN_TELL = sys.platform.startswith("linux")
if CAN_TELL:
    import_module("resource")  # `brand` needs it between fork and exec, where nothing may be loaded any more
MARK_AS_SCRIPT: Callable[[], None] | None = brand if CAN_TELL else None
"""The `preexec_fn` for programs that are not the user's: they are marked before their first step."""

_STARTERS = {b"cron", b"crond", b"anacron", b"atd", b"dbus-daemon", b"dbus-broker-lau"}
"""Programs that start others for whoever asks them: their children do not carry the mark of who asked."""
_OF_THE_USER_MANAGER = b"/user@"
_MOST_ANCESTORS = 1_000


class Origin(StrEnum):
    USER = "user"
    SCRIPT = "script"
    UNKNOWN = "unknown"
    """It has ended, cannot be seen, or a service started it for somebody."""


def own_origin() -> Origin:
    """Of this process, which is a command that somebody typed."""
    return origin_of(os.getpid(), None)


def is_app_of_script() -> bool:
    """Whether a script started this process, which is the app: the desktop may well start it as a service."""
    process = look_up(os.getpid()) if CAN_TELL else None
    if process is None:
        return CAN_TELL
    marks = [_is_marked(one.pid) for one in _with_ancestors(process)]
    return marks[0] is None or any(marks)


def origin_of(pid: int, pidfd: int | None) -> Origin:
    """Of the process with that number. The descriptor, where there is one, makes sure that it is still the same."""
    if not CAN_TELL:
        return Origin.USER
    process = look_up(pid)
    if process is None or not process.is_alive:
        return Origin.UNKNOWN
    found = _judge(process)
    return Origin.UNKNOWN if pidfd is not None and _has_exited(pidfd) else found


def _judge(process: Process) -> Origin:
    family = _with_ancestors(process)
    marks = [_is_marked(one.pid) for one in family]
    if any(marks):
        return Origin.SCRIPT
    if marks[0] is None or (not process.has_terminal and _is_started_for_somebody(family)):
        return Origin.UNKNOWN
    return Origin.USER


def _with_ancestors(process: Process) -> list[Process]:
    """As far up as this user may see."""
    family = [process]
    while len(family) < _MOST_ANCESTORS and (parent := look_up(family[-1].parent)) is not None:
        family.append(parent)
    return family


def _is_marked(pid: int) -> bool | None:
    """None if nobody can tell."""
    try:
        [line] = (line for line in read_fact(pid, "limits").splitlines() if line.startswith(b"Max file locks"))
    except (OSError, ValueError):
        return None
    most = line.split()[-2]
    return (math.inf if most == b"unlimited" else int(most)) == 0


def _is_started_for_somebody(family: list[Process]) -> bool:
    """Whether the user's service manager or another program started it on request, as `systemd-run` and `at` do."""
    if any(one.name in _STARTERS for one in family):
        return True
    try:
        groups = read_fact(family[0].pid, "cgroup").splitlines()
    except OSError:
        return False
    return any(_OF_THE_USER_MANAGER in group and group.endswith(b".service") for group in groups)


def _has_exited(pidfd: int) -> bool:
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(0))
