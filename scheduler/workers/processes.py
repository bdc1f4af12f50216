"""Finding and ending processes with all that they started. Linux tells through /proc; elsewhere the group must do."""

import os
import select
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

MARK = "DAYHAND_WORKER"
"""In the environment of a worker and of all that it starts: a random text that is no secret."""

_PROC = "/proc"
_DYING = 2.0
"""Seconds that the system may take to carry out a kill, which it does in its own time."""
_ROUNDS = 50
_CHUNK = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    pid: int
    parent: int
    session: int
    has_terminal: bool
    """Whether it has one that controls it: somebody may be typing there."""
    name: bytes
    """Of its program, the first 15 bytes."""
    started: int
    """In clock ticks since the machine started; with the pid it names one process."""
    is_alive: bool


def look_up(pid: int) -> Process | None:
    """What the system knows about a process; None if there is none, or no way to know."""
    try:
        told = read_fact(pid, "stat")
    except OSError:
        return None
    name_end = told.rindex(b")")  # the name before may hold anything
    fields = told[name_end + 2 :].split()
    return Process(
        pid=pid,
        parent=int(fields[1]),
        session=int(fields[3]),
        has_terminal=fields[4] != b"0",
        name=told[told.index(b"(") + 1 : name_end],
        started=int(fields[19]),
        is_alive=fields[0] not in (b"Z", b"X"),
    )


def living() -> Iterator[Process]:
    """Every process that is not dead."""
    return _alive(_numbers())


def carries(pid: int, mark: bytes) -> bool:
    """Whether the process was started with that text in its environment, or is a fork of one that was."""
    try:
        return mark in read_fact(pid, "environ")
    except OSError:
        return False


def end_family(root: int | None, mark: str) -> None:
    """Kill a process, all its descendants, its session, and whatever carries the mark.

    Everything found is stopped before anything is killed: what is stopped cannot fork, so the search ends. The caller
    guarantees that `root`, where given, still names that process: an own child that nobody has waited for yet.
    """
    found: dict[int, Process] = {}
    carried = f"{MARK}={mark}".encode()
    first = None if root is None else look_up(root)
    others: set[int] = set()
    for _ in range(_ROUNDS):
        numbers = _numbers() - others
        young = [one for one in _alive(numbers) if first is None or one.started >= first.started]
        others |= numbers - {one.pid for one in young}  # nothing in a family is older than its root
        new = [process for process in _members(root, carried, young) if process.pid not in found]
        if not new:
            break
        for process in new:
            found[process.pid] = process
            _send(process, signal.SIGSTOP)
    for process in found.values():
        _send(process, signal.SIGKILL)
    if root is not None:
        with suppress(OSError):
            os.killpg(root, signal.SIGKILL)
        with suppress(OSError):
            os.kill(root, signal.SIGKILL)
    deadline = time.monotonic() + _DYING
    while any(_is_still(process) for process in found.values()) and time.monotonic() < deadline:
        select.select((), (), (), 0.001)  # unlike sleep it does not mind a clock that somebody turns


def _is_still(process: Process) -> bool:
    now = look_up(process.pid)
    return now is not None and now.is_alive and now.started == process.started


def _members(root: int | None, mark: bytes, among: list[Process]) -> list[Process]:
    known = {root}
    size = 0
    while root is not None and size != len(known):
        size = len(known)
        known |= {process.pid for process in among if process.parent in known or process.session == root}
    return [
        process
        for process in among
        if process.pid != os.getpid() and (process.pid in known or carries(process.pid, mark))
    ]


def _numbers() -> set[int]:
    try:
        return {int(name) for name in os.listdir(_PROC) if name.isdecimal()}  # noqa: PTH208  see read_fact
    except OSError:
        return set()


def _alive(numbers: Iterable[int]) -> Iterator[Process]:
    return (process for number in numbers if (process := look_up(number)) is not None and process.is_alive)


def _send(process: Process, number: signal.Signals) -> None:
    """To that process and not to a later one with the same number."""
    now = look_up(process.pid)
    if now is not None and now.started == process.started:
        with suppress(OSError):
            os.kill(process.pid, number)


def read_fact(pid: int, name: str) -> bytes:
    """Of /proc. Read for every process of the computer, so without the comfort of a file, which costs more."""
    descriptor = os.open(f"{_PROC}/{pid}/{name}", os.O_RDONLY)
    try:
        parts = [os.read(descriptor, _CHUNK)]
        while len(parts[-1]) == _CHUNK:
            parts.append(os.read(descriptor, _CHUNK))
        return b"".join(parts)
    finally:
        os.close(descriptor)
